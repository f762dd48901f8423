//! Hooks for fault injection. Without a fault, each function returns its argument.

use super::Bound;
use crate::kernels::faults::{Fault, Kernel, has as kernel_has};
use crate::packed::records::LANES;
use crate::simd::{Instructions, Lanes, Singles, WideInstructions};

/// Returns true if the fault is injected into the kernels for relations or into the kernels for containment.
#[inline(always)]
fn has(fault: Fault) -> bool {
    kernel_has(Kernel::Records, fault) || kernel_has(Kernel::Containment, fault)
}

#[inline(always)]
pub(super) fn bound(bound: Bound) -> Bound {
    if !has(Fault::TenthOfTheBound) {
        return bound;
    }
    Bound { slope: 0.1 * bound.slope, offset: 0.1 * bound.offset }
}

#[inline(always)]
pub(super) fn separation<I: Instructions>(i: I, s: I::Lanes) -> I::Lanes {
    if has(Fault::FlippedSign) {
        return i.splat(0.0).sub(s);
    }
    if has(Fault::NoFirstEdges) {
        let mut lanes = s.to_array();
        lanes[..4].fill(-1e30);
        return i.load(&lanes, 0);
    }
    s
}

/// Returns the separations of the interleaved edges of two polygons. A fault changes the separations.
#[inline(always)]
pub(super) fn separation_of_both<I: WideInstructions>(i: I, s: I::Singles) -> I::Singles {
    if has(Fault::FlippedSign) {
        return i.singles(0.0).sub(s);
    }
    if has(Fault::NoFirstEdges) {
        let mut lanes = s.to_array();
        lanes[..8].fill(-1e30);
        let [a, b] = [0, 1].map(|side| std::array::from_fn::<f32, LANES, _>(|k| lanes[2 * k + side]));
        return i.interleaved(&a, &b, 0);
    }
    s
}

#[inline(always)]
pub(super) fn vertex_count(count: usize) -> usize {
    if has(Fault::NoLastVertex) { count - 1 } else { count }
}

#[inline(always)]
pub(super) fn row(row: &[f32]) -> &[f32] {
    if has(Fault::FirstBlock) { &row[..LANES + 1] } else { row }
}
