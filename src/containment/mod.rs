//! Which of two objects covers the other, exactly.

mod convex;
mod join;
mod line;
mod region;

use crate::engine::Choice;
use crate::geometry::PolygonSet;
use crate::results::{Counts, Join, Timings};

pub(crate) use region::decide;

/// Which of two objects, A and B, covers the other as a closed region. Exact on every accepted input.
///
/// A covers B if every point of B, its border included, is a point of A, on the border or within; borders may have points in
/// common. That is what GEOS, Shapely and PostGIS call `covers`. Objects that cover each other are equal as regions, however
/// their vertices are listed and however they are split into pieces. An object that is covered overlaps what covers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Containment {
    /// Neither covers the other, as where either has no region.
    Neither = 0,
    /// A covers B, and B has less.
    Covers = 1,
    /// B covers A, and A has less.
    CoveredBy = 2,
    /// Each covers the other.
    Equal = 3,
}

impl Containment {
    /// The name in files, of A beside B: `neither`, `covers`, `covered-by` or `equal`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Neither => "neither",
            Self::Covers => "covers",
            Self::CoveredBy => "covered-by",
            Self::Equal => "equal",
        }
    }

    /// Whether A covers B, equal or not.
    #[must_use]
    pub fn a_covers_b(self) -> bool {
        matches!(self, Self::Covers | Self::Equal)
    }

    /// Whether B covers A, equal or not.
    #[must_use]
    pub fn b_covers_a(self) -> bool {
        matches!(self, Self::CoveredBy | Self::Equal)
    }

    /// The same, said of B beside A.
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

/// The answer to [`crate::Engine::containments`]. Its counts are of pairs of objects.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Containments {
    /// One a pair, in the order given.
    pub containments: Vec<Containment>,
    /// What they were decided on, and why.
    pub choice: Choice,
    /// What was counted on the way.
    pub counts: Counts,
    /// How long each stage took.
    pub timings: Timings,
}

/// The answer to [`crate::Engine::containment_join`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ContainmentJoin {
    /// The pairs of which one covers the other, which overlap, sorted; counts, and how long it took.
    pub join: Join,
    /// One a pair: [`Containment::Neither`] is not among them.
    pub containments: Vec<Containment>,
}

/// Whether a set's boxes are exact, so that of what covers another the box does too.
fn has_exact_boxes(set: &PolygonSet) -> bool {
    set.is_static()
}
