use super::{Piece, PolygonSet};

/// Gives access to the pieces of a set by their indices.
#[derive(Clone, Copy, Debug)]
pub struct Pieces<'a> {
    pub(crate) set: &'a PolygonSet,
}

impl<'a> Pieces<'a> {
    /// Returns all pieces of a set.
    pub fn of(set: &'a PolygonSet) -> Self {
        Self { set: set.made() }
    }

    #[inline]
    pub(crate) fn count(self) -> usize {
        self.set.piece_count()
    }

    /// Returns the index of the object that a piece belongs to.
    #[inline]
    pub(crate) fn object(self, piece: usize) -> usize {
        self.set.piece_object(piece)
    }

    /// Returns the vertices and the pose of a piece.
    #[inline]
    pub(crate) fn piece(self, piece: usize) -> Piece<'a> {
        self.set.piece(piece)
    }
}
