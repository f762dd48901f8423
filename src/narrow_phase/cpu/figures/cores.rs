//! The penetration of two cores that are points, segments or convex polygons, any of which may be rounded: where they lie
//! apart, along the way between their closest points, be these corners or not; where they overlap, over an edge.

use super::closest::closest_along;
use super::edges::{best_edge, unit_normal};
use super::{Whole, size_of_pair};
use crate::FIGURE_BOUND;
use crate::layout::{EDGE_OF_B, FIGURE_INDEX, PenetrationRecord, UNCERTAIN_FIGURE};
use crate::narrow_phase::cpu::records::View;
use crate::narrow_phase::cpu::simd::offset;
use crate::vector::Instructions;

/// The twin of shaders/cores.wgsl. The number of the edge is [`FIGURE_INDEX`] where the closest features are two vertices.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(crate) fn record<I: Instructions, const VERTICES: usize>(
    i: I,
    a: View<'_>,
    b: View<'_>,
) -> PenetrationRecord {
    let has_edges = a.head.vertex_count.max(b.head.vertex_count) > 1;
    let best = best_edge::<Whole, I, VERTICES>(i, a, b);
    let over_edge = |certain: bool| {
        let (side, normal) = if best.of_b {
            (EDGE_OF_B, unit_normal(b, best.edge).map(|x| -x))
        } else {
            (0, unit_normal(a, best.edge))
        };
        let doubt = if certain { 0 } else { UNCERTAIN_FIGURE };
        PenetrationRecord { normal, separation: best.separation, edge: best.edge | side | doubt }
    };
    if has_edges & best.overlap {
        return over_edge(best.certain);
    }
    let size = size_of_pair(a.head, b.head, offset(a.head, b.head));
    let bound = FIGURE_BOUND as f32 * size;
    // The gap along the direction between the two points is to be as great as they are apart.
    let near = closest_along::<Whole, I, VERTICES>(i, a, b, &best, 0.5 * bound);
    let error = 1.5 * (a.head.error + b.head.error) + 16.0 * f32::EPSILON * size;
    let apart = !has_edges | best.apart;
    // A direction is off by what the points are, divided by the distance.
    if apart & (near.distance * 16.0 >= size) & (near.distance > 0.0) {
        let normal = [0, 1].map(|axis| (near.point_b[axis] - near.point_a[axis]) / near.distance);
        let edge = if near.feature_a.is_edge {
            near.feature_a.index
        } else if near.feature_b.is_edge {
            near.feature_b.index | EDGE_OF_B
        } else {
            FIGURE_INDEX
        };
        let doubt = if error <= 0.5 * bound { 0 } else { UNCERTAIN_FIGURE };
        return PenetrationRecord { normal, separation: near.distance, edge: edge | doubt };
    }
    let faces = has_edges & apart & (near.distance - best.separation <= bound);
    if faces {
        return over_edge(best.certain & (error <= 0.5 * bound));
    }
    PenetrationRecord { edge: UNCERTAIN_FIGURE, ..PenetrationRecord::default() }
}
