//! The pairs in their one order, found in parallel and held a bounded number at a time.

use std::collections::VecDeque;

use rayon::prelude::*;

use super::lanes::LANES;
use super::scan::{Sides, Sink};

/// Query leaves of a segment, at first.
const SEGMENT_LEAVES: u32 = 32;
/// Segments that are begun together.
const WAVE_SEGMENTS: usize = 512;
/// Pairs that a segment holds at most.
const SEGMENT_PAIRS: usize = 16_384;
/// Parts of a segment that was too full.
const SEGMENT_PARTS: u32 = 64;

/// A part of the stream, and of its pairs those found and not yet taken.
#[derive(Debug)]
struct Segment {
    /// Query leaves not yet scanned; the first from target leaf `first_target` on, others from their own first.
    first_leaf: u32,
    end_leaf: u32,
    first_target: u32,
    /// Where the target leaves end: of a segment of several query leaves, with the last target leaf.
    end_target: u32,
    found: Vec<[u32; 2]>,
}

impl Segment {
    fn is_done(&self) -> bool {
        self.first_leaf == self.end_leaf
    }

    /// Scans on until all is found, or there is no room for the pairs of two further leaves.
    fn fill(&mut self, sides: &Sides) {
        match sides {
            Sides::One(_) => self.fill_into(sides, Ascending),
            Sides::Two(..) => self.fill_into(sides, AsGiven),
        }
    }

    fn fill_into<'a, S: Sink>(&'a mut self, sides: &Sides, sink: impl FnOnce(&'a mut Vec<[u32; 2]>) -> S) {
        let mut sink = sink(&mut self.found);
        while self.first_leaf < self.end_leaf {
            let start = self.first_target.max(sides.range(self.first_leaf).start);
            if let Some(next) = sides.scan(self.first_leaf, start..self.end_target, &mut sink) {
                self.first_target = next;
                return;
            }
            self.first_leaf += 1;
            self.first_target = 0;
            if sink.is_full() {
                return;
            }
        }
    }

    /// What is left to scan, cut in parts: by query leaves, and where only one is left, by target leaves.
    fn split(&self, sides: &Sides) -> Vec<Segment> {
        let part = |first_leaf, end_leaf, first_target, end_target| Segment {
            first_leaf,
            end_leaf,
            first_target,
            end_target,
            found: Vec::new(),
        };
        let cuts = |start: u32, end: u32| {
            let step = (end - start).div_ceil(SEGMENT_PARTS).max(1);
            (start..end).step_by(step as usize).map(move |from| (from, from.saturating_add(step).min(end)))
        };
        let (leaf, end) = (self.first_leaf, self.end_leaf);
        if end - leaf > 1 {
            let rest = cuts(leaf + 1, end).map(|(from, to)| part(from, to, 0, self.end_target));
            std::iter::once(part(leaf, leaf + 1, self.first_target, self.end_target)).chain(rest).collect()
        } else {
            let start = self.first_target.max(sides.range(leaf).start);
            cuts(start, self.end_target).map(|(from, to)| part(leaf, leaf + 1, from, to)).collect()
        }
    }
}

/// Where the stream stands.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// Begun segments, in order.
    begun: VecDeque<Segment>,
    /// Pairs of the first begun segment that were taken.
    taken: usize,
    /// The first query leaf that no segment was begun for.
    next_leaf: u32,
    /// Emptied buffers, to be used again.
    spare: Vec<Vec<[u32; 2]>>,
}

impl Stream {
    /// Clears `out` and moves the next `limit` pairs to it, fewer at the end.
    pub(super) fn next_chunk(&mut self, sides: &Sides, limit: usize, out: &mut Vec<[u32; 2]>) {
        out.clear();
        while out.len() < limit {
            let Some(segment) = self.begun.front() else {
                if self.next_leaf == sides.queries().leaf_count() {
                    return;
                }
                self.begin_wave(sides);
                continue;
            };
            let ready = &segment.found[self.taken..];
            let count = ready.len().min(limit - out.len());
            out.extend_from_slice(&ready[..count]);
            self.taken += count;
            if self.taken == segment.found.len() {
                self.finish_first(sides);
            }
        }
    }

    fn begin_wave(&mut self, sides: &Sides) {
        let end = sides.queries().leaf_count();
        let end_target = sides.targets().leaf_count();
        let starts = (self.next_leaf..end).step_by(SEGMENT_LEAVES as usize).take(WAVE_SEGMENTS);
        let segments = starts.map(|first_leaf| Segment {
            first_leaf,
            end_leaf: first_leaf.saturating_add(SEGMENT_LEAVES).min(end),
            first_target: 0,
            end_target,
            found: Vec::new(),
        });
        let segments = segments.collect();
        self.next_leaf = self.next_leaf.saturating_add(SEGMENT_LEAVES * WAVE_SEGMENTS as u32).min(end);
        self.begin(segments, sides);
    }

    /// Drops the first segment, of which all found pairs are taken, and begins what it had not yet scanned.
    fn finish_first(&mut self, sides: &Sides) {
        self.taken = 0;
        if let Some(mut segment) = self.begun.pop_front() {
            segment.found.clear();
            self.spare.push(std::mem::take(&mut segment.found));
            if !segment.is_done() {
                let parts = segment.split(sides);
                self.begin(parts, sides);
            }
        }
    }

    /// Fills segments in parallel and puts them before all others.
    fn begin(&mut self, mut segments: Vec<Segment>, sides: &Sides) {
        for segment in &mut segments {
            segment.found = self.spare.pop().unwrap_or_default();
        }
        match segments.as_mut_slice() {
            [only] => only.fill(sides),
            segments => segments.par_iter_mut().for_each(|segment| segment.fill(sides)),
        }
        for segment in segments.into_iter().rev() {
            self.begun.push_front(segment);
        }
    }
}

/// Whether the pairs of two further leaves could exceed a segment.
fn is_full(found: &[[u32; 2]]) -> bool {
    found.len() > SEGMENT_PAIRS - LANES * LANES
}

/// Pairs of a set with itself: the smaller index first.
struct Ascending<'a>(&'a mut Vec<[u32; 2]>);

impl Sink for Ascending<'_> {
    #[inline]
    fn pairs(&mut self, query: u32, targets: &[u32; LANES], mut mask: u32) {
        while mask != 0 {
            let target = targets[mask.trailing_zeros() as usize % LANES];
            mask &= mask - 1;
            self.0.push([query.min(target), query.max(target)]);
        }
    }

    #[inline]
    fn is_full(&self) -> bool {
        is_full(self.0)
    }
}

/// Pairs of two sets: the query's index first.
struct AsGiven<'a>(&'a mut Vec<[u32; 2]>);

impl Sink for AsGiven<'_> {
    #[inline]
    fn pairs(&mut self, query: u32, targets: &[u32; LANES], mut mask: u32) {
        while mask != 0 {
            let target = targets[mask.trailing_zeros() as usize % LANES];
            mask &= mask - 1;
            self.0.push([query, target]);
        }
    }

    #[inline]
    fn is_full(&self) -> bool {
        is_full(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::*;
    use crate::Aabb;

    /// Boxes about `spacing` apart, of width and height 1.
    fn boxes(count: usize, spacing: f64) -> Vec<Aabb> {
        let side = (count as f64).sqrt() * spacing;
        let point =
            |i: usize| [(i as f64 * 0.754_877_666).fract() * side, (i as f64 * 0.569_840_291).fract() * side];
        let aabb = |min: [f64; 2]| Aabb { min: min.into(), max: [min[0] + 1.0, min[1] + 1.0].into() };
        (0..count).map(|i| aabb(point(i))).collect()
    }

    /// Never full: leaf by leaf, no segments.
    struct Plain(Vec<[u32; 2]>);

    impl Sink for Plain {
        fn pairs(&mut self, query: u32, targets: &[u32; LANES], mask: u32) {
            let targets = (0..LANES).filter(|lane| mask >> lane & 1 == 1).map(|lane| targets[lane]);
            self.0.extend(targets.map(|target| [query, target]));
        }
    }

    #[test]
    fn segments_keep_the_order_of_leaves() {
        let (loose, dense) = (boxes(150_000, 1.0), boxes(3000, 1e-3));
        for sides in [
            Sides::One(Tree::new(&loose, None)),
            Sides::One(Tree::new(&dense, None)),
            Sides::Two(Tree::new(&dense, None), Tree::new(&loose, None)),
            Sides::Two(Tree::new(&dense[..1], None), Tree::new(&vec![dense[0]; 200_000], None)),
        ] {
            let mut plain = Plain(Vec::new());
            for leaf in 0..sides.queries().leaf_count() {
                assert_eq!(sides.scan(leaf, sides.range(leaf), &mut plain), None);
            }
            if matches!(sides, Sides::One(_)) {
                plain.0.iter_mut().for_each(|pair| pair.sort_unstable());
            }
            let (mut all, mut chunk) = (Vec::new(), Vec::new());
            let mut stream = Stream::default();
            stream.next_chunk(&sides, 10_000, &mut chunk);
            while !chunk.is_empty() {
                all.append(&mut chunk);
                stream.next_chunk(&sides, 10_000, &mut chunk);
            }
            assert!(all == plain.0, "{} pairs, {} expected", all.len(), plain.0.len());
        }
    }

    #[test]
    fn memory_does_not_grow_with_the_pairs() {
        let dense = boxes(8000, 1e-3);
        let sides = Sides::One(Tree::new(&dense, None));
        let (mut stream, mut chunk, mut pairs) = (Stream::default(), Vec::new(), 0);
        let mut most = 0;
        loop {
            stream.next_chunk(&sides, 10_000, &mut chunk);
            if chunk.is_empty() {
                break;
            }
            pairs += chunk.len();
            let begun = stream.begun.iter().map(|segment| &segment.found);
            most = most.max(begun.chain(&stream.spare).map(Vec::capacity).sum());
        }
        assert_eq!(pairs, 8000 * 7999 / 2);
        assert!(most <= (WAVE_SEGMENTS + 3 * SEGMENT_PARTS as usize) * SEGMENT_PAIRS, "{most} pairs held");
        assert!(most < pairs / 5, "{most} pairs held");
    }
}
