//! Decides two polygons with at most four vertices each, in f64. The lower half of a register holds the edges of one
//! polygon, and the upper half holds the edges of the other polygon.

use glam::DVec2;

use super::{EDGE, Step, edge_lanes, steps};
use crate::kernels::cpu::interleaved::relation_of;
use crate::simd::{DoubleInstructions, Doubles};

/// Returns the filter's answer for two polygons with three or four vertices each: the code for disjoint, overlapping or
/// uncertain.
#[inline(always)]
pub(super) fn relation<I: DoubleInstructions>(i: I, a: &[DVec2], b: &[DVec2]) -> u32 {
    by_edges::<I>(i, i.both_around(a, b), edge_lanes(a.len()) | edge_lanes(b.len()) << 4)
}

/// Returns the filter's answer for two polygons with four vertices each: the code for disjoint, overlapping or
/// uncertain.
#[inline(always)]
pub(super) fn relation_of_fours<I: DoubleInstructions>(i: I, a: &[DVec2; 4], b: &[DVec2; 4]) -> u32 {
    by_edges::<I>(i, i.both(a, b), 0xff)
}

/// Returns the filter's answer for two polygons: the code for disjoint, overlapping or uncertain. `x` and `y` have the
/// vertices of one polygon in the lower lanes, and the vertices of the other polygon in the upper lanes. `edges` has a
/// bit for each lane that holds an edge.
#[inline(always)]
fn by_edges<I: DoubleInstructions>(i: I, [x, y]: [I::Doubles; 2], edges: u32) -> u32 {
    let normal_x = y.next_in_half::<1>().sub(y);
    let normal_y = x.sub(x.next_in_half::<1>());
    // For a vertex v of the other polygon: the x term of n.(v - p), and the sum of both terms.
    let separation = |v_x: I::Doubles, v_y: I::Doubles| {
        let left = v_x.sub(x).mul(normal_x);
        (left, v_y.sub(y).mul_add(normal_y, left))
    };
    let (v_x, v_y) = (x.swapped(), y.swapped());
    let (left_0, s_0) = separation(v_x, v_y);
    let (left_1, s_1) = separation(v_x.next_in_half::<1>(), v_y.next_in_half::<1>());
    let (left_2, s_2) = separation(v_x.next_in_half::<2>(), v_y.next_in_half::<2>());
    let (left_3, s_3) = separation(v_x.next_in_half::<3>(), v_y.next_in_half::<3>());
    let mut s = s_0.min(s_1).min(s_2);
    if steps::vertex_count(Step::Quads, 4) == 4 {
        s = s.min(s_3);
    }
    if steps::flips(Step::Quads) {
        s = i.doubles(0.0).sub(s);
    }
    let left = left_0.greater_magnitude(left_1).greater_magnitude(left_2.greater_magnitude(left_3));
    let bound = left.mul(i.doubles(steps::bound(Step::Quads, EDGE)));
    let edges = steps::edges(Step::Quads, edges);
    relation_of(s.above(bound) & edges, s.add(bound).not_below(i.doubles(0.0)) & edges)
}
