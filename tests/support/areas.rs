//! Computes the area that two regions have in common, in rational arithmetic, by a different method than the library.
//!
//! The library clips convex pieces by half-planes. The oracle uses only the rings, like the oracle in
//! [`super::covers`]. It cuts the plane into slabs at the vertices and at the crossings of edges, and each slab into
//! trapezoids. A trapezoid is inside a region if its middle is. Its area is its width times its height in the middle.

use num_bigint::BigInt;

use super::covers::{Region, all_trapezoids};

/// Returns three areas, in units of `2^exponent`: of the intersection of two regions, of `a`, and of `b`. Because of rounding, each
/// is too small by at most one unit per trapezoid.
pub(crate) fn areas(a: &Region, b: &Region, exponent: i64) -> [BigInt; 3] {
    let mut sums = [BigInt::ZERO, BigInt::ZERO, BigInt::ZERO];
    all_trapezoids([a, b], |width, height, [in_a, in_b]| {
        if in_a || in_b {
            let area = width.times(height).in_units(exponent);
            for (sum, counts) in sums.iter_mut().zip([in_a && in_b, in_a, in_b]) {
                if counts {
                    *sum += &area;
                }
            }
        }
        true
    });
    sums
}

/// Returns the area of a region, in units of `2^exponent`.
pub(crate) fn area(region: &Region, exponent: i64) -> BigInt {
    let [_, area, _] = areas(region, &Region::new(), exponent);
    area
}
