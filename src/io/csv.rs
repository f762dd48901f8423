use std::fmt::Write;
use std::io;

use super::columns::{Column, PairRow};
use super::{Id, Output};
use crate::{Error, Result};

/// Writes pairs as CSV (RFC 4180, lines that end in `\n`): a header `a,b,relation` and the names of the columns asked for,
/// then a row a pair, ids quoted where they must be. Numbers read back as the same f64.
///
/// Nothing is certain to be written, and a file does not appear at its path, before [`CsvWriter::finish`].
///
/// ```
/// use sat2d::{Relation, io::{Column, CsvWriter, Id, Output, PairRow}};
/// let path = std::env::temp_dir().join(format!("sat2d-csv-{}.csv", std::process::id()));
/// let mut pairs = CsvWriter::new(Output::create(Some(&path))?, &[Column::Distance])?;
/// let (a, b) = (Id::Text("one, two".into()), Id::Index(7));
/// let mut row = PairRow::new(&a, &b, Relation::Disjoint);
/// row.distance = Some(0.5);
/// pairs.write(&row)?;
/// pairs.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "a,b,relation,distance\n\"one, two\",7,disjoint,0.5\n");
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CsvWriter {
    rows: csv::Writer<Output>,
    columns: Vec<Column>,
    /// The text of a field that is none yet.
    text: String,
}

impl CsvWriter {
    /// Writes the header. The columns follow `a,b,relation` in the order given.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn new(output: Output, columns: &[Column]) -> Result<Self> {
        let rows = csv::Writer::from_writer(output);
        let mut writer = Self { rows, columns: columns.to_vec(), text: String::new() };
        let names = columns.iter().flat_map(|column| column.names());
        let header = ["a", "b", "relation"].iter().chain(names);
        writer.rows.write_record(header).map_err(|e| writer.failed(e))?;
        Ok(writer)
    }

    /// Writes one pair.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn write(&mut self, row: &PairRow<'_>) -> Result<()> {
        self.row(row).map_err(|e| self.failed(e))
    }

    /// Writes what is buffered and commits the output.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn finish(self) -> Result<()> {
        self.into_output()?.commit()
    }

    /// The output, with every row in it.
    pub(crate) fn into_output(self) -> Result<Output> {
        let name = self.rows.get_ref().name().to_path_buf();
        self.rows.into_inner().map_err(|e| Error::Write { path: name, source: e.into_error() })
    }

    fn row(&mut self, row: &PairRow<'_>) -> csv::Result<()> {
        self.id(row.a)?;
        self.id(row.b)?;
        self.rows.write_field(row.relation)?;
        for k in 0..self.columns.len() {
            for field in self.columns[k].fields(row) {
                self.field(field)?;
            }
        }
        self.rows.write_record(None::<&[u8]>)
    }

    fn id(&mut self, id: &Id) -> csv::Result<()> {
        match id {
            Id::Number(text) | Id::Text(text) => self.rows.write_field(text.as_bytes()),
            Id::Index(index) => self.field(index),
        }
    }

    fn field(&mut self, value: impl std::fmt::Display) -> csv::Result<()> {
        self.text.clear();
        // Writing to a String cannot fail.
        let _ = write!(self.text, "{value}");
        self.rows.write_field(&self.text)
    }

    fn failed(&self, error: csv::Error) -> Error {
        let source = match error.into_kind() {
            csv::ErrorKind::Io(source) => source,
            kind => io::Error::other(format!("{kind:?}")),
        };
        Error::Write { path: self.rows.get_ref().name().into(), source }
    }
}
