//! Exact containment: which of two objects covers the other object.

/// Which of two objects, A and B, covers the other. Objects are closed regions. The answer is exact for every input
/// that the library accepts.
///
/// A covers B if every point of B is a point of A. An object consists of the points of its interior and of its border. The
/// borders of A and B may have common points. GEOS, Shapely and PostGIS call this predicate `covers`. If two objects cover each
/// other, their regions are equal. The order of vertices and the split into pieces do not affect the answer. If an object covers
/// another object, the two objects overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[repr(u8)]
pub enum Containment {
    /// Neither object covers the other, or one of the objects has no region.
    Neither = 0,
    /// A covers B, and the regions differ.
    Covers = 1,
    /// B covers A, and the regions differ.
    CoveredBy = 2,
    /// Each object covers the other: the regions are equal.
    Equal = 3,
}

impl Containment {
    /// Returns the name of the containment in files: `neither`, `covers` (A covers B), `covered-by` (B covers A) or
    /// `equal`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Neither => "neither",
            Self::Covers => "covers",
            Self::CoveredBy => "covered-by",
            Self::Equal => "equal",
        }
    }

    /// Returns whether A covers B. The result is also `true` if A and B are equal.
    #[must_use]
    pub fn a_covers_b(self) -> bool {
        matches!(self, Self::Covers | Self::Equal)
    }

    /// Returns whether B covers A. The result is also `true` if A and B are equal.
    #[must_use]
    pub fn b_covers_a(self) -> bool {
        matches!(self, Self::CoveredBy | Self::Equal)
    }

    /// Returns the containment with the roles of A and B exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self::of(self.b_covers_a(), self.a_covers_b())
    }

    pub(crate) fn of(a_covers_b: bool, b_covers_a: bool) -> Self {
        match (a_covers_b, b_covers_a) {
            (false, false) => Self::Neither,
            (true, false) => Self::Covers,
            (false, true) => Self::CoveredBy,
            (true, true) => Self::Equal,
        }
    }
}

impl std::fmt::Display for Containment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A pair of objects in which one object covers the other. An index is the position of the object in the caller's
/// input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CoveringPair {
    /// Index of the object in the first set. In a self-join, the lower of the two indices.
    pub a: u32,
    /// Index of the object in the second set. In a self-join, the higher of the two indices.
    pub b: u32,
    /// Which object covers the other. The value is never [`Containment::Neither`].
    pub containment: Containment,
}
