//! Reads Arrow IPC: files, which Feather 2 is too, and streams.

use std::io::{BufRead, Read, Seek};
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};

use crate::collector::Collector;
use crate::table::{Plan, taker};
use crate::{Error, Features, ReadOptions, Result};

/// Reads a file of Arrow IPC.
pub(crate) fn read_file(
    reader: impl Read + Seek + Send,
    path: &Path,
    options: &ReadOptions,
) -> Result<Features> {
    let reader = FileReader::try_new_buffered(reader, None).map_err(|error| broken(error, path))?;
    read(reader.schema(), reader, path, options)
}

/// Reads a stream of Arrow IPC.
pub(crate) fn read_stream(
    reader: impl BufRead + Send,
    path: &Path,
    options: &ReadOptions,
) -> Result<Features> {
    let reader = StreamReader::try_new(reader, None).map_err(|error| broken(error, path))?;
    read(reader.schema(), reader, path, options)
}

fn read(
    schema: SchemaRef,
    mut batches: impl Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send,
    path: &Path,
    options: &ReadOptions,
) -> Result<Features> {
    let mut collector = Collector::new(path, options);
    let geo = schema.metadata().get("geo").map(String::as_str);
    let plan = Plan::new(&schema, geo, &[], path, options)?;
    collector.set_crs(plan.crs());
    let naming = collector.naming();
    let columns = plan.columns();
    let next = || {
        let batch = batches.next().transpose().map_err(|error| broken(error, path))?;
        let project = |batch: RecordBatch| batch.project(&columns).map_err(|error| broken(error, path));
        batch.map(project).transpose()
    };
    plan.parts(naming, next, taker(&mut collector))?;
    collector.finish(None)
}

fn broken(error: ArrowError, path: &Path) -> Error {
    match error {
        ArrowError::IoError(_, source) => Error::Read { path: path.into(), source },
        error => {
            let problem = format!("not valid Arrow IPC: {error}; write the file again");
            Error::Format { path: path.into(), problem }
        }
    }
}
