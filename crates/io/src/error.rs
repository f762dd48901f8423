//! The error type of reading and writing. Every message names the file, the invalid item and the remedy.

use std::path::{Path, PathBuf};

use sat2d::internal::{Shown, escaped};

/// An error while a file is read or written, or an error of the library in the contents of a file.
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
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A file cannot be written. An existing file at the path stays unchanged.
    #[error("cannot write {}: {source}", named(path, "standard output"))]
    Write {
        /// Path of the file. `-` is standard output.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The contents of a file do not fit in the memory of this machine.
    #[error(
        "cannot read {}: out of memory: {needed_bytes} bytes were refused; split the input, or give the process more memory",
        named(path, "standard input")
    )]
    OutOfReadMemory {
        /// Path of the file. `-` is standard input.
        path: PathBuf,
        /// Size of the allocation that failed, in bytes.
        needed_bytes: usize,
    },
    /// The text of a feature exceeds the limit on its size.
    #[error(
        "its text exceeds the limit of {limit_bytes} bytes for one feature; split it, or raise the limit (`--max-feature-mib`, in `sat2d-io` `ReadOptions::max_feature_bytes`)"
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
        /// The names of all columns of the file. A Shapefile without a table has no columns.
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
        "{}: no feature has the property {}; name a property of the features",
        all_named(paths),
        Shown(property)
    )]
    IdProperty {
        /// Paths of all input files. `-` is standard input.
        paths: Vec<PathBuf>,
        /// Name of the property.
        property: String,
    },
    /// The reader does not support this geometry type.
    #[error(
        "geometry type {} cannot be joined; give Polygon or MultiPolygon, or in the first of two files also Point or MultiPoint",
        Shown(kind)
    )]
    UnsupportedGeometry {
        /// The type of the geometry, such as `LineString`.
        kind: String,
    },
    /// A feature is a point although the features before it are polygons, or a polygon although they are points.
    #[error(
        "a {} among {}; put points and polygons in separate files",
        if *is_point { "point" } else { "polygon" },
        if *is_point { "polygons" } else { "points" }
    )]
    MixedGeometries {
        /// Whether the feature is a point.
        is_point: bool,
    },
    /// A ring or a position does not conform to GeoJSON.
    #[error("{problem}")]
    Malformed {
        /// The reason why the input is invalid, and the position of the error.
        problem: String,
    },
    /// One feature of a file is invalid.
    #[error("{}, feature {feature}{}: {source}", named(path, "standard input"), id.as_ref().map(|id| format!(" (id {})", Shown(id))).unwrap_or_default())]
    Feature {
        /// Path of the file. `-` is standard input.
        path: PathBuf,
        /// Index of the feature in its file, from 0.
        feature: usize,
        /// The id of the feature, if it has one.
        id: Option<String>,
        /// The error in the feature.
        source: Box<Error>,
    },
}

/// Returns the name of a file for messages. If the path is `-`, returns `stream`.
fn named(path: &Path, stream: &'static str) -> String {
    if path.as_os_str() == "-" { stream.into() } else { path.display().to_string() }
}

fn shown_all(names: &[String]) -> String {
    if names.is_empty() {
        return "the file has no columns".into();
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
