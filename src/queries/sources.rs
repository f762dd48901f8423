//! Provides the pairs that a query decides: the candidate pairs of the broad phase, in the order of the tree or of the
//! objects, or the pairs that the caller gives.
//!
//! The candidate pairs of pieces that a walk visits come from the broad phase through this file. The file
//! `nearest_pieces` takes pairs of objects from the broad phase.

use std::borrow::Cow;

use super::buckets::{Buckets, Run, part_end, reserve, sorted_part};
use super::drive::Drive;
use super::nearest_pieces::NearestPieces;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::broad_phase::{self, Candidates};
use crate::geometry::{Aabb, PolygonSet};

/// The number of pairs that the broad phase finds at once before they are sorted.
const CHUNK_IN_FLIGHT: usize = 1 << 18;
/// The approximate maximum number of pairs in a portion. A portion is held in memory and sorted by object.
const MOST_HELD: usize = 1 << 24;
/// Up to this number of pairs, a parallel sort is used, because it is faster than a bucket sort.
const FEW_PAIRS: usize = 1 << 16;
/// The approximate number of pairs that are sorted at once. During a sort, an observer cannot end the query, so a sort
/// must be short.
const MOST_SORTED: usize = 1 << 20;

/// A source of the pairs that a query decides, in chunks.
pub(crate) trait Source<'a> {
    /// Returns the next pairs: at most `limit`, or a few more if the source cannot stop at every pair. Returns `None` at the end.
    /// May use the memory of `spare` for the pairs.
    ///
    /// # Errors
    /// Returns [`Error::UnknownPolygon`] if a given pair names a piece that does not exist. Returns [`Error::OutOfMemory`] if
    /// pairs that must be sorted do not fit in memory.
    fn next_chunk(&mut self, limit: usize, spare: &mut Vec<[u32; 2]>) -> Result<Option<Cow<'a, [[u32; 2]]>>>;

    /// Returns the number of pairs that the source has visited so far, including the pairs that it left out. Returns
    /// `None` if the source does not count the pairs that it leaves out.
    fn visited(&self) -> Option<u64> {
        None
    }
}

impl<'a> Source<'a> for Candidates {
    fn next_chunk(&mut self, limit: usize, spare: &mut Vec<[u32; 2]>) -> Result<Option<Cow<'a, [[u32; 2]]>>> {
        let mut pairs = std::mem::take(spare);
        let has_any = Self::next_chunk(self, limit, &mut pairs);
        Ok(has_any.then_some(Cow::Owned(pairs)))
    }
}

/// Candidate pairs in the order of their objects. Each object must have at most one piece. Very many pairs are
/// collected and sorted in several portions, one after another, which bounds the memory.
pub(super) struct InOrder<'p> {
    candidates: Candidates,
    drive: Drive<'p>,
    /// The number of pairs that [`Source::next_chunk`] has returned.
    taken: u64,
    buckets: Buckets,
    /// The pairs of the current portion, distributed to buckets.
    runs: Vec<Run>,
    /// The index of the bucket of the current portion that is sorted next.
    next_bucket: usize,
    /// The pairs that are sorted, and that [`Source::next_chunk`] returns next.
    pairs: Vec<[u32; 2]>,
    /// The index in `pairs` of the next pair to return.
    next: usize,
}

impl<'p> InOrder<'p> {
    pub(super) fn new(candidates: Candidates, sides: [&PolygonSet; 2], drive: Drive<'p>) -> Self {
        let [first, second] = sides.map(PolygonSet::piece_count);
        Self::of_counts(candidates, [first, second], drive)
    }

    /// Creates the source for sides with these numbers of pieces.
    fn of_counts(candidates: Candidates, [first, second]: [usize; 2], drive: Drive<'p>) -> Self {
        let buckets = Buckets::fine(first, second);
        let (runs, pairs) = (Vec::new(), Vec::new());
        Self { candidates, drive, taken: 0, buckets, runs, next_bucket: buckets.count, pairs, next: 0 }
    }

    /// Sorts the next pairs. If the current portion has no more pairs, first collects the next portion. Returns whether there are
    /// any pairs, or an error if the pairs do not fit in memory.
    fn refill(&mut self) -> Result<bool> {
        self.pairs = Vec::new();
        self.next = 0;
        if self.next_bucket == self.buckets.count {
            self.collect()?;
        }
        while self.pairs.is_empty() && self.next_bucket < self.buckets.count {
            let end = part_end(&self.runs, self.buckets, self.next_bucket, MOST_SORTED);
            self.pairs = sorted_part(&self.runs, self.buckets, self.next_bucket..end)?;
            self.next_bucket = end;
        }
        Ok(!self.pairs.is_empty())
    }

    /// Collects the next portion of pairs, or returns an error if they do not fit in memory. Few pairs are sorted and stored in
    /// `pairs`. Many pairs are stored in `runs`. The progress is also reported while the pairs are collected, so that an observer
    /// can end the walk.
    fn collect(&mut self) -> Result<()> {
        self.runs = Vec::new();
        let (mut chunk, mut count) = (Vec::new(), 0);
        while count < MOST_HELD && self.candidates.next_chunk(CHUNK_IN_FLIGHT, &mut chunk) {
            count += chunk.len();
            self.drive.report(self.taken);
            if self.runs.is_empty() {
                reserve(&mut self.pairs, chunk.len())?;
                self.pairs.extend_from_slice(&chunk);
                if count <= FEW_PAIRS {
                    continue;
                }
                chunk = std::mem::take(&mut self.pairs);
            }
            let run = |pairs: &[[u32; 2]]| Run::new(pairs, self.buckets);
            let made: Vec<Result<Run>> = chunk.par_chunks(self.buckets.run_pairs()).map(run).collect();
            self.runs.extend(made.into_iter().collect::<Result<Vec<_>>>()?);
        }
        self.pairs.par_sort_unstable();
        self.next_bucket = if self.runs.is_empty() { self.buckets.count } else { 0 };
        Ok(())
    }
}

/// The pairs of pieces that a [`Walk`](super::walk::Walk) visits, and their order.
pub(super) enum Visited<'a> {
    /// All pairs of pieces whose boxes are at most the reach of the walk apart, in the order of the broad phase.
    Near(Box<Candidates>),
    /// All pairs of pieces whose boxes are at most the reach of the walk apart, in the order of their objects.
    InOrder(Box<InOrder<'a>>),
    /// Only the pairs of pieces that may be the nearest pairs of their objects.
    Nearest(Box<NearestPieces<'a>>),
}

impl Visited<'_> {
    /// Moves the memory of the broad phase to `memory`, which the engine keeps for the next walk.
    pub(super) fn give_back(self, memory: &mut broad_phase::Memory) {
        match self {
            Self::Near(candidates) => candidates.give_back(memory),
            Self::InOrder(source) => source.candidates.give_back(memory),
            Self::Nearest(_) => {}
        }
    }

    /// Returns the number of all pairs if it is less than `most`. Otherwise, returns some number that is at least
    /// `most`. For the nearest pairs, returns the number of pairs of objects.
    pub(super) fn count_up_to(&self, most: u64) -> u64 {
        match self {
            Self::Near(candidates) => candidates.count_up_to(most),
            Self::InOrder(source) => source.candidates.count_up_to(most),
            Self::Nearest(nearest) => nearest.count(),
        }
    }
}

impl<'s> Source<'s> for Visited<'_> {
    fn next_chunk(&mut self, limit: usize, spare: &mut Vec<[u32; 2]>) -> Result<Option<Cow<'s, [[u32; 2]]>>> {
        match self {
            Self::Near(candidates) => Source::next_chunk(&mut **candidates, limit, spare),
            Self::InOrder(source) => {
                if source.next == source.pairs.len() && !source.refill()? {
                    return Ok(None);
                }
                let end = source.pairs.len().min(source.next.saturating_add(limit));
                spare.clear();
                spare.extend_from_slice(&source.pairs[source.next..end]);
                source.taken += spare.len() as u64;
                source.next = end;
                Ok(Some(Cow::Owned(std::mem::take(spare))))
            }
            Self::Nearest(nearest) => {
                let mut pairs = std::mem::take(spare);
                let has_any = nearest.next_chunk(limit, &mut pairs);
                Ok(has_any.then_some(Cow::Owned(pairs)))
            }
        }
    }
}

/// The source of the pairs of objects that the caller gives.
pub(super) struct GivenObjects<'p>(pub(super) &'p [[u32; 2]]);

impl<'p> Source<'p> for GivenObjects<'p> {
    fn next_chunk(&mut self, limit: usize, _: &mut Vec<[u32; 2]>) -> Result<Option<Cow<'p, [[u32; 2]]>>> {
        let (pairs, rest) = self.0.split_at(limit.min(self.0.len()));
        self.0 = rest;
        Ok((!pairs.is_empty()).then_some(Cow::Borrowed(pairs)))
    }
}

/// The source of candidate pairs in which one object may cover the other. If the boxes of the objects are known exactly, the
/// source leaves out each pair in which neither box covers the other.
pub(super) struct Coverable<'a> {
    pub(super) candidates: Candidates,
    /// The boxes of the objects of A and of B. `None` if a box may be larger than its object.
    pub(super) boxes: Option<[&'a [Aabb]; 2]>,
    /// The number of candidate pairs so far, including the pairs that are left out.
    pub(super) found: u64,
}

impl<'s> Source<'s> for Coverable<'_> {
    fn next_chunk(&mut self, limit: usize, spare: &mut Vec<[u32; 2]>) -> Result<Option<Cow<'s, [[u32; 2]]>>> {
        let mut pairs = std::mem::take(spare);
        if !self.candidates.next_chunk(limit, &mut pairs) {
            return Ok(None);
        }
        self.found += pairs.len() as u64;
        if let Some([a, b]) = self.boxes {
            let one_covers = |&[i, j]: &[u32; 2]| {
                let (a, b) = (a[i as usize], b[j as usize]);
                a.covers(b) || b.covers(a)
            };
            pairs = pairs.into_par_iter().filter(one_covers).collect();
        }
        Ok(Some(Cow::Owned(pairs)))
    }

    fn visited(&self) -> Option<u64> {
        Some(self.found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;

    #[test]
    fn many_pairs_of_a_few_objects_are_sorted_in_short_parts() {
        const COUNT: u32 = 1600;
        let at = |k: u32| DVec2::splat(f64::from(k * 7 % COUNT) / f64::from(COUNT));
        let boxes: Vec<Aabb> = (0..COUNT).map(|k| Aabb { min: at(k), max: at(k) + 1.0 }).collect();
        let candidates = broad_phase::self_join(&boxes, None).unwrap();
        let mut source = InOrder::of_counts(candidates, [boxes.len(); 2], Drive::default());
        let (mut found, mut parts) = (Vec::new(), 0);
        while source.refill().unwrap() {
            // A part ends at the end of a bucket, which has four first objects, so it may have a few more pairs than
            // the limit.
            assert!(source.pairs.len() < MOST_SORTED + 4 * boxes.len(), "a part of {}", source.pairs.len());
            found.append(&mut source.pairs);
            parts += 1;
        }
        let expected: Vec<[u32; 2]> = (0..COUNT).flat_map(|a| (a + 1..COUNT).map(move |b| [a, b])).collect();
        assert!(found == expected);
        assert_eq!(parts, 2);
    }
}
