//! `sat2d info FILE`: describes the contents of a file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use indicatif::HumanCount as Count;
use sat2d::Aabb;
use sat2d::internal::{Shown, escaped};
use sat2d_io::internal::OptionNames;
use sat2d_io::{Features, ReadOptions};
use schemars::JsonSchema;
use serde::Serialize;

use super::input::{FormatArgument, NO_GEOMETRY_COLUMN};
use super::progress::Bar;
use super::terminal::{concise, print, row};
use crate::error::{Error, Result};

/// The greatest number of invalid features that the report describes. All are counted.
const DESCRIBED: usize = 5;

/// The greatest number of SRIDs that the text of the report lists.
const LISTED_SRIDS: usize = 8;

/// The file to describe, and the options for reading it.
#[derive(Args, Debug)]
pub(super) struct FileArguments {
    /// File of polygons or points to describe. `-` is standard input. Without FILE, the command shows the adapters.
    #[arg(value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
    /// Format of FILE [default: determined by its first bytes, then by the ending of its name].
    #[arg(long, value_enum, value_name = "FORMAT", requires = "file")]
    from: Option<FormatArgument>,
    /// Geometry column, if FILE is a table [default: determined by the metadata, then by the names of the columns].
    #[arg(long, value_name = "COLUMN", requires = "file")]
    geometry: Option<String>,
    /// Property or column that has the ids of the features [default: the GeoJSON id, or the column id].
    #[arg(long, value_name = "PROPERTY", requires = "file")]
    id: Option<String>,
    /// Print the description as one JSON object.
    #[arg(long, requires = "file")]
    json: bool,
}

/// The contents of a file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "sat2d info FILE --json")]
pub(super) struct Report {
    /// Version of sat2d that wrote the report.
    version: &'static str,
    /// Path of the file. `-` is standard input.
    file: String,
    /// Name of the format, such as `GeoJSON`.
    format: String,
    /// The coordinate reference system that the file states. `null` if the file states none, or if only its geometries state
    /// systems and the systems differ.
    crs: Option<String>,
    /// Number of features that state each SRID, in EWKB and EWKT.
    srids: BTreeMap<u32, usize>,
    /// Names of the columns. Empty if the format has no columns.
    columns: Vec<String>,
    /// Column of the geometries. `null` if the format has no such column.
    geometry_column: Option<String>,
    /// Column of the ids of the features. `null` if the ids are the `id` members of GeoJSON features, or indices in the file.
    id_column: Option<String>,
    /// Number of features.
    features: usize,
    /// Number of features of each type of geometry, including types that cannot be joined. A MultiPolygon with one polygon counts
    /// as a Polygon, and a MultiPoint with one point counts as a Point.
    types: BTreeMap<String, usize>,
    /// Number of features with a null geometry.
    null_geometries: usize,
    /// Number of features with a geometry without any position.
    empty_geometries: usize,
    /// Least x, least y, greatest x, greatest y of the valid features, in the unit of the file. `null` if no feature is valid.
    extent: Option<[f64; 4]>,
    /// Number of rings of all polygons.
    rings: usize,
    /// Number of vertices of all rings, without the last vertex of a ring if it repeats the first one, and number of points.
    vertices: usize,
    /// Number of features whose id equals the id of an earlier feature.
    ids_repeated: usize,
    /// Number of invalid features.
    invalid: usize,
    /// The first invalid features, at most 5.
    first_invalid: Vec<Invalid>,
}

/// An invalid feature.
#[derive(Debug, Serialize, JsonSchema)]
struct Invalid {
    /// Index of the feature in the file, from 0.
    feature: usize,
    /// Line on which the feature begins, from 1. `null` if the format is not WKT.
    line: Option<usize>,
    /// The id of the feature. `null` if the feature has no id.
    id: Option<String>,
    /// Why the feature is invalid, and where.
    reason: String,
}

/// Reads the file and prints the report. Returns an error if the file cannot be read or the report cannot be printed.
pub(super) fn run(arguments: &FileArguments, file: &std::path::Path) -> Result<()> {
    super::use_threads(None)?;
    let bar = Bar::new();
    let options = ReadOptions::default()
        .format(arguments.from.map(FormatArgument::format))
        .geometry(arguments.geometry.clone())
        .id_property(arguments.id.clone())
        .skip_invalid(true)
        .option_names(OptionNames { geometry: "--geometry", id: "--id", crs: None })
        .several_srids(true)
        .progress(bar.reading(escaped(&format!("reading {}", file.display())).into()))
        .points(true);
    let features = sat2d_io::read(file, &options)?;
    if let (Some(value), None) = (&arguments.geometry, features.source.geometry) {
        let (option, value) = ("--geometry", value.clone());
        return Err(Error::Option { option, value, problem: NO_GEOMETRY_COLUMN });
    }
    let report = Report::new(&features, file.display().to_string());
    bar.clear();
    if arguments.json {
        let text = serde_json::to_string_pretty(&report);
        let text = text.map_err(|source| Error::write("-", source.into()))?;
        return print(&text.lines().map(str::to_owned).collect::<Vec<_>>());
    }
    print(&report.lines())
}

impl Report {
    fn new(features: &Features, file: String) -> Self {
        let (source, contents, counts) = (&features.source, &features.contents, &features.counts);
        let column = |index: Option<usize>| index.and_then(|index| source.columns.get(index).cloned());
        let reason = |error: &sat2d_io::Error| match error {
            sat2d_io::Error::Feature { source, .. } => source.to_string(),
            error => error.to_string(),
        };
        let first = features.skipped.iter().take(DESCRIBED);
        let first_invalid = first.map(|skipped| Invalid {
            feature: skipped.feature,
            line: match skipped.error {
                sat2d_io::Error::Feature { line, .. } => line,
                _ => None,
            },
            id: skipped.id.clone(),
            reason: reason(&skipped.error),
        });
        Self {
            version: env!("CARGO_PKG_VERSION"),
            file,
            format: source.format.map_or("unknown", sat2d_io::Format::name).into(),
            crs: features.crs.as_ref().map(ToString::to_string),
            srids: features.srids.clone(),
            columns: source.columns.clone(),
            geometry_column: column(source.geometry),
            id_column: column(source.id),
            features: counts.features,
            types: features.types(),
            null_geometries: counts.null_geometries,
            empty_geometries: counts.empty_geometries,
            extent: features.extent().map(|Aabb { min, max }| [min.x, min.y, max.x, max.y]),
            rings: contents.rings,
            vertices: features.vertex_count(),
            ids_repeated: counts.ids_repeated,
            invalid: features.left_out.len(),
            first_invalid: first_invalid.collect(),
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![row("format", &self.format)];
        let of_none =
            if self.srids.is_empty() { "none stated" } else { "several, by the SRIDs of the features" };
        lines.push(row("crs", self.crs.as_deref().map_or(of_none.into(), |crs| Shown(crs).to_string())));
        if !self.columns.is_empty() {
            let shown = self.columns.iter().map(|name| {
                let marks = [(&self.geometry_column, "geometries"), (&self.id_column, "ids")];
                let mark = marks.into_iter().filter(|(column, _)| column.as_ref() == Some(name));
                let mark: Vec<&str> = mark.map(|(_, mark)| mark).collect();
                let mark = if mark.is_empty() { String::new() } else { format!(" ({})", mark.join(", ")) };
                format!("{}{mark}", Shown(name))
            });
            lines.push(row("columns", shown.collect::<Vec<_>>().join(", ")));
        }
        lines.push(row("features", Count(self.features as u64)));
        let mut count = |name: &str, count: usize| {
            if count > 0 {
                lines.push(row(&format!("  {name}"), Count(count as u64)));
            }
        };
        self.types.iter().for_each(|(kind, &of_kind)| count(kind, of_kind));
        count("null", self.null_geometries);
        count("empty", self.empty_geometries);
        count("repeated ids", self.ids_repeated);
        let listed = self.srids.iter().take(LISTED_SRIDS);
        listed.for_each(|(srid, &of_srid)| count(&format!("SRID {srid}"), of_srid));
        count("other SRIDs", self.srids.values().skip(LISTED_SRIDS).sum());
        if let Some([min_x, min_y, max_x, max_y]) = self.extent {
            lines.push(row("extent", format!("({min_x}, {min_y}) to ({max_x}, {max_y})")));
        }
        lines.push(row("rings", Count(self.rings as u64)));
        lines.push(row("vertices", Count(self.vertices as u64)));
        lines.push(row("invalid", Count(self.invalid as u64)));
        for Invalid { feature, line, id, reason } in &self.first_invalid {
            let id = id.as_ref().map_or(String::new(), |id| format!(" (id {})", Shown(id)));
            let line = line.map_or(String::new(), |line| format!("line {line}, "));
            lines.push(concise(&format!("  {line}feature {feature}{id}: {reason}")));
        }
        if let Some(more) = self.invalid.checked_sub(self.first_invalid.len()).filter(|&more| more > 0) {
            lines.push(format!("  and {} more", Count(more as u64)));
        }
        lines
    }
}
