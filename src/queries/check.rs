//! Checks the relations of a backend against the exact reference, pair by pair.

use crate::answers::check::{CheckReport, DisagreeingPiece, Disagreement};
use crate::answers::envelope::Answers;
use crate::answers::results::{RelatedPair, Relation};
use crate::base::parallel::prelude::*;
use crate::geometry::{Piece, Pieces, PolygonSet};
use crate::kernels::cpu::reference;

/// The greatest number of disagreements that a report describes. The report counts all of them.
const DESCRIBED: usize = 100;

impl CheckReport {
    /// Compares `relations[i]` of `pairs[i]` with the reference, and adds the result to the report. `b` is `None` in a self-join.
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

impl Answers<RelatedPair> {
    /// Stores the report of a cross-check in the answers of a join that compared polygons by their edges. `on_pieces`
    /// has the answers of a join of the same sets that compared convex pieces, and the report on those pieces. The new
    /// report includes the report on the pieces. It also compares the two joins: for each pair of objects that either
    /// join found, it compares the two relations. Pairs with a crossed object ([`PolygonSet::crossed_objects`]) are
    /// counted but not compared, because the pieces of a crossed object may be rounded. `b` is `None` in a self-join.
    pub(super) fn add_check(&mut self, on_pieces: &Self, a: &PolygonSet, b: Option<&PolygonSet>) {
        let mut report = on_pieces.check.clone().unwrap_or_default();
        let b = b.unwrap_or(a);
        let objects = |pair: &RelatedPair| (pair.a, pair.b);
        let (mut found, mut expected) = (self.items.iter().peekable(), on_pieces.items.iter().peekable());
        while let Some(next) =
            [found.peek(), expected.peek()].into_iter().flatten().map(|pair| objects(pair)).min()
        {
            let relation_of = |pairs: &mut std::iter::Peekable<std::slice::Iter<'_, RelatedPair>>| {
                pairs.next_if(|pair| objects(pair) == next).map_or(Relation::Disjoint, |pair| pair.relation)
            };
            let (backend, reference) = (relation_of(&mut found), relation_of(&mut expected));
            let is_crossed =
                |set: &PolygonSet, object: u32| set.crossed_objects().binary_search(&object).is_ok();
            if is_crossed(a, next.0) || is_crossed(b, next.1) {
                report.crossed_pairs += 1;
                continue;
            }
            report.pairs += 1;
            report.agreements += u64::from(backend == reference);
            if backend != reference && report.disagreements.len() < DESCRIBED {
                let piece = |set: &PolygonSet, object| {
                    DisagreeingPiece::of(Pieces::of(set), set.object_pieces(object as usize).start)
                };
                let (a, b) = (piece(a, next.0), piece(b, next.1));
                report.disagreements.push(Disagreement { a, b, backend, reference });
            }
        }
        self.timings.check += on_pieces.timings.total;
        self.timings.total += on_pieces.timings.total;
        self.check = Some(report);
    }
}

impl DisagreeingPiece {
    fn of(pieces: Pieces<'_>, piece: usize) -> Self {
        let Piece { vertices, pose } = pieces.piece(piece);
        let vertices = vertices.iter().map(|&v| pose.apply(v).to_array()).collect();
        Self { object: pieces.object(piece), piece, vertices }
    }
}
