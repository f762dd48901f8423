//! Penetrations of pairs.

use glam::DVec2;

use crate::answers::pair::PairEdge;

/// The depth of the overlap of two convex polygons. If the polygons are disjoint, the value is the width of the gap
/// between them.
///
/// The gap of an edge is the least signed distance of the other polygon's vertices from the line of the edge. The
/// signed distance is positive on the outer side of the edge. The deciding edge is the edge of either polygon with the
/// greatest gap (the separating axis theorem; Ericson 2005, "Real-Time Collision Detection", 5.2.1 and 5.5). If the
/// polygons overlap, the deciding edge gives the least translation that separates the polygons, even if one polygon
/// contains the other. Two gaps may count as equal if they differ by at most
/// [`MEASUREMENT_BOUND`](crate::MEASUREMENT_BOUND) times the size of the pair. Among edges with equal gaps, every
/// backend prefers A's edges to B's edges, and among the edges of one polygon the edge with the lowest index.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Penetration {
    /// Unit normal, from A to B, rounded to f64. If the deciding edge is an edge of A, the normal points out of A. If
    /// the deciding edge is an edge of B, the normal points into B.
    pub normal: DVec2,
    /// The gap of the deciding edge, in the caller's unit. The error is at most
    /// [`MEASUREMENT_BOUND`](crate::MEASUREMENT_BOUND) times the size of the pair.
    ///
    /// For two polygons, the sign of the gap is exact: negative for overlapping polygons, 0 for touching polygons, and
    /// positive for disjoint polygons. A positive gap is at most the distance. For two rounded shapes that are apart,
    /// the gap is the distance.
    pub separation: f64,
    /// The deciding edge. The edge is `None` for rounded shapes whose closest features are two corners.
    pub edge: Option<PairEdge>,
}

impl Penetration {
    /// Returns the length of the least translation that separates the two polygons: 0 or more, in the caller's unit. The depth of
    /// two polygons is positive if and only if the polygons overlap.
    #[must_use]
    pub fn depth(&self) -> f64 {
        (-self.separation).max(0.0)
    }

    /// Returns the minimum translation vector of A. If A moves by this vector, A touches B from outside, up to
    /// rounding.
    #[must_use]
    pub fn minimum_translation_of_a(&self) -> DVec2 {
        -self.normal * self.depth()
    }

    /// Returns the penetration with the roles of A and B exchanged. A query on the exchanged polygons may prefer another edge
    /// with an equal gap.
    #[must_use]
    pub fn swapped(self) -> Self {
        let edge = self.edge.map(PairEdge::swapped);
        // Subtracts from 0, because negating 0 would give -0.
        Self { normal: DVec2::ZERO - self.normal, edge, ..self }
    }

    /// Returns the minimum translation vector of B, which is the opposite of the minimum translation vector of A.
    #[must_use]
    pub fn minimum_translation_of_b(&self) -> DVec2 {
        self.normal * self.depth()
    }
}
