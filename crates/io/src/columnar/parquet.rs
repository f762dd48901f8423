use std::io::{self, Write};
use std::path::PathBuf;

use ::parquet::arrow::ArrowWriter;
use ::parquet::arrow::arrow_writer::{
    ArrowColumnWriter, ArrowLeafColumn, ArrowRowGroupWriterFactory, compute_leaves,
};
use ::parquet::basic::Compression;
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::ColumnPath;
use arrow_array::RecordBatch;
use arrow_schema::DataType;
use rayon::prelude::*;

use super::pairs::PairTable;
use super::{BATCH_ROWS, TableFormat, check_target};
use crate::rounds::in_order;
use crate::{Column, Error, Ids, Output, PairRow, Result};

/// The number of batches in a complete row group.
const GROUP_BATCHES: usize = 16;
/// The size in bytes at which a row group ends. The limit keeps long ids from filling the memory.
const GROUP_BYTES: usize = 1 << 28;

/// Writes pairs as a table in Parquet format, compressed with Snappy.
///
/// The table has the columns of [`ArrowPairWriter`](crate::ArrowPairWriter). `relation` and `containment` are strings
/// with a dictionary. Parquet has no dates in milliseconds, so such ids become dates in days. Parquet has no timestamps
/// in seconds, so such ids become timestamps in milliseconds. If one id does not fit its new type, the column becomes
/// text. A row group has at most 1,048,576 rows. The same rows give the same file on any number of threads.
///
/// Call [`ParquetPairWriter::finish`] after the last row. The output file appears only when `finish` succeeds.
///
/// ```
/// use sat2d::Relation;
/// use sat2d_io::{Id, Ids, Output, PairRow, ParquetPairWriter};
/// let path = std::env::temp_dir().join(format!("sat2d-parquet-{}.parquet", std::process::id()));
/// let (a, b) = (Ids::from(vec![Id::Text("06001".into())]), Ids::from(vec![Id::Integer(1)]));
/// let mut pairs = ParquetPairWriter::new(Output::create(Some(&path))?, [&a, &b], &[])?;
/// pairs.write_rows(1, |_| PairRow::new(a.of(0), b.of(0), Relation::Touching))?;
/// pairs.finish()?;
/// assert!(std::fs::read(&path)?.starts_with(b"PAR1"));
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ParquetPairWriter {
    name: PathBuf,
    table: PairTable,
    groups: Groups,
    batch_rows: usize,
}

/// The Parquet file that is being written, and the current row group, which is not in the file yet.
#[derive(Debug)]
struct Groups {
    file: SerializedFileWriter<Target>,
    factory: ArrowRowGroupWriterFactory,
    columns: Vec<ArrowColumnWriter>,
    /// The number of batches in the current row group.
    batch_count: usize,
    /// The number of row groups that were written to the file.
    group_count: usize,
}

/// A slot that holds the output while the writer of the crate `parquet` writes to it. That writer does not return its output at
/// the end, so [`ParquetPairWriter`] takes the output out of the slot.
#[derive(Debug)]
struct Target(Option<Output>);

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_mut().map_or(Ok(0), |output| output.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_mut().map_or(Ok(()), Output::flush)
    }
}

impl ParquetPairWriter {
    /// Creates a writer that writes to `output`. `ids` are all ids of A and all ids of B that rows may have. In the table,
    /// the given columns follow `a`, `b` and `relation`.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written, or if the output is a terminal.
    pub fn new(output: Output, ids: [&Ids; 2], columns: &[Column]) -> Result<Self> {
        Self::with_batch_rows(output, ids, columns, BATCH_ROWS)
    }

    /// Creates a writer with `batch_rows` rows per batch. Returns an error if the output is a terminal, or if the start of the
    /// table cannot be written. A row group has at most [`GROUP_BATCHES`] batches.
    pub(super) fn with_batch_rows(
        output: Output,
        ids: [&Ids; 2],
        columns: &[Column],
        batch_rows: usize,
    ) -> Result<Self> {
        check_target(&output)?;
        let name = output.name().to_path_buf();
        let table = PairTable::new(ids, columns, TableFormat::Parquet);
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("sat2d version ", env!("CARGO_PKG_VERSION")).to_owned());
        for field in table.schema.fields().iter().filter(|field| *field.data_type() == DataType::Float64) {
            // Few measurements are equal, so a dictionary would take time and save no space.
            properties =
                properties.set_column_dictionary_enabled(ColumnPath::from(field.name().as_str()), false);
        }
        let properties = properties.build();
        let writer = ArrowWriter::try_new(Target(Some(output)), table.schema.clone(), Some(properties));
        match writer.and_then(ArrowWriter::into_serialized_writer) {
            Ok((file, factory)) => {
                let groups = Groups { file, factory, columns: Vec::new(), batch_count: 0, group_count: 0 };
                Ok(Self { name, table, groups, batch_rows })
            }
            Err(error) => Err(Error::Write { path: name, source: io_error(error) }),
        }
    }

    /// Writes the pairs `row(0)` to `row(count - 1)`, in this order. All threads call `row` and encode the columns.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written, or if an id does not fit the type of its column.
    /// [`ParquetPairWriter::new`] derives this type from the ids that it gets.
    pub fn write_rows<'r>(&mut self, count: usize, row: impl Fn(usize) -> PairRow<'r> + Sync) -> Result<()> {
        let Self { table, groups, batch_rows, .. } = self;
        let make = |batch: &mut Option<RecordBatch>, rows: &mut _| {
            *batch = Some(table.batch(rows, &row)?);
            Ok(())
        };
        let written = in_order(count, *batch_rows, 1, make, |batch| match batch.take() {
            Some(batch) => groups.write(&batch).map_err(io_error),
            None => Ok(()),
        });
        written.map_err(|source| self.failed(source))
    }

    /// Writes the end of the table and calls [`Output::commit`].
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn finish(self) -> Result<()> {
        self.into_output()?.commit()
    }

    /// Writes the end of the table. Returns the output, or [`Error::Write`] if it cannot be written.
    #[doc(hidden)]
    pub fn into_output(mut self) -> Result<Output> {
        let written = self.groups.end_group().and_then(|()| self.groups.file.finish());
        written.map_err(|error| self.failed(io_error(error)))?;
        let output = self.groups.file.inner_mut().0.take();
        output.ok_or_else(|| self.failed(io::Error::other("the output is gone")))
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Write { path: self.name.clone(), source }
    }
}

impl Groups {
    /// Adds a batch to the current row group, and ends the row group if it is large enough. Returns the error of the encoder or
    /// of the output.
    fn write(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        if self.columns.is_empty() {
            self.columns = self.factory.create_column_writers(self.group_count)?;
        }
        let fields = batch.schema_ref().fields();
        self.columns.par_iter_mut().zip(fields.par_iter().zip(batch.columns())).try_for_each(
            |(column, (field, array))| {
                let leaves: Vec<ArrowLeafColumn> = compute_leaves(field, array)?;
                leaves.iter().try_for_each(|leaf| column.write(leaf))
            },
        )?;
        self.batch_count += 1;
        let byte_count: usize = self.columns.iter().map(ArrowColumnWriter::memory_size).sum();
        if self.batch_count == GROUP_BATCHES || byte_count >= GROUP_BYTES { self.end_group() } else { Ok(()) }
    }

    /// Writes the current row group to the file if it has a batch. Returns the error of the encoder or of the output.
    fn end_group(&mut self) -> Result<(), ParquetError> {
        if self.columns.is_empty() {
            return Ok(());
        }
        let columns = std::mem::take(&mut self.columns);
        let chunks: Vec<_> = columns.into_par_iter().map(ArrowColumnWriter::close).collect();
        let mut group = self.file.next_row_group()?;
        for chunk in chunks {
            chunk?.append_to_row_group(&mut group)?;
        }
        group.close()?;
        self.batch_count = 0;
        self.group_count += 1;
        Ok(())
    }
}

/// Converts an error of Parquet to an input or output error. If a system call caused the error, returns the error of the system
/// call.
fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => error.downcast().map_or_else(io::Error::other, |error| *error),
        other => io::Error::other(other),
    }
}
