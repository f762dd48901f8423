//! Joins files of polygons and files of points.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use sat2d::internal::Rounded;
use sat2d::{Aabb, PolygonSet};
use sat2d_io::internal::{DirectedPair, OptionNames, PairDecimals, TakenFiles, count_row, written_overlap};
use sat2d_io::{
    ArrowFormat, ArrowPairWriter, Column, CsvWriter, Features, GeoJsonPairWriter, Ids, JsonLinesWriter,
    Output, PairRow, ParquetPairWriter,
};

use crate::areas;
use crate::arrow::{OPTION_NAMES, Read, options as read_options};
use crate::failure::Failure;
use crate::join::{Joined, Options, Related, Target};
use crate::run::{Threads, Watch, run};
use crate::sets::{Filled, Points, Skipped};

/// Two lists for one file: the features that were left out, and the features that are valid only because of a fill rule.
type Report = (Skipped, Filled);

/// The columns, the backend, the reason for the backend, the report of each file, the number of features of A, and whether the
/// pairs are of a point and a polygon.
type Found<'py> = (Bound<'py, PyDict>, String, String, Vec<Report>, usize, bool);

/// The format of an output file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    Csv,
    JsonLines,
    GeoJson,
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
            Some("geojson") => Self::GeoJson,
            Some("parquet") if !is_gzipped => Self::Parquet,
            Some("arrow" | "feather") if !is_gzipped => Self::Arrow(ArrowFormat::File),
            Some("arrows") if !is_gzipped => Self::Arrow(ArrowFormat::Stream),
            _ => {
                return Err(Failure::Option(format!(
                    "out = {} has no known ending; end it in .csv, .jsonl, .geojson, .csv.gz, .jsonl.gz, .geojson.gz, .parquet, \
                     .arrow or .arrows",
                    path.display()
                )));
            }
        };
        Ok(format)
    }
}

/// Joins one file with itself, or two files, and writes the pairs with the names of their features. If `count` is true, writes the
/// number of pairs of each feature of A instead.
#[pyfunction]
#[pyo3(signature = (a, b, out, options, *, count, geometry, id, ignore_crs, skip, fill, threads))]
#[allow(clippy::too_many_arguments, reason = "the caller is the package, which names each")]
pub(crate) fn join_files<'py>(
    py: Python<'py>,
    a: PathBuf,
    b: Option<PathBuf>,
    out: Option<PathBuf>,
    options: Options,
    count: bool,
    geometry: Option<String>,
    id: Option<String>,
    ignore_crs: bool,
    skip: bool,
    fill: Option<&str>,
    threads: Threads,
) -> PyResult<Found<'py>> {
    let read_options = read_options(geometry, id, skip, fill).map_err(|failure| failure.raise(py))?;
    let names = OptionNames { crs: Some("`ignore_crs=True`"), ..OPTION_NAMES };
    let read_options = read_options.ignore_crs(ignore_crs).option_names(names);
    let (joined, reports, object_count, has_points_in_polygons) = run(py, threads, |watch| {
        options.check()?;
        let inputs: Vec<&Path> = [Some(a.as_path()), b.as_deref()].into_iter().flatten().collect();
        let output = out.as_deref().map(|out| opened(out, &inputs)).transpose()?;
        if count && matches!(output, Some((_, Format::GeoJson))) {
            let message = "out has the places of pairs, but count = True writes no pairs; end it in .csv, .jsonl, .parquet or .arrow";
            return Err(Failure::Option(message.into()));
        }
        let mut sides = Vec::new();
        for path in &inputs {
            sides.push(Read::new(sat2d_io::read(path, &read_options), skip, &path.display().to_string())?);
            watch.check();
        }
        let with_points = WithPoints::of(&sides);
        if let [a, b] = &*sides
            && !ignore_crs
        {
            check_crs(&a.features, &b.features)?;
        }
        let is_map = matches!(output, Some((_, Format::GeoJson)));
        let target = if is_map { Target::Map } else { Target::File };
        let joined = joined(&options, &mut sides, with_points, target, watch)?;
        let features = |side: usize| &sides.get(side).unwrap_or(&sides[0]).features;
        if let Some((output, format)) = output {
            let ids = [0, 1].map(|side| &features(side).ids);
            let written = match count {
                false => {
                    // In a pair of a point and a polygon, the point is first.
                    let of_pairs = if with_points == WithPoints::One(1) { [1, 0] } else { [0, 1] };
                    let rows = Rows::new(&joined, of_pairs.map(features), with_points);
                    write(&columns(&joined), joined.row_count(), |k| rows.row(k), ids, output, format)
                }
                true => {
                    let counts = joined.counts(ids[0].len(), b.is_none());
                    let row = |k: usize| count_row(ids[0].of(k), counts[k]);
                    write(&[Column::Count], counts.len(), row, ids, output, format)
                }
            };
            written.map_err(of_output)?;
        }
        let object_count = features(0).ids.len();
        let reports = sides.into_iter().map(|side| (side.skipped, side.filled)).collect();
        Ok((joined, reports, object_count, matches!(with_points, WithPoints::One(_))))
    })?;
    let (table, backend, reason) = joined.into_table(py)?;
    Ok((table, backend, reason, reports, object_count, has_points_in_polygons))
}

/// The files that have points.
#[derive(Clone, Copy, Debug, PartialEq)]
enum WithPoints {
    None,
    /// One of two files, with its index.
    One(usize),
    /// All files.
    All,
}

impl WithPoints {
    fn of(sides: &[Read]) -> Self {
        let has_points = |side: &Read| !side.features.points.is_empty();
        if sides.iter().all(has_points) {
            return Self::All;
        }
        sides.iter().position(has_points).map_or(Self::None, Self::One)
    }
}

/// Joins the features of one file with each other, or the features of two files. Takes the points out of `sides`. If all files have
/// points, each feature becomes an object of its file's set.
fn joined(
    options: &Options,
    sides: &mut [Read],
    with_points: WithPoints,
    target: Target,
    watch: &Watch,
) -> Result<Joined, Failure> {
    let points_of = |features: &mut Features| {
        Points::of_features(std::mem::take(&mut features.points), features.ids.len())
    };
    match with_points {
        WithPoints::One(side) => {
            let points = points_of(&mut sides[side].features);
            options.join_points(&points, &sides[1 - side].features.set, side == 1, watch)
        }
        WithPoints::All => {
            let mut sets = Vec::new();
            for Read { features, .. } in sides.iter_mut() {
                let set = points_of(features).rounded()?;
                features.set = Rounded::of(&set).cores.clone();
                sets.push(set);
            }
            options.join_positions(&sets[0], sets.get(1), watch)
        }
        WithPoints::None => {
            options.join(&sides[0].features.set, sides.get(1).map(|b| &b.features.set), target, watch)
        }
    }
}

/// Opens the output. The target file is replaced only when the output is complete. Returns an error if the output is an input, or
/// if a later call would read it as a part of an input.
fn opened(out: &Path, inputs: &[&Path]) -> Result<(Output, Format), Failure> {
    let format = Format::of(out)?;
    if !TakenFiles::of_inputs(inputs.iter().copied()).take(out) {
        return Err(Failure::Option(format!(
            "out = {} is an input, or lies in a folder or matches a pattern that is an input; name another file",
            out.display()
        )));
    }
    Ok((Output::create(Some(out)).map_err(of_output)?, format))
}

fn of_output(error: sat2d_io::Error) -> Failure {
    Failure::Input(Box::new(error))
}

/// Returns whether two reference systems certainly differ, given as the texts that sets show.
#[pyfunction]
pub(crate) fn systems_differ(a: &str, b: &str) -> bool {
    sat2d_io::internal::systems_differ(a, b)
}

fn check_crs(a: &Features, b: &Features) -> Result<(), Failure> {
    match (&a.crs, &b.crs) {
        (Some(of_a), Some(of_b)) if of_a.differs_from(of_b) => Err(Failure::Option(format!(
            "a states the reference system {of_a}, and b states {of_b}; bring both into one system, or give ignore_crs=True"
        ))),
        _ => Ok(()),
    }
}

/// Writes `count` rows to the output. `row` returns the row with a given index.
fn write<'a>(
    columns: &[Column],
    count: usize,
    row: impl Fn(usize) -> PairRow<'a> + Sync,
    ids: [&Ids; 2],
    output: Output,
    format: Format,
) -> sat2d_io::Result<()> {
    let mut output = match format {
        Format::Csv => {
            let mut writer = CsvWriter::new(output, columns)?;
            writer.write_rows(count, row)?;
            writer.into_output()
        }
        Format::JsonLines => {
            let mut writer = JsonLinesWriter::new(output, columns);
            writer.write_rows(count, row)?;
            writer.into_output()
        }
        Format::GeoJson => {
            let mut writer = GeoJsonPairWriter::new(output, columns)?;
            writer.write_rows(count, row)?;
            writer.into_output()?
        }
        Format::Parquet => {
            let mut writer = ParquetPairWriter::new(output, ids, columns)?;
            writer.write_rows(count, row)?;
            writer.into_output()?
        }
        Format::Arrow(format) => {
            let mut writer = ArrowPairWriter::new(output, format, ids, columns)?;
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
    let measure = joined.measure;
    let mut add = |column, is_there: bool| columns.extend(is_there.then_some(column));
    add(Column::Distance, joined.distances.is_some());
    add(Column::Closest, measure.distance);
    add(Column::Penetration, measure.penetration);
    add(Column::Manifold, measure.manifold);
    let areas: [Column; areas::MEASURES.len()] = [Column::Area, Column::Iou, Column::AreaA, Column::AreaB];
    areas.into_iter().zip(measure.areas.columns).for_each(|(column, is_there)| add(column, is_there));
    columns
}

/// The rows of the output. Measurements of decimal coordinates are short decimals, as the command line writes them.
struct Rows<'a> {
    joined: &'a Joined,
    /// The ids of the features that come first in the pairs, and of the features that come second.
    ids: [&'a Ids; 2],
    decimals: PairDecimals<'a>,
    /// The boxes of the features in the order of `ids`, or `None` if no areas are written.
    boxes: Option<[Vec<Aabb>; 2]>,
    /// The features that come first in the pairs, if both features of a pair are points. Each of their pieces is a point.
    first_points: Option<&'a PolygonSet>,
}

impl<'a> Rows<'a> {
    /// Creates the rows. `sides` are the files in the order of the pairs.
    fn new(joined: &'a Joined, sides: [&'a Features; 2], with_points: WithPoints) -> Self {
        let sets = sides.map(|side| &side.set);
        let measured =
            [joined.circles.as_ref().map_or(sets[0], |circles| Rounded::of(circles).cores), sets[1]];
        Self {
            joined,
            ids: sides.map(|side| &side.ids),
            decimals: PairDecimals::new(measured, joined.within),
            boxes: joined.overlaps.as_ref().map(|_| sets.map(PolygonSet::object_aabbs)),
            first_points: (with_points == WithPoints::All).then_some(sets[0]),
        }
    }

    fn row(&self, k: usize) -> PairRow<'a> {
        let Self { joined, ids: [of_a, of_b], decimals, boxes, first_points } = self;
        let DirectedPair { pair: k, is_swapped } = joined.row(k);
        let [i, j] = joined.pairs[k].map(|index| index as usize);
        let mut row = match &joined.related {
            Related::Polygons(relations) => PairRow::new(of_a.of(i), of_b.of(j), relations[k]),
            Related::Points(decided) => {
                PairRow::of_point(of_a.of(i), of_b.of(j), decided[k].relation, decided[k].point)
            }
        };
        if let Some(distances) = &joined.distances {
            let found = &distances[k];
            (row.distance, row.closest) = (Some(decimals.distance(found)), decimals.closest(found));
            if let Some(points) = first_points {
                row.point = points.piece_vertices(found.piece_a as usize).first().copied();
            }
            // If the row has closest points, a map shows the line between them instead of the point.
            row.point = row.point.filter(|_| row.closest.is_none());
        }
        let penetration = joined.penetrations.as_ref().and_then(|found| found[k].as_ref());
        row.penetration = penetration.map(|found| decimals.penetration(found));
        let manifold = joined.manifolds.as_ref().and_then(|found| found[k].as_ref());
        row.manifold = manifold.map(|found| decimals.manifold(found));
        if let (Some(overlaps), Some([of_a, of_b])) = (&joined.overlaps, boxes) {
            row.overlap = Some(written_overlap(overlaps[k], [of_a[i], of_b[j]]));
        }
        if is_swapped { row.swapped() } else { row }
    }
}
