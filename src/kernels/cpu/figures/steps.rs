//! Steps of the kernel that fault injection can change. Without a fault, most functions return their argument unchanged.
//! [`parts`] and [`part`] clamp it, and [`end_of_edge`] returns the next index.

use crate::kernels::faults::{Fault, Kernel, has as kernel_has};
use crate::simd::{Instructions, Lanes};

#[inline(always)]
fn has(fault: Fault) -> bool {
    kernel_has(Kernel::Figures, fault)
}

/// Returns the gaps over eight edges, each multiplied by the length of its edge. A fault changes the gaps.
#[inline(always)]
pub(super) fn gaps<I: Instructions>(i: I, gaps: I::Lanes) -> I::Lanes {
    if has(Fault::FlippedSign) {
        return i.splat(0.0).sub(gaps);
    }
    if has(Fault::NoLastEdges) {
        let mut lanes = gaps.to_array();
        (lanes[3], lanes[7]) = (-1e30, -1e30);
        return i.load(&lanes, 0);
    }
    gaps
}

/// Returns the bounds on the errors of eight gaps. A fault changes the bounds.
#[inline(always)]
pub(super) fn errors<I: Instructions>(i: I, errors: I::Lanes) -> I::Lanes {
    if has(Fault::NoErrors) { i.splat(0.0) } else { errors }
}

/// Returns the positions of nearest points along eight edges, clamped to the range from 0 (start of the edge) to 1
/// (end). A fault omits the clamping.
#[inline(always)]
pub(super) fn parts<I: Instructions>(i: I, parts: I::Lanes) -> I::Lanes {
    if has(Fault::Lines) { parts } else { parts.max(i.splat(0.0)).min(i.splat(1.0)) }
}

/// Returns the position of the nearest point along one edge, clamped to the range from 0 to 1.
#[inline(always)]
pub(super) fn part(part: f32) -> f32 {
    part.clamp(0.0, 1.0)
}

/// Returns the index of the vertex at the end of edge `edge` of a polygon with `count` vertices. A fault returns
/// another index.
#[inline(always)]
pub(super) fn end_of_edge(edge: usize, count: usize) -> usize {
    if has(Fault::NextEdge) { (edge + 2) % count } else { edge + 1 }
}

/// Returns the argument: whether clipping cuts off an end of the incident edge. A fault changes the result.
#[inline(always)]
pub(super) fn cuts(cuts: bool) -> bool {
    cuts && !has(Fault::NoCuts)
}

/// Returns the argument: a time before which two polygons provably do not meet. A fault makes the time longer.
#[inline(always)]
pub(super) fn advance(time: f32) -> f32 {
    if has(Fault::Hasty) { 1.5 * time } else { time }
}
