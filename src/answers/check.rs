//! The report of a cross-check against exact arithmetic.

use crate::answers::results::Relation;

/// The comparison of the relations that a backend returned with the relations that exact arithmetic gives (the
/// reference).
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CheckReport {
    /// Number of compared pairs. Usually, these are the candidate pairs of pieces, which the backend and the reference
    /// decided. If the join compared large polygons by their edges, the check runs a second join, on convex pieces. In
    /// this case, the number also counts the pairs of objects that at least one of the two joins found, but not the
    /// [`CheckReport::crossed_pairs`].
    pub pairs: u64,
    /// Number of pairs on which the backend and the reference agree.
    pub agreements: u64,
    /// Number of candidate pairs of pieces that the fast filter of the backend could not decide.
    pub uncertain: u64,
    /// Number of found pairs of objects that were not compared, because the rings of one of the objects cross. The
    /// pieces of such an object are rounded. The relation of rounded pieces may differ from the exact relation.
    pub crossed_pairs: u64,
    /// The first disagreements between the backend and the reference, at most 100. [`CheckReport::disagreement_count`]
    /// returns the number of all disagreements.
    pub disagreements: Vec<Disagreement>,
}

impl CheckReport {
    /// Returns the number of pairs that the backend and the reference decided differently.
    #[must_use]
    pub fn disagreement_count(&self) -> u64 {
        self.pairs - self.agreements
    }
}

/// A pair of pieces that the backend and the reference decided differently. If the join compared large polygons by their edges,
/// this may also be a pair of objects, each described by its first piece.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Disagreement {
    /// The piece of the first set.
    pub a: DisagreeingPiece,
    /// The piece of the second set.
    pub b: DisagreeingPiece,
    /// The relation that the backend returned. If the filter of the backend was uncertain, exact predicates decided the
    /// relation.
    pub backend: Relation,
    /// The relation that exact arithmetic gives.
    pub reference: Relation,
}

/// One of the two pieces of a [`Disagreement`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DisagreeingPiece {
    /// Index of the object in its set.
    pub object: usize,
    /// Index of the piece in its set.
    pub piece: usize,
    /// The vertices of the piece in world coordinates, in the caller's unit. If the piece has a pose, the vertices are rounded to
    /// f64.
    pub vertices: Vec<[f64; 2]>,
}

impl std::fmt::Display for Disagreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { a, b, backend, reference } = self;
        write!(
            f,
            "objects {} and {}, pieces {} and {}: the backend says {backend}, exact arithmetic {reference}; A {:?}; B {:?}",
            a.object, b.object, a.piece, b.piece, a.vertices, b.vertices
        )
    }
}
