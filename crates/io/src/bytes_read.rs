//! Counts the bytes of an input while it is read.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The progress of reading an input. Any thread may query the progress while [`read`](crate::read()) runs.
///
/// ```
/// use sat2d_io::{BytesRead, ReadOptions};
/// use std::sync::Arc;
/// let bytes = Arc::new(BytesRead::default());
/// let options = ReadOptions::default().progress(bytes.clone());
/// # let path = std::env::temp_dir().join(format!("sat2d-bytes-{}.geojson", std::process::id()));
/// # std::fs::write(&path, r#"{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [0, 1], [0, 0]]]}"#)?;
/// sat2d_io::read(&path, &options)?;
/// assert!(bytes.read() > 0 && bytes.read() == bytes.all());
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct BytesRead {
    read: AtomicU64,
    all: AtomicU64,
}

impl BytesRead {
    /// Returns the number of bytes that were read so far. For a compressed file, these are compressed bytes. For a
    /// GeoPackage, they are the bytes of the rows that were read. The result is at most [`BytesRead::all`], unless that
    /// is 0.
    #[must_use]
    pub fn read(&self) -> u64 {
        let (read, all) = (self.read.load(Relaxed), self.all());
        // The reader of Parquet reads a page once for each range of rows that begins in it, so the count may exceed the size of
        // the file.
        if all == 0 { read } else { read.min(all) }
    }

    /// Returns the total size of all files of the input in bytes, or 0 for standard input and pipes. For a Shapefile,
    /// this is the size of the `.shp` file. A reader may skip parts of a file, such as row groups of Parquet. At its
    /// end, [`BytesRead::read`] is then less than this size.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.all.load(Relaxed)
    }

    pub(crate) fn add(&self, bytes: u64) {
        self.read.fetch_add(bytes, Relaxed);
    }

    pub(crate) fn expect(&self, bytes: u64) {
        self.all.fetch_add(bytes, Relaxed);
    }
}

/// A reader that counts the bytes that are read from it.
pub(crate) struct Counted<R> {
    reader: R,
    bytes: Option<Arc<BytesRead>>,
}

impl<R: Read> Counted<R> {
    pub(crate) fn new(reader: R, bytes: Option<Arc<BytesRead>>) -> Self {
        Self { reader, bytes }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        if let Some(bytes) = &self.bytes {
            bytes.add(count as u64);
        }
        Ok(count)
    }
}
