//! Cross-check of a backend against the exact reference, pair by pair.

use crate::answers::check::{CheckReport, DisagreeingPiece, Disagreement};
use crate::answers::results::Relation;
use crate::base::parallel::prelude::*;
use crate::geometry::{Piece, Pieces};
use crate::kernels::cpu::reference;

/// Disagreements that a report describes in full. The report counts all of them.
const DESCRIBED: usize = 100;

impl CheckReport {
    /// Compares `relations[i]` of `pairs[i]` with the reference, and adds the result. `b` is `None` in a self-join.
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

impl DisagreeingPiece {
    fn of(pieces: Pieces<'_>, piece: usize) -> Self {
        let Piece { vertices, pose } = pieces.piece(piece);
        let vertices = vertices.iter().map(|&v| pose.apply(v).to_array()).collect();
        Self { object: pieces.object(piece), piece, vertices }
    }
}
