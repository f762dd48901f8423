use glam::DVec2;

/// An axis-aligned bounding box, closed, in the caller's unit and frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Least x and least y.
    pub min: DVec2,
    /// Greatest x and greatest y.
    pub max: DVec2,
}

impl Aabb {
    /// The box that contains nothing: the identity of [`Aabb::union`]. It meets no box.
    pub const EMPTY: Self = Self { min: DVec2::INFINITY, max: DVec2::NEG_INFINITY };

    /// The least box around `points`; [`Aabb::EMPTY`] if there are none.
    #[must_use]
    pub fn around(points: &[DVec2]) -> Self {
        points.iter().fold(Self::EMPTY, |b, &p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// The least box around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Whether the two closed boxes have a point in common; boxes that share an edge or a corner do.
    ///
    /// ```
    /// use sat2d::Aabb;
    /// let a = Aabb { min: [0.0, 0.0].into(), max: [1.0, 1.0].into() };
    /// let b = Aabb { min: [1.0, 1.0].into(), max: [2.0, 2.0].into() };
    /// assert!(a.meets(b));
    /// assert!(!a.meets(Aabb::EMPTY));
    /// ```
    #[inline]
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        self.min.x <= other.max.x
            && other.min.x <= self.max.x
            && self.min.y <= other.max.y
            && other.min.y <= self.max.y
    }

    /// Whether every point of the other closed box is one of this box.
    #[inline]
    #[must_use]
    pub fn covers(self, other: Self) -> bool {
        self.min.x <= other.min.x
            && self.min.y <= other.min.y
            && self.max.x >= other.max.x
            && self.max.y >= other.max.y
    }
}
