use std::path::PathBuf;
use std::{fmt, io};

use arrow_array::RecordBatch;
use arrow_ipc::writer::{FileWriter, StreamWriter};

use super::pairs::PairTable;
use super::{BATCH_ROWS, TableFormat, check_target, io_error};
use crate::rounds::in_order;
use crate::{Column, Error, Ids, Output, PairRow, Result};

/// The two formats of Arrow IPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArrowFormat {
    /// A file, with random access to its batches. Such a file usually ends in `.arrow` or `.feather`.
    File,
    /// A stream, which can be read while it is written. Such a file usually ends in `.arrows`.
    Stream,
}

/// Writes pairs as a table in the format of Arrow IPC (Feather version 2), without compression.
///
/// The columns of the table have the names that [`CsvWriter`](crate::CsvWriter) writes in its header:
///
/// - `a` and `b`: Int64 if all ids of this side are an [`Id::Index`](crate::Id::Index) or an
///   [`Id::Integer`](crate::Id::Integer). The type of the dates or timestamps if all ids are an [`Id::Time`](crate::Id::Time) of one
///   type. Otherwise Utf8: one id that is text, or a number such as `1.50`, makes all ids of the side Utf8. The text is the text in
///   CSV, without quotes.
/// - `relation` and `containment`: Utf8 with a dictionary (Dictionary(Int8, Utf8)).
/// - `contacts` and `count`: Int64.
/// - all other columns: Float64.
///
/// A value that a pair does not have is null. The same rows give the same file on any number of threads.
///
/// Call [`ArrowPairWriter::finish`] after the last row. The output file appears only when `finish` succeeds.
///
/// ```
/// use sat2d::Relation;
/// use sat2d_io::{ArrowFormat, ArrowPairWriter, Id, Ids, Output, PairRow};
/// let path = std::env::temp_dir().join(format!("sat2d-arrow-{}.arrow", std::process::id()));
/// let ids = Ids::from(vec![Id::Index(0), Id::Index(1)]);
/// let output = Output::create(Some(&path))?;
/// let mut pairs = ArrowPairWriter::new(output, ArrowFormat::File, [&ids, &ids], &[])?;
/// pairs.write_rows(1, |_| PairRow::new(ids.of(0), ids.of(1), Relation::Touching))?;
/// pairs.finish()?;
/// assert!(std::fs::read(&path)?.starts_with(b"ARROW1"));
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ArrowPairWriter {
    name: PathBuf,
    table: PairTable,
    writer: Writer,
    batch_rows: usize,
}

enum Writer {
    File(FileWriter<Output>),
    Stream(StreamWriter<Output>),
}

impl ArrowPairWriter {
    /// Creates a writer that writes to `output`. `ids` are all ids of A and all ids of B that rows may have. In the table,
    /// the given columns follow `a`, `b` and `relation`.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written, or if the output is a terminal.
    pub fn new(output: Output, format: ArrowFormat, ids: [&Ids; 2], columns: &[Column]) -> Result<Self> {
        Self::with_batch_rows(output, format, ids, columns, BATCH_ROWS)
    }

    /// Creates a writer with `batch_rows` rows per batch. Returns an error if the output is a terminal, or if the start of the
    /// table cannot be written.
    pub(super) fn with_batch_rows(
        output: Output,
        format: ArrowFormat,
        ids: [&Ids; 2],
        columns: &[Column],
        batch_rows: usize,
    ) -> Result<Self> {
        check_target(&output)?;
        let name = output.name().to_path_buf();
        let table = PairTable::new(ids, columns, TableFormat::Arrow);
        let writer = match format {
            ArrowFormat::File => FileWriter::try_new(output, &table.schema).map(Writer::File),
            ArrowFormat::Stream => StreamWriter::try_new(output, &table.schema).map(Writer::Stream),
        };
        match writer {
            Ok(writer) => Ok(Self { name, table, writer, batch_rows }),
            Err(error) => Err(Error::Write { path: name, source: io_error(error) }),
        }
    }

    /// Writes the pairs `row(0)` to `row(count - 1)`, in this order. All threads call `row`. Each call of `write_rows` begins
    /// a new batch.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written, or if an id does not fit the type of its column.
    /// [`ArrowPairWriter::new`] derives this type from the ids that it gets.
    pub fn write_rows<'r>(&mut self, count: usize, row: impl Fn(usize) -> PairRow<'r> + Sync) -> Result<()> {
        let Self { table, writer, batch_rows, .. } = self;
        let make = |batch: &mut Option<RecordBatch>, rows: &mut _| {
            *batch = Some(table.batch(rows, &row)?);
            Ok(())
        };
        let written = in_order(count, *batch_rows, 1, make, |batch| match batch.take() {
            Some(batch) => writer.write(&batch),
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
    pub fn into_output(self) -> Result<Output> {
        // `into_inner` writes the end of the table.
        let output = match self.writer {
            Writer::File(writer) => writer.into_inner(),
            Writer::Stream(writer) => writer.into_inner(),
        };
        output.map_err(|error| Error::Write { path: self.name, source: io_error(error) })
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Write { path: self.name.clone(), source }
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File(_) => "File",
            Self::Stream(_) => "Stream",
        })
    }
}

impl Writer {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let written = match self {
            Self::File(writer) => writer.write(batch),
            Self::Stream(writer) => writer.write(batch),
        };
        written.map_err(io_error)
    }
}
