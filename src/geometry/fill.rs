//! Fill rules: which points are inside a polygon whose rings may cross.

/// A rule that says which points the rings of a polygon enclose. With a rule, rings may cross themselves and each other, and a
/// hole may leave its shell. Without a rule, such a polygon is an error.
///
/// The winding number of a point counts how often the rings go around the point, counter-clockwise minus clockwise.
///
/// ```
/// use sat2d::{Coordinates, Fill, PolygonColumns, PolygonSet};
/// // A bow tie: the second edge crosses the fourth edge.
/// let xy = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]];
/// let columns = PolygonColumns::new(Coordinates::Interleaved(&xy), [0, 4].as_slice());
/// assert!(PolygonSet::from_columns(&columns).is_err());
/// let built = PolygonSet::from_valid_columns(&columns.fill(Fill::EvenOdd))?;
/// assert!(built.invalid.is_empty());
/// assert_eq!(built.filled.len(), 1, "the bow tie is listed");
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Fill {
    /// A point is inside if its winding number is odd. The directions of the rings have no effect. A polygon without
    /// crossings has the same region as without a rule.
    EvenOdd,
    /// A point is inside if its winding number is not 0. The caller determines the direction of each ring: a hole that
    /// has the direction of its shell is filled.
    NonZero,
}

impl Fill {
    /// Returns whether points with this winding number are inside.
    #[inline]
    pub(crate) fn contains(self, winding: i32) -> bool {
        match self {
            Self::EvenOdd => winding & 1 == 1,
            Self::NonZero => winding != 0,
        }
    }
}
