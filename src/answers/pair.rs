//! Features of the polygons of a pair, and motions of bodies.

use glam::DVec2;

use crate::base::angles::sin_cos;
use crate::base::side::PairSide;
use crate::geometry::Pose;

/// An edge of one polygon of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PairEdge {
    /// The polygon that the edge belongs to.
    pub side: PairSide,
    /// Index of the edge. Edge `k` runs from vertex `k` to the next vertex of
    /// [`PolygonSet::piece_vertices`](crate::PolygonSet::piece_vertices).
    pub index: u32,
}

impl PairEdge {
    /// Returns the edge with the roles of A and B exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { side: self.side.other(), ..self }
    }
}

/// A vertex or an edge of a polygon. Each index is an index into
/// [`PolygonSet::piece_vertices`](crate::PolygonSet::piece_vertices).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
// The tag has 32 bits, like the index. A narrower tag would leave padding, and copying the value would take longer.
#[repr(u32)]
pub enum PairFeature {
    /// The vertex with this index.
    Vertex(u32),
    /// The edge that starts at the vertex with this index, without its ends.
    Edge(u32),
}

/// The feature of A and the feature of B at a contact point or at the closest points. A feature is a vertex or an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PairFeatures {
    /// The feature of A.
    pub a: PairFeature,
    /// The feature of B.
    pub b: PairFeature,
}

impl PairFeatures {
    /// Returns the features with the roles of A and B exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { a: self.b, b: self.a }
    }
}

/// The motion of a body. The centre of rotation moves with velocity `linear`, and the body rotates about this centre
/// with angular velocity `angular`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Motion {
    /// The velocity of the centre, in the caller's unit per unit of time.
    pub linear: DVec2,
    /// Angular velocity, in radians per unit of time, counter-clockwise.
    pub angular: f64,
    /// The centre of rotation at the start of the motion, in world coordinates.
    pub centre: DVec2,
}

impl Motion {
    /// The motion of a body at rest.
    pub const REST: Self = Self { linear: DVec2::ZERO, angular: 0.0, centre: DVec2::ZERO };

    /// Returns the motion of an instance that rotates about the origin of its shape. In world coordinates, the origin
    /// of the shape is the translation of `pose`.
    #[must_use]
    pub fn about_pose(pose: &Pose, linear: DVec2, angular: f64) -> Self {
        Self { linear, angular, centre: pose.translation() }
    }

    /// Returns the position of a point of the body after the given time: `centre + R (point - centre) + linear time`,
    /// where R is the rotation by `angular time`.
    ///
    /// ```
    /// use sat2d::{Motion, glam::DVec2};
    /// let motion = Motion { linear: DVec2::X, angular: std::f64::consts::FRAC_PI_2, centre: DVec2::ZERO };
    /// assert!(motion.place(DVec2::new(2.0, 0.0), 1.0).distance(DVec2::new(1.0, 2.0)) < 1e-15);
    /// ```
    #[must_use]
    pub fn place(&self, point: DVec2, time: f64) -> DVec2 {
        let arm = point - self.centre;
        let angle = self.angular * time;
        let (sin, half) = (sin_cos(angle).0, sin_cos(angle * 0.5).0);
        // For small angles, the displacement is small relative to the arm, so it is computed by itself and then added to the
        // point.
        point + self.linear * time + arm * (-2.0 * half * half) + arm.perp() * sin
    }

    /// Returns the velocity of a point of the body at the start of the motion. `point` is the position in the world.
    #[must_use]
    pub fn velocity_at(&self, point: DVec2) -> DVec2 {
        self.linear + (point - self.centre).perp() * self.angular
    }
}
