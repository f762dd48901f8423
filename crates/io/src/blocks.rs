//! Writes rows of text in blocks. All threads format blocks, and one thread at a time writes the blocks, in order.

use std::hint::black_box;
use std::io::{self, Write as _};
use std::ops::Range;

use rayon::prelude::*;

use super::{Output, PairRow};

/// The rows of a block.
const BLOCK_ROWS: usize = 2_048;
/// The rows whose ids are loaded together.
const GROUP_ROWS: usize = 16;
/// The formatting of a block pauses when its text has this size, so that long rows do not fill the memory.
const BLOCK_BYTES: usize = 1 << 20;
/// The number of blocks in one round, for each thread.
const BLOCKS_OF_A_THREAD: usize = 2;

/// Writes the rows 0 to `count`. `row` returns a row, and `push` appends the text of the row with this index. Any thread
/// may call both, for any row.
///
/// Two rounds of blocks exist at a time: one is written while the next one is formatted. Therefore an error of the
/// output ends the writing after at most two rounds.
pub(super) fn write<'r>(
    output: &mut Output,
    count: usize,
    row: impl Fn(usize) -> PairRow<'r> + Sync,
    push: impl Fn(&mut Vec<u8>, &PairRow<'r>, usize) + Sync,
) -> io::Result<()> {
    let format = |block: &mut Block| block.format(&row, &push);
    let block_count = (BLOCKS_OF_A_THREAD * rayon::current_num_threads()).min(count.div_ceil(BLOCK_ROWS));
    let mut round = Round::new(block_count);
    let mut next = Round::new(block_count);
    let mut start = round.format(0, count, &format);
    while !round.is_empty() {
        let (written, end) =
            rayon::join(|| round.write(output, &format), || next.format(start, count, &format));
        written?;
        start = end;
        std::mem::swap(&mut round, &mut next);
    }
    Ok(())
}

/// Consecutive blocks.
struct Round(Vec<Block>);

/// The text of some rows, and the rows that follow it.
#[derive(Clone, Default)]
struct Block {
    text: Vec<u8>,
    /// The rows of the block that are not in the text.
    rows: Range<usize>,
}

impl Round {
    fn new(block_count: usize) -> Self {
        Self(vec![Block::default(); block_count])
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|block| block.text.is_empty())
    }

    /// Replaces the blocks by the blocks that begin at row `start`. Returns the row after them.
    fn format(&mut self, start: usize, count: usize, format: &(impl Fn(&mut Block) + Sync)) -> usize {
        let mut end = start;
        for block in &mut self.0 {
            block.text.clear();
            block.rows = end..count.min(end + BLOCK_ROWS);
            end = block.rows.end;
        }
        self.0.par_iter_mut().for_each(format);
        end
    }

    /// Writes all rows of the blocks. Long rows that did not fit in a text are formatted here.
    fn write(&mut self, output: &mut Output, format: &impl Fn(&mut Block)) -> io::Result<()> {
        for block in &mut self.0 {
            while !block.text.is_empty() {
                output.write_all(&block.text)?;
                block.text.clear();
                format(block);
            }
        }
        Ok(())
    }
}

impl Block {
    /// Appends rows until the text is full or the rows end.
    fn format<'r>(
        &mut self,
        row: &impl Fn(usize) -> PairRow<'r>,
        push: &impl Fn(&mut Vec<u8>, &PairRow<'r>, usize),
    ) {
        let mut group = Vec::with_capacity(GROUP_ROWS);
        while self.text.len() < BLOCK_BYTES && !self.rows.is_empty() {
            let start = self.rows.start;
            let end = self.rows.end.min(start + GROUP_ROWS);
            group.clear();
            group.extend((start..end).map(row));
            // Ids lie anywhere in memory. The processor loads them at the same time if no other work is in between.
            black_box(group.iter().map(|row| row.a.first_byte() ^ row.b.first_byte()).fold(0, |x, y| x ^ y));
            for (row, k) in group.iter().zip(start..) {
                push(&mut self.text, row, k);
            }
            self.rows.start = end;
        }
    }
}
