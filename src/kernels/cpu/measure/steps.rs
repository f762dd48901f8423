//! Hooks for fault injection. Without a fault, each function returns its argument.

use crate::kernels::faults::{Fault, Kernel, has as kernel_has};

#[inline(always)]
fn has(fault: Fault) -> bool {
    kernel_has(Kernel::Manifold, fault)
}

/// Returns the argument: whether clipping cuts off an end of the incident edge. A fault changes the result.
#[inline(always)]
pub(super) fn cuts(cuts: bool) -> bool {
    cuts && !has(Fault::NoCuts)
}

/// Returns the argument: the length by which two edges overlap along the reference edge. A fault changes the result.
#[inline(always)]
pub(super) fn overlap(length: f64) -> f64 {
    if has(Fault::NoCorners) { f64::INFINITY } else { length }
}

/// Returns the argument: the gap at an end of the clipped edge. A fault changes the result.
#[inline(always)]
pub(super) fn gap(gap: f64) -> f64 {
    if has(Fault::FlippedSign) { -gap } else { gap }
}
