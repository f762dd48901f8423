//! Splits the main file of a Shapefile into its records.

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use crate::{Error, Result};

/// The length in bytes of the header of a `.shp` file.
pub(super) const HEADER: usize = 100;
/// The length in bytes of the header of each record in a `.shp` file.
const RECORD_HEADER: usize = 8;
/// The number of bytes of records that are decoded together. A block of this size is enough work for every thread.
const BLOCK_BYTES: usize = 8 << 20;

/// Reads `count` bytes. Returns `None` if the input ends earlier, and the error of the reader if it fails. The memory is
/// proportional to the number of bytes that were read, so a huge `count` in a damaged file does not exhaust the memory.
pub(super) fn exactly(reader: &mut impl Read, count: usize) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let read = reader.take(count as u64).read_to_end(&mut bytes)?;
    Ok((read == count).then_some(bytes))
}

/// A block of consecutive records of a `.shp` file.
#[derive(Default)]
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    /// The range of the contents of each record in `bytes`.
    pub(super) records: Vec<Range<usize>>,
}

/// The records of a `.shp` file, which are read block by block.
pub(super) struct Records<'a, R> {
    path: &'a Path,
    reader: R,
    /// The number of bytes that the file still has after the records that were read, according to the header.
    left: u64,
    /// The number of records that have been read.
    count: u32,
    /// The record number of the first record. Most programs count from 1, and some count from 0.
    first: u32,
}

impl<'a, R: Read> Records<'a, R> {
    /// Reads the header of the file. Returns an error if the file cannot be read, or if the header is incomplete or not valid.
    pub(super) fn new(mut reader: R, path: &'a Path) -> Result<Self> {
        let unreadable = |source| Error::Read { path: path.into(), source };
        let header = exactly(&mut reader, HEADER).map_err(unreadable)?;
        let header = header.ok_or_else(|| broken(path, "it has fewer bytes than a header"))?;
        let number = |at: usize| header[at..].first_chunk().copied().unwrap_or_default();
        if u32::from_be_bytes(number(0)) != 9994 {
            return Err(broken(path, "it does not begin with the number 9994"));
        }
        let words = u32::from_be_bytes(number(24));
        let left = (2 * u64::from(words)).checked_sub(HEADER as u64);
        let left = left.ok_or_else(|| broken(path, "its header says that it is shorter than a header"))?;
        Ok(Self { path, reader, left, count: 0, first: 1 })
    }

    /// Returns the next block of records, and the error that prevents reading after the block, or `None` if there is no error.
    /// The block is empty only at the end of the file, or before an error.
    pub(super) fn next(&mut self) -> (Block, Option<Error>) {
        let mut block = Block::default();
        let stop = self.fill(&mut block).err();
        (block, stop)
    }

    /// Returns whether no record follows in the file.
    pub(super) fn is_at_end(&self) -> bool {
        self.left == 0
    }

    /// Returns the number of records that have been read.
    pub(super) fn count(&self) -> usize {
        self.count as usize
    }

    fn fill(&mut self, block: &mut Block) -> Result<()> {
        while block.bytes.len() < BLOCK_BYTES && self.left > 0 {
            let header = self.take(RECORD_HEADER, block)?;
            let number =
                |at: usize| block.bytes[header.start + at..].first_chunk().copied().unwrap_or_default();
            let (number, words) = (u32::from_be_bytes(number(0)), u32::from_be_bytes(number(4)));
            if self.count == 0 && number == 0 {
                self.first = 0;
            }
            let expected = self.first + self.count;
            if number != expected {
                let problem = format!("the number of a record is {number}, but {expected} comes next");
                return Err(broken(self.path, &problem));
            }
            block.bytes.truncate(header.start);
            let record = self.take(2 * words as usize, block)?;
            block.records.push(record);
            self.count += 1;
        }
        if self.left == 0 && exactly(&mut self.reader, 1).map_err(|source| self.unreadable(source))?.is_some()
        {
            return Err(broken(self.path, "it has more bytes than its header says"));
        }
        Ok(())
    }

    /// Appends `count` bytes to a block. Returns their range in the block, or an error if the file cannot be read or ends before
    /// these bytes.
    fn take(&mut self, count: usize, block: &mut Block) -> Result<Range<usize>> {
        let start = block.bytes.len();
        let left = self.left.checked_sub(count as u64);
        let read = (&mut self.reader).take(count as u64).read_to_end(&mut block.bytes);
        let read = read.map_err(|source| self.unreadable(source))?;
        self.left = left.filter(|_| read == count).ok_or_else(|| {
            let problem = format!("record {} ends after the end of the file", self.count);
            block.bytes.truncate(start);
            broken(self.path, &problem)
        })?;
        Ok(start..start + count)
    }

    fn unreadable(&self, source: io::Error) -> Error {
        Error::Read { path: self.path.into(), source }
    }
}

pub(super) fn broken(path: &Path, problem: &str) -> Error {
    let problem = format!("not a valid Shapefile: {problem}; write the file again");
    Error::Format { path: path.into(), problem }
}
