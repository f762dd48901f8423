//! Error bounds of measurements.

#[cfg(doc)]
use crate::{Distances, Manifolds, Penetrations};

/// The largest error of a measurement that is returned to the host, as a fraction of the size of the pair: 2^-44.
///
/// The size of a pair is a length in the caller's unit, computed from the bounding boxes of A and B. The size is the sum of
/// three lengths: half of the longer side of A's box, half of the longer side of B's box, and the distance between the
/// centres of the boxes in x or in y, whichever is larger.
///
/// The bound applies to depths, gaps, distances and positions that the queries [`Penetrations`], [`Manifolds`] and [`Distances`]
/// return. The error is the difference from exact arithmetic on the given coordinates. Positions in the world are also rounded to
/// f64, by up to half an ulp of the coordinate.
pub const MEASUREMENT_BOUND: f64 = 1.0 / (1u64 << 44) as f64;

/// The largest error of an f32 measurement, as a fraction of the size of the pair: 2^-16. [`MEASUREMENT_BOUND`] defines
/// the size. The bound applies to simulations (`sim`) and to results that stay on a device.
pub const FIGURE_BOUND: f64 = 1.0 / 65536.0;
