//! Holds a polygon as the page does: a ring, an angle and a position.

use sat2d::glam::DVec2;
use sat2d::{PolygonObject, PolygonSet, Pose, Result};
use serde::{Deserialize, Serialize};

/// The number of grid steps per unit for rotated corners: 2^20. The rounding is too small to see in a picture. With corners on
/// the grid, f64 has positions at which two rotated polygons touch exactly. With corners that use all bits of f64, there may be
/// no such positions.
const PARTS: f64 = (1u32 << 20) as f64;

/// The number of grid steps per unit for positions: 2^44. At positions on this grid, polygons can touch exactly along edges
/// whose corners were rounded to the grid of [`PARTS`].
pub(super) const PLACES: f64 = (1u64 << 44) as f64;

/// Rounds a position to the grid of [`PLACES`].
pub(super) fn place(at: DVec2) -> DVec2 {
    (at * PLACES).round() / PLACES
}

/// A ring that is rotated counter-clockwise by `degrees` about its own origin, and then moved by `(x, y)`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Shape {
    pub(super) ring: Vec<[f64; 2]>,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) degrees: f64,
}

impl Shape {
    /// Returns the rotated ring about its own origin. Its corners are rounded to the grid of [`PARTS`]. Returns the error of
    /// the pose if the angle is not finite.
    pub(super) fn turned(&self) -> Result<Vec<DVec2>> {
        let turn = Pose::new(self.degrees.to_radians(), DVec2::ZERO)?;
        Ok(self.ring.iter().map(|&v| (turn.apply(v.into()) * PARTS).round() / PARTS).collect())
    }

    /// Returns the ring in the world: rotated, and moved to its rounded position. Queries and drawings use this ring. Returns the
    /// errors of [`Shape::turned`].
    pub(super) fn world(&self) -> Result<Vec<DVec2>> {
        let at = place(DVec2::new(self.x, self.y));
        Ok(self.turned()?.into_iter().map(|v| v + at).collect())
    }

    pub(super) fn moved_to(&self, at: DVec2) -> Self {
        Self { x: at.x, y: at.y, ..self.clone() }
    }

    /// Returns the polygon in the world, in convex pieces. Returns an error if the ring is not valid.
    pub(super) fn object(&self) -> Result<PolygonObject> {
        PolygonObject::from_polygon(&[self.world()?])
    }
}

/// The outline of a polygon for the drawing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Outline {
    /// The ring of the polygon at its rotated and moved position.
    pub(super) ring: Vec<[f64; 2]>,
    /// The convex pieces. A convex polygon has one piece with the same corners.
    pub(super) pieces: Vec<Vec<[f64; 2]>>,
}

impl Outline {
    pub(super) fn new(shape: &Shape, object: &PolygonObject) -> Result<Self> {
        let pieces = object.pieces().iter().map(|piece| plain(piece.vertices())).collect();
        Ok(Self { ring: plain(&shape.world()?), pieces })
    }
}

pub(super) fn plain(vertices: &[DVec2]) -> Vec<[f64; 2]> {
    vertices.iter().map(DVec2::to_array).collect()
}

/// Returns a set whose only object is `object`.
pub(super) fn set_of(object: &PolygonObject) -> Result<PolygonSet> {
    PolygonSet::from_objects(std::slice::from_ref(object))
}

#[cfg(test)]
pub(super) fn square(x: f64, y: f64, degrees: f64) -> Shape {
    Shape { ring: vec![[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]], x, y, degrees }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_is_exact_and_any_other_is_within_the_grid() {
        let turned = square(5.0, 0.125, 90.0).world().expect("a square");
        assert_eq!(plain(&turned), [[6.0, -0.875], [6.0, 1.125], [4.0, 1.125], [4.0, -0.875]]);
        let turned = square(0.0, 0.0, 45.0).world().expect("a square");
        assert!((turned[0].y + 2f64.sqrt()).abs() <= 0.5 / PARTS);
        assert_eq!(turned[0].y * PARTS, (turned[0].y * PARTS).round());
    }
}
