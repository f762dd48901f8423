//! Splits text in columns into records and fields (RFC 4180). A field in quotes may contain delimiters and line ends.

use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use super::text::Text;
use crate::incoming::Incoming;
use crate::{Error, Result};

/// A block of consecutive records of the text.
#[derive(Default)]
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    /// The range in `bytes` of each record, without its line end. Empty lines are not records.
    pub(super) records: Vec<Range<usize>>,
}

/// The records of a delimited text, which are read block by block.
pub(super) struct Records<'a, R> {
    /// The text. The header does not count as a record.
    text: Text<'a, R>,
    delimiter: u8,
}

/// The state of a scan for the ends of records.
#[derive(Clone, Copy, Default)]
struct Scan {
    at: usize,
    /// The index in the unread bytes of the first byte of the current record.
    start: usize,
    place: Place,
}

/// The position, relative to a field, of the next byte of the scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Start,
    /// In a field without quotes, or in text that follows the closing quote of a field.
    Plain,
    Quoted,
    /// After a quote in a quoted field. If another quote follows, the two quotes mean one quote character of the value.
    AfterQuote,
}

impl<'a, R: Read> Records<'a, R> {
    pub(super) fn new(reader: R, is_tabbed: bool, path: &'a Path, limit: usize) -> Self {
        let delimiter = if is_tabbed { b'\t' } else { b',' };
        Self { text: Text::new(reader, path, limit), delimiter }
    }

    /// Returns the character that separates the fields of a record.
    pub(super) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Reads the first record, which has the names of the columns, and finds the delimiter. Returns an error if the input cannot be
    /// read, has no record, or has a first record that is too large.
    pub(super) fn header(&mut self) -> Result<Vec<u8>> {
        let mut block = Block::default();
        let mut scan = Scan::default();
        loop {
            self.text.fill()?;
            self.scan(&mut scan, &mut block.records, 1);
            if let Some(record) = block.records.first() {
                let header = self.text.rest[record.clone()].to_vec();
                self.text.rest.drain(..scan.at);
                let count = |delimiter: u8| header.iter().filter(|&&byte| byte == delimiter).count();
                // In some countries, numbers have a decimal comma, and semicolons separate the fields.
                if self.delimiter == b',' && count(b';') > count(b',') {
                    self.delimiter = b';';
                }
                return Ok(header);
            }
            if self.text.has_ended {
                let problem = "it has no line with the names of the columns; write the file again";
                return Err(Error::Format { path: self.text.path().into(), problem: problem.into() });
            }
            self.text.check_size(scan.at - scan.start, None)?;
        }
    }

    /// Returns the next block of records.
    pub(super) fn next(&mut self) -> Incoming<Block> {
        let mut block = Block::default();
        let stop = self.next_records(&mut block).err();
        Incoming { block, is_last: self.text.is_used_up(), stop }
    }

    fn next_records(&mut self, block: &mut Block) -> Result<()> {
        let mut scan = Scan::default();
        loop {
            self.text.fill()?;
            self.scan(&mut scan, &mut block.records, usize::MAX);
            // Empty lines at the start also end the block, so that they do not fill the memory.
            if self.text.has_ended || scan.start > 0 {
                break;
            }
            self.text.check_size(scan.at, None)?;
        }
        let too_large = block.records.iter().position(|record| self.text.is_too_large(record.len()));
        block.records.truncate(too_large.unwrap_or(usize::MAX));
        self.text.count += block.records.len();
        block.bytes = self.text.take(scan.start);
        if self.text.has_ended && scan.place == Place::Quoted {
            let problem = "a quote begins in the row and does not end; write the row again".into();
            return Err(self.text.error(None, Error::Malformed { problem }));
        }
        let longest = if too_large.is_some() { usize::MAX } else { self.text.rest.len() };
        self.text.check_size(longest, None)
    }

    /// Finds the ends of the next records in the bytes that have been read, and adds at most `most` records to `records`.
    fn scan(&self, scan: &mut Scan, records: &mut Vec<Range<usize>>, most: usize) {
        let bytes = &self.text.rest[..];
        let mut end_record = |start: usize, end: usize| {
            let end = if end > start && bytes[end - 1] == b'\r' { end - 1 } else { end };
            if end > start {
                records.push(start..end);
            }
            records.len() < most
        };
        while let Some(&byte) = bytes.get(scan.at) {
            if scan.place == Place::Quoted {
                let rest = &bytes[scan.at..];
                let length = rest.iter().position(|&byte| byte == b'"');
                scan.place = if length.is_some() { Place::AfterQuote } else { Place::Quoted };
                scan.at += length.map_or(rest.len(), |length| length + 1);
                continue;
            }
            scan.at += 1;
            scan.place = match byte {
                b'"' if scan.place != Place::Plain => Place::Quoted,
                b'\n' => Place::Start,
                byte if byte == self.delimiter => Place::Start,
                _ => Place::Plain,
            };
            if byte == b'\n' {
                let start = std::mem::replace(&mut scan.start, scan.at);
                if !end_record(start, scan.at - 1) {
                    return;
                }
            }
        }
        if self.text.has_ended && scan.place != Place::Quoted {
            end_record(scan.start, scan.at);
            scan.start = scan.at;
        }
    }
}

/// One field of a record in delimited text.
pub(super) struct Field<'a> {
    text: &'a [u8],
    pub(super) is_quoted: bool,
}

impl<'a> Field<'a> {
    /// Returns the value of the field, without the quotes around it.
    pub(super) fn value(&self) -> Cow<'a, [u8]> {
        if !self.is_quoted {
            return self.text.into();
        }
        let inner = &self.text[1..];
        // A single quote before any other character stays unchanged, because it does not end the field.
        let inner = inner.strip_suffix(b"\"").unwrap_or(inner);
        if !inner.contains(&b'"') {
            return inner.into();
        }
        let mut value = Vec::with_capacity(inner.len());
        let mut bytes = inner.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            value.push(byte);
            if byte == b'"' {
                bytes.next_if_eq(&b'"');
            }
        }
        value.into()
    }
}

/// Returns the fields of a record. A record has at least one field.
pub(super) fn fields(record: &[u8], delimiter: u8) -> impl Iterator<Item = Field<'_>> {
    let mut rest = Some(record);
    std::iter::from_fn(move || {
        let bytes = rest?;
        let is_quoted = bytes.first() == Some(&b'"');
        let mut end = 0;
        if is_quoted {
            end = 1;
            while let Some(length) = bytes[end..].iter().position(|&byte| byte == b'"') {
                end += length + 1;
                if bytes.get(end) != Some(&b'"') {
                    break;
                }
                end += 1;
            }
        }
        let length = bytes[end..].iter().position(|&byte| byte == delimiter);
        let end = length.map_or(bytes.len(), |length| end + length);
        rest = bytes.get(end + 1..).filter(|_| length.is_some());
        Some(Field { text: &bytes[..end], is_quoted })
    })
}
