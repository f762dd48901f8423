//! The error type of reading and writing. Most messages name the file, the invalid item and a remedy. An error inside
//! [`Error::Feature`] does not name the file, because [`Error::Feature`] names it.

use std::path::{Path, PathBuf};

use sat2d::internal::{Shown, escaped};

// The remedies of the errors whose remedy is always the same.
const MORE_MEMORY: &str = "split the input, or give the process more memory";
const HIGHER_LIMIT: &str =
    "split it, or raise the limit (`--max-feature-mib`, in `sat2d-io` `ReadOptions::max_feature_bytes`)";
const OTHER_PROPERTY: &str = "name a property of the features";
const JOINED_TYPES: &str = "give Polygon or MultiPolygon (`join` also takes files of Point and MultiPoint)";
const SEPARATE_FILES: &str = "put points and polygons in separate files";

/// An error while a file is read or written, or an error of the library about the contents of a file.
///
/// Indices count from 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The library does not accept the contents.
    #[error(transparent)]
    Library(#[from] sat2d::Error),
    /// A file cannot be opened or read.
    #[error("cannot read {}: {source}", named(path, "standard input"))]
    Read {
        /// Path of the file. `-` is standard input.
        path: PathBuf,
        /// Why it cannot be read, for example an error of the operating system, a decompression error, or a path without
        /// any files.
        source: std::io::Error,
    },
    /// A file cannot be written. An existing regular file at the path stays unchanged.
    #[error("cannot write {}: {source}", named(path, "standard output"))]
    Write {
        /// Path of the file. `-` is standard output.
        path: PathBuf,
        /// Why it cannot be written: an error of the operating system, or an unsuitable path or output.
        source: std::io::Error,
    },
    /// The contents of a file do not fit in the memory of this machine.
    #[error(
        "cannot read {}: out of memory: {needed_bytes} bytes were refused; {remedy}",
        named(path, "standard input"), remedy = MORE_MEMORY
    )]
    OutOfReadMemory {
        /// Path of the file. `-` is standard input.
        path: PathBuf,
        /// Approximate size of the refused memory, in bytes. The memory was for the text of a GeoJSON value, or for the
        /// ids and points of the features. In the second case, this is the size of the ids.
        needed_bytes: usize,
    },
    /// The text of a feature exceeds the limit on its size.
    #[error(
        "its text exceeds the limit of {limit_bytes} bytes for one feature; {remedy}",
        remedy = HIGHER_LIMIT
    )]
    FeatureTooLarge {
        /// The limit, in bytes.
        limit_bytes: usize,
    },
    /// A file does not conform to its format, or its contents have a form that this crate cannot read.
    #[error("{}: {}", named(path, "standard input"), escaped(problem))]
    Format {
        /// Path of the file. `-` is standard input.
        path: PathBuf,
        /// The reason, and the remedy.
        problem: String,
    },
    /// A table has no column with the requested name. This error comes before any feature is read.
    #[error(
        "{}: there is no column {}; {}",
        named(path, "standard input"),
        Shown(column),
        shown_all(columns)
    )]
    NoColumn {
        /// Path of the file. `-` is standard input.
        path: PathBuf,
        /// The name of the column.
        column: String,
        /// The names of all columns of the file. A Shapefile without a table and a file of WKT have no columns.
        columns: Vec<String>,
    },
    /// A file is not valid JSON or not valid GeoJSON.
    #[error("{}, line {line}, column {column}: {problem}", named(path, "standard input"))]
    Syntax {
        /// Path of the file. `-` is standard input.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// Column number, from 1.
        column: usize,
        /// The reason why the input is invalid.
        problem: String,
    },
    /// No feature of the input has the property that the caller chose for the ids.
    #[error(
        "{}: no feature has the property {}; {remedy}",
        all_named(paths),
        Shown(property),
        remedy = OTHER_PROPERTY
    )]
    IdProperty {
        /// Paths of all input files. `-` is standard input.
        paths: Vec<PathBuf>,
        /// Name of the property.
        property: String,
    },
    /// The reader does not support this geometry type.
    #[error(
        "geometry type {} cannot be joined; {remedy}",
        Shown(kind),
        remedy = JOINED_TYPES
    )]
    UnsupportedGeometry {
        /// The type of the geometry, such as `LineString`.
        kind: String,
    },
    /// A feature is a point although the features before it are polygons, or a polygon although they are points.
    #[error(
        "a {} among {}; {remedy}",
        if *is_point { "point" } else { "polygon" },
        if *is_point { "polygons" } else { "points" },
        remedy = SEPARATE_FILES
    )]
    MixedGeometries {
        /// Whether the feature is a point.
        is_point: bool,
    },
    /// The contents of a feature do not conform to the format of the file.
    #[error("{problem}")]
    Malformed {
        /// The reason why the contents are invalid. It includes the position of the error if the reader knows the
        /// position.
        problem: String,
    },
    /// One feature of a file is invalid.
    #[error("{}{}, feature {feature}{}: {source}", named(path, "standard input"), line.map(|line| format!(", line {line}")).unwrap_or_default(), id.as_ref().map(|id| format!(" (id {})", Shown(id))).unwrap_or_default())]
    Feature {
        /// Path of the file. `-` is standard input.
        path: PathBuf,
        /// Line of the file on which the feature begins, from 1. `None` if the format is not [`Format::Wkt`](crate::Format::Wkt).
        line: Option<usize>,
        /// Index of the feature in its file, from 0.
        feature: usize,
        /// The id of the feature, if it has one.
        id: Option<String>,
        /// The error in the feature.
        source: Box<Error>,
    },
}

impl Error {
    /// Returns the remedy at the end of the message. Returns `None` if the message has no remedy. Also returns `None`
    /// if the remedy depends on more than the kind of the error. [`Error::fact`] is then the whole message.
    ///
    /// A program can replace a remedy that names a file or an option, if the program has other names for them:
    ///
    /// ```
    /// let error = sat2d_io::Error::MixedGeometries { is_point: true };
    /// assert_eq!(error.fact(), "a point among polygons");
    /// assert_eq!(error.remedy(), Some("put points and polygons in separate files"));
    /// ```
    #[must_use]
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::Library(error) => error.remedy(),
            Self::Feature { source, .. } => source.remedy(),
            Self::OutOfReadMemory { .. } => Some(MORE_MEMORY),
            Self::FeatureTooLarge { .. } => Some(HIGHER_LIMIT),
            Self::IdProperty { .. } => Some(OTHER_PROPERTY),
            Self::UnsupportedGeometry { .. } => Some(JOINED_TYPES),
            Self::MixedGeometries { .. } => Some(SEPARATE_FILES),
            _ => None,
        }
    }

    /// Returns the message without [`Error::remedy`] and without the semicolon before it.
    #[must_use]
    pub fn fact(&self) -> String {
        let message = self.to_string();
        let fact = self.remedy().and_then(|remedy| message.strip_suffix(remedy)?.strip_suffix("; "));
        fact.map_or_else(|| message.clone(), str::to_owned)
    }
}

/// Returns the name of a file for messages. If the path is `-`, returns `stream`.
fn named(path: &Path, stream: &'static str) -> String {
    if path.as_os_str() == "-" { stream.into() } else { path.display().to_string() }
}

fn shown_all(names: &[String]) -> String {
    if names.is_empty() {
        return "the file has no columns, so leave out the name of the column".into();
    }
    let names: Vec<String> = names.iter().map(|name| Shown(name).to_string()).collect();
    format!("the columns are {}", names.join(", "))
}

fn all_named(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| named(path, "standard input")).collect();
    names.join(" and ")
}

/// The result type of all functions of this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_a_fact_and_a_remedy() {
        let path = || PathBuf::from("a.csv");
        let hole = || sat2d::Error::HoleOutsideShell { polygon: 1, ring: 2, x: 3.0, y: 4.0 };
        let (from, to, near) = ([0.0, 0.0], [2.0, 2.0], [1.0, 1.0]);
        let crossing = sat2d::Error::CrossingSegments { polygon: 0, ring: 0, segment: 3, from, to, near };
        let of_feature = |source| Error::Feature {
            path: path(),
            line: None,
            feature: 7,
            id: None,
            source: Box::new(source),
        };
        for (error, message) in [
            (
                Error::OutOfReadMemory { path: path(), needed_bytes: 9 },
                "cannot read a.csv: out of memory: 9 bytes were refused; split the input, or give the process more memory",
            ),
            (
                Error::FeatureTooLarge { limit_bytes: 9 },
                "its text exceeds the limit of 9 bytes for one feature; split it, or raise the limit (`--max-feature-mib`, in `sat2d-io` `ReadOptions::max_feature_bytes`)",
            ),
            (
                Error::IdProperty { paths: vec![path(), "-".into()], property: "name".into() },
                "a.csv and standard input: no feature has the property name; name a property of the features",
            ),
            (
                Error::UnsupportedGeometry { kind: "LineString".into() },
                "geometry type LineString cannot be joined; give Polygon or MultiPolygon (`join` also takes files of Point and MultiPoint)",
            ),
            (
                of_feature(Error::MixedGeometries { is_point: false }),
                "a.csv, feature 7: a polygon among points; put points and polygons in separate files",
            ),
            (
                of_feature(sat2d::Error::Object { object: 7, source: Box::new(hole()) }.into()),
                "a.csv, feature 7: object 7: polygon 1: hole 2 leaves its shell at (3, 4); repair the polygon, or choose a fill rule",
            ),
            (
                crossing.into(),
                "polygon 0: segment 3 of ring 0, from (0, 0) to (2, 2), crosses another segment of the polygon near (1, 1); repair the polygon, or choose a fill rule",
            ),
        ] {
            assert_eq!(error.to_string(), message);
            let parts = error.remedy().map(|remedy| (error.fact(), remedy.to_owned()));
            assert_eq!(parts, message.rsplit_once("; ").map(|(fact, remedy)| (fact.into(), remedy.into())));
        }
        let error = Error::Malformed { problem: "a ring is open; close it".into() };
        assert_eq!((error.fact(), error.remedy()), ("a ring is open; close it".into(), None));
    }
}
