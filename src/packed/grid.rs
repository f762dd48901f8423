//! The integer grid over a scene. Anchors are points of this grid.

use glam::{DVec2, IVec2};

use crate::geometry::Aabb;

/// The bound on the relative error of one f32 operation on a device. WGSL may return either neighbour of the exact
/// result.
#[cfg(any(feature = "gpu", all(test, feature = "scenes")))]
pub(crate) const ROUNDING: f32 = f32::EPSILON;

/// The integer grid of a scene. Anchors are `origin + quantum * (i, j)` with `|i|, |j| <= 2^30`.
///
/// The quantum is a power of two, and the origin is a multiple of the quantum. Both are chosen so that f64 represents
/// every anchor exactly. The difference of two anchors is exact in i32, so the precision does not depend on the
/// distance from the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    pub(crate) origin: DVec2,
    pub(crate) quantum: f64,
}

impl Grid {
    /// Returns a fine grid that spans `extent` and whose points f64 represents exactly. If `extent` is empty or only
    /// the point (0, 0), the quantum is 1.
    pub fn over(extent: Aabb) -> Self {
        let size = (extent.max - extent.min).max_element() * 0.5;
        let magnitude = extent.min.abs().max(extent.max.abs()).max_element();
        if !(size.is_finite() && magnitude > 0.0) {
            return Self { origin: DVec2::ZERO, quantum: 1.0 };
        }
        // Let e be the exponent of the size, and m the exponent of the magnitude. Then size < 2^(e+1) and magnitude <
        // 2^(m+1), so anchors stay within 2^29 + 1 and origins within 2^51.
        let exponent = (exponent_of(size) - 28).max(exponent_of(magnitude) - 50);
        let quantum = power_of_two(exponent);
        let centre = (extent.min + extent.max) * 0.5;
        Self { origin: (centre / quantum).round() * quantum, quantum }
    }

    /// Returns the grid point nearest to `p`, among the points with `|i|, |j| < 2^30`.
    #[inline]
    pub(crate) fn anchor(&self, p: DVec2) -> IVec2 {
        const LIMIT: f64 = (1u64 << 30) as f64 - 1.0;
        ((p - self.origin) / self.quantum).round().clamp(DVec2::splat(-LIMIT), DVec2::splat(LIMIT)).as_ivec2()
    }

    /// Returns the exact position of a grid point in the caller's frame.
    #[inline]
    pub(crate) fn position(&self, anchor: IVec2) -> DVec2 {
        self.origin + anchor.as_dvec2() * self.quantum
    }
}

/// Returns the least f32 number that is at least `x`. `x` must not be negative.
#[inline]
pub(crate) fn round_up(x: f64) -> f32 {
    debug_assert!(x >= 0.0, "{x}");
    let rounded = x as f32;
    // Avoids a branch, which would be taken at random in half of the cases. The bits of the next greater number are greater
    // by one.
    f32::from_bits(rounded.to_bits() + u32::from(f64::from(rounded) < x))
}

/// Returns the exponent of the greatest power of two that is at most `x`. `x` must be positive and normal.
pub(crate) fn exponent_of(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

pub(crate) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rounded_up_is_the_least_f32_that_is_not_below() {
        let near = |x: f64| [x.next_down(), x, x.next_up()];
        let exact = [1e-40f32, f32::MIN_POSITIVE, 0.1, 1.0, 1.5, 2.0, 3e38, f32::MAX].map(f64::from);
        for x in exact.into_iter().flat_map(near).chain([0.0, f64::MIN_POSITIVE, 0.1, 1e300, f64::INFINITY]) {
            let rounded = round_up(x);
            assert!(f64::from(rounded) >= x, "{x:e}: {rounded:e}");
            assert!(rounded == 0.0 || f64::from(rounded.next_down()) < x, "{x:e}: {rounded:e}");
        }
    }
}
