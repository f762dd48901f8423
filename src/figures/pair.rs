use glam::DVec2;

use crate::geometry::Pose;

/// One of the two polygons of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
// As wide as what stands beside it: copies of parts of words wait for each other.
#[repr(u32)]
pub enum PairSide {
    /// The first.
    A,
    /// The second.
    B,
}

impl std::fmt::Display for PairSide {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::A => "A",
            Self::B => "B",
        })
    }
}

/// An edge of one polygon of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairEdge {
    /// Whose it is.
    pub side: PairSide,
    /// The vertex that it starts at: edge `k` goes from vertex `k` to the next of
    /// [`PolygonSet::piece_vertices`](crate::PolygonSet::piece_vertices).
    pub index: u32,
}

/// A vertex or an edge of a polygon, by its number in [`PolygonSet::piece_vertices`](crate::PolygonSet::piece_vertices).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
// As [`PairSide`].
#[repr(u32)]
pub enum PairFeature {
    /// The vertex of this number.
    Vertex(u32),
    /// The edge that starts at the vertex of this number, between its ends.
    Edge(u32),
}

/// What of either polygon a point lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairFeatures {
    /// Of A.
    pub a: PairFeature,
    /// Of B.
    pub b: PairFeature,
}

/// How a body moves: every point of it at `linear`, and around `centre` at `angular`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// The velocity of the centre, in the caller's unit per unit of time.
    pub linear: DVec2,
    /// Counter-clockwise, in radians per unit of time.
    pub angular: f64,
    /// What it turns about, in the world.
    pub centre: DVec2,
}

impl Motion {
    /// None.
    pub const REST: Self = Self { linear: DVec2::ZERO, angular: 0.0, centre: DVec2::ZERO };

    /// The motion of an instance that turns about the origin of its shape, which stands at the pose's translation.
    #[must_use]
    pub fn about_pose(pose: &Pose, linear: DVec2, angular: f64) -> Self {
        Self { linear, angular, centre: pose.translation() }
    }

    /// Where a point of the body is after some time: `centre + R (point - centre) + linear time`, R being the turn by
    /// `angular time`.
    ///
    /// ```
    /// use sat2d::{Motion, glam::DVec2};
    /// let motion = Motion { linear: DVec2::X, angular: std::f64::consts::FRAC_PI_2, centre: DVec2::ZERO };
    /// assert!(motion.place(DVec2::new(2.0, 0.0), 1.0).distance(DVec2::new(1.0, 2.0)) < 1e-15);
    /// ```
    #[must_use]
    pub fn place(&self, point: DVec2, time: f64) -> DVec2 {
        let arm = point - self.centre;
        let (sin, half) = ((self.angular * time).sin(), (self.angular * time * 0.5).sin());
        // The way that it goes is small beside the arm where the turn is small.
        point + self.linear * time + arm * (-2.0 * half * half) + arm.perp() * sin
    }

    /// The velocity of the body at a point of the world.
    #[must_use]
    pub fn velocity_at(&self, point: DVec2) -> DVec2 {
        self.linear + (point - self.centre).perp() * self.angular
    }
}
