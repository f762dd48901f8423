//! Decides the pairs of a join in which some polygon has more than eight vertices. The first two steps read few
//! vertices.
//!
//! Step 1 selects eight vertices of each polygon. The eight vertices of a convex polygon form an inner polygon, which
//! lies inside the convex polygon. If the two inner polygons overlap, the whole polygons overlap. Step 2 selects the
//! edge normal that separates the inner polygons best, and tests whether this direction separates the whole polygons.
//! If neither step decides the pair, step 3 tests all edges.

use glam::DVec2;

use super::octagons::{ByEdges, interleaved_edges};
use super::{DIRECTION, Decide, EDGE, Step, edge_lanes, prefetch_ahead, steps};
use crate::kernels::cpu::interleaved::relation_of;
use crate::packed::layout::{DISJOINT, OVERLAPPING};
use crate::simd::{DOUBLES, Doubles, SINGLES, Singles, WideInstructions};

/// The number of pairs that go through each step together.
const BATCH: usize = 64;

/// Decides every pair of the task. The steps have no branch that depends on the geometry, so the processor can work on
/// several pairs at once.
#[inline(always)]
pub(super) fn decide<I: WideInstructions>(i: I, task: Decide<'_>) {
    let per_unit = task.form.per_unit;
    // The polygon may begin in the middle of a cache line, so its vertices may occupy one line more.
    let lines = (task.form.most_vertices * size_of::<DVec2>()).div_ceil(64) + 1;
    let nothing = i.singles(0.0);
    // The pairs that step 1 does not decide: the index of each pair, and the results for the selected edges of its two
    // polygons.
    let mut open = [(0, ByEdges { separation: nothing, bound: nothing, normal: [nothing; 2] }); BATCH];
    let mut left = [0; BATCH];
    for start in (0..task.pairs.len()).step_by(BATCH) {
        let mut open_count = 0;
        for k in start..(start + BATCH).min(task.pairs.len()) {
            prefetch_ahead(task.pairs, task.a, task.b, k, lines);
            let [a, b] = task.polygons(k);
            let by_edges = ByEdges::new::<I>(i, eight_of(i, a), eight_of(i, b), a[0], per_unit);
            let edges = steps::edges(Step::Octagons, interleaved_edges(a.len(), b.len()));
            task.codes[k] = OVERLAPPING as u8;
            open[open_count] = (k, by_edges);
            open_count += usize::from(by_edges.may_separate(i) & edges != 0);
        }
        let mut left_count = 0;
        for &(k, by_edges) in &open[..open_count] {
            let [a, b] = task.polygons(k);
            task.codes[k] = DISJOINT as u8;
            left[left_count] = k;
            left_count += usize::from(!separates::<I>(i, a, b, direction_of(i, by_edges)));
        }
        for &k in &left[..left_count] {
            let [a, b] = task.polygons(k);
            task.codes[k] = by_all_edges::<I>(i, a, b) as u8;
        }
    }
}

/// Returns eight vertices of a polygon, one in each lane. If the polygon has fewer vertices, some of its vertices occur
/// several times.
#[inline(always)]
fn eight_of<I: WideInstructions>(i: I, polygon: &[DVec2]) -> [I::Doubles; 2] {
    if polygon.len() < DOUBLES { i.around(polygon, polygon.len()) } else { i.spread(polygon) }
}

/// Returns a block of eight consecutive vertices of a polygon, from the index `start` on. If fewer than eight vertices
/// follow `start`, the block begins at an earlier vertex. If the polygon has fewer than eight vertices, they occur
/// several times.
#[inline(always)]
fn block<I: WideInstructions>(i: I, polygon: &[DVec2], start: usize) -> [I::Doubles; 2] {
    match polygon.len().checked_sub(DOUBLES) {
        Some(last) => i.points(polygon, start.min(last)),
        None => i.around(polygon, polygon.len()),
    }
}

/// Returns the normal of the edge with the greatest signed distance to the other polygon. The normal points from the
/// first polygon to the second polygon.
#[inline(always)]
fn direction_of<V: Singles, I: WideInstructions<Singles = V>>(i: I, by_edges: ByEdges<V>) -> [f64; 2] {
    let [x, y] = by_edges.normal;
    // The square of the distance, with the sign of the distance. The smallest positive f32 is added, so that a lane
    // without an edge has no division by 0.
    let square = x.mul_add(x, y.mul_add(y, i.singles(f32::MIN_POSITIVE)));
    let separation = by_edges.separation;
    let distance = separation.mul(separation.abs()).div(square);
    let lane = distance.not_below(distance.greatest()).trailing_zeros() as usize % SINGLES;
    let sign = if lane.is_multiple_of(2) { 1.0 } else { -1.0 };
    [sign * f64::from(x.to_array()[lane]), sign * f64::from(y.to_array()[lane])]
}

/// Returns true if `direction` certainly separates the two polygons: the whole projection of the second polygon on the
/// direction lies beyond the projection of the first polygon, by more than the error bound.
#[inline(always)]
fn separates<I: WideInstructions>(i: I, a: &[DVec2], b: &[DVec2], direction: [f64; 2]) -> bool {
    let (end, magnitude_a) = reach::<I>(i, a, a[0], direction);
    let (start, magnitude_b) = reach::<I>(i, b, a[0], direction.map(|x| -x));
    let gap = if steps::flips(Step::Direction) { start + end } else { -start - end };
    gap > steps::bound(Step::Direction, DIRECTION) * (magnitude_a + magnitude_b)
}

/// Projects the vertices of a polygon, relative to `origin`, on a direction. Returns the greatest projection, and a
/// magnitude for the error bound. A projection is the sum of two products. The magnitude is the greatest magnitude of a
/// projection or of its first product. The documentation of [`super`] calls it MA or MB.
#[inline(always)]
pub(super) fn reach<I: WideInstructions>(
    i: I,
    polygon: &[DVec2],
    origin: DVec2,
    direction: [f64; 2],
) -> (f64, f64) {
    let [x, y] = direction.map(|x| i.doubles(x));
    let origin = origin.to_array().map(|x| i.doubles(x));
    let (mut reach, mut magnitude) = (i.doubles(f64::NEG_INFINITY), i.doubles(0.0));
    for start in (0..steps::vertex_count(Step::Direction, polygon.len())).step_by(DOUBLES) {
        let [v_x, v_y] = block(i, polygon, start);
        let left = v_x.sub(origin[0]).mul(x);
        let along = v_y.sub(origin[1]).mul_add(y, left);
        reach = reach.max(along);
        magnitude = magnitude.greater_magnitude(left).greater_magnitude(along);
    }
    (reach.greatest(), magnitude.greatest())
}

/// Tests all edges of both polygons. Returns the code for disjoint, overlapping or uncertain.
#[inline(always)]
fn by_all_edges<I: WideInstructions>(i: I, a: &[DVec2], b: &[DVec2]) -> u32 {
    let by_a = side::<I>(i, a, b);
    if by_a == DISJOINT {
        return DISJOINT;
    }
    let by_b = side::<I>(i, b, a);
    if by_b == DISJOINT { DISJOINT } else { by_a.max(by_b) }
}

/// Tests the edges of `a` against the vertices of `b`. Returns the code for disjoint if one edge certainly separates
/// the polygons, the code for overlapping if certainly no edge of `a` separates them, and otherwise the code for
/// uncertain.
#[inline(always)]
fn side<I: WideInstructions>(i: I, a: &[DVec2], b: &[DVec2]) -> u32 {
    let mut verdict = OVERLAPPING;
    let others = &b[..steps::vertex_count(Step::Edges, b.len())];
    for start in (0..a.len()).step_by(DOUBLES) {
        let [x, y] = block(i, a, start);
        // The vertex after the block's last vertex. A small polygon does not use it, because its lanes repeat its
        // vertices.
        let closing = a[(start.min(a.len().saturating_sub(DOUBLES)) + DOUBLES) % a.len()];
        let normal_x = y.next_closed_by(closing.y).sub(y);
        let normal_y = x.sub(x.next_closed_by(closing.x));
        let (mut least, mut magnitude) = (i.doubles(f64::INFINITY), i.doubles(0.0));
        for v in others {
            let left = i.doubles(v.x).sub(x).mul(normal_x);
            least = least.min(i.doubles(v.y).sub(y).mul_add(normal_y, left));
            magnitude = magnitude.greater_magnitude(left);
        }
        if steps::flips(Step::Edges) {
            least = i.doubles(0.0).sub(least);
        }
        let bound = magnitude.mul(i.doubles(steps::bound(Step::Edges, EDGE)));
        let edges = steps::edges(Step::Edges, edge_lanes(a.len()));
        let by_block =
            relation_of(least.above(bound) & edges, least.add(bound).not_below(i.doubles(0.0)) & edges);
        if by_block == DISJOINT {
            return DISJOINT;
        }
        verdict = verdict.max(by_block);
    }
    verdict
}
