//! The two sides of a pair.

/// One of the two sides of a pair. A side is a polygon, or the set that the polygon or object belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
// The tag has 32 bits, like the fields beside it in a struct. A narrower tag would leave padding, and copying the struct
// would take longer.
#[repr(u32)]
pub enum PairSide {
    /// The first polygon or set.
    A,
    /// The second polygon or set.
    B,
}

impl PairSide {
    /// Returns the other side.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

impl std::fmt::Display for PairSide {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::A => "A",
            Self::B => "B",
        })
    }
}
