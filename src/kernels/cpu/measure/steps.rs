//! Hooks for fault injection. Without a fault, each function returns its argument.

use crate::kernels::faults::{Fault, Kernel, has as kernel_has};

#[inline(always)]
fn has(fault: Fault) -> bool {
    kernel_has(Kernel::Manifold, fault)
}

/// Whether an end of the incident edge is cut off.
#[inline(always)]
pub(super) fn cuts(cuts: bool) -> bool {
    cuts && !has(Fault::NoCuts)
}

/// The length by which two edges overlap along the reference edge.
#[inline(always)]
pub(super) fn overlap(length: f64) -> f64 {
    if has(Fault::NoCorners) { f64::INFINITY } else { length }
}

/// The gap at an end.
#[inline(always)]
pub(super) fn gap(gap: f64) -> f64 {
    if has(Fault::FlippedSign) { -gap } else { gap }
}
