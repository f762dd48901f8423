//! Measures the pairs of a [`Walk`]. For each pair of objects, it chooses the pair of pieces whose
//! measurement is the measurement of the objects.

use std::borrow::Cow;
use std::cmp::Reverse;

use super::buckets::reserve;
use super::drive::Query;
use super::least::{Kept, Least, Rank};
use super::walk::{Walk, Walked};
use crate::answers::distance::Distance;
use crate::answers::envelope::Answers;
use crate::answers::manifold::Manifold;
use crate::answers::measured::MeasuredPair;
use crate::answers::pair::PairEdge;
use crate::answers::penetration::Penetration;
use crate::answers::results::{Counts, Keep, Relation};
use crate::base::clock::Instant;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::base::side::PairSide;
use crate::geometry::{PolygonSet, Rounded};
use crate::kernels::cpu::measure::{Proposal, measure_all};
use crate::kernels::log::{Log, Stage};
use crate::kernels::measurements::{Figure, PieceDistances, PieceManifolds, PiecePenetrations};
use crate::kernels::proposer::{Edges, Hint, Known, Uses};

/// A measurement by which a join ranks the pairs of pieces of two objects. The measurement of the first-ranked pair is
/// the measurement of the objects.
pub(crate) trait Ranked: Figure {
    /// Whether the relation of two pieces decides first: overlapping pieces rank before touching pieces, and touching
    /// pieces before disjoint pieces. [`Ranked::rank`] decides among pieces with the same relation.
    const BY_RELATION: bool = true;

    /// Returns the value by which the pair of pieces with the measurement `figure` is ranked. The pair of pieces with
    /// the least value represents its objects. Returns `None` if the join leaves the pair out.
    fn rank(self, figure: &Self::Output) -> Option<f64>;

    /// Returns the relation of the two measured polygons, or `None` if the measurement does not show it.
    fn relation(_: &Self::Output) -> Option<Relation> {
        None
    }

    /// Returns the value that ranks pairs of touching pieces. All these pairs have the gap 0. The pair with the least
    /// value comes first.
    fn rank_of_touching(_: &Self::Output, _is_internal: impl Fn(PairEdge) -> bool) -> f64 {
        0.0
    }
}

/// Returns the relation of two polygons from their separation, whose sign is exact.
fn relation_of(separation: f64) -> Relation {
    if separation < 0.0 {
        Relation::Overlapping
    } else if separation == 0.0 {
        Relation::Touching
    } else {
        Relation::Disjoint
    }
}

impl Ranked for PieceDistances {
    const BY_RELATION: bool = false;

    fn rank(self, figure: &Distance) -> Option<f64> {
        (figure.distance <= self.within).then_some(figure.distance)
    }
}

impl Ranked for PiecePenetrations {
    fn rank(self, figure: &Penetration) -> Option<f64> {
        // Polygons that do not meet are never measured. Rounded shapes that do not meet are left out here.
        (figure.separation <= 0.0).then_some(figure.separation)
    }

    fn relation(figure: &Penetration) -> Option<Relation> {
        Some(relation_of(figure.separation))
    }

    /// Returns 1 if the deciding edge is internal, and 0 otherwise. A pair whose deciding edge bounds an object
    /// therefore comes first.
    fn rank_of_touching(figure: &Penetration, is_internal: impl Fn(PairEdge) -> bool) -> f64 {
        f64::from(u8::from(figure.edge.is_some_and(is_internal)))
    }
}

impl Ranked for PieceManifolds {
    fn rank(self, figure: &Manifold) -> Option<f64> {
        (!figure.points().is_empty()).then_some(figure.separation)
    }

    fn relation(figure: &Manifold) -> Option<Relation> {
        Some(relation_of(figure.separation))
    }

    /// Returns the negated length of the contact, so that the pair with the longest contact comes first.
    fn rank_of_touching(figure: &Manifold, _: impl Fn(PairEdge) -> bool) -> f64 {
        match figure.points() {
            [one, other] if one.separation.max(other.separation) <= 0.0 => {
                -one.position.distance(other.position)
            }
            _ => 0.0,
        }
    }
}

/// The measurements that the join has made so far.
enum Found<T> {
    /// The measurements of the pairs of objects, in the order in which they arrive, if each object has one piece.
    InOrder(Vec<MeasuredPair<T>>),
    /// The best measurement of each pair of objects, for objects of several pieces.
    Least(Least<T>),
}

/// Measures the candidate pairs of a join.
pub(crate) struct Measuring<'a, F: Figure> {
    figure: F,
    sides: [Rounded<'a>; 2],
    /// Whether only pairs that meet are measured.
    is_of_meeting: bool,
    found: Found<F::Output>,
    /// The buffer for the measurements of a chunk.
    figures: Vec<F::Output>,
    candidate_pairs: u64,
    refined: u64,
    /// The relations of the pairs to keep, or `None` if all pairs are kept.
    keep: Option<Keep>,
}

impl<'a, F: Ranked> Measuring<'a, F> {
    /// Creates the query. If `is_of_meeting` is true, it measures only pairs that meet, and the pieces of both sets must be
    /// polygons.
    pub(super) fn new(walk: &Walk<'a>, figure: F, is_of_meeting: bool) -> Self {
        Self {
            figure,
            sides: walk.sides(),
            is_of_meeting,
            found: if walk.is_sorted() { Found::InOrder(Vec::new()) } else { Found::Least(Least::new()) },
            figures: Vec::new(),
            candidate_pairs: 0,
            refined: 0,
            keep: None,
        }
    }

    /// Keeps only pairs whose relation `keep` accepts. The pieces of both sets must be polygons.
    pub(super) fn keep(self, keep: Option<Keep>) -> Self {
        Self { keep, ..self }
    }

    /// Returns whether pairs of pieces are ranked by their relations first.
    fn ranks_by_relation(&self) -> bool {
        F::BY_RELATION && !self.sides.iter().any(|side| side.is_rounded())
    }

    /// Returns the measurement of each pair of objects, sorted by the objects, or an error if the pairs do not fit in memory.
    pub(super) fn finish(
        self,
        Walked { choice, log }: &mut Walked,
    ) -> Result<Answers<MeasuredPair<F::Output>>> {
        let start = Instant::now();
        let mut pairs = match self.found {
            Found::InOrder(mut found) => {
                let key = |pair: &MeasuredPair<F::Output>| (pair.a, pair.b);
                // If there are very many pairs, they arrive in several parts. Each part is sorted, but the whole list may not be.
                if !found.is_sorted_by_key(key) {
                    found.par_sort_unstable_by_key(key);
                }
                found
            }
            Found::Least(found) => found.finish()?,
        };
        if let Some(keep) = self.keep {
            pairs.retain(|pair| F::relation(&pair.measurement).is_none_or(|relation| keep.keeps(relation)));
        }
        log.timings.collect += start.elapsed();
        let mut answers = log.walk_answers(pairs, choice);
        let Counts { uncertain, oversized, .. } = answers.counts;
        let (candidate_pairs, refined) = (self.candidate_pairs, self.refined);
        answers.counts = Counts { candidate_pairs, refined, uncertain, oversized, ..Counts::default() };
        Ok(answers)
    }
}

/// Returns the rank of a pair of pieces, or `None` if the join leaves the pair out.
fn rank_of<F: Ranked>(
    figure: F,
    [a, b]: [&PolygonSet; 2],
    [piece_a, piece_b]: [u32; 2],
    output: &F::Output,
    relation: Option<Relation>,
) -> Option<Rank> {
    let mut rank = figure.rank(output)?;
    if relation == Some(Relation::Touching) {
        rank = F::rank_of_touching(output, |PairEdge { side, index }| match side {
            PairSide::A => a.is_internal_edge(piece_a as usize, index as usize),
            PairSide::B => b.is_internal_edge(piece_b as usize, index as usize),
        });
    }
    Some((Reverse(relation), rank))
}

impl<F: Ranked> Uses for Measuring<'_, F> {
    const RELATIONS: bool = true;
    const EDGES: bool = true;
}

impl<F: Ranked> Query for Measuring<'_, F> {
    fn hint(&self) -> Hint<'_> {
        let edges = if self.is_of_meeting { Edges::Meeting } else { Edges::All };
        Hint { relations: self.is_of_meeting || self.ranks_by_relation(), edges, ..Hint::default() }
    }

    fn take(&mut self, pairs: &[[u32; 2]], known: &Known, log: &mut Log, chunk: u32) -> Result<()> {
        let start = Instant::now();
        self.candidate_pairs += pairs.len() as u64;
        let Chosen { pairs, relations, edges } = Chosen::of(pairs, known, self.is_of_meeting);
        let relations = if self.ranks_by_relation() { &relations[..] } else { &[] };
        let mut figures = std::mem::take(&mut self.figures);
        figures.clear();
        reserve(&mut figures, pairs.len())?;
        measure_all(self.figure, self.sides, &pairs, relations, &edges, &mut figures);
        self.refined += edges.iter().filter(|edge| edge.is_none()).count() as u64;
        log.end(Stage::Measure, chunk, start);

        let start = Instant::now();
        let (figure, sets) = (self.figure, self.sides.map(|side| side.cores));
        let objects = |pair: [u32; 2]| [0, 1].map(|side| sets[side].piece_object(pair[side] as usize) as u32);
        let measured = pairs.par_iter().zip(&figures).with_light_work();
        match &mut self.found {
            Found::InOrder(found) => {
                let wanted = |(&pair, output): (&[u32; 2], &F::Output)| {
                    let ([a, b], [piece_a, piece_b]) = (objects(pair), pair);
                    figure.rank(output)?;
                    Some(MeasuredPair { a, b, piece_a, piece_b, measurement: output.clone() })
                };
                reserve(found, pairs.len())?;
                measured.filter_map(wanted).collect_into(found);
                self.figures = figures;
            }
            Found::Least(found) => {
                let kept = |(k, (&pair, output)): (usize, (&[u32; 2], &F::Output))| {
                    let rank = rank_of(figure, sets, pair, output, relations.get(k).copied())?;
                    Some(Kept { objects: objects(pair), index: k as u32, rank })
                };
                let kept: Vec<Kept> = measured.enumerate().filter_map(kept).collect();
                found.add(&pairs, &figures, kept)?;
                self.figures = figures;
            }
        }
        log.end(Stage::Collect, chunk, start);
        Ok(())
    }
}

/// The pairs of a chunk that the join measures, and the relations and edges that kernels proposed for these pairs.
struct Chosen<'c> {
    pairs: Cow<'c, [[u32; 2]]>,
    relations: Cow<'c, [Relation]>,
    /// For each measured pair, the edge that the device proposes, or `None` if the device is uncertain. The list is
    /// empty on a CPU.
    edges: Cow<'c, [Option<Proposal>]>,
}

impl<'c> Chosen<'c> {
    fn of(pairs: &'c [[u32; 2]], known: &'c Known, is_of_meeting: bool) -> Self {
        let Known { relations, edges, .. } = known;
        if !is_of_meeting {
            return Self { pairs: pairs.into(), relations: relations.into(), edges: edges.into() };
        }
        let meets = |&relation: &Relation| relation != Relation::Disjoint;
        let of_meeting = |k: &usize| meets(&relations[*k]);
        Self {
            pairs: (0..pairs.len()).filter(of_meeting).map(|k| pairs[k]).collect(),
            relations: relations.iter().copied().filter(meets).collect(),
            edges: (0..edges.len()).filter(of_meeting).map(|k| edges[k]).collect(),
        }
    }
}
