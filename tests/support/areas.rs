//! Computes the area that two regions have in common, in rational arithmetic, by a different method than the library.
//!
//! The library clips convex pieces by half-planes. The oracle uses only the rings, like the oracle in
//! [`super::covers`]. It cuts the plane into slabs at the vertices and at the crossings of edges, and each slab into
//! trapezoids. A trapezoid is inside a region if its middle is. Its area is its width times its height in the middle.

use num_bigint::BigInt;

use super::covers::{Rational, Region, contains, crossing, edges_of, height};

/// Returns the area of the intersection of two regions, in units of `2^exponent`. Because of rounding, the result is too small
/// by at most one unit per trapezoid.
pub(crate) fn common_area(a: &Region, b: &Region, exponent: i64) -> BigInt {
    area_where(&[a, b], exponent, |[in_a, in_b]| in_a && in_b)
}

/// Returns the area of a region, in units of `2^exponent`.
pub(crate) fn area(region: &Region, exponent: i64) -> BigInt {
    area_where(&[region, region], exponent, |[is_in, _]| is_in)
}

fn area_where(regions: &[&Region; 2], exponent: i64, counts: impl Fn([bool; 2]) -> bool) -> BigInt {
    let edges: Vec<_> = regions.iter().flat_map(|region| edges_of(region)).collect();
    let mut stops: Vec<Rational> = edges.iter().flatten().map(|v| v[0].clone()).collect();
    for (k, e) in edges.iter().enumerate() {
        stops.extend(edges[..k].iter().filter_map(|f| crossing(*e, *f)));
    }
    stops.sort_by(Rational::compare);
    stops.dedup_by(|p, q| p.compare(q).is_eq());
    let mut sum = BigInt::ZERO;
    for slab in stops.windows(2) {
        let x = slab[0].plus(&slab[1]).halved();
        let width = slab[1].minus(&slab[0]);
        let mut heights: Vec<Rational> = edges.iter().filter_map(|e| height(*e, &x)).collect();
        heights.sort_by(Rational::compare);
        heights.dedup_by(|p, q| p.compare(q).is_eq());
        for between in heights.windows(2) {
            let middle = [x.clone(), between[0].plus(&between[1]).halved()];
            if counts([contains(regions[0], &middle), contains(regions[1], &middle)]) {
                sum += width.times(&between[1].minus(&between[0])).in_units(exponent);
            }
        }
    }
    sum
}
