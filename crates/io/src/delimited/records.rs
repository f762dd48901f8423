//! Splits text in columns into records and fields (RFC 4180). A field in quotes may contain delimiters and line ends.

use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use crate::incoming::Incoming;
use crate::{Error, Result};

/// The number of bytes of text that are decoded together. A block of this size is enough work for every thread.
const BLOCK_BYTES: usize = 4 << 20;

/// A block of consecutive records of the text.
#[derive(Default)]
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    /// The range in `bytes` of each record, without its line end. Empty lines are not records.
    pub(super) records: Vec<Range<usize>>,
}

/// The records of a delimited text, which are read block by block.
pub(super) struct Records<'a, R> {
    reader: R,
    path: &'a Path,
    delimiter: u8,
    /// The maximum size of a record, in bytes.
    limit: usize,
    /// The bytes that have been read but are not yet in a block.
    rest: Vec<u8>,
    has_ended: bool,
    /// The number of records that have been read. The header does not count.
    count: usize,
}

/// The state of a scan for the ends of records.
#[derive(Clone, Copy, Default)]
struct Scan {
    at: usize,
    /// The index in the unread bytes of the first byte of the current record.
    start: usize,
    place: Place,
}

/// The place in a field of the byte that the scan reads next.
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
        Self { reader, path, delimiter, limit, rest: Vec::new(), has_ended: false, count: 0 }
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
            self.fill()?;
            self.scan(&mut scan, &mut block.records, 1);
            if let Some(record) = block.records.first() {
                let header = self.rest[record.clone()].to_vec();
                self.rest.drain(..scan.at);
                let count = |delimiter: u8| header.iter().filter(|&&byte| byte == delimiter).count();
                // In some countries, numbers have a decimal comma, and semicolons separate the fields.
                if self.delimiter == b',' && count(b';') > count(b',') {
                    self.delimiter = b';';
                }
                return Ok(header);
            }
            if self.has_ended {
                let problem = "it has no line with the names of the columns; write the file again";
                return Err(Error::Format { path: self.path.into(), problem: problem.into() });
            }
            self.check_size(&scan)?;
        }
    }

    /// Returns the next block of records.
    pub(super) fn next(&mut self) -> Incoming<Block> {
        let mut block = Block::default();
        let stop = self.next_records(&mut block).err();
        Incoming { block, is_last: self.has_ended && self.rest.is_empty(), stop }
    }

    fn next_records(&mut self, block: &mut Block) -> Result<()> {
        let mut scan = Scan::default();
        loop {
            self.fill()?;
            self.scan(&mut scan, &mut block.records, usize::MAX);
            if self.has_ended || !block.records.is_empty() {
                break;
            }
            self.check_size(&scan)?;
        }
        let too_large = block.records.iter().position(|record| record.len() > self.limit);
        block.records.truncate(too_large.unwrap_or(usize::MAX));
        self.count += block.records.len();
        let rest = self.rest.split_off(scan.start);
        block.bytes = std::mem::replace(&mut self.rest, rest);
        if self.has_ended && scan.place == Place::Quoted {
            let (feature, source) = (
                self.count,
                Error::Malformed {
                    problem: "a quote begins in the row and does not end; write the row again".into(),
                },
            );
            return Err(Error::Feature {
                path: self.path.into(),
                feature,
                id: None,
                source: Box::new(source),
            });
        }
        let longest = if too_large.is_some() { usize::MAX } else { self.rest.len() };
        self.check_size(&Scan { start: 0, at: longest, ..scan })
    }

    /// Returns an error if the record that `scan` is in exceeds the limit on the size of a record.
    fn check_size(&self, scan: &Scan) -> Result<()> {
        if scan.at - scan.start <= self.limit {
            return Ok(());
        }
        let source = Box::new(Error::FeatureTooLarge { limit_bytes: self.limit });
        Err(Error::Feature { path: self.path.into(), feature: self.count, id: None, source })
    }

    /// Reads more bytes of the input into `rest`. Returns [`Error::Read`] if the input cannot be read.
    fn fill(&mut self) -> Result<()> {
        let read = (&mut self.reader).take(BLOCK_BYTES as u64).read_to_end(&mut self.rest);
        let read = read.map_err(|source| Error::Read { path: self.path.into(), source })?;
        self.has_ended = read < BLOCK_BYTES;
        Ok(())
    }

    /// Finds the ends of the next records in the bytes that have been read, and adds at most `most` records to `records`.
    fn scan(&self, scan: &mut Scan, records: &mut Vec<Range<usize>>, most: usize) {
        let bytes = &self.rest[..];
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
        if self.has_ended && scan.place != Place::Quoted {
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
        // A quote before any other character stays unchanged.
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
