//! Contact manifolds of pairs.

use glam::DVec2;

use crate::answers::pair::{Motion, PairEdge, PairFeature, PairFeatures};

/// The contact manifold of two convex polygons: at most two contact points. The contact points come from clipping the
/// incident edge of one polygon against the reference edge of the other polygon (Ericson 2005, "Real-Time Collision
/// Detection", 5.5).
///
/// The reference edge is the edge of least penetration, which [`crate::Penetration`] defines. The margin is a field of
/// [`crate::Manifolds`]. Two polygons whose distance is above 0 and at most the margin also have contact points, with a
/// positive separation. If the closest features of the two polygons are two vertices, the manifold has one point, half
/// way between the vertices. In this case, the normal is the direction from A's vertex to B's vertex.
///
/// Two convex polygons that meet have at least one contact point. Two convex polygons that are apart have a contact
/// point if and only if their distance is at most the margin. There is one exception. An internal edge is a cut between
/// two pieces of one object. If the reference edge is an internal edge, the two pieces have contact points only if they
/// touch.
///
/// With a margin of 0, two convex polygons that touch at a single point have one contact point, and two convex polygons
/// that touch along a segment have a contact point at each end of the segment. If the segment is shorter than
/// [`MEASUREMENT_BOUND`](crate::MEASUREMENT_BOUND) times the size of the pair, the manifold may have only one of these
/// contact points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Manifold {
    /// The unit normal of the contact, directed from A to B.
    pub normal: DVec2,
    /// The gap between the polygons along the normal, in the caller's unit. The error is at most
    /// [`MEASUREMENT_BOUND`](crate::MEASUREMENT_BOUND) times the size of the pair. The gap of two polygons is negative
    /// if and only if the polygons overlap, and 0 if and only if the polygons touch.
    pub separation: f64,
    /// The reference edge, and the polygon that it belongs to.
    pub edge: PairEdge,
    points: [Contact; 2],
    count: usize,
}

/// A contact point of a [`Manifold`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// Position in the world, half way between the two polygons along the normal. The error is at most
    /// [`MEASUREMENT_BOUND`](crate::MEASUREMENT_BOUND) times the size of the pair, plus half an ulp of the coordinate.
    pub position: DVec2,
    /// The gap between the polygons at this point, in the caller's unit. The error is at most
    /// [`MEASUREMENT_BOUND`](crate::MEASUREMENT_BOUND) times the size of the pair. The gap is negative if the polygons
    /// overlap at this point.
    pub separation: f64,
    /// The features in contact: either a vertex of one polygon and the edge of the other polygon that faces the vertex,
    /// or two vertices. From the features, a simulation can recognise the same contact in the next step, and start from
    /// the earlier impulse.
    pub features: PairFeatures,
}

/// The velocity of B relative to A at a contact point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RelativeVelocity {
    /// Component of the velocity along the normal, in the caller's unit per unit of time. The component is negative if the bodies
    /// approach each other.
    pub normal: f64,
    /// Component of the velocity along the tangent, in the caller's unit per unit of time. The tangent is the normal, rotated
    /// counter-clockwise by a quarter turn.
    pub tangent: f64,
}

impl Manifold {
    /// Builds a manifold without contacts.
    #[doc(hidden)]
    #[must_use]
    pub fn without_points(normal: DVec2, separation: f64, edge: PairEdge) -> Self {
        let features = PairFeatures { a: PairFeature::Vertex(0), b: PairFeature::Vertex(0) };
        let none = Contact { position: DVec2::ZERO, separation: 0.0, features };
        Self { normal, separation, edge, points: [none; 2], count: 0 }
    }

    /// Adds a contact point if its gap is at most `margin` and the manifold has fewer than two points. Otherwise does nothing.
    #[doc(hidden)]
    pub fn push_within(&mut self, margin: f64, contact: Contact) {
        if contact.separation <= margin && self.count < self.points.len() {
            self.points[self.count] = contact;
            self.count += 1;
        }
    }

    /// Returns the manifold with the roles of A and B exchanged. A query on the exchanged polygons may prefer another edge
    /// with an equal gap.
    #[must_use]
    pub fn swapped(mut self) -> Self {
        // Subtracts from 0, because negating 0 would give -0.
        self.normal = DVec2::ZERO - self.normal;
        self.edge = self.edge.swapped();
        self.points.iter_mut().for_each(|contact| contact.features = contact.features.swapped());
        self
    }

    /// Returns the contact points: none, one or two. The points are in order along the reference edge, from the start
    /// of the edge to its end.
    #[must_use]
    pub fn points(&self) -> &[Contact] {
        &self.points[..self.count]
    }

    /// Returns the deepest contact point, or `None` if the manifold has no contact point. If two points are equally
    /// deep, returns the first point.
    ///
    /// For two polygons, the gap at the deepest contact point differs from [`Manifold::separation`] by at most
    /// [`MEASUREMENT_BOUND`](crate::MEASUREMENT_BOUND) times the size of the pair.
    #[must_use]
    pub fn deepest(&self) -> Option<&Contact> {
        self.points().iter().reduce(|best, next| if next.separation < best.separation { next } else { best })
    }

    /// Returns the velocity of B relative to A at a contact point. `a` is the motion of A, and `b` is the motion of B.
    ///
    /// ```
    /// use sat2d::{Backend, Engine, Manifolds, Motion, PolygonSet, glam::DVec2};
    ///
    /// let boxes = PolygonSet::from_convex_rings(&[
    ///     [[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [0.0, 1.0]],
    ///     [[1.0, 0.75], [2.0, 0.75], [2.0, 2.0], [1.0, 2.0]],
    /// ])?;
    /// let found = Engine::new(Backend::Cpu)?.piece_pairs(&boxes, &boxes, &[[0, 1]]).query(Manifolds { margin: 0.0 })?;
    /// let manifold = found.items[0];
    /// assert_eq!(manifold.points().len(), 2);
    /// let falling = Motion { linear: DVec2::new(3.0, -2.0), angular: 0.0, centre: DVec2::new(1.5, 1.5) };
    /// let velocity = manifold.relative_velocity(&manifold.points()[0], &Motion::REST, &falling);
    /// assert_eq!((velocity.normal, velocity.tangent), (-2.0, -3.0));
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[must_use]
    pub fn relative_velocity(&self, contact: &Contact, a: &Motion, b: &Motion) -> RelativeVelocity {
        let velocity = b.velocity_at(contact.position) - a.velocity_at(contact.position);
        RelativeVelocity { normal: velocity.dot(self.normal), tangent: velocity.dot(self.normal.perp()) }
    }
}
