//! Measurements of pairs in f32 for worlds, and CPU twins of the device kernels that choose features. These kernels
//! process eight edges at a time, and read the same records as the f32 filter.

#[cfg(all(test, feature = "scenes"))]
mod broken_tests;
#[cfg(all(test, feature = "scenes"))]
pub(crate) mod checks;
pub(crate) mod clips;
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

/// Returns the size of a pair, in quanta of the [`Grid`](crate::packed::grid::Grid): the sum of both radii and the
/// greater of |o.x| and |o.y|. `o` is the vector from the anchor of A to the anchor of B.
///
/// The bound [`crate::FIGURE_BOUND`] on the error of a kernel is a fraction of this size. [`crate::MEASUREMENT_BOUND`]
/// defines the size of a pair by the boxes of the polygons. This function uses their radii and anchors instead.
#[inline(always)]
fn size_of_pair(a: &Head, b: &Head, o: [f32; 2]) -> f32 {
    a.radius + b.radius + super::simd::distance(o)
}
