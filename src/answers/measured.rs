//! Measurements of pairs of objects.

/// A measurement of two objects: the measurement of one pair of their pieces. The documentation of each query says
/// which pair of pieces is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeasuredPair<T> {
    /// Index of the object in the first set. In a self-join, the lower of the two indices. In a self-join with
    /// [`Nearest`](crate::Nearest), the index of the object whose nearest objects are listed.
    pub a: u32,
    /// Index of the object in the second set. In a self-join, the higher of the two indices. With
    /// [`Nearest`](crate::Nearest), the index of one of the nearest objects.
    pub b: u32,
    /// Index of the piece of A that was measured.
    pub piece_a: u32,
    /// Index of the piece of B that was measured.
    pub piece_b: u32,
    /// The measurement of the two pieces.
    pub measurement: T,
}
