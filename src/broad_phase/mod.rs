//! Broad phase: finds the pairs of bounding boxes that meet. The search finds each pair once, in an order that depends
//! only on the boxes. Boxes are closed, so boxes that only touch meet too.
//!
//! The broad phase sorts the boxes along a space-filling curve. Sixteen consecutive boxes form a leaf of a tree. For each
//! leaf, the search visits the tree once. For n boxes, the time is about proportional to `n log n` plus the number of
//! pairs found. The search uses less than 60 bytes for each box, and a buffer of less than 100 MB for pairs.
//!
//! ```
//! use sat2d::{Aabb, broad_phase};
//! let unit = |x: f64| Aabb { min: [x, 0.0].into(), max: [x + 1.0, 1.0].into() };
//! let boxes = [unit(0.0), unit(5.0), unit(1.0), unit(5.5)];
//!
//! let mut candidates = broad_phase::self_join(&boxes, None)?;
//! assert_eq!(candidates.count(), 2);
//! let mut chunk = Vec::new();
//! while candidates.next_chunk(1000, &mut chunk) {
//!     for [a, b] in &chunk {
//!         assert!(boxes[*a as usize].meets(boxes[*b as usize]));
//!     }
//! }
//! assert_eq!(candidates.sorted(), [[0, 2], [1, 3]]);
//! # Ok::<(), sat2d::Error>(())
//! ```

mod index;
mod lanes;
mod nearest;
mod order;
mod scan;
mod search;
mod stream;
mod tree;
mod vectors;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::base::parallel::prelude::*;
use crate::{Aabb, Error, Result};
pub use index::BoxIndex;
pub(crate) use nearest::{Limit, Near as NearBox, NearRoom, NearTree, Visit};
pub(crate) use order::order;
use scan::{Count, Near, Sides};
use stream::{Found, Stream};
use tree::{Tree, TreeMemory};
use vectors::{Task, Vectors, on_widest};

/// A stream of the candidate pairs of one set of boxes ([`self_join`]) or of two sets of boxes ([`join`]). A candidate
/// pair is two boxes that meet.
///
/// The pairs are in the order of the search tree. This order differs from the order of the indices. The order depends
/// only on the boxes, not on the number of threads or the sizes of the chunks.
#[derive(Debug)]
pub struct Candidates {
    sides: Sides,
    stream: Stream,
}

/// Finds all pairs `[a, b]` of boxes of one set that have a common point, with `a < b`. Boxes that only touch are
/// included.
///
/// `groups[i]` is the group of box `i`. Two boxes of the same group never form a pair. For example, the boxes of the
/// convex pieces of one object can form a group. A box that contains no point meets no box. Examples are
/// [`Aabb::EMPTY`], a box whose `min` is greater than its `max`, and a box with NaN.
///
/// # Errors
///
/// Returns [`Error::TooMany`] for more than 2^32 - 1 boxes. Returns [`Error::Option`] if the number of groups differs
/// from the number of boxes.
pub fn self_join(boxes: &[Aabb], groups: Option<&[u32]>) -> Result<Candidates> {
    self_join_within(boxes, groups, None, &mut Memory::default())
}

/// The memory of a finished search, which the next search reuses.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    trees: [TreeMemory; 2],
    found: Vec<Found>,
}

/// Finds all pairs of boxes of one set that meet, as [`self_join`] does. Unlike [`self_join`], reuses the memory of an
/// earlier search. `twice_centres` is the box around the centres of all boxes, with all coordinates multiplied by 2, or
/// `None` if it is not known. If it is given, no box may be empty. Returns the errors of [`self_join`].
pub(crate) fn self_join_within(
    boxes: &[Aabb],
    groups: Option<&[u32]>,
    twice_centres: Option<Aabb>,
    memory: &mut Memory,
) -> Result<Candidates> {
    check_count(boxes)?;
    if let Some(groups) = groups.filter(|groups| groups.len() != boxes.len()) {
        return Err(Error::Option {
            option: "groups",
            value: format!("{} for {} boxes", groups.len(), boxes.len()),
            problem: "give one group for each box",
        });
    }
    let tree = Tree::new(boxes, groups, twice_centres, &mut memory.trees[0]);
    let stream = Stream::with_memory(std::mem::take(&mut memory.found));
    Ok(Candidates { sides: Sides::One(tree), stream })
}

/// Finds all pairs of boxes, one of `a` and one of `b`, that have a common point. A pair is `[index in a, index in b]`.
/// Boxes that only touch are included.
///
/// A box that contains no point meets no box. Examples are [`Aabb::EMPTY`], a box whose `min` is greater than its
/// `max`, and a box with NaN.
///
/// # Errors
///
/// Returns [`Error::TooMany`] if a set has more than 2^32 - 1 boxes.
pub fn join(a: &[Aabb], b: &[Aabb]) -> Result<Candidates> {
    join_within([a, b], [None; 2], &mut Memory::default())
}

/// Finds all pairs of boxes of two sets that meet, as [`join`] does. Unlike [`join`], reuses the memory of an earlier
/// search. For each set, `twice_centres` is the box around the centres of its boxes, with all coordinates multiplied by
/// 2, or `None` if it is not known. If it is given, no box of the set may be empty. Returns the errors of [`join`].
pub(crate) fn join_within(
    [a, b]: [&[Aabb]; 2],
    twice_centres: [Option<Aabb>; 2],
    memory: &mut Memory,
) -> Result<Candidates> {
    check_count(a)?;
    check_count(b)?;
    let [memory_a, memory_b] = &mut memory.trees;
    let (a, b) = crate::base::parallel::join(
        || Tree::new(a, None, twice_centres[0], memory_a),
        || Tree::new(b, None, twice_centres[1], memory_b),
    );
    let stream = Stream::with_memory(std::mem::take(&mut memory.found));
    Ok(Candidates { sides: Sides::Two(a, b), stream })
}

impl Candidates {
    /// Moves the memory of the search to `memory`, where the next search reuses it. In a browser, drops the memory.
    pub(crate) fn give_back(self, memory: &mut Memory) {
        // The code that keeps memory would make a page in a browser load more slowly.
        if cfg!(target_family = "wasm") {
            return;
        }
        let [memory_a, memory_b] = &mut memory.trees;
        match self.sides {
            Sides::One(tree) => tree.give_back(memory_a),
            Sides::Two(a, b) => {
                a.give_back(memory_a);
                b.give_back(memory_b);
            }
        }
        memory.found = self.stream.into_memory();
    }

    /// Clears `out` and writes the next `limit` pairs to `out`. At the end of the stream, fewer pairs may remain. A
    /// `limit` of 0 has the same effect as a `limit` of 1. Returns whether `out` contains any pairs.
    pub fn next_chunk(&mut self, limit: usize, out: &mut Vec<[u32; 2]>) -> bool {
        self.stream.next_chunk(&self.sides, limit.max(1), out);
        !out.is_empty()
    }

    /// Returns the indices of the boxes of the first set, or of the only set, in the order of the tree. Leaves out
    /// boxes that contain no point. Neighbours in this order are mostly near each other in the plane.
    #[doc(hidden)]
    pub fn order(&self) -> &[u32] {
        self.sides.queries().order()
    }

    /// Returns the total number of pairs, including the pairs that earlier calls of [`Candidates::next_chunk`]
    /// returned. The method searches the tree again, and stores only the count.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count_up_to(u64::MAX)
    }

    /// Returns the number of all pairs if it is less than `most`. Otherwise, returns some number that is at least
    /// `most`. Stops as soon as the result is known.
    pub(crate) fn count_up_to(&self, most: u64) -> u64 {
        const TASK: u32 = 32;
        let end = self.sides.queries().leaf_count();
        let found = AtomicU64::new(0);
        (0..end.div_ceil(TASK) as usize).into_par_iter().for_each(|task| {
            if found.load(Ordering::Relaxed) < most {
                let task = task as u32;
                let leaves = task * TASK..end.min((task + 1) * TASK);
                found.fetch_add(on_widest(CountOf { sides: &self.sides, leaves }), Ordering::Relaxed);
            }
        });
        found.into_inner()
    }

    /// Returns all pairs in sorted order, including the pairs that earlier calls of [`Candidates::next_chunk`]
    /// returned. The method holds all pairs in memory, so use the method only for small sets.
    #[must_use]
    pub fn sorted(&self) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        Stream::default().next_chunk(&self.sides, usize::MAX, &mut pairs);
        pairs.par_sort_unstable();
        pairs
    }
}

/// The task of counting the pairs of a range of query leaves with vector instructions.
struct CountOf<'a> {
    sides: &'a Sides,
    leaves: Range<u32>,
}

impl Task for CountOf<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> u64 {
        let (mut count, mut near) = (Count::default(), Near::default());
        for leaf in self.leaves {
            self.sides.scan(vectors, leaf, self.sides.range(leaf), &mut near, &mut count);
        }
        count.0
    }
}

fn check_count(boxes: &[Aabb]) -> Result<()> {
    let limit = u32::MAX as usize;
    if boxes.len() > limit {
        return Err(Error::TooMany { items: "boxes", count: boxes.len(), limit });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns squares of side 1 on a grid, in a scrambled order. One box in seven is empty.
    fn boxes(count: usize, shift: f64) -> Vec<Aabb> {
        let at = |i: usize| [(i * 7919 % 40) as f64 + shift, (i * 104_729 % 37) as f64];
        let square = |min: [f64; 2]| Aabb { min: min.into(), max: [min[0] + 1.0, min[1] + 1.0].into() };
        (0..count).map(|i| if i % 7 == 3 { Aabb::EMPTY } else { square(at(i)) }).collect()
    }

    #[test]
    fn the_memory_of_a_search_serves_searches_of_any_size() {
        let mut memory = Memory::default();
        for (count, others) in [(3000, 50), (20_000, 4000), (0, 7), (300, 20_000), (20_000, 0)] {
            let (a, b) = (boxes(count, 0.0), boxes(others, 0.5));
            let found = self_join_within(&a, None, None, &mut memory).unwrap();
            assert_eq!(found.sorted(), self_join(&a, None).unwrap().sorted());
            found.give_back(&mut memory);
            let mut found = join_within([&a, &b], [None; 2], &mut memory).unwrap();
            assert_eq!(found.sorted(), join(&a, &b).unwrap().sorted());
            // Tests a search that was not finished.
            found.next_chunk(10, &mut Vec::new());
            found.give_back(&mut memory);
        }
        let capacity = memory.trees[0].keys[0].capacity();
        assert!(capacity >= 20_000, "the memory was kept: {capacity}");
    }

    #[test]
    fn counting_stops_where_enough_is_known() {
        let candidates = self_join(&boxes(20_000, 0.0), None).unwrap();
        let count = candidates.count();
        assert_eq!(count, candidates.sorted().len() as u64);
        for most in [0, 1, count / 2, count, count + 1, u64::MAX] {
            let found = candidates.count_up_to(most);
            assert!(
                found <= count && if most > count { found == count } else { found >= most },
                "{most}: {found}"
            );
        }
        let few = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert!(few.install(|| candidates.count_up_to(1)) < count, "it goes on to the end");
    }
}
