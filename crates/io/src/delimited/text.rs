//! The text of an input: its bytes without compression, read block by block.

use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

use crate::geojson::gzip::Packing;
use crate::geojson::peek;
use crate::{Error, Result};

/// The number of bytes of text that are decoded together. A block of this size is enough work for every thread.
const BLOCK_BYTES: usize = 4 << 20;

/// Returns a reader of the text of an input, which may be compressed. The text has no byte order mark.
///
/// # Errors
/// - [`Error::Read`] if the input cannot be read or decompressed.
/// - [`Error::Format`] if the input is compressed twice, or in another format.
pub(super) fn unpacked<'r>(
    mut reader: impl BufRead + Send + 'r,
    path: &Path,
) -> Result<Box<dyn Read + Send + 'r>> {
    let unreadable = |source| Error::Read { path: path.into(), source };
    let refused = |problem: String| Error::Format { path: path.into(), problem };
    let start = peek(&mut reader).map_err(unreadable)?;
    match Packing::of(&start) {
        Packing::Packed(packed) => {
            let unpacked = packed.unpack(Cursor::new(start).chain(reader)).map_err(unreadable)?;
            let mut reader = BufReader::with_capacity(1 << 16, unpacked);
            let start = peek(&mut reader).map_err(unreadable)?;
            match packed.refused(&Packing::of(&start)) {
                None => Ok(without_mark(start, reader)),
                Some(what) => Err(refused(format!("the unpacked data is {what}"))),
            }
        }
        Packing::Other(what) => Err(refused(format!("it is {what}"))),
        Packing::None => Ok(without_mark(start, reader)),
    }
}

fn without_mark<'r>(mut start: Vec<u8>, reader: impl Read + Send + 'r) -> Box<dyn Read + Send + 'r> {
    if start.starts_with(&[0xEF, 0xBB, 0xBF]) {
        start.drain(..3);
    }
    Box::new(Cursor::new(start).chain(reader))
}

/// A text whose records are read block by block.
pub(super) struct Text<'a, R> {
    reader: R,
    path: &'a Path,
    /// The maximum size of a record, in bytes.
    limit: usize,
    /// The bytes that have been read but are not yet in a block.
    pub(super) rest: Vec<u8>,
    pub(super) has_ended: bool,
    /// The number of records in the blocks so far.
    pub(super) count: usize,
}

impl<'a, R: Read> Text<'a, R> {
    pub(super) fn new(reader: R, path: &'a Path, limit: usize) -> Self {
        Self { reader, path, limit, rest: Vec::new(), has_ended: false, count: 0 }
    }

    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    /// Returns whether all bytes are in blocks.
    pub(super) fn is_used_up(&self) -> bool {
        self.has_ended && self.rest.is_empty()
    }

    /// Reads more bytes of the input into `rest`. Returns [`Error::Read`] if the input cannot be read.
    pub(super) fn fill(&mut self) -> Result<()> {
        let read = (&mut self.reader).take(BLOCK_BYTES as u64).read_to_end(&mut self.rest);
        let read = read.map_err(|source| Error::Read { path: self.path.into(), source })?;
        self.has_ended = read < BLOCK_BYTES;
        Ok(())
    }

    /// Removes the first `size` bytes from `rest`, and returns them.
    pub(super) fn take(&mut self, size: usize) -> Vec<u8> {
        let rest = self.rest.split_off(size);
        std::mem::replace(&mut self.rest, rest)
    }

    /// Returns whether a record of `size` bytes exceeds the limit on the size of a record.
    pub(super) fn is_too_large(&self, size: usize) -> bool {
        size > self.limit
    }

    /// Returns an error if the next record, which has at least `size` bytes, exceeds the limit. `line` is the line on which the
    /// record begins, or `None` if the format does not count lines.
    pub(super) fn check_size(&self, size: usize, line: Option<usize>) -> Result<()> {
        if !self.is_too_large(size) {
            return Ok(());
        }
        Err(self.error(line, Error::FeatureTooLarge { limit_bytes: self.limit }))
    }

    /// Returns the error of the next record.
    pub(super) fn error(&self, line: Option<usize>, source: Error) -> Error {
        Error::Feature {
            path: self.path.into(),
            line,
            feature: self.count,
            id: None,
            source: Box::new(source),
        }
    }
}
