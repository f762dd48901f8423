//! Reads GeoParquet, and other Parquet files with a column of geometries.

mod footer;
mod groups;
mod units;

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::LogicalType;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};
use rayon::prelude::*;

use crate::collector::{Collector, Part};
use crate::guard::guarded;
use crate::name::Naming;
use crate::positioned::{Positioned, PositionedReader};
use crate::table::{Logical, Plan, Scope};
use crate::{Error, ReadOptions, Result, RowGroups};
use groups::Groups;
use units::Unit;

/// The number of rows that are decoded together. A batch of this size is enough work for every thread. Tests have smaller files.
const BATCH_ROWS: usize = if cfg!(test) { 512 } else { 16_384 };

#[cfg(test)]
pub(crate) use footer::footer as footer_of_groups;

impl Length for Positioned {
    fn len(&self) -> u64 {
        Positioned::len(self)
    }
}

impl ChunkReader for Positioned {
    type T = BufReader<PositionedReader>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(BufReader::new(self.from(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<bytes::Bytes> {
        let end = start.checked_add(length as u64).filter(|&end| end <= Positioned::len(self));
        if end.is_none() {
            let (file, length) = (Positioned::len(self), length as u64);
            return Err(ParquetError::EOF(format!("{length} bytes from byte {start} on, of {file}")));
        }
        Ok(self.bytes(start, length)?.into())
    }
}

/// Reads a Parquet file.
///
/// # Errors
/// - [`Error::Read`] if the file cannot be read.
/// - [`Error::Format`] if the file is not valid Parquet, or if its column of geometries cannot be determined.
/// - [`Error::NoColumn`], [`Error::IdProperty`], [`Error::Feature`], [`Error::OutOfReadMemory`] and [`Error::Library`] in
///   the same cases as [`read`](crate::read()).
pub(crate) fn read<'a>(file: File, path: &'a Path, options: &'a ReadOptions) -> Result<Collector<'a>> {
    let file = Positioned::new(file, options.progress.clone());
    let file = file.map_err(|source| Error::Read { path: path.into(), source })?;
    read_from(file, path, options)
}

/// Reads Parquet from memory or from a file. Fails in the same cases as [`read`].
pub(crate) fn read_from<'a, R: ChunkReader + Clone + 'static>(
    source: R,
    path: &'a Path,
    options: &'a ReadOptions,
) -> Result<Collector<'a>> {
    let broken = |error| broken(error, path);
    let mut collector = Collector::new(path, options);
    check_footer(&source).map_err(broken)?;
    let load = || ArrowReaderMetadata::load(&source, ArrowReaderOptions::new()).map_err(broken);
    let metadata = guarded(path, load)?;
    let roots = metadata.parquet_schema().root_schema().get_fields().len();
    if metadata.schema().fields().len() != roots {
        // The indices of columns must be the same in the schema of Arrow and in the schema of Parquet.
        let problem = "not valid Parquet: a column has no fields; write the file again".into();
        return Err(Error::Format { path: path.into(), problem });
    }
    let of_file = metadata.metadata().file_metadata();
    let of_groups =
        metadata.metadata().row_groups().iter().map(|group| i128::from(group.num_rows())).sum::<i128>();
    if of_groups != i128::from(of_file.num_rows()) {
        // The decoder skips a row group without rows, so that this error would have no other sign.
        let rows = of_file.num_rows();
        let problem = format!(
            "not valid Parquet: the footer says that the file has {rows} rows, and that its row groups have {of_groups}; write the file again"
        );
        return Err(Error::Format { path: path.into(), problem });
    }
    let pairs = of_file.key_value_metadata().map_or(&[][..], Vec::as_slice);
    let geo = pairs.iter().find(|pair| pair.key == "geo").and_then(|pair| pair.value.as_deref());
    let plan = Plan::new(metadata.schema(), geo, &logical(&metadata), path, options)?;
    plan.describe(&mut collector);
    let naming = collector.naming();
    let count = metadata.metadata().num_row_groups();
    let boxes = Groups::new(&metadata, &plan, source.len());
    collector.set_row_groups(RowGroups { count, left_out: boxes.left_out() });
    let read_unit = |unit: Unit| {
        let group = unit.group;
        let scope = if boxes.leaves_out(group) { Scope::Names } else { Scope::All };
        let rows = metadata.metadata().row_group(group).num_rows();
        if scope == Scope::Names && !plan.has_names() {
            return (plan.unnamed(usize::try_from(rows).unwrap_or(0), naming), None);
        }
        let opened = guarded(path, || open(&source, &metadata, &plan, scope, unit).map_err(broken));
        match opened.map(|reader| decode(reader, &plan, scope, naming, path)) {
            Ok((parts, None)) => {
                // After an invalid feature that is an error, the rest of the unit is not read.
                let is_whole = options.skip_invalid || !parts.iter().any(Part::has_problem);
                let problem = unit.problem(&parts).filter(|_| is_whole);
                let problem = problem.or_else(|| boxes.problem(group, scope, &parts));
                (parts, problem.map(|problem| Error::Format { path: path.into(), problem }))
            }
            Ok(read) => read,
            Err(error) => (Vec::new(), Some(error)),
        }
    };
    let rows_of =
        |group: usize| usize::try_from(metadata.metadata().row_group(group).num_rows()).unwrap_or(0);
    let rows = |is_counted: &dyn Fn(usize) -> bool| {
        let counted = (0..count).filter(|&group| is_counted(group));
        counted.fold(0, |sum: usize, group| sum.saturating_add(rows_of(group)))
    };
    collector.expect(rows(&|_| true), rows(&|group| !boxes.leaves_out(group)), source.len());
    let (threads, columns) = (rayon::current_num_threads(), mask(&metadata, &plan, Scope::All));
    let units_of = |group: usize| {
        let rows = rows_of(group);
        let ranges =
            || units::range_count(&source, &metadata, &columns, (group, rows), threads).map_err(broken);
        // Decoding the row group returns the error, if there is one.
        let ranges = if boxes.leaves_out(group) { 1 } else { guarded(path, ranges).unwrap_or(1) };
        Unit::of_group(group, rows, ranges)
    };
    let units: Vec<Unit> = (0..count).flat_map(units_of).collect();
    // Decodes several units at a time. Meanwhile, one thread adds the units that were decoded before.
    let mut rest = &units[..];
    let mut decode_round = || -> Vec<(Vec<Part>, Option<Error>)> {
        let round;
        (round, rest) = rest.split_at(units::round(rest, threads));
        round.par_iter().map(|&unit| read_unit(unit)).collect()
    };
    let mut decoded = decode_round();
    while !decoded.is_empty() {
        let has_error = |(parts, stop): &(Vec<Part>, Option<Error>)| {
            stop.is_some() || (!options.skip_invalid && parts.iter().any(Part::has_problem))
        };
        let is_last = decoded.iter().any(has_error);
        let following = || if is_last { Vec::new() } else { decode_round() };
        let (next, following) = rayon::join(|| add_all(&mut collector, decoded), following);
        if let Next::End(error) = next? {
            return collector.end(error);
        }
        decoded = following;
    }
    collector.end(None)
}

/// Whether to read further rows of a file.
enum Next {
    Continue,
    /// No further rows are read. The error is the reason, or `None` if a feature of the rows so far is invalid.
    End(Option<Error>),
}

/// Adds decoded units to `collector`, up to the first error. Returns the errors of [`Collector::add`].
fn add_all(collector: &mut Collector<'_>, decoded: Vec<(Vec<Part>, Option<Error>)>) -> Result<Next> {
    for (parts, stop) in decoded {
        for part in parts {
            collector.add(part)?;
        }
        if stop.is_some() || collector.has_failed() {
            return Ok(Next::End(stop));
        }
    }
    Ok(Next::Continue)
}

/// Checks the footer of the file. Does nothing if the file has no readable footer, because the decoder then returns
/// the error.
fn check_footer<R: ChunkReader>(source: &R) -> ParquetResult<()> {
    /// The number of bytes at the end of the file: the length of the footer, and the magic number.
    const TAIL: u64 = 8;
    let Some(end) = source.len().checked_sub(TAIL) else { return Ok(()) };
    let tail = source.get_bytes(end, TAIL as usize)?;
    let length = tail.first_chunk().map_or(0, |&length| u32::from_le_bytes(length));
    // If the file is not Parquet, or is encrypted, the decoder returns the error.
    let Some(start) = end.checked_sub(length.into()).filter(|_| tail.ends_with(b"PAR1")) else {
        return Ok(());
    };
    footer::check(&source.get_bytes(start, length as usize)?).map_err(ParquetError::General)
}

/// Returns the features of one unit in parts, and the first error, or `None` if there is no error. The parts end before
/// the error.
fn decode(
    mut reader: ParquetRecordBatchReader,
    plan: &Plan<'_>,
    scope: Scope,
    naming: Naming<'_>,
    path: &Path,
) -> (Vec<Part>, Option<Error>) {
    let mut parts = Vec::new();
    let next = || guarded(path, || reader.next().transpose().map_err(|error| broken(error.into(), path)));
    let stop = plan.parts(scope, naming, next, |part| {
        parts.push(part);
        Ok(true)
    });
    (parts, stop.err())
}

fn open<R: ChunkReader + Clone + 'static>(
    source: &R,
    metadata: &ArrowReaderMetadata,
    plan: &Plan<'_>,
    scope: Scope,
    unit: Unit,
) -> ParquetResult<ParquetRecordBatchReader> {
    let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(source.clone(), metadata.clone())
        .with_projection(mask(metadata, plan, scope))
        .with_row_groups(vec![unit.group])
        .with_batch_size(BATCH_ROWS);
    if let Some(rows) = unit.selection() {
        builder = builder.with_row_selection(rows);
    }
    builder.build()
}

/// Returns the columns of Parquet that are read for `scope`.
fn mask(metadata: &ArrowReaderMetadata, plan: &Plan<'_>, scope: Scope) -> ProjectionMask {
    ProjectionMask::roots(metadata.parquet_schema(), plan.columns(scope))
}

/// Returns the columns whose logical type in Parquet is a geometry.
fn logical(metadata: &ArrowReaderMetadata) -> Vec<Logical> {
    let fields = metadata.parquet_schema().root_schema().get_fields().iter().enumerate();
    fields
        .filter_map(|(index, field)| match field.get_basic_info().logical_type_ref()? {
            LogicalType::Geometry(geometry) => {
                Some(Logical { index, crs: geometry.crs.clone(), is_spherical: false })
            }
            LogicalType::Geography(geography) => {
                Some(Logical { index, crs: geography.crs.clone(), is_spherical: true })
            }
            _ => None,
        })
        .collect()
}

fn broken(error: ParquetError, path: &Path) -> Error {
    let text = match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => return Error::Read { path: path.into(), source: *source },
            Err(source) => source.to_string(),
        },
        ParquetError::NYI(problem) => format!("not yet implemented: {problem}"),
        ParquetError::General(problem) | ParquetError::EOF(problem) | ParquetError::ArrowError(problem) => {
            problem
        }
        error => error.to_string(),
    };
    // Each layer that passed the error on has added a prefix to it.
    let mut text = text.as_str();
    for prefix in ["External: ", "Parquet argument error: ", "Parquet error: ", "Parser error: ", "Arrow: "] {
        text = text.strip_prefix(prefix).unwrap_or(text);
    }
    let lower = text.to_lowercase();
    let problem = if lower.contains("encrypt") {
        "it is encrypted; write it without encryption".into()
    } else if lower.contains("disabled feature") || lower.contains("not yet implemented") {
        format!("{text}; write the file with Snappy, zstd, gzip or LZ4, or without compression")
    } else {
        format!("not valid Parquet: {text}; write the file again")
    };
    Error::Format { path: path.into(), problem }
}

#[cfg(test)]
mod geometry_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod units_tests;
