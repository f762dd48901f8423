//! Decides two polygons without a branch. One register holds all edges of a polygon.

use super::points::Points;
use super::{Bound, offset, steps};
use crate::packed::layout::{DISJOINT, OVERLAPPING, UNCERTAIN};
use crate::packed::records::Small;
use crate::simd::{Instructions, Lanes, negated};

/// Returns the filter's answer for two polygons with at most `VERTICES` vertices each: the code for disjoint,
/// overlapping or uncertain.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn relation<I: Instructions, const VERTICES: usize>(i: I, a: &Small, b: &Small) -> u32 {
    let o = offset(&a.head, &b.head);
    let by_a = side::<I, VERTICES>(i, a, b, o);
    let by_b = side::<I, VERTICES>(i, b, a, negated(o));
    if by_a.separated | by_b.separated {
        DISJOINT
    } else if by_a.certain & by_b.certain {
        OVERLAPPING
    } else {
        UNCERTAIN
    }
}

/// The facts that the edges of one polygon prove about the pair.
struct Side {
    /// Whether an edge of the polygon is proven to separate the two polygons.
    separated: bool,
    /// Whether it is proven that no edge of the polygon separates the two polygons.
    certain: bool,
}

#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn side<I: Instructions, const VERTICES: usize>(i: I, a: &Small, b: &Small, o: [f32; 2]) -> Side {
    let p = Points { x: i.load(&a.x, 0), y: i.load(&a.y, 0) };
    let normal = p.normal(Points { x: i.load(&a.x, 1), y: i.load(&a.y, 1) });
    let mut least = Points { x: i.splat(b.x[0]), y: i.splat(b.y[0]) }.dot(normal);
    for j in 1..steps::vertex_count(VERTICES) {
        least = least.min(Points { x: i.splat(b.x[j]), y: i.splat(b.y[j]) }.dot(normal));
    }
    let to_b = Points { x: i.splat(o[0]), y: i.splat(o[1]) }.minus(p);
    let s = steps::separation(i, least.add(to_b.dot(normal)));
    let bound = Bound::new(&a.head, &b.head, o).of(i, normal);
    Side { separated: s.any_above(bound), certain: !s.add(bound).any_at_least(i.splat(0.0)) }
}
