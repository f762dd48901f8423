use std::fmt::Write as _;
use std::io::Write as _;

use super::columns::{Column, PairRow};
use super::{Id, Output};
use crate::{Error, Result};
use sat2d::internal::escaped;

/// Writes pairs as CSV (RFC 4180, with lines that end in `\n`). The header consists of `a,b,relation` and the names of
/// the selected columns. One row for each pair follows the header. Each number is written so that a reader gets exactly
/// the same f64.
///
/// The writer quotes ids with a comma, a quote or a control character. The text of an id stays unchanged, so a CSV
/// reader reads the same ids. If the output is a terminal, control characters are written as escapes.
///
/// Call [`CsvWriter::finish`] after the last row. Until `finish` returns, some rows may still be in a buffer, and the
/// output file does not exist.
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
    columns: Vec<Column>,
    /// The current row.
    line: String,
}

impl CsvWriter {
    /// Creates a writer that writes to `output`, and writes the CSV header. In the header and in each row, the given
    /// columns follow `a,b,relation`.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn new(output: Output, columns: &[Column]) -> Result<Self> {
        let mut writer = Self { output, columns: columns.to_vec(), line: String::new() };
        let names = columns.iter().flat_map(|column| column.names()).copied();
        let header: Vec<&str> = ["a", "b", "relation"].into_iter().chain(names).collect();
        writer.line.push_str(&header.join(","));
        writer.end_line()?;
        Ok(writer)
    }

    /// Writes one pair.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn write(&mut self, row: &PairRow<'_>) -> Result<()> {
        self.id(row.a);
        self.line.push(',');
        self.id(row.b);
        self.line.push(',');
        self.line.push_str(row.relation);
        for column in &self.columns {
            for field in column.fields(row) {
                // Writing to a String cannot fail.
                let _ = write!(self.line, ",{field}");
            }
        }
        self.end_line()
    }

    /// Writes the buffered rows and calls [`Output::commit`].
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn finish(self) -> Result<()> {
        self.into_output().commit()
    }

    /// The output, with every row in it.
    #[doc(hidden)]
    pub fn into_output(self) -> Output {
        self.output
    }

    fn id(&mut self, id: &Id) {
        match id {
            Id::Index(index) => {
                let _ = write!(self.line, "{index}");
            }
            Id::Number(number) => self.line.push_str(number),
            Id::Text(text) if self.output.is_terminal() => push_field(&mut self.line, &escaped(text)),
            Id::Text(text) => push_field(&mut self.line, text),
        }
    }

    fn end_line(&mut self) -> Result<()> {
        self.line.push('\n');
        let written = self.output.write_all(self.line.as_bytes());
        self.line.clear();
        written.map_err(|source| Error::Write { path: self.output.name().into(), source })
    }
}

fn push_field(line: &mut String, text: &str) {
    // 0xC2 begins the control characters beyond ASCII in UTF-8, and others.
    let may_need_quotes = |byte: u8| byte < b' ' || matches!(byte, b',' | b'"' | 0x7F | 0xC2);
    let needs_quotes = |c: char| c.is_control() || matches!(c, ',' | '"');
    if !text.bytes().any(may_need_quotes) || !text.contains(needs_quotes) {
        line.push_str(text);
        return;
    }
    line.push('"');
    line.push_str(&text.replace('"', "\"\""));
    line.push('"');
}
