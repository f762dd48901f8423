//! A polygon as the page holds it: a ring, a turn and a place.

use sat2d::glam::DVec2;
use sat2d::{PolygonObject, PolygonSet, Pose, Result};
use serde::{Deserialize, Serialize};

/// Turned corners are put on a grid of 2^-20 units. No picture shows that, and f64 then has room for places where two
/// turned polygons touch exactly, which it need not have for corners that use all of its bits.
const PARTS: f64 = (1u32 << 20) as f64;

/// Places are on a grid of 2^-44 units: that of an exact touch on an edge whose corners are on theirs.
pub(super) const PLACES: f64 = (1u64 << 44) as f64;

/// The nearest place.
pub(super) fn place(at: DVec2) -> DVec2 {
    (at * PLACES).round() / PLACES
}

/// A ring about its own origin, turned by `degrees` counter-clockwise, then moved to `(x, y)`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Shape {
    pub(super) ring: Vec<[f64; 2]>,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) degrees: f64,
}

impl Shape {
    /// The ring, turned, about its own origin.
    pub(super) fn turned(&self) -> Result<Vec<DVec2>> {
        let turn = Pose::new(self.degrees.to_radians(), DVec2::ZERO)?;
        Ok(self.ring.iter().map(|&v| (turn.apply(v.into()) * PARTS).round() / PARTS).collect())
    }

    /// The ring in the world: what is asked about, and what is drawn.
    pub(super) fn world(&self) -> Result<Vec<DVec2>> {
        let at = place(DVec2::new(self.x, self.y));
        Ok(self.turned()?.into_iter().map(|v| v + at).collect())
    }

    pub(super) fn moved_to(&self, at: DVec2) -> Self {
        Self { x: at.x, y: at.y, ..self.clone() }
    }

    /// The polygon in the world, in convex pieces.
    pub(super) fn object(&self) -> Result<PolygonObject> {
        PolygonObject::from_polygon(&[self.world()?])
    }
}

/// What is drawn of a polygon.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Outline {
    /// As the page holds it, in the world.
    pub(super) ring: Vec<[f64; 2]>,
    /// Its convex pieces; one, of the same corners, where it is convex.
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

/// A set of one object.
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
