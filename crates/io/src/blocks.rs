//! Writes the rows of an output as text. The rows are divided into blocks, which all threads format at the same time.

use std::io::{self, Write as _};

use super::rounds::{for_each, in_order};
use super::{Output, PairRow};

/// The number of output rows that one thread formats as one block.
const BLOCK_ROWS: usize = 2_048;
/// The size in bytes at which a thread interrupts the formatting of a block. The thread waits until the text is
/// written, and then formats the rest of the block. Long rows therefore do not fill the memory.
const BLOCK_BYTES: usize = 1 << 20;
/// The number of blocks that each thread formats before the text of these blocks is written to the output.
const BLOCKS_OF_A_THREAD: usize = 2;

/// Writes the rows 0 to `count - 1`, in order. Returns the error of the output. `row(k)` returns row `k`, and `push(text, row,
/// k)` appends the text of row `k`. Any thread may call both functions, for any row.
pub(super) fn write<'r>(
    output: &mut Output,
    count: usize,
    row: impl Fn(usize) -> PairRow<'r> + Sync,
    push: impl Fn(&mut Vec<u8>, &PairRow<'r>, usize) + Sync,
) -> io::Result<()> {
    let format = |text: &mut Vec<u8>, rows: &mut _| {
        text.clear();
        for_each(rows, &row, |row, k| {
            push(text, row, k);
            Ok(text.len() < BLOCK_BYTES)
        })
    };
    in_order(count, BLOCK_ROWS, BLOCKS_OF_A_THREAD, format, |text| output.write_all(text))
}
