//! Distances of pairs.

use glam::DVec2;

use crate::answers::pair::PairFeatures;

/// The distance between two convex polygons.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Distance {
    /// Euclidean distance, in the caller's unit. The error is at most [`MEASUREMENT_BOUND`](crate::MEASUREMENT_BOUND)
    /// times the size of the pair. The distance is 0 if and only if the polygons have a common point. Exact arithmetic
    /// decides whether the polygons have a common point.
    pub distance: f64,
    /// The greatest gap over the edges of both polygons, in the caller's unit. [`Penetration`](crate::Penetration) defines the
    /// gap of an edge. The greatest gap is at most the distance. For two polygons, the greatest gap is negative if and only if
    /// the polygons overlap, and 0 if and only if the polygons touch.
    pub separation: f64,
    /// The closest points, or `None` if the polygons meet.
    pub closest: Option<Closest>,
}

/// The closest points of two polygons that are apart. The error is at most
/// [`MEASUREMENT_BOUND`](crate::MEASUREMENT_BOUND) times the size of the pair, plus half an ulp of the coordinate.
/// Several pairs of points may be equally near, for example if the closest edges are parallel. Every backend then
/// returns the same pair of points.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Closest {
    /// The closest point of A, in world coordinates.
    pub point_a: DVec2,
    /// The closest point of B, in world coordinates.
    pub point_b: DVec2,
    /// The features on which the two points lie. A feature is a vertex, or an edge without its ends.
    pub features: PairFeatures,
}

impl Closest {
    /// Returns the closest points with the roles of A and B exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { point_a: self.point_b, point_b: self.point_a, features: self.features.swapped() }
    }
}
