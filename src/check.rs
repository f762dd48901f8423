//! Cross-check of a backend against the exact reference, pair by pair.

use crate::geometry::{Piece, Pieces};
use crate::narrow_phase::cpu::reference;
use crate::parallel::prelude::*;
use crate::results::Relation;

/// Disagreements that a report describes in full; all are counted.
const DESCRIBED: usize = 100;

/// Compares the relations that a backend returned with the relations by exact arithmetic (the reference).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CheckReport {
    /// Number of candidate pairs of pieces that were compared. The backend and the reference decided each of these
    /// pairs.
    pub pairs: u64,
    /// Number of pairs on which the backend and the reference agree.
    pub agreements: u64,
    /// Number of candidate pairs of pieces that the fast filter of the backend could not decide.
    pub uncertain: u64,
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

    /// Judges `relations[i]` of `pairs[i]` by the reference, and adds what it finds. `b` is none in a self-join.
    pub(crate) fn judge(
        &mut self,
        a: Pieces<'_>,
        b: Option<Pieces<'_>>,
        pairs: &[[u32; 2]],
        relations: &[Relation],
    ) {
        let is_self_join = b.is_none();
        let b = b.unwrap_or(a);
        let wrong: Vec<Disagreement> = pairs
            .par_iter()
            .zip(relations)
            .filter_map(|(&[i, j], &backend)| {
                let (i, j) = (i as usize, j as usize);
                let reference = reference::relation(a.piece(i), b.piece(j));
                (reference != backend).then(|| {
                    let (mut first, mut second) = (DisagreeingPiece::of(a, i), DisagreeingPiece::of(b, j));
                    if is_self_join && first.object > second.object {
                        std::mem::swap(&mut first, &mut second);
                    }
                    Disagreement { a: first, b: second, backend, reference }
                })
            })
            .collect();
        self.pairs += pairs.len() as u64;
        self.agreements += (pairs.len() - wrong.len()) as u64;
        let room = DESCRIBED - self.disagreements.len();
        self.disagreements.extend(wrong.into_iter().take(room));
    }
}

/// A pair of pieces that the backend and the reference decided differently.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Disagreement {
    /// The piece of the first set.
    pub a: DisagreeingPiece,
    /// The piece of the second set.
    pub b: DisagreeingPiece,
    /// The relation that the backend returned. If the filter of the backend was uncertain, exact predicates decided the
    /// relation.
    pub backend: Relation,
    /// The relation by exact arithmetic.
    pub reference: Relation,
}

/// One of the two pieces of a [`Disagreement`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DisagreeingPiece {
    /// Index of the object in its set.
    pub object: usize,
    /// Index of the piece in its set.
    pub piece: usize,
    /// The vertices of the piece in world coordinates, in the caller's unit. If the pose rotates the piece, the
    /// vertices are rounded to f64.
    pub vertices: Vec<[f64; 2]>,
}

impl DisagreeingPiece {
    fn of(pieces: Pieces<'_>, piece: usize) -> Self {
        let Piece { vertices, pose } = pieces.piece(piece);
        let vertices = vertices.iter().map(|&v| pose.apply(v).to_array()).collect();
        Self { object: pieces.object(piece), piece, vertices }
    }
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
