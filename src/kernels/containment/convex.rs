//! Containment and overlap of convex polygons by exact predicates. The vertices are f64 coordinates, or exact images of
//! posed vertices.

use glam::DVec2;

use crate::geometry::posed_image::{self, BigPoint, posed_image};
use crate::geometry::{Piece, Pose, predicates};

/// A vertex whose position exact predicates can compute with.
pub(super) trait Vertex: PartialEq + Sized + Sync {
    /// Positive where `r` lies to the left of the line from `p` to `q`, negative where it lies to the right, 0 on it.
    fn orientation(p: &Self, q: &Self, r: &Self) -> f64;

    /// The vertex in the integers of [`posed_image()`].
    fn image(&self) -> BigPoint;
}

impl Vertex for DVec2 {
    #[inline]
    fn orientation(p: &Self, q: &Self, r: &Self) -> f64 {
        predicates::orientation(*p, *q, *r)
    }

    fn image(&self) -> BigPoint {
        posed_image(Piece { vertices: std::slice::from_ref(self), pose: Pose::IDENTITY }).remove(0)
    }
}

impl Vertex for BigPoint {
    fn orientation(p: &Self, q: &Self, r: &Self) -> f64 {
        posed_image::orientation(p, q, r)
    }

    fn image(&self) -> BigPoint {
        self.clone()
    }
}

/// Whether every vertex of `inner` is on the inner side of every edge of `outer`, or on the edge. `outer` is convex, so
/// it then contains all points between these vertices.
pub(super) fn covers<V: Vertex>(outer: &[V], inner: &[V]) -> bool {
    edges(outer).all(|(p, q)| inner.iter().all(|v| V::orientation(p, q, v) >= 0.0))
}

/// Whether the interiors meet: no edge of either has all of the other outside or on its line.
pub(super) fn overlap<V: Vertex>(a: &[V], b: &[V]) -> bool {
    let reaches = |a: &[V], b: &[V]| edges(a).all(|(p, q)| b.iter().any(|v| V::orientation(p, q, v) > 0.0));
    reaches(a, b) && reaches(b, a)
}

/// The edges of a polygon, from vertex to vertex.
pub(super) fn edges<V>(polygon: &[V]) -> impl Iterator<Item = (&V, &V)> {
    (0..polygon.len()).map(|i| (&polygon[i], &polygon[(i + 1) % polygon.len()]))
}
