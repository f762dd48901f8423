use super::{Piece, PolygonSet};

/// The pieces of a set, in an order of their own; a piece is named by its place in that order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pieces<'a> {
    pub(crate) set: &'a PolygonSet,
    /// The set's number of each piece in turn; none where the order is the set's.
    pub(crate) order: Option<&'a [u32]>,
}

impl<'a> Pieces<'a> {
    /// The pieces in the set's own order.
    pub(crate) fn of(set: &'a PolygonSet) -> Self {
        Self { set, order: None }
    }

    #[inline]
    pub(crate) fn count(self) -> usize {
        self.order.map_or(self.set.piece_count(), <[u32]>::len)
    }

    /// The set's number of a piece.
    #[inline]
    pub(crate) fn id(self, place: usize) -> usize {
        self.order.map_or(place, |order| order[place] as usize)
    }

    /// The object that a piece belongs to.
    #[inline]
    pub(crate) fn object(self, place: usize) -> usize {
        self.set.piece_object(self.id(place))
    }

    /// A piece as geometry.
    #[inline]
    pub(crate) fn piece(self, place: usize) -> Piece<'a> {
        self.set.piece(self.id(place))
    }
}
