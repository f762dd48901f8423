//! The two sides of a pair.

/// One of the two polygons of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
// The enum is as wide as the fields beside it, because copies of parts of words are slow.
#[repr(u32)]
pub enum PairSide {
    /// The first polygon.
    A,
    /// The second polygon.
    B,
}

impl std::fmt::Display for PairSide {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::A => "A",
            Self::B => "B",
        })
    }
}
