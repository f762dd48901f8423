//! Measures depths, positions and distances in f64, from the caller's coordinates.
//!
//! First, f64 arithmetic chooses the features that determine the measurement ([`select`]). Two faster variants choose
//! the same features: [`lanes`] processes eight edges at a time in f64, and [`sole`] processes sixteen edges at a time
//! in f32 if f32 is certain. The code then evaluates the measurement at these features. If terms cancel, the code
//! computes with twice the bits of f64 ([`sums`]). If f64 cannot decide whether a gap is 0, or whether a distance is
//! within a limit, exact arithmetic decides. A measurement therefore depends only on its pair, and is the same on every
//! backend.

mod cores;
mod distance;
mod lanes;
mod manifold;
pub(crate) mod pair;
mod penetration;
mod plain_side;
mod point;
mod select;
mod sole;
mod steps;
mod sums;
#[cfg(all(test, feature = "scenes"))]
mod tests;
mod within;

use std::cell::Cell;
use std::mem::MaybeUninit;

use self::lanes::OnLanes;
use self::pair::{Images, MeasuredPair, Outline};
use self::penetration::over;
use self::plain_side::PlainSide;
use self::select::{Best, Line, Nearest, SLACK, best_edge, nearest};
use self::sole::OnWide;
use self::within::is_within;
use crate::answers::bounds::FIGURE_BOUND;
use crate::answers::distance::Distance;
use crate::answers::manifold::Manifold;
use crate::answers::pair::PairEdge;
use crate::answers::penetration::Penetration;
use crate::answers::results::Relation;
use crate::base::parallel::prelude::*;
use crate::geometry::{Piece, Rounded};
use crate::kernels::measurements::Figure;
use crate::simd::{
    DoubleInstructions, OnDoubles, Wide, WideInstructions, greater, has_doubles, has_wide, lesser,
    on_split_doubles, wide,
};

/// Chooses the edges and vertices that determine a measurement. The scalar implementation and the vector
/// implementations choose the same edges and vertices.
pub(crate) trait Select: Copy {
    /// The scalar implementation of the same choices.
    type Plain: Select;

    /// Returns the scalar implementation, for code that is not compiled for vector instructions.
    fn plain(self) -> Self::Plain;
    /// Returns the edge with the greatest gap to the other polygon, or `None` if neither polygon has an edge.
    fn best_edge(self, pair: &MeasuredPair<'_>, room: &mut Vec<f64>) -> Option<Best>;
    /// Returns the nearest pair of a vertex of one polygon and an edge of the other polygon, for two disjoint polygons.
    /// `slack` is a bound on the error of a computed distance.
    fn nearest(self, pair: &MeasuredPair<'_>, slack: f64, room: &mut Vec<f64>) -> Nearest;
    /// Returns a mask with one bit for each of the first 64 vertices of `other`. The bit is set if the vertex's
    /// projection beyond the line is the least, or at most `slack` greater than the least.
    fn near_line(self, line: &Line, other: Outline<'_>, slack: f64) -> u64;
}

/// [`Select::near_line`] returns a mask with one bit for each vertex, so it applies only to polygons with at most this
/// many vertices.
const MOST_NUMBERED: usize = u64::BITS as usize;

/// Chooses features without vector instructions.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

impl Select for Plain {
    type Plain = Self;

    #[inline(always)]
    fn plain(self) -> Self {
        self
    }

    fn best_edge(self, pair: &MeasuredPair<'_>, room: &mut Vec<f64>) -> Option<Best> {
        best_edge(pair, room)
    }

    fn nearest(self, pair: &MeasuredPair<'_>, slack: f64, _: &mut Vec<f64>) -> Nearest {
        nearest(pair, slack)
    }

    fn near_line(self, line: &Line, other: Outline<'_>, slack: f64) -> u64 {
        let most = line.least(other, slack);
        let near = other.vertices.iter().enumerate().filter(|(_, v)| line.along(**v) <= most);
        near.fold(0, |near, (k, _)| near | 1 << k)
    }
}

/// The edge that a device proposes as the edge with the greatest gap, and its gap in f32. The device is certain that no
/// other edge has a greater gap.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "no device proposes"))]
pub(crate) struct Proposal {
    /// The edge with the greatest gap, or `None` if both polygons are points.
    pub(crate) edge: Option<PairEdge>,
    /// The gap of the edge, in the caller's unit. Its error is at most [`FIGURE_BOUND`] times the size of the pair.
    pub(crate) separation: f64,
}

/// A choice of features that takes the edge from a device's proposal. `select` chooses all other features.
#[derive(Clone, Copy)]
struct Proposed<S> {
    proposal: Proposal,
    select: S,
}

impl<S: Select> Select for Proposed<S> {
    type Plain = Proposed<S::Plain>;

    #[inline(always)]
    fn plain(self) -> Self::Plain {
        Proposed { proposal: self.proposal, select: self.select.plain() }
    }

    #[inline(always)]
    fn best_edge(self, pair: &MeasuredPair<'_>, room: &mut Vec<f64>) -> Option<Best> {
        let Proposal { edge, separation } = self.proposal;
        let extent = pair.extent();
        // The size of the pair is at most five times its extent. If the proposed gap is nearer to 0 than its error, its
        // sign is uncertain.
        match edge {
            Some(edge) if separation.abs() > 8.0 * FIGURE_BOUND * extent => {
                Some(Best::new(edge, separation, extent))
            }
            _ => self.select.best_edge(pair, room),
        }
    }

    #[inline(always)]
    fn nearest(self, pair: &MeasuredPair<'_>, slack: f64, room: &mut Vec<f64>) -> Nearest {
        self.select.nearest(pair, slack, room)
    }

    #[inline(always)]
    fn near_line(self, line: &Line, other: Outline<'_>, slack: f64) -> u64 {
        self.select.near_line(line, other, slack)
    }
}

/// A pair to measure, with the facts about the pair that are already known.
pub(crate) struct Measured<'a, 'b, S> {
    select: S,
    pair: &'b MeasuredPair<'a>,
    /// The relation of the two pieces, or `None` if it is not known yet.
    relation: Option<Relation>,
    /// The radii of both shapes' rounding, or `None` if neither shape is rounded.
    radii: Option<[f64; 2]>,
    /// The edge with the greatest gap to the other polygon, or `None` if the measurement must find this edge.
    best: Option<Best>,
    room: &'b mut Vec<f64>,
}

impl<S: Select> Measured<'_, '_, S> {
    #[inline(always)]
    fn best(&mut self) -> Best {
        // No closure, because the compiler would not compile it for the machine's vectors.
        let best = if self.best.is_some() { self.best } else { self.select.best_edge(self.pair, self.room) };
        best.expect("a polygon has edges")
    }

    #[inline(always)]
    pub(crate) fn penetration(mut self) -> Penetration {
        if let Some(radii) = self.radii {
            return cores::penetration(self.select.plain(), self.pair, radii, self.room);
        }
        let best = self.best();
        penetration::penetration(self.select, self.pair, &best, self.relation, self.room)
    }

    /// Returns the distance of the pair. The result is at most `within` if and only if the true distance is at most
    /// `within`.
    #[inline(always)]
    pub(crate) fn distance(mut self, within: f64, out: &mut MaybeUninit<Distance>) -> &mut Distance {
        let Self { select, pair, relation, .. } = self;
        if let Some(radii) = self.radii {
            let found = out.write(cores::distance(select.plain(), pair, radii, self.room));
            let slack = 8.0 * SLACK * (pair.extent() + radii[0] + radii[1]);
            if found.closest.is_some() {
                found.distance = on_its_side(pair, found.distance, within, slack, radii);
            }
            return found;
        }
        let best = self.best();
        let over = over(select, pair, &best, relation, self.room);
        // The distance is 0 if and only if the polygons have a common point.
        if over.relation != Relation::Disjoint {
            return out.write(Distance { distance: 0.0, separation: over.separation, closest: None });
        }
        let near = match over.near(pair) {
            Some(near) => near,
            None => distance::near(pair, select.nearest(pair, best.slack(), self.room)),
        };
        // The distance of disjoint polygons is positive, and at least every gap.
        let least = greater(near.distance, f64::MIN_POSITIVE);
        out.write(Distance {
            distance: on_its_side(pair, least, within, 8.0 * best.slack(), [0.0; 2]),
            separation: lesser(over.separation, least),
            closest: Some(near.closest(pair)),
        })
    }

    #[inline(always)]
    pub(crate) fn manifold(mut self, margin: f64, out: &mut MaybeUninit<Manifold>) -> &mut Manifold {
        let Self { select, pair, relation, .. } = self;
        if let Some(radii) = self.radii {
            return out.write(cores::manifold(select.plain(), pair, radii, margin, self.room));
        }
        let best = self.best();
        let over = over(select, pair, &best, relation, self.room);
        manifold::manifold(pair, &best, &over, margin, out, || select.nearest(pair, best.slack(), self.room))
    }
}

/// Corrects a distance that rounding may have moved from one side of the limit `within` to the other side. `slack` is a
/// bound on the error of `distance`. Exact arithmetic decides only if the distance is nearer to the limit than this
/// bound.
#[inline(always)]
fn on_its_side(
    pair: &MeasuredPair<'_>,
    distance: f64,
    within: f64,
    slack: f64,
    [radius_a, radius_b]: [f64; 2],
) -> f64 {
    if (distance - within).abs() > slack {
        distance
    } else if is_within(pair, [within, radius_a, radius_b]) {
        distance.min(within)
    } else {
        distance.max(within.next_up())
    }
}

/// Returns the measurement of one pair of pieces. `internal` marks the internal edges of the pieces. `radii` are the
/// radii of the shapes, or `None` if neither shape is rounded.
pub(crate) fn measure_one<F: Figure>(
    figure: F,
    pieces: [Piece<'_>; 2],
    internal: [Option<&[bool]>; 2],
    radii: Option<[f64; 2]>,
) -> F::Output {
    let Images { vertices, edges, gaps } = &mut Images::default();
    let pair = MeasuredPair::new(pieces, internal, vertices, edges);
    let measured = Measured { select: Plain, pair: &pair, relation: None, radii, best: None, room: gaps };
    figure.measure(measured, &mut MaybeUninit::uninit()).clone()
}

/// The number of pairs that one parallel task measures.
pub(crate) const TASK: usize = 2048;
/// Prefetch distance in pairs: the vertices of a pair are prefetched this many pairs before they are read. The offsets
/// of its polygons are prefetched twice as early.
const AHEAD: usize = 8;

/// Appends the measurement of every pair to `out`, in the order of `pairs`. `relations` either is empty or has the
/// relation of every pair. `proposals` either is empty or has one entry for every pair: the edge that the device
/// proposes, or `None` if the device is uncertain.
#[allow(unsafe_code)]
pub(crate) fn measure_all<F: Figure>(
    figure: F,
    sides: [Rounded<'_>; 2],
    pairs: &[[u32; 2]],
    relations: &[Relation],
    proposals: &[Option<Proposal>],
    out: &mut Vec<F::Output>,
) {
    out.reserve(pairs.len());
    let room = &mut out.spare_capacity_mut()[..pairs.len()];
    let tasks = pairs.par_chunks(TASK).zip(room.par_chunks_mut(TASK)).enumerate();
    tasks.for_each(|(task, (pairs, out))| {
        let relations = relations.get(task * TASK..).unwrap_or_default();
        let proposals = proposals.get(task * TASK..).unwrap_or_default();
        Task { figure, sides, pairs, relations, proposals, out }.run_here();
    });
    // SAFETY: the vector has room for all pairs. Each task wrote one measurement for each of its pairs, because its
    // pairs and its part of the room have the same length. Writing placeholders first would cost another pass over the
    // memory.
    unsafe { out.set_len(out.len() + pairs.len()) };
}

/// Appends the measurements of a few pairs to `out`, and runs on this thread only. The measurements are equal to the
/// measurements of [`measure_all`].
#[allow(unsafe_code)]
pub(crate) fn measure_few<F: Figure>(
    figure: F,
    sides: [Rounded<'_>; 2],
    pairs: &[[u32; 2]],
    out: &mut Vec<F::Output>,
) {
    out.reserve(pairs.len());
    let room = &mut out.spare_capacity_mut()[..pairs.len()];
    Task { figure, sides, pairs, relations: &[], proposals: &[], out: room }.run_here();
    // SAFETY: the vector has room for all pairs, and the task wrote one measurement for each pair, as in
    // [`measure_all`].
    unsafe { out.set_len(out.len() + pairs.len()) };
}

/// The pairs of one task, and the memory for their measurements, one for each pair.
struct Task<'a, F: Figure> {
    figure: F,
    sides: [Rounded<'a>; 2],
    pairs: &'a [[u32; 2]],
    relations: &'a [Relation],
    proposals: &'a [Option<Proposal>],
    out: &'a mut [MaybeUninit<F::Output>],
}

impl<F: Figure> Wide for Task<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<I: WideInstructions>(self, i: I) {
        self.each_plain(OnWide::new(i, &Cell::new(0)));
    }
}

impl<F: Figure> OnDoubles for Task<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<I: DoubleInstructions>(self, i: I) {
        self.each_plain(OnLanes(i));
    }
}

/// The number of pairs in a batch. The code first chooses an edge for each pair of a batch, and then measures the pairs.
/// The choice has no branch that is hard to predict, so the processor works on several pairs at once.
const BATCH: usize = 16;

impl<F: Figure> Task<'_, F> {
    /// Measures the pairs of the task on this thread.
    fn run_here(self) {
        if !self.sides.iter().all(|side| side.cores.is_static() && !side.is_rounded()) {
            self.each_posed();
        } else if has_wide() {
            wide(self);
        } else if has_doubles() {
            on_split_doubles(self);
        } else {
            self.each_plain(Plain);
        }
    }

    /// Measures the pairs of the task, whose sets have no poses and no rounded shapes.
    #[inline(always)]
    fn each_plain<S: Select>(self, select: S) {
        let [a, b] = self.sides.map(|side| PlainSide::new(side.cores));
        let mut room = Vec::new();
        let mut bests = [None; BATCH];
        for (batch, out) in self.out.chunks_mut(BATCH).enumerate() {
            let begin = batch * BATCH;
            let pairs = &self.pairs[begin..begin + out.len()];
            for (k, (&pair, best)) in pairs.iter().zip(&mut bests).enumerate() {
                if let Some(&[next_a, next_b]) = self.pairs.get(begin + k + 2 * AHEAD) {
                    a.prefetch_offset(next_a);
                    b.prefetch_offset(next_b);
                }
                if let Some(&[next_a, next_b]) = self.pairs.get(begin + k + AHEAD) {
                    a.prefetch_vertices(next_a);
                    b.prefetch_vertices(next_b);
                }
                let pair = a.pair(b, pair);
                *best = match self.proposals.get(begin + k).copied().flatten() {
                    Some(proposal) => Proposed { proposal, select }.best_edge(&pair, &mut room),
                    None => select.best_edge(&pair, &mut room),
                };
            }
            for (k, (&pair, out)) in pairs.iter().zip(out).enumerate() {
                let pair = &a.pair(b, pair);
                let relation = self.relations.get(begin + k).copied();
                let (best, room) = (bests[k], &mut room);
                self.figure.measure(Measured { select, pair, relation, radii: None, best, room }, out);
            }
        }
    }

    fn each_posed(self) {
        let [set_a, set_b] = self.sides.map(|side| side.cores);
        let select = Plain;
        let is_rounded = self.sides.iter().any(|side| side.is_rounded());
        let Images { vertices, edges, gaps } = &mut Images::default();
        for (k, (&[i, j], out)) in self.pairs.iter().zip(self.out).enumerate() {
            let (i, j) = (i as usize, j as usize);
            let internal = [set_a.internal_edges(i), set_b.internal_edges(j)];
            let pair = MeasuredPair::new([set_a.piece(i), set_b.piece(j)], internal, vertices, edges);
            let radii = is_rounded.then(|| [self.sides[0].radius(i), self.sides[1].radius(j)]);
            let relation = self.relations.get(k).copied();
            let (pair, room) = (&pair, &mut *gaps);
            if let Some(proposal) = self.proposals.get(k).copied().flatten() {
                let select = Proposed { proposal, select };
                self.figure.measure(Measured { select, pair, relation, radii, best: None, room }, out);
            } else {
                self.figure.measure(Measured { select, pair, relation, radii, best: None, room }, out);
            }
        }
    }
}
