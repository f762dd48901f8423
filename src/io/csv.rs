use std::fmt::Write;
use std::io;

use super::{Id, Output};
use crate::{Containment, Error, PointRelation, Relation, Result};

/// Writes pairs as CSV (RFC 4180, lines that end in `\n`): a header `a,b,relation`, then a row a pair, ids quoted
/// where they must be.
///
/// Nothing is certain to be written, and a file does not appear at its path, before [`CsvWriter::finish`].
///
/// ```
/// use sat2d::{Relation, io::{CsvWriter, Id, Output}};
/// let path = std::env::temp_dir().join(format!("sat2d-csv-{}.csv", std::process::id()));
/// let mut pairs = CsvWriter::new(Output::create(Some(&path))?)?;
/// pairs.write(&Id::Text("one, two".into()), &Id::Index(7), Relation::Touching)?;
/// pairs.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "a,b,relation\n\"one, two\",7,touching\n");
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CsvWriter {
    rows: csv::Writer<Output>,
    /// The text of an id that is none yet.
    text: String,
}

impl CsvWriter {
    /// Writes the header.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn new(output: Output) -> Result<Self> {
        let mut writer = Self { rows: csv::Writer::from_writer(output), text: String::new() };
        writer.rows.write_record(["a", "b", "relation"]).map_err(|e| writer.failed(e))?;
        Ok(writer)
    }

    /// A writer of containments too: the header is `a,b,relation,containment`, and rows are written by
    /// [`CsvWriter::write_containment`].
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn with_containment(output: Output) -> Result<Self> {
        let mut writer = Self { rows: csv::Writer::from_writer(output), text: String::new() };
        let header = ["a", "b", "relation", "containment"];
        writer.rows.write_record(header).map_err(|e| writer.failed(e))?;
        Ok(writer)
    }

    /// Writes one pair, of which A is to B as `containment` says.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn write_containment(
        &mut self,
        a: &Id,
        b: &Id,
        relation: Relation,
        containment: Containment,
    ) -> Result<()> {
        self.field(a)
            .and_then(|()| self.field(b))
            .and_then(|()| self.rows.write_record([relation.name(), containment.name()]))
            .map_err(|e| self.failed(e))
    }

    /// Writes one pair.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn write(&mut self, a: &Id, b: &Id, relation: Relation) -> Result<()> {
        self.write_row(a, b, relation.name())
    }

    /// Writes one point and the polygon that it lies in.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn write_point(&mut self, a: &Id, b: &Id, relation: PointRelation) -> Result<()> {
        self.write_row(a, b, relation.name())
    }

    fn write_row(&mut self, a: &Id, b: &Id, relation: &str) -> Result<()> {
        self.field(a)
            .and_then(|()| self.field(b))
            .and_then(|()| self.rows.write_record([relation]))
            .map_err(|e| self.failed(e))
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

    fn field(&mut self, id: &Id) -> csv::Result<()> {
        match id {
            Id::Number(text) | Id::Text(text) => self.rows.write_field(text.as_bytes()),
            Id::Index(index) => {
                self.text.clear();
                // Writing to a String cannot fail.
                let _ = write!(self.text, "{index}");
                self.rows.write_field(&self.text)
            }
        }
    }

    fn failed(&self, error: csv::Error) -> Error {
        let source = match error.into_kind() {
            csv::ErrorKind::Io(source) => source,
            kind => io::Error::other(format!("{kind:?}")),
        };
        Error::Write { path: self.rows.get_ref().name().into(), source }
    }
}
