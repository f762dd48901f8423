//! What comes out: relations, and (later) penetrations, manifolds, timings.

/// How two polygons lie to each other. Exact on every accepted input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Relation {
    /// No common point.
    Disjoint = 0,
    /// Common points, but no common interior.
    Touching = 1,
    /// The interiors meet.
    Overlapping = 2,
}

impl Relation {
    /// The name in files: `disjoint`, `touching` or `overlapping`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Disjoint => "disjoint",
            Self::Touching => "touching",
            Self::Overlapping => "overlapping",
        }
    }
}

impl std::fmt::Display for Relation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
