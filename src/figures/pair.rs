use glam::DVec2;

/// One of the two polygons of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairSide {
    /// The first.
    A,
    /// The second.
    B,
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

    /// The velocity of the body at a point of the world.
    #[must_use]
    pub fn velocity_at(&self, point: DVec2) -> DVec2 {
        self.linear + (point - self.centre).perp() * self.angular
    }
}
