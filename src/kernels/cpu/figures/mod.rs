//! Measurements of pairs in f32 for worlds, and the twins of the kernels that choose features on a device: eight edges at a time,
//! from the records that the filter reads.

#[cfg(all(test, feature = "scenes"))]
mod broken_tests;
#[cfg(all(test, feature = "scenes"))]
pub(crate) mod checks;
mod closest;
mod edges;
pub(crate) mod impact;
pub(crate) mod local;
pub(crate) mod manifold;
pub(crate) mod motion;
pub(crate) mod moving;
pub(crate) mod reference;
mod steps;
pub(crate) mod touch;

use crate::packed::records::Head;

/// The size of a pair, of which [`crate::FIGURE_BOUND`] is a part, in quanta.
#[inline(always)]
fn size_of_pair(a: &Head, b: &Head, o: [f32; 2]) -> f32 {
    a.radius + b.radius + super::simd::distance(o)
}
