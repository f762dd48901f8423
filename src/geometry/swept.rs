//! The region that a moving polygon sweeps.

use glam::DVec2;

use super::ConvexPolygon;
use super::convex_polygon::check_coordinates;
use super::hull::convex_hull;
use crate::base::error::Result;

impl ConvexPolygon {
    /// Returns the region that the polygon sweeps while it moves by the vector `way`, without rotation. `way` is in the
    /// caller's unit. The region is the convex hull of the vertices before and after the move. The vertices after the
    /// move are rounded to f64.
    ///
    /// # Errors
    /// Returns [`Error::NotFinite`](crate::Error::NotFinite) or [`Error::OutOfRange`](crate::Error::OutOfRange) if a
    /// vertex is invalid after the move.
    ///
    /// ```
    /// use sat2d::ConvexPolygon;
    /// let square = ConvexPolygon::new(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])?;
    /// let swept = square.swept([3.0, 2.0])?;
    /// let vertices: Vec<_> = swept.vertices().iter().map(|v| v.to_array()).collect();
    /// assert_eq!(vertices, [[0.0, 0.0], [1.0, 0.0], [4.0, 2.0], [4.0, 3.0], [3.0, 3.0], [0.0, 1.0]]);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    pub fn swept(&self, way: impl Into<DVec2>) -> Result<Self> {
        let way = way.into();
        let mut points: Vec<[f64; 2]> = Vec::with_capacity(2 * self.vertices().len());
        for (i, &here) in self.vertices().iter().enumerate() {
            let there = here + way;
            check_coordinates(there, i)?;
            // Adding 0 turns -0 into 0, because `convex_hull` does not accept -0.
            points.extend([(here + DVec2::ZERO).to_array(), (there + DVec2::ZERO).to_array()]);
        }
        Self::new(&convex_hull(&points))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::Error;

    fn square() -> ConvexPolygon {
        ConvexPolygon::new(&[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]).expect("a square")
    }

    #[test]
    fn along_an_edge_there_are_no_more_vertices_and_at_rest_it_is_itself() {
        assert_eq!(square().swept([5.0, 0.0]).map(|s| s.vertices().len()).ok(), Some(4));
        assert_eq!(square().swept([0.0, 0.0]).ok(), Some(square()));
    }

    #[test]
    fn what_goes_out_of_the_accepted_range_is_an_error() {
        assert!(matches!(square().swept([f64::NAN, 0.0]), Err(Error::NotFinite { vertex: 0, .. })));
        assert!(matches!(square().swept([1e61, 0.0]), Err(Error::OutOfRange { vertex: 0, .. })));
    }
}
