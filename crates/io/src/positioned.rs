//! A file that several threads read at the same time, each at its own position.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use crate::BytesRead;

/// A file without a cursor. Clones share the file.
#[derive(Clone, Debug)]
pub(crate) struct Positioned {
    file: Arc<File>,
    len: u64,
    bytes: Option<Arc<BytesRead>>,
}

impl Positioned {
    pub(crate) fn new(file: File, bytes: Option<Arc<BytesRead>>) -> io::Result<Self> {
        let len = file.metadata()?.len();
        Ok(Self { file: Arc::new(file), len, bytes })
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Reads bytes from a position, into a buffer. Returns the number of bytes read, or the error of the system.
    #[cfg(unix)]
    fn read_at(&self, buffer: &mut [u8], place: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&*self.file, buffer, place)
    }

    #[cfg(windows)]
    fn read_at(&self, buffer: &mut [u8], place: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(&*self.file, buffer, place)
    }

    /// Returns a reader of the file that begins at the position `place`.
    pub(crate) fn from(&self, place: u64) -> PositionedReader {
        PositionedReader { file: self.clone(), place }
    }
}

/// A reader of a [`Positioned`] file. Each reader has its own position.
#[derive(Debug)]
pub(crate) struct PositionedReader {
    file: Positioned,
    place: u64,
}

impl Read for PositionedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.place)?;
        self.place += count as u64;
        if let Some(bytes) = &self.file.bytes {
            bytes.add(count as u64);
        }
        Ok(count)
    }
}
