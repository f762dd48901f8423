//! Hooks for fault injection. Without a fault, `flips` returns false, and each other function returns its second argument.

use super::Step;
use crate::kernels::faults::{Fault, Kernel, has_in};
use crate::simd::DOUBLES;

#[inline(always)]
fn has(fault: Fault, step: Step) -> bool {
    has_in(Kernel::Direct, fault, step as u8)
}

#[inline(always)]
pub(super) fn bound(step: Step, bound: f64) -> f64 {
    if has(Fault::TenthOfTheBound, step) { 0.1 * bound } else { bound }
}

/// Returns a mask of the edges that the filter tests. `lanes` has the bits of all edges. A fault removes some of them.
#[inline(always)]
pub(super) fn edges(step: Step, lanes: u32) -> u32 {
    let first = if step == Step::Quads { 0x11 } else { 0x3 };
    if has(Fault::NoFirstEdges, step) { lanes & !first } else { lanes }
}

#[inline(always)]
pub(super) fn vertex_count(step: Step, count: usize) -> usize {
    match step {
        _ if !has(Fault::NoLastVertex, step) => count,
        Step::Direction => count.saturating_sub(DOUBLES).max(1),
        _ => count - 1,
    }
}

/// Returns true if an injected fault changes the sign of the separations in `step`.
#[inline(always)]
pub(super) fn flips(step: Step) -> bool {
    has(Fault::FlippedSign, step)
}
