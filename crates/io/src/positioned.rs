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

    /// Returns the `length` bytes from a position on, or the error of the system. The file must have these bytes.
    #[cfg(feature = "parquet")]
    pub(crate) fn bytes(&self, place: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(length);
        // The default implementation would fill the memory with zeros first.
        #[cfg(unix)]
        while bytes.len() < length {
            let at = place + bytes.len() as u64;
            let read = rustix::io::pread(&*self.file, rustix::buffer::spare_capacity(&mut bytes), at);
            match read {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.count(count as u64),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        #[cfg(not(unix))]
        {
            bytes.resize(length, 0);
            self.from(place).read_exact(&mut bytes)?;
        }
        bytes.truncate(length);
        Ok(bytes)
    }

    fn count(&self, count: u64) {
        if let Some(bytes) = &self.bytes {
            bytes.add(count);
        }
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
        self.file.count(count as u64);
        Ok(count)
    }
}
