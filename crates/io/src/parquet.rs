//! Reads GeoParquet, and Parquet with a column of geometries.

use std::fs::File;
use std::io::{BufReader, Read};
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
use crate::table::{Logical, Plan, taker};
use crate::{Error, Features, ReadOptions, Result};

/// Rows that are decoded at a time: enough for every thread.
const BATCH_ROWS: usize = 16_384;

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
        let mut bytes = vec![0; length];
        self.from(start).read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// Reads a file of Parquet.
///
/// # Errors
/// - [`Error::Read`] if the file cannot be read.
/// - [`Error::Format`] if the file is not valid Parquet, or has no column of geometries.
/// - [`Error::NoColumn`] if the column of [`ReadOptions::geometry`] does not exist.
/// - [`Error::IdProperty`], [`Error::Feature`] and [`Error::Library`] as [`read`](crate::read()) says.
pub(crate) fn read(file: File, path: &Path, options: &ReadOptions) -> Result<Features> {
    let file = Positioned::new(file).map_err(|source| Error::Read { path: path.into(), source })?;
    read_from(file, path, options)
}

/// Reads Parquet from memory or from a file.
pub(crate) fn read_from<R: ChunkReader + Clone + 'static>(
    source: R,
    path: &Path,
    options: &ReadOptions,
) -> Result<Features> {
    let broken = |error| broken(error, path);
    let mut collector = Collector::new(path, options);
    let load = || ArrowReaderMetadata::load(&source, ArrowReaderOptions::new()).map_err(broken);
    let metadata = guarded(path, load)?;
    let of_file = metadata.metadata().file_metadata();
    let pairs = of_file.key_value_metadata().map_or(&[][..], Vec::as_slice);
    let geo = pairs.iter().find(|pair| pair.key == "geo").and_then(|pair| pair.value.as_deref());
    let plan = Plan::new(metadata.schema(), geo, &logical(&metadata), path, options)?;
    collector.set_crs(plan.crs());
    let naming = collector.naming();
    let groups: Vec<usize> = (0..metadata.metadata().num_row_groups()).collect();
    let open = |groups: &[usize]| guarded(path, || open(&source, &metadata, &plan, groups).map_err(broken));
    // As many row groups at a time as there are threads; the parts of all of them are kept anyway.
    let at_once = rayon::current_num_threads();
    if groups.len() < at_once.max(2) {
        let mut reader = open(&groups)?;
        let next = || guarded(path, || reader.next().transpose().map_err(|error| broken(error.into())));
        plan.parts(naming, next, taker(&mut collector))?;
        return collector.finish(None);
    }
    for groups in groups.chunks(at_once) {
        let decoded: Vec<Result<Vec<Part>>> =
            groups.par_iter().map(|&group| decode(open(&[group])?, &plan, naming, path)).collect();
        for parts in decoded {
            for part in parts? {
                collector.add(part)?;
            }
            if collector.has_failed() {
                return collector.finish(None);
            }
        }
    }
    collector.finish(None)
}

/// The parts of one row group.
fn decode(
    mut reader: ParquetRecordBatchReader,
    plan: &Plan<'_>,
    naming: Naming<'_>,
    path: &Path,
) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    let next = || guarded(path, || reader.next().transpose().map_err(|error| broken(error.into(), path)));
    plan.parts(naming, next, |part| {
        parts.push(part);
        Ok(true)
    })?;
    Ok(parts)
}

fn open<R: ChunkReader + Clone + 'static>(
    source: &R,
    metadata: &ArrowReaderMetadata,
    plan: &Plan<'_>,
    groups: &[usize],
) -> ParquetResult<ParquetRecordBatchReader> {
    let mask = ProjectionMask::roots(metadata.parquet_schema(), plan.columns());
    ParquetRecordBatchReaderBuilder::new_with_metadata(source.clone(), metadata.clone())
        .with_projection(mask)
        .with_row_groups(groups.to_vec())
        .with_batch_size(BATCH_ROWS)
        .build()
}

/// The columns whose type is a geometry.
fn logical(metadata: &ArrowReaderMetadata) -> Vec<Logical> {
    let fields = metadata.parquet_schema().root_schema().get_fields().iter().enumerate();
    fields
        .filter_map(|(index, field)| match field.get_basic_info().logical_type_ref()? {
            LogicalType::Geometry(geometry) => Some(Logical { index, crs: geometry.crs.clone() }),
            LogicalType::Geography(geography) => Some(Logical { index, crs: geography.crs.clone() }),
            _ => None,
        })
        .collect()
}

fn broken(error: ParquetError, path: &Path) -> Error {
    let problem = match error {
        ParquetError::General(problem) | ParquetError::EOF(problem) | ParquetError::ArrowError(problem) => {
            format!("not valid Parquet: {problem}; write the file again")
        }
        ParquetError::NYI(problem) => {
            format!("{problem}; write the file with Snappy, zstd, gzip or LZ4, or without compression")
        }
        error => format!("not valid Parquet: {error}; write the file again"),
    };
    Error::Format { path: path.into(), problem }
}
