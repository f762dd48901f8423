//! Finds the edge with the greatest gap in f32, sixteen edges at a time. The result is used only if f32 proves that no
//! other edge has a greater gap. In this case, f64 would choose the same edge. Otherwise, f64 chooses the edge.
//!
//! Vertices are relative to A's first vertex. Edges are differences in f64. Both the edges and the vertices are rounded
//! to f32. Let u = 2^-24, and let M be the pair's extent. For an edge (p, q) with the normal N, the error of the
//! computed `N.(v - p)` is the sum of
//!
//! | source | at most |
//! |---|---|
//! | rounding of v and p (u M in each coordinate), times N | 2 u M n₁ |
//! | rounding of N (u times each coordinate), times v and p | 2 u M n₁ |
//! | roundings of a product and of the fused product and sum, for v and for p | 6 u M n₁ |
//! | rounding of the difference | 2 u M n₁ |
//!
//! where n₁ = |N.x| + |N.y| is at most 1.5 |N|. The relative error is 4 u for the square of the length, 3 u for its root,
//! and 4 u for the quotient. The quotient is a gap of at most 3 M. The total error of a gap is less than 32 u M = 2^-19 M.
//!
//! If two gaps computed in f32 differ by more than [`NEAR`] M, the same gaps computed in f64 differ by more than the
//! tolerance for ties (`SLACK` in `select.rs`). In the range of sizes that this module accepts, nothing overflows, and the
//! effect of underflow is far below the bound.

use std::cell::Cell;

use super::lanes::{OnLanes, Points, block, block_start};
use super::pair::{MeasuredPair, Outline};
use super::select::{Best, Line, Nearest};
use super::{MOST_NUMBERED, Plain, Select};
use crate::answers::pair::PairEdge;
use crate::base::side::PairSide;
use crate::simd::{DOUBLES, Doubles, SINGLES, Singles, WideInstructions};

/// A bound on the difference of two gaps, as a fraction of the pair's extent. If two computed gaps differ by more than
/// this bound, the greater one is certainly greater. The bound is more than twice the error of a gap.
const NEAR: f32 = 1.0 / (1 << 17) as f32;
/// This module accepts a pair only if its extent is greater than this, in the caller's unit.
const LEAST_EXTENT: f64 = 1.0 / (1u64 << 40) as f64;
/// This module accepts a pair only if its extent is less than this, in the caller's unit.
const MOST_EXTENT: f64 = (1u64 << 60) as f64;
/// f32 represents the direction of an edge well enough if the square of the edge's length is greater than this, in the
/// square of the caller's unit.
const LEAST_SQUARE: f32 = f32::from_bits((127 - 100) << 23);
/// After a pair that f32 could not decide, the code passes this many pairs directly to f64. In scenes with parallel
/// edges, f32 often cannot decide.
const SKIPPED: u32 = 15;

/// Chooses the edge with the greatest gap in f32 if f32 is certain of it, otherwise in f64.
#[derive(Clone, Copy)]
pub(super) struct OnWide<'a, I> {
    instructions: I,
    skipped: &'a Cell<u32>,
}

impl<'a, I: WideInstructions> OnWide<'a, I> {
    pub(super) fn new(instructions: I, skipped: &'a Cell<u32>) -> Self {
        Self { instructions, skipped }
    }

    /// Returns the edge with the greatest gap. Returns `None` if f32 cannot prove that no other edge has a greater gap.
    /// Also returns `None` for the pairs that it does not try: pairs with a point, a segment or a polygon of more than
    /// [`MOST_NUMBERED`] vertices, pairs of quadrilaterals, and a number of pairs after a pair without a proof.
    #[inline(always)]
    pub(super) fn sole_edge(self, pair: &MeasuredPair<'_>) -> Option<Best> {
        let (a, b) = (pair.a.vertices.len(), pair.b.vertices.len());
        // For two polygons with four vertices, the f64 variant is as fast.
        if a.min(b) < 3 || a.max(b) > MOST_NUMBERED || (a == 4) & (b == 4) {
            return None;
        }
        let skipped = self.skipped.get();
        if skipped > 0 {
            self.skipped.set(skipped - 1);
            return None;
        }
        let sole = if a.max(b) <= DOUBLES {
            sole_of_small(self.instructions, pair)
        } else {
            sole_of_large(self.instructions, pair)
        };
        if sole.is_none() {
            self.skipped.set(SKIPPED);
        }
        sole
    }
}

impl<I: WideInstructions> Select for OnWide<'_, I> {
    type Plain = Plain;

    #[inline(always)]
    fn plain(self) -> Plain {
        Plain
    }

    #[inline(always)]
    fn best_edge(self, pair: &MeasuredPair<'_>, room: &mut Vec<f64>) -> Option<Best> {
        let sole = self.sole_edge(pair);
        if sole.is_some() { sole } else { OnLanes(self.instructions).best_edge(pair, room) }
    }

    #[inline(always)]
    fn nearest(self, pair: &MeasuredPair<'_>, slack: f64, room: &mut Vec<f64>) -> Nearest {
        OnLanes(self.instructions).nearest(pair, slack, room)
    }

    #[inline(always)]
    fn near_line(self, line: &Line, other: Outline<'_>, slack: f64) -> u64 {
        OnLanes(self.instructions).near_line(line, other, slack)
    }
}

/// Sixteen edges. For each edge, the struct has its outward normal, its start, and the least projection of the other
/// polygon's vertices on the normal.
#[derive(Clone, Copy)]
struct Edges<S> {
    normal: [S; 2],
    start: [S; 2],
    least: S,
}

impl<S: Singles> Edges<S> {
    /// Builds sixteen edges from two blocks of eight edges, interleaved: one block of each polygon, or two blocks of one
    /// polygon. The starts of the edges are relative to A's first vertex.
    #[inline(always)]
    fn new<I: WideInstructions<Singles = S>>(
        i: I,
        starts: [Points<I::Doubles>; 2],
        edges: [Points<I::Doubles>; 2],
    ) -> Self {
        let zero = i.singles(0.0);
        Self {
            normal: [i.rounded(edges[0].y, edges[1].y), zero.sub(i.rounded(edges[0].x, edges[1].x))],
            start: [i.rounded(starts[0].x, starts[1].x), i.rounded(starts[0].y, starts[1].y)],
            least: i.singles(f32::INFINITY),
        }
    }

    #[inline(always)]
    fn along(&self, [x, y]: [S; 2]) -> S {
        x.mul_add(self.normal[0], y.mul(self.normal[1]))
    }

    #[inline(always)]
    fn try_vertex(&mut self, vertex: [S; 2]) {
        self.least = self.least.min(self.along(vertex));
    }

    /// Returns the gap over each of the sixteen edges. The flag is true if f32 represents the direction of every edge
    /// well enough.
    #[inline(always)]
    fn gaps(&self, i: impl WideInstructions<Singles = S>) -> (S, bool) {
        let square = self.along(self.normal);
        let gaps = self.least.sub(self.along(self.start)).div(square.sqrt());
        (gaps, square.above(i.singles(LEAST_SQUARE)) == ALL)
    }
}

/// A mask that contains all 16 lanes.
const ALL: u32 = (1 << SINGLES) - 1;

/// Returns two numbers. The first is a limit: an edge with a lesser gap certainly does not have the greatest gap. The
/// second has the sign of the greatest gap, which is all that [`Best::new`] needs. Its magnitude is the extent of the
/// pair. It is 0 if f32 does not know the sign.
#[inline(always)]
fn near_greatest<S: Singles>(i: impl WideInstructions<Singles = S>, greatest: S, extent: f64) -> (S, f64) {
    let near = i.singles(NEAR * extent as f32);
    let is_apart = greatest.above(near) != 0;
    let is_within = i.singles(0.0).sub(near).above(greatest) != 0;
    (greatest.sub(near), (f64::from(is_apart) - f64::from(is_within)) * extent)
}

#[inline(always)]
fn is_tried(extent: f64) -> bool {
    (extent > LEAST_EXTENT) & (extent < MOST_EXTENT)
}

/// Finds the edge with the greatest gap, for two polygons with at most eight edges each. A's edges are in the even
/// lanes, and B's edges are in the odd lanes. Returns `None` if f32 is uncertain.
#[inline(always)]
fn sole_of_small<I: WideInstructions>(i: I, pair: &MeasuredPair<'_>) -> Option<Best> {
    let (a, b) = (pair.a.vertices, pair.b.vertices);
    let first = Points::of(a[0], i);
    let ([start_a, edge_a], [start_b, edge_b]) = (block(i, a, 0), block(i, b, 0));
    let starts = [start_a.minus(first), start_b.minus(first)];
    let extent = starts[0].magnitude().max(starts[1].magnitude()).greatest();
    let mut edges = Edges::new(i, starts, [edge_a, edge_b]);
    let [x, y] = [edges.start[0].exchanged(), edges.start[1].exchanged()];
    for k in 0..DOUBLES {
        edges.try_vertex([i.pair(&x, k), i.pair(&y, k)]);
    }
    let (gaps, is_known) = edges.gaps(i);
    let (least, gap) = near_greatest(i, gaps.greatest(), extent);
    // The lanes after a polygon's last edge repeat the first edges.
    let counted = EVEN_LANES[a.len()] | EVEN_LANES[b.len()] << 1;
    let near = gaps.not_below(least) & counted;
    if !is_known | !is_tried(extent) | !near.is_power_of_two() | (gap == 0.0) {
        return None;
    }
    let lane = near.trailing_zeros();
    let side = if lane.is_multiple_of(2) { PairSide::A } else { PairSide::B };
    Some(Best::new(PairEdge { side, index: lane / 2 }, gap, extent))
}

/// The masks of even lanes. Entry `n` has the bits of the first `n` even lanes.
const EVEN_LANES: [u32; DOUBLES + 1] = [0x0, 0x1, 0x5, 0x15, 0x55, 0x155, 0x555, 0x1555, 0x5555];

/// The number of registers of sixteen edges that two polygons with [`MOST_NUMBERED`] edges each need.
const MOST_REGISTERS: usize = 2 * MOST_NUMBERED / SINGLES;

/// Finds the edge with the greatest gap, for two polygons with at most [`MOST_NUMBERED`] vertices each. Returns `None`
/// if f32 is uncertain.
#[inline(always)]
fn sole_of_large<I: WideInstructions>(i: I, pair: &MeasuredPair<'_>) -> Option<Best> {
    let sides = [pair.a.vertices, pair.b.vertices];
    let first = Points::of(sides[0][0], i);
    // The x and y coordinates of the vertices, for each polygon.
    let mut local = [[[0.0f32; MOST_NUMBERED]; 2]; 2];
    let mut extent = i.doubles(0.0);
    for (vertices, [x, y]) in sides.iter().zip(&mut local) {
        let mut at = 0;
        while at < vertices.len() {
            let from = block_start(at, vertices.len());
            let [start, _] = block(i, vertices, from);
            let start = start.minus(first);
            extent = extent.max(start.magnitude());
            start.x.rounded_into(eight(x, from));
            start.y.rounded_into(eight(y, from));
            at += DOUBLES;
        }
    }
    let extent = extent.greatest();
    let mut gaps = [i.singles(f32::NEG_INFINITY); MOST_REGISTERS];
    let (mut greatest, mut is_known, mut register) = (gaps[0], is_tried(extent), 0);
    for (side, vertices) in sides.iter().enumerate() {
        let count = vertices.len();
        let [x, y] = &local[1 - side];
        let mut at = 0;
        while at < count {
            let [even, odd] = starts_of(at, count);
            let ([start, edge], [start_odd, edge_odd]) = (block(i, vertices, even), block(i, vertices, odd));
            let mut edges = Edges::new(i, [start.minus(first), start_odd.minus(first)], [edge, edge_odd]);
            for (&x, &y) in x.iter().zip(y).take(sides[1 - side].len()) {
                edges.try_vertex([i.singles(x), i.singles(y)]);
            }
            let (found, knows_all) = edges.gaps(i);
            greatest = greatest.max(found);
            is_known &= knows_all;
            gaps[register] = found;
            register += 1;
            at += SINGLES;
        }
    }
    let (least, gap) = near_greatest(i, greatest.greatest(), extent);
    let (mut sole, mut near, mut register) = (None, 0, 0);
    for (side, vertices) in [PairSide::A, PairSide::B].into_iter().zip(sides) {
        let count = vertices.len();
        let mut at = 0;
        while at < count {
            let starts = starts_of(at, count);
            let mut lanes = gaps[register].not_below(least);
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                let edge = PairEdge { side, index: ((starts[lane % 2] + lane / 2) % count) as u32 };
                // One edge may occupy several lanes, so the code compares edges and not lanes.
                near += u32::from(sole != Some(edge));
                sole = Some(edge);
                lanes &= lanes - 1;
            }
            register += 1;
            at += SINGLES;
        }
    }
    let sole = if is_known & (near == 1) & (gap != 0.0) { sole } else { None };
    Some(Best::new(sole?, gap, extent))
}

/// Returns the index of the first edge of each of the two blocks in a register. A register holds two consecutive blocks
/// of eight edges. `at` is the index of an edge in the first block.
#[inline(always)]
fn starts_of(at: usize, count: usize) -> [usize; 2] {
    [block_start(at, count), block_start(at + DOUBLES, count)]
}

/// Returns the eight numbers of a row from the index `from` on.
#[inline(always)]
fn eight(row: &mut [f32; MOST_NUMBERED], from: usize) -> &mut [f32; DOUBLES] {
    (&mut row[from..from + DOUBLES]).try_into().expect("so many")
}
