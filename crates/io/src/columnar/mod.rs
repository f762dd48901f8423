//! Writers of formats that store a table in columns.

mod ids;
mod ipc;
mod pairs;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod times_tests;

pub use ipc::{ArrowFormat, ArrowPairWriter};
#[cfg(feature = "parquet")]
pub use parquet::ParquetPairWriter;

use std::io;

use super::Output;
use crate::{Error, Result};
use arrow_schema::ArrowError;

/// The number of rows that are collected in memory before they are written as one batch.
const BATCH_ROWS: usize = 1 << 16;

/// The formats of tables, which have different types of dates and timestamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TableFormat {
    Arrow,
    #[cfg(feature = "parquet")]
    Parquet,
}

/// Returns an error if the output is a terminal, because the format is binary.
fn check_target(output: &Output) -> Result<()> {
    if !output.is_terminal() {
        return Ok(());
    }
    let source = io::Error::new(
        io::ErrorKind::InvalidInput,
        "it is a terminal, and the format is binary; redirect it, or name a file",
    );
    Err(Error::Write { path: output.name().into(), source })
}

/// Converts an error of Arrow to an input or output error. If a system call caused the error, returns the error of the system
/// call.
fn io_error(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}
