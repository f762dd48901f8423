//! Joins files of polygons.

use std::fs;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use sat2d_io::{
    ArrowFormat, ArrowPairWriter, Column, CsvWriter, Features, Id, JsonLinesWriter, Output, PairRow,
    ParquetPairWriter,
};

use crate::areas;
use crate::arrow::{Read, options as read_options};
use crate::failure::Failure;
use crate::join::{Joined, Options};
use crate::run::run;
use crate::sets::{Filled, Skipped};

/// The features of a file that were left out, and the features that are valid only by a fill rule.
type Report = (Skipped, Filled);

/// The columns, the backend, the reason for the backend, the report of each file, and the number of features of A.
type Found<'py> = (Bound<'py, PyDict>, String, String, Vec<Report>, usize);

/// The format of the output.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    Csv,
    JsonLines,
    Parquet,
    Arrow(ArrowFormat),
}

impl Format {
    /// Returns the format for the ending of a file name, or an error for an unknown ending.
    fn of(path: &Path) -> Result<Self, Failure> {
        let ending = |path: &Path| path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        let (last, is_gzipped) = match ending(path) {
            Some(last) if last == "gz" => (ending(&path.with_extension("")), true),
            last => (last, false),
        };
        let format = match last.as_deref() {
            Some("csv" | "txt") => Self::Csv,
            Some("jsonl" | "ndjson") => Self::JsonLines,
            Some("parquet") if !is_gzipped => Self::Parquet,
            Some("arrow" | "feather") if !is_gzipped => Self::Arrow(ArrowFormat::File),
            Some("arrows") if !is_gzipped => Self::Arrow(ArrowFormat::Stream),
            _ => {
                return Err(Failure::Option(format!(
                    "out = {} has no known ending; end it in .csv, .jsonl, .csv.gz, .jsonl.gz, .parquet, .arrow or .arrows",
                    path.display()
                )));
            }
        };
        Ok(format)
    }
}

/// Joins one file with itself, or two files, and writes the pairs with the names of their features.
#[pyfunction]
#[pyo3(signature = (a, b, out, options, *, geometry, id, ignore_crs, skip, fill, threads))]
#[allow(clippy::too_many_arguments, reason = "the caller is the package, which names each")]
pub(crate) fn join_files<'py>(
    py: Python<'py>,
    a: PathBuf,
    b: Option<PathBuf>,
    out: Option<PathBuf>,
    options: Options,
    geometry: Option<String>,
    id: Option<String>,
    ignore_crs: bool,
    skip: bool,
    fill: Option<&str>,
    threads: Option<usize>,
) -> PyResult<Found<'py>> {
    let read_options = read_options(geometry, id, skip, fill).map_err(|failure| failure.raise(py))?;
    let (joined, reports, count) = run(py, threads, |watch| {
        options.check(b.is_some())?;
        let inputs: Vec<&Path> = [Some(a.as_path()), b.as_deref()].into_iter().flatten().collect();
        let output = out.as_deref().map(|out| opened(out, &inputs)).transpose()?;
        let mut sides = Vec::new();
        for path in &inputs {
            let side = Read::new(sat2d_io::read(path, &read_options), skip, &path.display().to_string())?;
            if !side.features.points.is_empty() {
                let message = "has points; join_files is for polygons, so use read and query";
                return Err(Failure::Option(format!("{} {message}", path.display())));
            }
            watch.check();
            sides.push(side);
        }
        if let [a, b] = &*sides
            && !ignore_crs
        {
            check_crs(&a.features, &b.features)?;
        }
        let features = |side: usize| &sides.get(side).unwrap_or(&sides[0]).features;
        let joined = options.join(&features(0).set, sides.get(1).map(|b| &b.features.set), watch)?;
        if let Some((output, format)) = output {
            write(&joined, [&features(0).ids, &features(1).ids], output, format).map_err(of_output)?;
        }
        let count = features(0).set.object_count();
        let reports = sides.into_iter().map(|side| (side.skipped, side.filled)).collect();
        Ok((joined, reports, count))
    })?;
    let (table, backend, reason) = joined.into_table(py)?;
    Ok((table, backend, reason, reports, count))
}

/// Opens the output. The target file is replaced only when the output is complete. Returns an error if the output is an input.
fn opened(out: &Path, inputs: &[&Path]) -> Result<(Output, Format), Failure> {
    let format = Format::of(out)?;
    let same = |input: &&Path| {
        fs::canonicalize(out).is_ok_and(|out| fs::canonicalize(input).is_ok_and(|input| input == out))
    };
    if inputs.iter().any(same) {
        return Err(Failure::Option(format!("out = {} is an input; name another file", out.display())));
    }
    Ok((Output::create(Some(out)).map_err(of_output)?, format))
}

fn of_output(error: sat2d_io::Error) -> Failure {
    Failure::Input(Box::new(error))
}

fn check_crs(a: &Features, b: &Features) -> Result<(), Failure> {
    match (&a.crs, &b.crs) {
        (Some(of_a), Some(of_b)) if of_a.differs_from(of_b) => Err(Failure::Option(format!(
            "a states the reference system {of_a}, and b states {of_b}; bring both into one system, or give ignore_crs=True"
        ))),
        _ => Ok(()),
    }
}

fn write(joined: &Joined, ids: [&[Id]; 2], output: Output, format: Format) -> sat2d_io::Result<()> {
    let columns = columns(joined);
    let row = |k: usize| row(joined, ids, k);
    let count = joined.pairs.len();
    let mut output = match format {
        Format::Csv => {
            let mut writer = CsvWriter::new(output, &columns)?;
            writer.write_rows(count, row)?;
            writer.into_output()
        }
        Format::JsonLines => {
            let mut writer = JsonLinesWriter::new(output, &columns);
            writer.write_rows(count, row)?;
            writer.into_output()
        }
        Format::Parquet => {
            let mut writer = ParquetPairWriter::new(output, ids, &columns)?;
            writer.write_rows(count, row)?;
            writer.into_output()?
        }
        Format::Arrow(format) => {
            let mut writer = ArrowPairWriter::new(output, format, ids, &columns)?;
            writer.write_rows(count, row)?;
            writer.into_output()?
        }
    };
    output.complete()?;
    output.commit()
}

/// Returns the columns of the output, in the same order as the command line.
fn columns(joined: &Joined) -> Vec<Column> {
    let mut columns = Vec::new();
    if joined.distances.is_some() {
        columns.extend([Column::Distance, Column::Closest]);
    }
    columns.extend(joined.penetrations.as_ref().map(|_| Column::Penetration));
    columns.extend(joined.manifolds.as_ref().map(|_| Column::Manifold));
    let areas: [Column; areas::MEASURES.len()] = [Column::Area, Column::Iou, Column::AreaA, Column::AreaB];
    columns
        .extend(areas.into_iter().zip(joined.area_columns).filter(|(_, is_there)| *is_there).map(|(c, _)| c));
    columns
}

fn row<'a>(joined: &Joined, [of_a, of_b]: [&'a [Id]; 2], k: usize) -> PairRow<'a> {
    let [i, j] = joined.pairs[k].map(|index| index as usize);
    let mut row = PairRow::new(&of_a[i], &of_b[j], joined.relations[k]);
    if let Some(distances) = &joined.distances {
        row.distance = Some(distances[k].distance);
        row.closest = distances[k].closest;
    }
    row.penetration = joined.penetrations.as_ref().and_then(|found| found[k]);
    row.manifold = joined.manifolds.as_ref().and_then(|found| found[k]);
    row.overlap = joined.overlaps.as_ref().map(|found| found[k]);
    row
}
