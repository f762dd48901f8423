//! A stream of pairs in a fixed order. Threads find the pairs in parallel, and only a bounded number of pairs is in
//! memory at any time.

use std::collections::VecDeque;

use super::lanes::LANES;
use super::scan::{Near, Sides, Sink};
use super::vectors::{Met, Task, Vectors, on_widest};
use crate::base::parallel::prelude::*;
use crate::base::room::append;

/// The initial number of query leaves of a segment. A segment is a part of the stream that one thread fills with pairs.
const SEGMENT_LEAVES: u32 = 16;
/// The number of segments that are begun together, for each thread. With this number, the threads have about equal
/// work, and the pairs are still in a cache when the caller takes them.
const WAVE_SEGMENTS: usize = 64;
/// The number of segments that are begun together on one thread. A single thread waits for no other thread, so fewer
/// segments are enough.
const LONE_WAVE_SEGMENTS: usize = 32;
/// The maximum number of segments that are begun together. This limit and the limit of pairs in a segment bound the
/// memory.
const MOST_SEGMENTS: usize = 512;
/// The maximum number of pairs in a segment.
const SEGMENT_PAIRS: usize = 16_384;
/// When a segment finds its first pair, it allocates memory for this many pairs.
const LEAST_ROOM: usize = 512;
/// The number of parts into which the rest of a full segment is divided.
const SEGMENT_PARTS: u32 = 64;

/// A part of the stream, with the pairs that were found and not taken yet. It compares query leaves, which are leaves
/// of the first tree, with target leaves, which are leaves of the second tree. In a self-join, both trees are the same
/// tree.
#[derive(Debug)]
struct Segment {
    /// The index of the first query leaf of the segment that is not scanned completely.
    first_leaf: u32,
    /// One past the index of the last query leaf of the segment. The leaves after `first_leaf` are not scanned yet.
    end_leaf: u32,
    /// The index of the target leaf with which the scan of the query leaf `first_leaf` continues.
    first_target: u32,
    /// One past the index of the last target leaf that the segment scans. Only a segment with one query leaf may end
    /// before the last of all target leaves.
    end_target: u32,
    found: Found,
}

impl Segment {
    fn is_done(&self) -> bool {
        self.first_leaf == self.end_leaf
    }

    /// Scans leaves until the scan is done, or until the pairs of one more query leaf and target leaf might exceed
    /// [`SEGMENT_PAIRS`].
    fn fill(&mut self, sides: &Sides) {
        on_widest(Fill { segment: self, sides });
    }

    /// Divides the rest of the scan into parts by query leaves. If only one query leaf is left, divides the rest by
    /// target leaves.
    fn split(&self, sides: &Sides) -> Vec<Segment> {
        let part = |first_leaf, end_leaf, first_target, end_target| Segment {
            first_leaf,
            end_leaf,
            first_target,
            end_target,
            found: Found::default(),
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

/// The state of a stream of pairs: the segments that have begun, and the number of pairs that the caller has taken.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// The segments that have begun and have pairs or scans left, in the order of the stream.
    begun: VecDeque<Segment>,
    /// The number of pairs of the first segment that the caller has already taken.
    taken: usize,
    /// The index of the first query leaf that is in no segment yet.
    next_leaf: u32,
    /// Empty lists of pairs, whose memory later segments reuse.
    spare: Vec<Found>,
}

impl Stream {
    /// Returns a stream that reuses the memory of an earlier stream.
    pub(super) fn with_memory(spare: Vec<Found>) -> Self {
        Self { spare, ..Self::default() }
    }

    /// Returns the memory of the stream.
    pub(super) fn into_memory(self) -> Vec<Found> {
        self.spare
    }

    /// Clears `out` and moves the next `limit` pairs to it. At the end of the stream, fewer pairs may remain.
    pub(super) fn next_chunk(&mut self, sides: &Sides, limit: usize, out: &mut Vec<[u32; 2]>) {
        out.clear();
        while out.len() < limit {
            if self.begun.is_empty() {
                if self.next_leaf == sides.queries().leaf_count() {
                    return;
                }
                self.begin_wave(sides);
            }
            if cfg!(target_family = "wasm") {
                self.take_of_first(limit, out);
            } else {
                self.take(sides, limit, out);
            }
            // If segments are left after this loop, the first of them has pairs that were not taken.
            while self.begun.front().is_some_and(|segment| self.taken == segment.found.length) {
                if self.finish_first(sides) {
                    break;
                }
            }
        }
    }

    /// Appends pairs of the first segment to `out`, until `out` has `limit` pairs or the segment has no more pairs. WebAssembly
    /// uses this method, because it has less code than [`Stream::take`].
    fn take_of_first(&mut self, limit: usize, out: &mut Vec<[u32; 2]>) {
        if let Some(segment) = self.begun.front() {
            let ready = &segment.found.pairs()[self.taken..];
            let count = ready.len().min(limit - out.len());
            out.extend_from_slice(&ready[..count]);
            self.taken += count;
        }
    }

    /// Appends pairs of the segments to `out`, in order, until `out` has `limit` pairs. Stops after the first segment
    /// whose scan is not done.
    fn take(&mut self, sides: &Sides, limit: usize, out: &mut Vec<[u32; 2]>) {
        let (mut parts, mut room) = (Vec::new(), limit - out.len());
        let (mut whole, mut of_last) = (0, 0);
        for (index, segment) in self.begun.iter().enumerate() {
            let taken = if index == 0 { self.taken } else { 0 };
            let ready = &segment.found.pairs()[taken..];
            let part = &ready[..ready.len().min(room)];
            parts.push(part);
            room -= part.len();
            (whole, of_last) = (index, taken + part.len());
            if room == 0 || !segment.is_done() {
                break;
            }
        }
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        out.reserve(lengths.iter().sum());
        append(out, &lengths, |part, room| room.copy(parts[part]));
        for _ in 0..whole {
            self.finish_first(sides);
        }
        self.taken = of_last;
    }

    fn begin_wave(&mut self, sides: &Sides) {
        let wave = match crate::base::parallel::current_num_threads() {
            1 => LONE_WAVE_SEGMENTS,
            threads => (WAVE_SEGMENTS * threads).min(MOST_SEGMENTS),
        };
        let end = sides.queries().leaf_count();
        let end_target = sides.targets().leaf_count();
        let starts = (self.next_leaf..end).step_by(SEGMENT_LEAVES as usize).take(wave);
        let segments = starts.map(|first_leaf| Segment {
            first_leaf,
            end_leaf: first_leaf.saturating_add(SEGMENT_LEAVES).min(end),
            first_target: 0,
            end_target,
            found: Found::default(),
        });
        let segments = segments.collect();
        self.next_leaf = self.next_leaf.saturating_add(SEGMENT_LEAVES * wave as u32).min(end);
        self.begin(segments, sides);
    }

    /// Drops the first segment after all its pairs were taken. If the segment was too full to scan all its leaves, begins the
    /// rest of its scan and returns true.
    fn finish_first(&mut self, sides: &Sides) -> bool {
        self.taken = 0;
        if let Some(mut segment) = self.begun.pop_front() {
            segment.found.length = 0;
            self.spare.push(std::mem::take(&mut segment.found));
            if !segment.is_done() {
                let parts = segment.split(sides);
                self.begin(parts, sides);
                return true;
            }
        }
        false
    }

    /// Fills segments in parallel, and inserts them before all other segments.
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

/// The task of filling a segment ([`Segment::fill`]) with vector instructions.
struct Fill<'a> {
    segment: &'a mut Segment,
    sides: &'a Sides,
}

impl Task for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        let Self { segment, sides } = self;
        let mut near = Near::default();
        while segment.first_leaf < segment.end_leaf {
            let start = segment.first_target.max(sides.range(segment.first_leaf).start);
            let range = start..segment.end_target;
            if let Some(next) = sides.scan(vectors, segment.first_leaf, range, &mut near, &mut segment.found)
            {
                segment.first_target = next;
                return;
            }
            segment.first_leaf += 1;
            segment.first_target = 0;
            if segment.found.is_full() {
                return;
            }
        }
    }
}

/// Pairs of the caller's indices. In a self-join, the lesser index of a pair comes first. In a join of two sets, the
/// index of the query box comes first.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The pairs that were found, followed by unused room.
    room: Vec<[u32; 2]>,
    length: usize,
}

impl Found {
    fn pairs(&self) -> &[[u32; 2]] {
        &self.room[..self.length]
    }

    #[cold]
    fn grow(&mut self) {
        let length = (2 * self.room.len()).clamp(LEAST_ROOM, SEGMENT_PAIRS);
        self.room.resize(length, [0; 2]);
    }
}

impl Sink for Found {
    #[inline(always)]
    fn pairs<V: Vectors>(&mut self, vectors: V, met: Met<'_>) {
        if self.length + LANES > self.room.len() {
            self.grow();
        }
        let out = self.room[self.length..].first_chunk_mut().expect("room for a leaf's pairs was made");
        vectors.emit(met, out);
        self.length += met.mask.count_ones() as usize;
    }

    /// Returns true if the pairs of one more query leaf and target leaf might exceed the segment's limit.
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.length > SEGMENT_PAIRS - LANES * LANES
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::{Tree, TreeMemory};
    use super::super::vectors::Plain;
    use super::*;
    use crate::Aabb;

    fn tree(boxes: &[Aabb]) -> Tree {
        Tree::new(boxes, None, None, &mut TreeMemory::default())
    }

    /// Returns `count` boxes of width and height 1, whose average spacing is `spacing`.
    fn boxes(count: usize, spacing: f64) -> Vec<Aabb> {
        let side = (count as f64).sqrt() * spacing;
        let point =
            |i: usize| [(i as f64 * 0.754_877_666).fract() * side, (i as f64 * 0.569_840_291).fract() * side];
        let aabb = |min: [f64; 2]| Aabb { min: min.into(), max: [min[0] + 1.0, min[1] + 1.0].into() };
        (0..count).map(|i| aabb(point(i))).collect()
    }

    /// A sink that collects the pairs without a limit, so that the scan never stops within a leaf.
    struct LeafByLeaf(Vec<[u32; 2]>);

    impl Sink for LeafByLeaf {
        fn pairs<V: Vectors>(&mut self, _vectors: V, met: Met<'_>) {
            let targets = (0..LANES).filter(|lane| met.mask >> lane & 1 == 1).map(|lane| met.targets[lane]);
            let (a, is_self_join) = (met.query, met.is_self_join);
            self.0.extend(targets.map(|b| if is_self_join { [a.min(b), a.max(b)] } else { [a, b] }));
        }
    }

    #[test]
    fn segments_keep_the_order_of_leaves() {
        let (loose, dense) = (boxes(150_000, 1.0), boxes(3000, 1e-3));
        for sides in [
            Sides::One(tree(&loose)),
            Sides::One(tree(&dense)),
            Sides::Two(tree(&dense), tree(&loose)),
            Sides::Two(tree(&dense[..1]), tree(&vec![dense[0]; 200_000])),
        ] {
            let mut plain = LeafByLeaf(Vec::new());
            for leaf in 0..sides.queries().leaf_count() {
                assert_eq!(
                    sides.scan(Plain, leaf, sides.range(leaf), &mut Near::default(), &mut plain),
                    None
                );
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
        let sides = Sides::One(tree(&dense));
        let (mut stream, mut chunk, mut pairs) = (Stream::default(), Vec::new(), 0);
        let mut most = 0;
        loop {
            stream.next_chunk(&sides, 10_000, &mut chunk);
            if chunk.is_empty() {
                break;
            }
            pairs += chunk.len();
            let begun = stream.begun.iter().map(|segment| &segment.found);
            most = most.max(begun.chain(&stream.spare).map(|found| found.room.capacity()).sum());
        }
        assert_eq!(pairs, 8000 * 7999 / 2);
        assert!(most <= (MOST_SEGMENTS + 3 * SEGMENT_PARTS as usize) * SEGMENT_PAIRS, "{most} pairs held");
        assert!(most < pairs / 5, "{most} pairs held");
    }
}
