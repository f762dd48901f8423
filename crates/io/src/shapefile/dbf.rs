//! Reads the names of the features of a Shapefile from its dBASE table.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::framing::exactly;
use crate::{Error, Id, Result, column_names};

/// The encoding of the text in a dBASE table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    /// Windows-1252, which includes the printable characters of ISO 8859-1.
    Western,
    /// The encoding is not stated, or is unknown to the reader. In this case, text must be ASCII or UTF-8.
    Other,
}

/// A column of a table, and the place of its values in a row.
#[derive(Clone, Debug)]
struct Field {
    name: String,
    kind: u8,
    /// The offset of the value in a row. The first byte of a row says whether the row is deleted.
    start: usize,
    length: usize,
}

/// A table of dBASE (`.dbf`), which is read row by row.
pub(super) struct Table<R> {
    path: PathBuf,
    reader: R,
    encoding: Encoding,
    fields: Vec<Field>,
    row_bytes: usize,
    /// The number of rows that have not been read yet, according to the header of the table.
    rows_left: u32,
}

/// The values of a row that the reader needs.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) id: Option<Id>,
    pub(super) own: Option<Id>,
    /// Whether the row is marked as deleted.
    pub(super) is_deleted: bool,
}

impl<R: Read> Table<R> {
    /// Reads the header. Returns an error if the table cannot be read, or if the header is incomplete or contradictory.
    /// `encoding` is the encoding that the `.cpg` file states, or `None` if there is no such file.
    pub(super) fn new(mut reader: R, path: PathBuf, encoding: Option<Encoding>) -> Result<Self> {
        const HEADER: usize = 32;
        const FIELD: usize = 32;
        let broken = |problem: String| broken(&path, &problem);
        let unreadable = |source| Error::Read { path: path.clone(), source };
        let header = exactly(&mut reader, HEADER).map_err(unreadable)?;
        let header = header.ok_or_else(|| broken("it has fewer bytes than a header".into()))?;
        let short = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let (header_bytes, row_bytes) = (short(8), short(10));
        if header_bytes < HEADER + 1 || row_bytes == 0 {
            return Err(broken(format!(
                "its header says that a header has {header_bytes} bytes and a row {row_bytes}"
            )));
        }
        let rest = exactly(&mut reader, header_bytes - HEADER).map_err(unreadable)?;
        let rest = rest.ok_or_else(|| broken("it ends in its header".into()))?;
        let mut fields: Vec<Field> = Vec::new();
        let mut start = 1;
        for bytes in rest.chunks_exact(FIELD).take_while(|bytes| bytes[0] != b'\r') {
            let name: Vec<u8> = bytes[..11].iter().copied().take_while(|&byte| byte != 0).collect();
            let name = String::from_utf8_lossy(&name).trim_end().to_owned();
            let length = usize::from(bytes[16]);
            fields.push(Field { name, kind: bytes[11], start, length });
            start += length;
        }
        if start > row_bytes {
            return Err(broken(format!("its columns take {start} bytes, but a row has {row_bytes}")));
        }
        let encoding = encoding.unwrap_or(match header[29] {
            0x03 | 0x57 | 0x58 | 0x59 => Encoding::Western,
            _ => Encoding::Other,
        });
        let rows_left = header[4..].first_chunk().map_or(0, |&count| u32::from_le_bytes(count));
        Ok(Self { path, reader, encoding, fields, row_bytes, rows_left })
    }

    /// Returns the number of rows that have not been read, according to the header.
    pub(super) fn rows_left(&self) -> u32 {
        self.rows_left
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.fields.iter().map(|field| field.name.clone()).collect()
    }

    /// Returns the index of the column with a name. If no column has exactly this name, the comparison ignores the case
    /// of ASCII letters. Returns `None` if no column has the name.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        column_names::find(&self.names(), name)
    }

    /// Returns whether the values of a column are text, numbers or dates, which can be names.
    pub(super) fn can_name(&self, column: usize) -> bool {
        matches!(self.fields[column].kind, b'C' | b'N' | b'F' | b'I' | b'D')
    }

    /// Returns the error of a column whose values cannot be names.
    pub(super) fn not_a_name(&self, column: usize) -> Error {
        let Field { name, kind, .. } = &self.fields[column];
        let kind = char::from(*kind);
        let problem = format!(
            "column {name}: its type is {kind}; a name is text, a number or a date; name another column"
        );
        Error::Format { path: self.path.clone(), problem }
    }

    /// Reads the next `count` rows, or all remaining rows if there are fewer. Returns an error if the table cannot be read, or
    /// if it ends before these rows.
    pub(super) fn rows(&mut self, count: usize) -> Result<Vec<u8>> {
        let count = count.min(self.rows_left as usize);
        let bytes = exactly(&mut self.reader, count * self.row_bytes);
        let bytes = bytes.map_err(|source: io::Error| Error::Read { path: self.path.clone(), source })?;
        let bytes = bytes.ok_or_else(|| {
            broken(&self.path, &format!("it ends before the last of its {} rows", self.rows_left))
        })?;
        self.rows_left -= count as u32;
        Ok(bytes)
    }

    /// Returns a decoder for the rows that [`Table::rows`] returns.
    pub(super) fn decoder(&self, id: Option<usize>, own: Option<usize>) -> Decoder {
        let field = |index: usize| self.fields[index].clone();
        Decoder { id: id.map(field), own: own.map(field), encoding: self.encoding, row_bytes: self.row_bytes }
    }
}

fn broken(path: &Path, problem: &str) -> Error {
    let problem = format!(
        "not a valid dBASE table: {problem}; write the file again, or remove it to read the shapes alone"
    );
    Error::Format { path: path.into(), problem }
}

/// Decodes the names of features from rows.
#[derive(Clone)]
pub(super) struct Decoder {
    id: Option<Field>,
    own: Option<Field>,
    encoding: Encoding,
    row_bytes: usize,
}

impl Decoder {
    /// Decodes the row with the index `index` in `rows`.
    ///
    /// # Errors
    /// Returns [`Error::Malformed`] if a text is not in the encoding of the table.
    pub(super) fn row(&self, rows: &[u8], index: usize) -> Result<Row> {
        let start = index * self.row_bytes;
        let Some(row) = rows.get(start..start + self.row_bytes) else { return Ok(Row::default()) };
        let id = self.value(self.id.as_ref(), row)?;
        let own = if id.is_none() { self.value(self.own.as_ref(), row)? } else { None };
        Ok(Row { id, own, is_deleted: row[0] == b'*' })
    }

    /// Returns the value of a field, or `None` if `field` is `None` or the value is null. Returns an error if the text cannot be
    /// decoded.
    fn value(&self, field: Option<&Field>, row: &[u8]) -> Result<Option<Id>> {
        let Some(Field { name, kind, start, length }) = field else { return Ok(None) };
        let bytes = row.get(*start..start + length).unwrap_or_default();
        Ok(match kind {
            b'I' => bytes.first_chunk().map(|&bytes| Id::Integer(i32::from_le_bytes(bytes).into())),
            b'N' | b'F' => {
                let text = bytes.trim_ascii();
                let is_null = text.iter().all(|&byte| byte == b'*' || byte == 0);
                if is_null { None } else { Some(number(&self.text(text, name)?)) }
            }
            b'D' => match bytes.trim_ascii() {
                // A program that has no date may write zeros instead of spaces.
                text if text.iter().all(|&byte| byte == b'0' || byte == 0) => None,
                text => Some(Id::Text(date(self.text(text, name)?))),
            },
            _ => {
                let end =
                    bytes.iter().rposition(|&byte| byte != b' ' && byte != 0).map_or(0, |last| last + 1);
                if end == 0 { None } else { Some(Id::Text(self.text(&bytes[..end], name)?)) }
            }
        })
    }

    fn text(&self, bytes: &[u8], name: &str) -> Result<Box<str>> {
        match (std::str::from_utf8(bytes), self.encoding) {
            (_, Encoding::Western) => Ok(bytes.iter().copied().map(western).collect::<String>().into()),
            (Ok(text), _) => Ok(text.into()),
            (Err(error), encoding) => {
                let (at, stated) = (
                    error.valid_up_to(),
                    if encoding == Encoding::Utf8 {
                        "states UTF-8"
                    } else {
                        "states no encoding that is known"
                    },
                );
                let problem = format!(
                    "column {name}: byte {at} of the text is not UTF-8, and the file {stated}; write the file in UTF-8 (`ogr2ogr -lco ENCODING=UTF-8`)"
                );
                Err(Error::Malformed { problem })
            }
        }
    }
}

/// Converts a number. Text that is not a number remains text.
fn number(text: &str) -> Id {
    if let Ok(integer) = text.parse() {
        return Id::Integer(integer);
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0') && !digits.is_empty() {
        return Id::Number(text.into());
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Id::from_f64(value),
        _ => Id::Text(text.into()),
    }
}

/// Returns a date, such as 20260131, in ISO 8601. Text that does not have eight digits remains unchanged.
fn date(text: Box<str>) -> Box<str> {
    if text.len() != 8 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text;
    }
    format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..]).into()
}

/// Returns the character of a byte in Windows-1252. A byte without a character becomes a control character of ISO
/// 8859-1.
fn western(byte: u8) -> char {
    /// The characters of the bytes 0x80 to 0x9F.
    const MIDDLE: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9F => MIDDLE[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}
