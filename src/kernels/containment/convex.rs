//! Containment and overlap of convex polygons by exact predicates. The vertices are f64 coordinates, or exact images of
//! posed vertices.

use glam::DVec2;

use crate::geometry::posed_image::{self, BigPoint, posed_image};
use crate::geometry::predicates::{self, edges};
use crate::geometry::{Piece, Pose};

/// A vertex of a polygon on which exact predicates can be evaluated.
pub(super) trait Vertex: PartialEq + Sized + Sync {
    /// Returns the orientation: positive if `r` lies to the left of the line from `p` to `q`, negative if it lies to
    /// the right, and 0 if it lies on the line.
    fn orientation(p: &Self, q: &Self, r: &Self) -> f64;

    /// Returns the coordinates of the vertex as integers in the unit of [`posed_image()`].
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

/// Returns whether `outer` covers `inner`. Both polygons are convex, so this is true if every vertex of `inner` is
/// inside each edge of `outer` or on its line.
pub(super) fn covers<V: Vertex>(outer: &[V], inner: &[V]) -> bool {
    edges(outer).all(|(p, q)| inner.iter().all(|v| V::orientation(p, q, v) >= 0.0))
}

/// Returns whether the interiors of two convex polygons meet. They do not meet if and only if, for some edge of one
/// polygon, every vertex of the other polygon is outside the edge or on its line.
pub(super) fn overlap<V: Vertex>(a: &[V], b: &[V]) -> bool {
    let reaches = |a: &[V], b: &[V]| edges(a).all(|(p, q)| b.iter().any(|v| V::orientation(p, q, v) > 0.0));
    reaches(a, b) && reaches(b, a)
}
