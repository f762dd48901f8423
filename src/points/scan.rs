//! Looks points up in the index, one block of points at a time. For each point, finds the pieces that contain the point
//! in their interior or on their boundary.

use std::ops::Range;

use glam::DVec2;

use super::filter::Sided;
use super::index::{Entry, PointIndex};
use super::search::Searched;
use crate::answers::points::PointRelation;
use crate::kernels::point::reference;

/// The number of points in a block. While one point is decided, the data of other points is prefetched.
const BLOCK: usize = 64;
/// All points of a block are decided together only if their cells have at most this many entries in total.
const ITEMS: usize = 8 * BLOCK;
/// The number of entries that are copied from each cell without a check of the cell's size.
const TAKEN: usize = 4;

/// The numbers of pairs that a lookup has tested. A pair consists of a point and a piece, or of a point and an object
/// that is decided by its edges.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// The number of candidates: pairs of a point and a piece that meets the cell of the point, and pairs from the
    /// search by boxes.
    pub(super) candidates: u64,
    /// The number of candidates that exact arithmetic decided.
    pub(super) uncertain: u64,
    /// The number of candidates whose polygon was too large for the device.
    pub(super) oversized: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.candidates += other.candidates;
        self.uncertain += other.uncertain;
        self.oversized += other.oversized;
    }
}

/// The index of a piece or of an object, and the relation of a point to it.
pub(super) type Hit = (u32, PointRelation);

/// The index in which points are looked up, and the settings of the lookup.
#[derive(Clone, Copy)]
pub(super) struct Scan<'a> {
    pub(super) index: &'a PointIndex<'a>,
    /// Whether every object has at most one piece. Also `true` if all targets are decided as whole objects, without
    /// pieces.
    pub(super) one_piece_an_object: bool,
    /// Whether the search for the pieces that contain a point may stop at the first piece that has the point in its
    /// interior.
    pub(super) until_inside: bool,
    /// The objects or pieces that are not in the index. `None` if the index has all of them.
    pub(super) searched: Option<&'a Searched<'a>>,
}

/// The buffers for one block of points.
#[derive(Debug)]
struct Block {
    points: [DVec2; BLOCK],
    cells: [u32; BLOCK],
    /// The entries of the cells of all points in the block.
    entries: [Entry; ITEMS + TAKEN],
    /// The index in `points` of the point of each entry.
    of_points: [u8; ITEMS + TAKEN],
    /// For each entry, whether its point is not on the left of its edge.
    outside: [bool; ITEMS],
    /// The pairs of a point and a piece that has the point in its interior.
    hits: [(u8, u32); ITEMS],
}

impl Scan<'_> {
    /// Calls `found` for each of `points` and each object that contains it, in order. If `is_enough` returns true after
    /// a point, the function stops. Returns the number of points that were processed.
    pub(super) fn run<P: Into<DVec2> + Copy, S>(
        self,
        points: &[P],
        tally: &mut Tally,
        sink: &mut S,
        found: impl Fn(&mut S, usize, Hit),
        is_enough: impl Fn(&S) -> bool,
    ) -> usize {
        if cfg!(not(target_family = "wasm"))
            && let Some(searched) = self.searched
        {
            return self.run_with_search(searched, points, tally, sink, found, is_enough);
        }
        let mut hits: Vec<Hit> = Vec::new();
        let mut block = Box::new(Block {
            points: [DVec2::ZERO; BLOCK],
            cells: [0; BLOCK],
            entries: [Entry::default(); ITEMS + TAKEN],
            of_points: [0; ITEMS + TAKEN],
            outside: [false; ITEMS],
            hits: [(0, 0); ITEMS],
        });
        for (number, some) in points.chunks(BLOCK).enumerate() {
            let start = number * BLOCK;
            for ((place, cell), &point) in block.points.iter_mut().zip(&mut block.cells).zip(some) {
                *place = point.into();
                *cell = self.index.cell_at(*place);
                self.index.prefetch_cell(*cell);
            }
            let together = if self.index.has_errors() {
                self.decide_together::<true>(some.len(), &mut block, tally)
            } else {
                self.decide_together::<false>(some.len(), &mut block, tally)
            };
            if let Some(count) = together {
                let mut last = (u8::MAX, u32::MAX);
                for &(point, piece) in &block.hits[..count] {
                    let object = self.index.set.piece_object(piece as usize) as u32;
                    if self.one_piece_an_object || last != (point, object) {
                        found(sink, start + usize::from(point), (object, PointRelation::Inside));
                    }
                    last = (point, object);
                }
                if is_enough(sink) {
                    return start + some.len();
                }
                continue;
            }
            for (i, (&cell, &point)) in block.cells.iter().zip(&block.points).enumerate().take(some.len()) {
                hits.clear();
                self.look_up(cell, point, &mut hits, tally);
                hits.iter().for_each(|&hit| found(sink, start + i, hit));
                if is_enough(sink) {
                    return start + i + 1;
                }
            }
        }
        points.len()
    }

    /// Calls `found` for each of `points` and each object that contains it. [`Scan::run`] calls this function if some
    /// objects of the set are not in the index. `searched` has these objects.
    fn run_with_search<P: Into<DVec2> + Copy, S>(
        self,
        searched: &Searched<'_>,
        points: &[P],
        tally: &mut Tally,
        sink: &mut S,
        found: impl Fn(&mut S, usize, Hit),
        is_enough: impl Fn(&S) -> bool,
    ) -> usize {
        let (mut hits, mut pairs): (Vec<Hit>, Vec<[u32; 2]>) = Default::default();
        let mut done = 0;
        while done < points.len() {
            let block = points[done..].iter().take(BLOCK);
            let block: Vec<DVec2> = block.map(|&point| point.into()).collect();
            let count = searched.near(&block, &mut pairs);
            tally.candidates += pairs.len() as u64;
            let mut rest = &pairs[..];
            for (i, &point) in (0..).zip(&block[..count]) {
                hits.clear();
                if !searched.are_all() {
                    self.look_up(self.index.cell_at(point), point, &mut hits, tally);
                }
                let (of_point, others) = rest.split_at(rest.partition_point(|pair| pair[0] == i));
                rest = others;
                searched.decide(point, of_point, &mut hits, tally);
                if searched.are_pieces() {
                    self.merge_into_objects(point, &mut hits);
                }
                hits.iter().for_each(|&hit| found(sink, done, hit));
                done += 1;
                if is_enough(sink) {
                    return done;
                }
            }
        }
        points.len()
    }

    /// Decides the first `count` points of a block without a branch that depends on the points. Returns the number of hits.
    /// Returns `None` if a cell is divided, if the cells have too many entries, or if the filter is uncertain.
    #[inline(always)]
    fn decide_together<const POSED: bool>(
        &self,
        count: usize,
        block: &mut Block,
        tally: &mut Tally,
    ) -> Option<usize> {
        let mut length = 0;
        for (i, &cell) in (0..).zip(&block.cells[..count]) {
            let (first, size) = self.index.run_of(cell);
            if length + size > ITEMS {
                return None;
            }
            let (entries, points) = (&mut block.entries[length..], &mut block.of_points[length..]);
            entries[..TAKEN].copy_from_slice(self.index.some_entries::<TAKEN>(first));
            points[..TAKEN].fill(i);
            if size > TAKEN {
                entries[..size].copy_from_slice(self.index.more_entries(first, size)?);
                points[..size].fill(i);
            }
            length += size;
        }
        block.entries[..length].iter().for_each(|entry| self.index.prefetch_edge(*entry));
        let mut is_uncertain = false;
        let items = block.entries[..length].iter().zip(&block.of_points).zip(&mut block.outside);
        for ((&entry, &of_point), outside) in items {
            let sides = self.index.sides::<POSED>(entry, block.points[usize::from(of_point) % BLOCK]);
            *outside = !sides.is_left;
            is_uncertain |= sides.is_uncertain;
        }
        if is_uncertain {
            return None;
        }
        // The sentinel after the last entry is the index of no piece.
        block.entries[length].piece = u32::MAX;
        block.of_points[length] = u8::MAX;
        let (mut hits, mut pieces, mut is_outside) = (0, 0, false);
        for k in 0..length {
            let piece = block.entries[k].piece;
            let is_last =
                (piece != block.entries[k + 1].piece) | (block.of_points[k] != block.of_points[k + 1]);
            is_outside |= block.outside[k];
            block.hits[hits] = (block.of_points[k], piece);
            hits += usize::from(is_last & !is_outside);
            pieces += u64::from(is_last);
            is_outside &= !is_last;
        }
        tally.candidates += pieces;
        Some(hits)
    }

    /// Appends to `hits` the objects that contain a point, sorted by index. Only objects in the index are found. `cell`
    /// is the cell of the point.
    #[inline(always)]
    fn look_up(&self, cell: u32, point: DVec2, hits: &mut Vec<Hit>, tally: &mut Tally) {
        let (entries, within) = self.index.entries(cell, point);
        self.ask(entries, point, hits, tally);
        if let Some(within) = within {
            self.look_up_within(within, point, hits, tally);
        }
        self.merge_into_objects(point, hits);
    }

    /// Converts the pieces that contain a point to objects. The pieces must be sorted.
    #[inline(always)]
    pub(super) fn merge_into_objects(&self, point: DVec2, hits: &mut Vec<Hit>) {
        if !self.one_piece_an_object && !hits.is_empty() {
            self.merge(point, hits);
        } else if self.index.set.piece_objects().is_some() {
            for hit in hits.iter_mut() {
                hit.0 = self.index.set.piece_object(hit.0 as usize) as u32;
            }
        }
    }

    /// Appends the pieces that meet the cell of a point to `pieces`, sorted. The flag of a piece is set if the cell lies
    /// inside the piece.
    #[cfg(feature = "gpu")]
    pub(super) fn candidates(&self, point: DVec2, pieces: &mut Vec<(u32, bool)>) {
        let start = pieces.len();
        let mut next = Some(self.index.cell_at(point));
        while let Some(cell) = next {
            let (entries, within) = self.index.entries(cell, point);
            let of_pieces = entries.chunk_by(|a, b| a.piece == b.piece);
            pieces.extend(of_pieces.map(|e| (e[0].piece, e[0].edge == Entry::INSIDE)));
            next = within;
        }
        crate::base::sorting::sort_unstable(&mut pieces[start..]);
    }

    #[inline(never)]
    fn look_up_within(&self, mut cell: u32, point: DVec2, hits: &mut Vec<Hit>, tally: &mut Tally) {
        loop {
            let (entries, within) = self.index.entries(cell, point);
            self.ask(entries, point, hits, tally);
            match within {
                Some(within) => cell = within,
                None => break,
            }
        }
        crate::base::sorting::sort_unstable_by_key(hits, |hit| hit.0);
    }

    /// Appends to `hits` the pieces of `entries` that contain a point.
    #[inline(always)]
    fn ask(&self, entries: &[Entry], point: DVec2, hits: &mut Vec<Hit>, tally: &mut Tally) {
        let mut rest = entries;
        while let Some((&first, tail)) = rest.split_first() {
            rest = tail;
            tally.candidates += 1;
            let mut relation = PointRelation::Inside;
            if first.edge != Entry::INSIDE {
                let (mut is_outside, mut is_uncertain) = (false, false);
                let mut ask = |entry: Entry| match self.index.filter(entry, point) {
                    Sided::Left => {}
                    Sided::Right => is_outside = true,
                    Sided::Uncertain => is_uncertain = true,
                };
                ask(first);
                while let Some((&next, tail)) = rest.split_first().filter(|(e, _)| e.piece == first.piece) {
                    rest = tail;
                    ask(next);
                }
                if is_outside {
                    continue;
                }
                if is_uncertain {
                    let of_piece = entries.len() - rest.len();
                    relation = self.exactly(&entries[..of_piece], first.piece, point);
                    tally.uncertain += 1;
                    if relation == PointRelation::Outside {
                        continue;
                    }
                }
            }
            hits.push((first.piece, relation));
            if self.until_inside && relation == PointRelation::Inside {
                return;
            }
        }
    }

    /// Returns the exact relation of a point to `piece`. The entries of the piece must be the last of `entries`.
    #[cold]
    #[inline(never)]
    fn exactly(&self, entries: &[Entry], piece: u32, point: DVec2) -> PointRelation {
        let of_piece = entries.iter().rev().take_while(|entry| entry.piece == piece);
        of_piece.fold(PointRelation::Inside, |relation, &entry| match self.index.filter(entry, point) {
            Sided::Left => relation,
            Sided::Right => PointRelation::Outside,
            Sided::Uncertain if relation == PointRelation::Outside => relation,
            Sided::Uncertain => relation.min(PointRelation::of_side(self.index.exact_side(entry, point))),
        })
    }

    /// Converts pieces to the objects that they belong to. The pieces of an object must be consecutive.
    fn merge(&self, point: DVec2, hits: &mut Vec<Hit>) {
        let set = self.index.set;
        let mut kept = 0;
        let mut from = 0;
        while from < hits.len() {
            let object = set.piece_object(hits[from].0 as usize);
            let end = hits[from..].iter().position(|hit| set.piece_object(hit.0 as usize) != object);
            let of_object: Range<usize> = from..end.map_or(hits.len(), |count| from + count);
            from = of_object.end;
            let of_object = &hits[of_object];
            let mut relation = of_object.iter().fold(PointRelation::Outside, |r, hit| r.max(hit.1));
            // A point on the boundary of several pieces may be in the interior of their union. One piece alone cannot surround
            // the point.
            if relation == PointRelation::Boundary && of_object.len() > 1 {
                let pieces: Vec<_> = of_object.iter().map(|hit| set.piece(hit.0 as usize)).collect();
                relation = reference::relation_to_object(point, &pieces);
            }
            hits[kept] = (object as u32, relation);
            kept += 1;
        }
        hits.truncate(kept);
    }
}
