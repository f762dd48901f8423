//! Points through the index: what each is inside of or on the boundary of, a block of points at a time.

use std::ops::Range;

use glam::DVec2;

use super::filter::Sided;
use super::index::{Entry, PointIndex};
use super::{PointRelation, reference};

/// Points of a block: while one is decided, what others lead to is fetched.
const BLOCK: usize = 32;

/// What was done, beside the answers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// Pairs of a point and a piece that has a part of the point's cell.
    pub(super) candidates: u64,
    /// Those that the filter left to exact arithmetic.
    pub(super) uncertain: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.candidates += other.candidates;
        self.uncertain += other.uncertain;
    }
}

/// A piece that a point lies in.
pub(super) type Hit = (u32, PointRelation);

/// Where points are looked up.
#[derive(Clone, Copy)]
pub(super) struct Scan<'a> {
    pub(super) index: &'a PointIndex<'a>,
    /// Whether no object has more than one piece.
    pub(super) one_piece_an_object: bool,
    /// Whether what lies after the first piece that a point is inside of does not matter.
    pub(super) until_inside: bool,
}

impl Scan<'_> {
    /// Calls `found` for each of `points` that lies in some object, in order, with the objects that it lies in, in order. Ends
    /// early where `found` says so, and tells how many points were looked at.
    #[inline(always)]
    pub(super) fn run<P: Into<DVec2> + Copy>(
        self,
        points: &[P],
        tally: &mut Tally,
        mut found: impl FnMut(usize, &[Hit]) -> bool,
    ) -> usize {
        let mut hits: Vec<Hit> = Vec::new();
        for (number, block) in points.chunks(BLOCK).enumerate() {
            let mut cells = [u32::MAX; BLOCK];
            for (cell, &point) in cells.iter_mut().zip(block) {
                if let Some(at) = self.index.cell_at(point.into()) {
                    *cell = at;
                    self.index.prefetch_cell(at);
                }
            }
            let within = || cells.iter().copied().filter(|&cell| cell != u32::MAX);
            within().for_each(|cell| self.index.prefetch_entries(cell));
            within().for_each(|cell| self.index.prefetch_vertices(cell));
            for (i, (&cell, &point)) in cells.iter().zip(block).enumerate() {
                if cell == u32::MAX {
                    continue;
                }
                hits.clear();
                self.look_up(cell, point.into(), &mut hits, tally);
                if !hits.is_empty() && !found(number * BLOCK + i, &hits) {
                    return number * BLOCK + i + 1;
                }
            }
        }
        points.len()
    }

    /// The objects that a point lies in, sorted.
    #[inline(always)]
    fn look_up(&self, cell: u32, point: DVec2, hits: &mut Vec<Hit>, tally: &mut Tally) {
        let (entries, within) = self.index.entries(cell, point);
        self.ask(entries, point, hits, tally);
        if let Some(within) = within {
            self.look_up_within(within, point, hits, tally);
        }
        if !self.one_piece_an_object && !hits.is_empty() {
            self.merge(point, hits);
        } else if self.index.set.piece_objects().is_some() {
            for hit in hits.iter_mut() {
                hit.0 = self.index.set.piece_object(hit.0 as usize) as u32;
            }
        }
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
        hits.sort_unstable_by_key(|hit| hit.0);
    }

    /// The pieces among some entries that a point lies in.
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

    /// Where a point lies to the piece that the last of some entries are of.
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

    /// From pieces to the objects that they make up.
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
            // One convex piece leaves half of the directions out.
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
