//! The distance of a pair, its separation, and its closest points.

use super::closest::{Feature, closest_from};
use super::edges::best_edge;
use super::{Steps, size_of_pair};
use crate::FIGURE_BOUND;
use crate::layout::{DistanceRecord, FEATURE_IS_EDGE, UNCERTAIN_FIGURE};
use crate::narrow_phase::cpu::records::View;
use crate::narrow_phase::cpu::simd::offset;
use crate::vector::Instructions;

/// The twin of shaders/distance.wgsl. Not certain where the distance may be on either side of `within` quanta.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(crate) fn record<S: Steps, I: Instructions, const VERTICES: usize>(
    i: I,
    a: View<'_>,
    b: View<'_>,
    within: f32,
) -> DistanceRecord {
    let best = best_edge::<S, I, VERTICES>(i, a, b);
    let mut record = DistanceRecord { separation: best.separation, ..DistanceRecord::default() };
    let has_edges = a.head.vertex_count.max(b.head.vertex_count) > 1;
    if has_edges & best.overlap {
        // They overlap beyond doubt.
        record.feature_a = if best.certain { 0 } else { UNCERTAIN_FIGURE };
        return record;
    }
    let size = size_of_pair(a.head, b.head, offset(a.head, b.head));
    let bound = FIGURE_BOUND as f32 * size;
    // Half of the bound is for points that are not the very nearest, half for rounding.
    let closest = closest_from::<S, I, VERTICES>(i, a, b, &best, 0.5 * bound);
    let error = 1.5 * (a.head.error + b.head.error) + 16.0 * f32::EPSILON * size;
    let decided = (closest.distance - within).abs() > bound;
    let certain = (!has_edges | (best.certain & best.apart)) & (error <= 0.5 * bound) & decided;
    let doubt = if certain { 0 } else { UNCERTAIN_FIGURE };
    record.point_a = closest.point_a;
    record.point_b = closest.point_b;
    record.distance = closest.distance;
    record.feature_a = word(closest.feature_a) | doubt;
    record.feature_b = word(closest.feature_b);
    record
}

fn word(feature: Feature) -> u32 {
    feature.index | if feature.is_edge { FEATURE_IS_EDGE } else { 0 }
}
