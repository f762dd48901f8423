use std::ffi::{c_char, c_int};
use std::ptr;
use std::sync::Once;

use boxdd_sys::ffi::{
    b2CollidePolygons, b2DistanceInput, b2Polygon, b2Rot, b2SetAssertFcn, b2ShapeDistance, b2ShapeProxy,
    b2SimplexCache, b2Transform, b2Vec2,
};

use super::{Each, Shapes};
use crate::{AnyError, Rings};

static ONCE: Once = Once::new();
const ZERO: b2Vec2 = b2Vec2 { x: 0.0, y: 0.0 };
pub(crate) const IDENTITY: b2Transform = b2Transform { p: ZERO, q: b2Rot { c: 1.0, s: 0.0 } };

/// Makes Box2D continue after a failed assertion, in case it was built with assertions. Box2D then behaves as if it was built
/// without assertions.
#[allow(unsafe_code)]
pub(crate) fn expect_anything() {
    unsafe extern "C" fn go_on(_: *const c_char, _: *const c_char, _: c_int) -> c_int {
        0
    }
    // SAFETY: `b2SetAssertFcn` may be called at any time, from any thread. `go_on` reads none of its arguments.
    ONCE.call_once(|| unsafe { b2SetAssertFcn(Some(go_on)) });
}

/// Returns a text with the version of Box2D and `what`, the name of the called function.
pub(crate) fn says(what: &str) -> String {
    format!("Box2D v3 at {}, {what}", &boxdd_sys::UPSTREAM_SHA[..12])
}

/// Tests pairs with `b2CollidePolygons`, which also computes contact points.
pub(super) fn manifold(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    expect_anything();
    Each::new(rings, polygon, collide)
}

/// Tests pairs with `b2ShapeDistance`, which uses GJK.
pub(super) fn distance(rings: &Rings) -> Result<impl Shapes + use<>, AnyError> {
    expect_anything();
    Each::new(rings, proxy, no_distance)
}

/// Returns a polygon with the given vertices, or `None` if there are more than 8. Does not use `b2ComputeHull`, because it
/// would weld vertices within 0.02 of each other.
pub(crate) fn polygon(ring: &[[f64; 2]]) -> Option<b2Polygon> {
    let proxy = proxy(ring)?;
    let mut normals = [ZERO; 8];
    let mut centroid = ZERO;
    for (i, p) in ring.iter().enumerate() {
        let q = ring[(i + 1) % ring.len()];
        let edge = [q[0] - p[0], q[1] - p[1]];
        let length = (edge[0] * edge[0] + edge[1] * edge[1]).sqrt();
        normals[i] = b2Vec2 { x: (edge[1] / length) as f32, y: (-edge[0] / length) as f32 };
        // `centroid` becomes the mean of the vertices. The functions for collisions do not read it.
        centroid.x += p[0] as f32 / ring.len() as f32;
        centroid.y += p[1] as f32 / ring.len() as f32;
    }
    Some(b2Polygon { vertices: proxy.points, normals, centroid, radius: 0.0, count: proxy.count })
}

pub(crate) fn proxy(ring: &[[f64; 2]]) -> Option<b2ShapeProxy> {
    let mut points = [ZERO; 8];
    for (point, v) in points.get_mut(..ring.len())?.iter_mut().zip(ring) {
        *point = b2Vec2 { x: v[0] as f32, y: v[1] as f32 };
    }
    Some(b2ShapeProxy { points, count: ring.len() as i32, radius: 0.0 })
}

#[allow(unsafe_code)]
pub(crate) fn collide(a: &b2Polygon, b: &b2Polygon) -> bool {
    // SAFETY: both pointers refer to complete polygons with 3 to 8 vertices and as many normals, which the function
    // only reads.
    let manifold = unsafe { b2CollidePolygons(a, b, IDENTITY) };
    // The function also makes points for polygons that are apart by up to its speculative distance.
    manifold.points.iter().take(manifold.pointCount as usize).any(|point| point.separation <= 0.0)
}

#[allow(unsafe_code)]
pub(crate) fn no_distance(a: &b2ShapeProxy, b: &b2ShapeProxy) -> bool {
    let input = b2DistanceInput { proxyA: *a, proxyB: *b, transform: IDENTITY, useRadii: false };
    let mut cache = b2SimplexCache { count: 0, indexA: [0; 3], indexB: [0; 3] };
    // SAFETY: the input has two proxies of 3 to 8 points. A search starts with an empty cache. The null pointer is
    // allowed, because the given number of simplexes is 0.
    let output = unsafe { b2ShapeDistance(&input, &mut cache, ptr::null_mut(), 0) };
    output.distance == 0.0
}
