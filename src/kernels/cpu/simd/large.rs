//! Decides the relation of two polygons with any number of vertices, or leaves it uncertain.
//!
//! Each polygon has an anchor, the origin of its packed vertices. The first two tests read each vertex once. The first test
//! projects both polygons onto the direction between their anchors. If the projections are disjoint, the polygons are
//! disjoint. The second test uses the point in the middle of the common part of the two projections. If the point is
//! inside both polygons, the polygons overlap. If neither test decides a pair with many vertices, the code tries further
//! points and directions ([`by_rounds`]). If the pair is still undecided, the code tests all edges.

use super::points::Points;
use super::{Bound, ROUNDING, distance, offset, steps};
use crate::packed::layout::{DISJOINT, OVERLAPPING, UNCERTAIN};
use crate::packed::records::{Head, LANES, View};
use crate::simd::{Instructions, Lanes, negated};

/// The maximum number of rounds of [`by_rounds`]. Each round tests whether one point is inside both polygons. If it is not,
/// the round tests whether one direction separates the polygons.
const ROUNDS: usize = 8;
/// If the product of the two vertex counts is at least this number, [`by_rounds`] costs less than a test of all edges.
const MANY: u32 = 4096;

/// Tests whether the direction between the anchors separates two polygons. Also returns the point to try next, relative
/// to the anchor of `a`. `BLOCKS * LANES` is the maximum number of vertices of each polygon. If `BLOCKS` is 0, any
/// number is allowed.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn by_direction<I: Instructions, const BLOCKS: usize>(
    i: I,
    a: View<'_>,
    b: View<'_>,
) -> (bool, [f32; 2]) {
    let o = offset(a.head, b.head);
    let end = greatest::<I, BLOCKS>(i, a, o);
    let start = dot(o, o) - greatest::<I, BLOCKS>(i, b, negated(o));
    let separated = start - end > Bound::new(a.head, b.head, o).of_direction(o);
    let along = part(0.5 * (end + start), dot(o, o));
    (separated, [o[0] * along, o[1] * along])
}

/// Returns true if the point `w` is proven to be inside both polygons. `w` is relative to the anchor of `a`.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn share<I: Instructions, const BLOCKS: usize>(
    i: I,
    a: View<'_>,
    b: View<'_>,
    w: [f32; 2],
) -> bool {
    let o = offset(a.head, b.head);
    let from_b = [w[0] - o[0], w[1] - o[1]];
    // Evaluates both tests, because a branch would be hard to predict.
    contains::<I, BLOCKS>(i, a, w, 0.0) & contains::<I, BLOCKS>(i, b, from_b, moved(o, from_b))
}

/// Returns the code for disjoint, overlapping or uncertain. [`share`] has already failed to prove that both polygons
/// contain the point `w`.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn by_edges<I: Instructions>(i: I, a: View<'_>, b: View<'_>, w: [f32; 2]) -> u32 {
    let many = a.head.vertex_count.saturating_mul(b.head.vertex_count) >= MANY;
    if many && let Some(code) = by_rounds::<I>(i, a, b, w) {
        return code;
    }
    let o = offset(a.head, b.head);
    let by_a = side::<I>(i, a, b, o, Bound::new(a.head, b.head, o));
    if by_a == DISJOINT {
        return DISJOINT;
    }
    let back = negated(o);
    let by_b = side::<I>(i, b, a, back, Bound::new(b.head, a.head, back));
    if by_b == DISJOINT { DISJOINT } else { by_a.max(by_b) }
}

/// Tries further points and directions. If the point is outside a polygon, it lies beyond an edge. The normal of this
/// edge becomes the next direction, and the point moves to the inner side of the edge. Returns `None` if no round
/// decides the pair.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn by_rounds<I: Instructions>(i: I, a: View<'_>, b: View<'_>, mut w: [f32; 2]) -> Option<u32> {
    let o = offset(a.head, b.head);
    let back = negated(o);
    for _ in 0..ROUNDS {
        let from_b = [w[0] - o[0], w[1] - o[1]];
        let in_a = contains::<I, 0>(i, a, w, 0.0);
        if in_a && contains::<I, 0>(i, b, from_b, moved(o, from_b)) {
            return Some(OVERLAPPING);
        }
        let [p, q] = if in_a { [b, a] } else { [a, b] };
        let [to_q, from_p] = if in_a { [back, from_b] } else { [o, w] };
        match cut::<I>(i, p, q, to_q, from_p) {
            Some([x, y]) if in_a => w = [x + o[0], y + o[1]],
            Some(next) => w = next,
            None => return Some(DISJOINT),
        }
    }
    None
}

/// Returns a bound on the error of each coordinate of `from_b`, a point relative to B's anchor. The code has computed
/// `from_b` by subtracting `o` from the same point relative to A's anchor.
#[inline(always)]
fn moved(o: [f32; 2], from_b: [f32; 2]) -> f32 {
    ROUNDING * (distance(from_b) + distance(o))
}

#[inline(always)]
fn dot(a: [f32; 2], b: [f32; 2]) -> f32 {
    a[0] * b[0] + a[1] * b[1]
}

/// Returns `x / whole`, clamped to the range from 0 to 1. Returns 0 for NaN.
#[inline(always)]
fn part(x: f32, whole: f32) -> f32 {
    let part = x / whole;
    if part > 1.0 {
        1.0
    } else if part > 0.0 {
        part
    } else {
        0.0
    }
}

/// Chooses the next point of the search. The point `w` is outside an edge of `p`. Returns `None` if the normal of this
/// edge separates the polygons. Otherwise, returns a point on the line from `w` to the vertex of `q` that is farthest
/// behind the edge. On the normal, the projection of the returned point lies in the middle of the range that the
/// projections of both polygons have in common.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn cut<I: Instructions>(i: I, p: View<'_>, q: View<'_>, o: [f32; 2], w: [f32; 2]) -> Option<[f32; 2]> {
    let n = farthest_edge(i, p, w);
    let end = greatest::<I, 0>(i, p, n);
    let (least, vertex) = least_vertex(i, q, n);
    let start = least + dot(n, o);
    if start - end > Bound::new(p.head, q.head, o).of_direction(n) {
        return None;
    }
    let behind = [vertex[0] + o[0], vertex[1] + o[1]];
    let part = part(0.5 * (end - start), dot(n, w) - start);
    Some([behind[0] + part * (w[0] - behind[0]), behind[1] + part * (w[1] - behind[1])])
}

/// Returns the greatest projection of a polygon's vertices on a direction.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn greatest<I: Instructions, const BLOCKS: usize>(i: I, a: View<'_>, direction: [f32; 2]) -> f32 {
    let direction = Points { x: i.splat(direction[0]), y: i.splat(direction[1]) };
    let mut greatest = i.splat(f32::NEG_INFINITY);
    for block in 0..fixed_count::<BLOCKS>(a.x) {
        greatest = greatest.max(points(i, a.x, a.y, block, 0).dot(direction));
    }
    greatest.greatest().first()
}

/// Returns the least projection of a polygon's vertices on a direction, and the vertex that has this projection.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn least_vertex<I: Instructions>(i: I, a: View<'_>, direction: [f32; 2]) -> (f32, [f32; 2]) {
    let direction = Points { x: i.splat(direction[0]), y: i.splat(direction[1]) };
    let mut least = i.splat(f32::INFINITY);
    let (mut at_x, mut at_y) = (i.splat(0.0), i.splat(0.0));
    for block in 0..block_count(a.x) {
        let p = points(i, a.x, a.y, block, 0);
        let s = p.dot(direction);
        (at_x, at_y) = (p.x.where_less(s, least, at_x), p.y.where_less(s, least, at_y));
        least = least.min(s);
    }
    let least = least.to_array();
    let lane = least_lane(least);
    (least[lane], [at_x.to_array()[lane], at_y.to_array()[lane]])
}

/// Returns the index of the first lane with the least value.
#[inline(always)]
fn least_lane(lanes: [f32; LANES]) -> usize {
    let mut least = 0;
    for lane in 1..LANES {
        if lanes[lane] < lanes[least] {
            least = lane;
        }
    }
    least
}

/// Returns the normal of the edge for which the point `w` lies farthest outside. The code compares distances that are
/// multiplied by the lengths of the edges.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn farthest_edge<I: Instructions>(i: I, a: View<'_>, w: [f32; 2]) -> [f32; 2] {
    let w = Points { x: i.splat(w[0]), y: i.splat(w[1]) };
    let mut least = i.splat(f32::INFINITY);
    let (mut x, mut y) = (i.splat(0.0), i.splat(0.0));
    for block in 0..block_count(a.x) {
        let p = points(i, a.x, a.y, block, 0);
        let normal = p.normal(points(i, a.x, a.y, block, 1));
        let s = p.minus(w).dot(normal);
        (x, y) = (normal.x.where_less(s, least, x), normal.y.where_less(s, least, y));
        least = least.min(s);
    }
    let lane = least_lane(least.to_array());
    [x.to_array()[lane], y.to_array()[lane]]
}

/// Returns true if the point `w` is proven to be inside `a`. `w` is relative to the anchor of `a`, and the error of
/// each of its coordinates is at most `moved`.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn contains<I: Instructions, const BLOCKS: usize>(i: I, a: View<'_>, w: [f32; 2], moved: f32) -> bool {
    let point = Head { error: moved, ..Head::default() };
    let bound = Bound::new(a.head, &point, w);
    let w = Points { x: i.splat(w[0]), y: i.splat(w[1]) };
    let mut worst = i.splat(f32::NEG_INFINITY);
    for block in 0..fixed_count::<BLOCKS>(a.x) {
        let p = points(i, a.x, a.y, block, 0);
        let normal = p.normal(points(i, a.x, a.y, block, 1));
        let s = steps::separation(i, w.minus(p).dot(normal));
        worst = worst.max(s.add(bound.of(i, normal)));
    }
    !worst.any_at_least(i.splat(0.0))
}

/// Tests the edges of `a` against the vertices of `b`. Returns the code for disjoint if one edge certainly separates
/// the polygons, the code for overlapping if certainly no edge of `a` separates them, and otherwise the code for
/// uncertain.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn side<I: Instructions>(i: I, a: View<'_>, b: View<'_>, o: [f32; 2], bound: Bound) -> u32 {
    let mut verdict = OVERLAPPING;
    let count = steps::vertex_count(b.head.vertex_count as usize);
    let (bx, by) = (&b.x[..count], &b.y[..count]);
    let o = Points { x: i.splat(o[0]), y: i.splat(o[1]) };
    let (x, y) = (steps::row(a.x), steps::row(a.y));
    for block in 0..block_count(x) {
        let p = points(i, x, y, block, 0);
        let normal = p.normal(points(i, x, y, block, 1));
        let mut least = i.splat(f32::INFINITY);
        for j in 0..count {
            least = least.min(Points { x: i.splat(bx[j]), y: i.splat(by[j]) }.dot(normal));
        }
        let s = steps::separation(i, least.add(o.minus(p).dot(normal)));
        let bound = bound.of(i, normal);
        if s.any_above(bound) {
            return DISJOINT;
        }
        if s.add(bound).any_at_least(i.splat(0.0)) {
            verdict = UNCERTAIN;
        }
    }
    verdict
}

/// Returns the number of blocks of eight edges, or of eight vertices, that cover a row of coordinates.
#[inline(always)]
pub(super) fn block_count(row: &[f32]) -> usize {
    (row.len() - 1).div_ceil(LANES)
}

/// Returns the number of blocks to read: `BLOCKS`, or [`block_count`] if `BLOCKS` is 0. A constant number is never
/// mispredicted. If the row has fewer blocks, its last block is read again.
#[inline(always)]
fn fixed_count<const BLOCKS: usize>(row: &[f32]) -> usize {
    if BLOCKS > 0 { BLOCKS } else { block_count(row) }
}

/// Returns the starts of the eight edges of a block, or their ends if `offset` is 1. If the edges do not fill the last
/// block, this block begins at an earlier edge.
#[inline(always)]
pub(super) fn points<I: Instructions>(
    i: I,
    x: &[f32],
    y: &[f32],
    block: usize,
    offset: usize,
) -> Points<I::Lanes> {
    let start = (block * LANES).min(x.len() - 1 - LANES) + offset;
    Points { x: i.load(x, start), y: i.load(y, start) }
}
