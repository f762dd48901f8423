//! Cross-check of a backend against the judge, pair by pair.

use crate::geometry::{Piece, Pieces};
use crate::narrow_phase::cpu::reference;
use crate::parallel::prelude::*;
use crate::results::Relation;

/// Disagreements that a report describes in full; all are counted.
const DESCRIBED: usize = 100;

/// What the cross-check of a backend against the exact reference found.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CheckReport {
    /// Candidate pairs of pieces that were decided twice.
    pub pairs: u64,
    /// Pairs on which backend and reference agree.
    pub agreements: u64,
    /// Pairs that the filter had left to exact arithmetic.
    pub uncertain: u64,
    /// The first disagreements, at most 100; `pairs - agreements` says how many there are.
    pub disagreements: Vec<Disagreement>,
}

impl CheckReport {
    /// How many pairs the backend and the reference decided differently.
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

/// A pair that the backend and the reference decide differently.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Disagreement {
    /// The piece of the first set.
    pub a: DisagreeingPiece,
    /// The piece of the second set.
    pub b: DisagreeingPiece,
    /// What the backend said, exact re-decision included.
    pub backend: Relation,
    /// What exact arithmetic says.
    pub reference: Relation,
}

/// One piece of a disagreement.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DisagreeingPiece {
    /// The object's index.
    pub object: usize,
    /// The piece's index.
    pub piece: usize,
    /// The piece's vertices, posed (rounded to f64 where it is turned), in the caller's unit.
    pub vertices: Vec<[f64; 2]>,
}

impl DisagreeingPiece {
    fn of(pieces: Pieces<'_>, place: usize) -> Self {
        let Piece { vertices, pose } = pieces.piece(place);
        let vertices = vertices.iter().map(|&v| pose.apply(v).to_array()).collect();
        Self { object: pieces.object(place), piece: pieces.id(place), vertices }
    }
}

impl std::fmt::Display for Disagreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { a, b, backend, reference } = self;
        write!(
            f,
            "objects {} and {}, pieces {} and {}: {backend}, but exactly {reference}; A {:?}; B {:?}",
            a.object, b.object, a.piece, b.piece, a.vertices, b.vertices
        )
    }
}
