//! Formats the parts of an output on all threads, and writes the parts in order. Only two rounds of parts exist at a
//! time.

use std::hint::black_box;
use std::io;
use std::ops::Range;

use rayon::prelude::*;

use super::PairRow;

/// The number of rows for which [`for_each`] loads the ids into the processor's cache together.
const GROUP_ROWS: usize = 32;

/// A part of the output. `content` holds the formatted form of its first rows. The remaining rows are not formatted
/// yet.
struct Part<T> {
    content: T,
    /// The remaining rows of the part, which are not in `content`.
    rows: Range<usize>,
    made: io::Result<()>,
}

/// Formats the rows 0 to `count - 1` with `make`, and passes the results to `take`, in parts of `part_rows` rows.
///
/// `make` receives a content to overwrite and a range of rows. It replaces the content by the first rows of the range,
/// and removes these rows from the range. If the content becomes large, `make` may leave rows in the range for another
/// call. Any thread may call `make`, for any part. `take` receives each content, in the order of the rows.
///
/// While `take` receives one round of parts, the threads make the next round. An error therefore ends the work after at
/// most two rounds.
pub(super) fn in_order<T: Default + Send>(
    count: usize,
    part_rows: usize,
    parts_of_a_thread: usize,
    make: impl Fn(&mut T, &mut Range<usize>) -> io::Result<()> + Sync + Send,
    take: impl FnMut(&mut T) -> io::Result<()> + Send,
) -> io::Result<()> {
    // Outside the pool, each `join` would wait for another thread.
    rayon::scope(|_| in_rounds(count, part_rows, parts_of_a_thread, make, take))
}

fn in_rounds<T: Default + Send>(
    count: usize,
    part_rows: usize,
    parts_of_a_thread: usize,
    make: impl Fn(&mut T, &mut Range<usize>) -> io::Result<()> + Sync,
    mut take: impl FnMut(&mut T) -> io::Result<()> + Send,
) -> io::Result<()> {
    let part_count = (parts_of_a_thread * rayon::current_num_threads()).min(count.div_ceil(part_rows));
    let round = || -> Vec<Part<T>> {
        let part = |_| Part { content: T::default(), rows: 0..0, made: Ok(()) };
        (0..part_count).map(part).collect()
    };
    let fill = |round: &mut Vec<Part<T>>, mut start: usize| {
        round.truncate((count - start).div_ceil(part_rows));
        for part in &mut *round {
            part.rows = start..count.min(start + part_rows);
            start = part.rows.end;
        }
        round.par_iter_mut().for_each(|part| part.made = make(&mut part.content, &mut part.rows));
        start
    };
    let (mut made, mut next) = (round(), round());
    let mut start = fill(&mut made, 0);
    while !made.is_empty() {
        let take_all = || made.iter_mut().try_for_each(|part| part.take(&make, &mut take));
        let (taken, end) = rayon::join(take_all, || fill(&mut next, start));
        taken?;
        start = end;
        std::mem::swap(&mut made, &mut next);
    }
    Ok(())
}

impl<T> Part<T> {
    /// Passes `content` to `take`. Then calls `make` for the remaining rows, and passes them to `take`, too. Returns
    /// the first error of `make` or `take`.
    fn take(
        &mut self,
        make: &impl Fn(&mut T, &mut Range<usize>) -> io::Result<()>,
        take: &mut impl FnMut(&mut T) -> io::Result<()>,
    ) -> io::Result<()> {
        std::mem::replace(&mut self.made, Ok(()))?;
        take(&mut self.content)?;
        while !self.rows.is_empty() {
            make(&mut self.content, &mut self.rows)?;
            take(&mut self.content)?;
        }
        Ok(())
    }
}

/// Calls `take` with each row and its index, and removes the row from `rows`. Ends when no rows are left, when `take`
/// returns `false`, or at the first error of `take`, which the function returns.
pub(super) fn for_each<'r>(
    rows: &mut Range<usize>,
    row: impl Fn(usize) -> PairRow<'r>,
    mut take: impl FnMut(&PairRow<'r>, usize) -> io::Result<bool>,
) -> io::Result<()> {
    let mut group = Vec::with_capacity(GROUP_ROWS);
    while rows.start < rows.end {
        group.clear();
        group.extend((rows.start..rows.end.min(rows.start + GROUP_ROWS)).map(&row));
        // Ids may be anywhere in memory. This loop only reads them, so that the processor loads many of them at the same time.
        black_box(group.iter().fold(0, |all, row| all ^ row.a.first_byte() ^ row.b.first_byte()));
        for row in &group {
            let k = rows.start;
            rows.start += 1;
            if !take(row, k)? {
                return Ok(());
            }
        }
    }
    Ok(())
}
