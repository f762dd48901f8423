use std::ptr;

use boxdd_sys::ffi::{
    b2CollidePolygons, b2DistanceInput, b2DistanceOutput, b2LocalManifold, b2Polygon, b2ShapeDistance,
    b2ShapeProxy, b2SimplexCache,
};

use super::{Each, Shapes};
use crate::narrow::box2d::{IDENTITY, polygon, proxy};
use crate::{AnyError, Rings};

/// Measures with `b2CollidePolygons`.
pub(super) fn collide(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    Each::new(rings, polygon, manifold, |found: &b2LocalManifold| {
        let points = found.points.iter().take(found.pointCount as usize);
        points.map(|point| f64::from(point.separation)).reduce(f64::min)
    })
}

/// Measures with `b2ShapeDistance`, which uses GJK.
pub(super) fn distance(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    Each::new(rings, proxy, closest, |found: &b2DistanceOutput| Some(f64::from(found.distance)))
}

#[allow(unsafe_code)]
fn manifold(a: &b2Polygon, b: &b2Polygon) -> b2LocalManifold {
    // SAFETY: both pointers refer to complete polygons with 3 to 8 vertices and as many normals, which the function
    // only reads.
    unsafe { b2CollidePolygons(a, b, IDENTITY) }
}

#[allow(unsafe_code)]
fn closest(a: &b2ShapeProxy, b: &b2ShapeProxy) -> b2DistanceOutput {
    let input = b2DistanceInput { proxyA: *a, proxyB: *b, transform: IDENTITY, useRadii: false };
    let mut cache = b2SimplexCache { count: 0, indexA: [0; 3], indexB: [0; 3] };
    // SAFETY: the input has two proxies of 3 to 8 points. A search starts with an empty cache. The null pointer is
    // allowed, because the given number of simplexes is 0.
    unsafe { b2ShapeDistance(&input, &mut cache, ptr::null_mut(), 0) }
}
