//! Reads a file block by block. All threads decode a block while the next block is read.

use std::ops::Range;

use crate::collector::{Collector, Part};
use crate::{Error, Result};

/// The number of bytes of records that one task decodes.
const TASK_BYTES: usize = 64 << 10;

/// A block of a file, as a reader passes it to the decoders.
pub(crate) struct Incoming<B> {
    pub(crate) block: B,
    /// Whether the block is the last block of the file.
    pub(crate) is_last: bool,
    /// The reason why the file cannot be read after the block, or `None` if there is no error.
    pub(crate) stop: Option<Error>,
}

/// Adds the features of all blocks of a file to a collector. `next` reads a block, and `decode` decodes a block in parallel.
///
/// # Errors
/// Returns an error if the features do not fit in memory, or in 32-bit indices. A collector that has failed, or that has
/// kept a [`stop`](Incoming::stop), is not an error of this function: [`Collector::finish`] returns that error.
pub(crate) fn collect<'a, B: Send + Sync>(
    mut collector: Collector<'a>,
    mut next: impl FnMut() -> Incoming<B> + Send,
    decode: impl Fn(&B) -> Vec<Part> + Sync,
) -> Result<Collector<'a>> {
    let mut incoming = next();
    loop {
        let Incoming { block, is_last, stop } = incoming;
        let (parts, following) = if is_last || stop.is_some() {
            (decode(&block), None)
        } else {
            let (parts, following) = rayon::join(|| decode(&block), &mut next);
            (parts, Some(following))
        };
        for part in parts {
            collector.add(part)?;
            if collector.has_failed() {
                return collector.end(None);
            }
        }
        match following {
            Some(following) => incoming = following,
            None => return collector.end(stop),
        }
    }
}

/// Splits consecutive records into tasks of about [`TASK_BYTES`] bytes each. Returns the range of the records of each task.
pub(crate) fn tasks(records: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut tasks = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (index, record) in records.iter().enumerate() {
        bytes += record.len();
        if bytes >= TASK_BYTES || index + 1 == records.len() {
            tasks.push(start..index + 1);
            (start, bytes) = (index + 1, 0);
        }
    }
    tasks
}
