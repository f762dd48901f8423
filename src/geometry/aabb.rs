use glam::DVec2;

use crate::base::parallel::prelude::*;
use crate::simd::{greater, lesser};

/// A closed, axis-aligned bounding box, in the caller's unit and coordinate system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The lower left corner: the least x and the least y of the box.
    pub min: DVec2,
    /// The upper right corner: the greatest x and the greatest y of the box.
    pub max: DVec2,
}

impl Aabb {
    /// The empty box, which contains no point. [`Aabb::meets`] is `false` for the empty box and any box with a finite
    /// coordinate. The union of the empty box and another box is the other box.
    pub const EMPTY: Self = Self { min: DVec2::INFINITY, max: DVec2::NEG_INFINITY };

    /// Returns the smallest box around `points`, or [`Aabb::EMPTY`] if `points` is empty.
    #[must_use]
    pub fn around(points: &[DVec2]) -> Self {
        points.iter().fold(Self::EMPTY, |b, &p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// Returns the smallest box around both boxes.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Returns the [`Aabb::union`] of two boxes without NaN, with fewer instructions.
    #[inline(always)]
    pub(crate) fn union_without_nan(self, other: Self) -> Self {
        Self {
            min: DVec2::new(lesser(self.min.x, other.min.x), lesser(self.min.y, other.min.y)),
            max: DVec2::new(greater(self.max.x, other.max.x), greater(self.max.y, other.max.y)),
        }
    }

    /// Returns the smallest box around all of `boxes`, or [`Aabb::EMPTY`] if there are no boxes. No coordinate of the
    /// boxes may be NaN.
    pub(crate) fn around_all(boxes: &[Self]) -> Self {
        /// The number of boxes that one parallel task reads.
        const TASK: usize = 4096;
        // Handling NaN would take most of the time.
        let both = Self::union_without_nan;
        let parts = boxes.par_chunks(TASK).map(|boxes| boxes.iter().copied().fold(Self::EMPTY, both));
        parts.reduce_with(both).unwrap_or(Self::EMPTY)
    }

    /// Returns whether the two closed boxes have a common point. Boxes that share only an edge or a corner meet. The
    /// result has no meaning for [`Aabb::EMPTY`] and a box that is infinite in all four directions.
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

    /// Returns whether this closed box contains every point of the other closed box.
    #[inline]
    #[must_use]
    pub fn covers(self, other: Self) -> bool {
        self.min.x <= other.min.x
            && self.min.y <= other.min.y
            && self.max.x >= other.max.x
            && self.max.y >= other.max.y
    }
}
