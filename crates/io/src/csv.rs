use std::io::{self, Write as _};

use super::columns::{Column, PairRow, are_counts};
use super::text::push_integer;
use super::{IdRef, Output, blocks};
use crate::{Error, Result};
use sat2d::internal::escaped;

/// Writes pairs as CSV (RFC 4180, with lines that end in `\n`). The header consists of `a,b,relation` and the names of
/// the selected columns. If [`Column::Count`] is the only column, the header is `a,count`. One row for each pair
/// follows the header. A reader gets the same f64 from each number, but -0 is written as 0.
///
/// The writer quotes ids with a comma, a quote or a control character. The text of an id stays unchanged, so a CSV
/// reader reads the same ids. If the output is a terminal, control characters are written as escapes.
///
/// Call [`CsvWriter::finish`] after the last row. Until `finish` returns, some rows may still be in a buffer. A file at
/// the path of the output appears or changes only when `finish` succeeds.
///
/// ```
/// use sat2d::Relation;
/// use sat2d_io::{Column, CsvWriter, Id, Output, PairRow};
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
    output: Output,
    format: Format,
    /// The text of the row that is being written. Each row reuses the memory of the row before it.
    line: Vec<u8>,
}

#[derive(Debug)]
struct Format {
    columns: Vec<Column>,
    is_terminal: bool,
}

impl CsvWriter {
    /// Creates a writer that writes to `output`, and writes the CSV header. The struct describes the header and the
    /// rows.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn new(mut output: Output, columns: &[Column]) -> Result<Self> {
        let names = columns.iter().flat_map(|column| column.names()).copied();
        let of_pair = if are_counts(columns) { &["a"][..] } else { &["a", "b", "relation"] };
        let header: Vec<&str> = of_pair.iter().copied().chain(names).collect();
        let written = writeln!(output, "{}", header.join(","));
        let format = Format { columns: columns.to_vec(), is_terminal: output.is_terminal() };
        let writer = Self { output, format, line: Vec::new() };
        written.map_err(|source| writer.failed(source))?;
        Ok(writer)
    }

    /// Writes one pair.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn write(&mut self, row: &PairRow<'_>) -> Result<()> {
        self.line.clear();
        self.format.push(&mut self.line, row);
        self.output.write_all(&self.line).map_err(|source| self.failed(source))
    }

    /// Writes the pairs `row(0)` to `row(count - 1)`, in this order. All threads call `row` and format the text. The text is
    /// the same as the text of [`CsvWriter::write`] for each row.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn write_rows<'r>(&mut self, count: usize, row: impl Fn(usize) -> PairRow<'r> + Sync) -> Result<()> {
        let format = &self.format;
        let written = blocks::write(&mut self.output, count, row, |text, row, _| format.push(text, row));
        written.map_err(|source| self.failed(source))
    }

    /// Writes the buffered rows and calls [`Output::commit`].
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn finish(self) -> Result<()> {
        self.into_output().commit()
    }

    /// Returns the output, to which every row has been written. The caller must commit the output.
    #[doc(hidden)]
    pub fn into_output(self) -> Output {
        self.output
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Write { path: self.output.name().into(), source }
    }
}

impl Format {
    /// Appends the text of a row to `line`.
    fn push(&self, line: &mut Vec<u8>, row: &PairRow<'_>) {
        self.push_id(line, row.a);
        if !are_counts(&self.columns) {
            line.push(b',');
            self.push_id(line, row.b);
            line.push(b',');
            line.extend_from_slice(row.relation.as_bytes());
        }
        for column in &self.columns {
            for field in column.fields(row) {
                line.push(b',');
                field.push(line);
            }
        }
        line.push(b'\n');
    }

    fn push_id(&self, line: &mut Vec<u8>, id: IdRef<'_>) {
        match id {
            IdRef::Index(index) => push_integer(line, index),
            IdRef::Integer(integer) => push_integer(line, integer),
            IdRef::Number(number) => line.extend_from_slice(number.as_bytes()),
            IdRef::Text(text) if self.is_terminal => push_field(line, &escaped(text)),
            IdRef::Text(text) => push_field(line, text),
            // Writing to a Vec cannot fail.
            IdRef::Time(time) => drop(write!(line, "{time}")),
        }
    }
}

fn push_field(line: &mut Vec<u8>, text: &str) {
    // In UTF-8, 0xC2 is the first byte of the control characters beyond ASCII and of some other characters.
    let may_need_quotes = |byte: u8| byte < b' ' || matches!(byte, b',' | b'"' | 0x7F | 0xC2);
    let needs_quotes = |c: char| c.is_control() || matches!(c, ',' | '"');
    if !text.bytes().any(may_need_quotes) || !text.contains(needs_quotes) {
        line.extend_from_slice(text.as_bytes());
        return;
    }
    line.push(b'"');
    line.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    line.push(b'"');
}
