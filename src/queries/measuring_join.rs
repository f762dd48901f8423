//! Joins that measure: all pairs of objects that are near enough, with their own broad phase.

use crate::answers::measured::{FigureJoin, ObjectFigure};
use crate::geometry::limits::checked_distance;
use std::borrow::Cow;
use std::cmp::Reverse;

use super::nearest_pieces::{NearestPieces, most_pairs};
use crate::answers::distance::Distance;
use crate::answers::manifold::Manifold;
use crate::answers::pair::PairEdge;
use crate::answers::penetration::Penetration;
use crate::answers::results::{Counts, Relation, Timings};
use crate::base::clock::Instant;
use crate::base::error::{Error, Result};
use crate::base::parallel::prelude::*;
use crate::base::side::PairSide;
use crate::broad_phase::{self, Candidates};
use crate::geometry::limits::check_sizes;
use crate::geometry::{Aabb, Pieces, PolygonSet, Rounded};
use crate::kernels::backends::Backends;
use crate::kernels::measurements::Figure;
use crate::kernels::measurements::{Distances, Manifolds, Penetrations};
use crate::kernels::{CHUNK_IN_CACHE, Lists, NarrowPhase, Scratch, Side};

/// Pairs of pieces that are kept, beyond twice the pairs of objects, before each of these is left with its least.
const UNREDUCED: usize = 1 << 20;

/// What a join makes of the figures of pieces.
trait Least: Figure {
    /// Whether pieces that overlap come before those that touch, and these before those that are apart.
    const BY_RELATION: bool = true;

    /// The least of an object's pieces is the object's; none for a pair that is not wanted.
    fn rank(self, figure: &Self::Output) -> Option<f64>;

    /// The rank among pieces that touch, all of which have the same gap.
    fn rank_of_touching(_: &Self::Output, _is_internal: impl Fn(PairEdge) -> bool) -> f64 {
        0.0
    }
}

impl Least for Distances {
    const BY_RELATION: bool = false;

    fn rank(self, figure: &Distance) -> Option<f64> {
        (figure.distance <= self.within).then_some(figure.distance)
    }
}

impl Least for Penetrations {
    fn rank(self, figure: &Penetration) -> Option<f64> {
        // Polygons that do not meet were left out before, rounded shapes are now.
        (figure.separation <= 0.0).then_some(figure.separation)
    }

    /// Edges that bound an object come first.
    fn rank_of_touching(figure: &Penetration, is_internal: impl Fn(PairEdge) -> bool) -> f64 {
        f64::from(u8::from(figure.edge.is_some_and(is_internal)))
    }
}

impl Least for Manifolds {
    fn rank(self, figure: &Manifold) -> Option<f64> {
        (!figure.points().is_empty()).then_some(figure.separation)
    }

    /// The longest contact comes first.
    fn rank_of_touching(figure: &Manifold, _: impl Fn(PairEdge) -> bool) -> f64 {
        match figure.points() {
            [one, other] if one.separation.max(other.separation) <= 0.0 => {
                -one.position.distance(other.position)
            }
            _ => 0.0,
        }
    }
}

impl Backends {
    /// Where two objects may have more pairs of pieces than `many_pairs`, those that may be the nearest are searched for.
    pub(crate) async fn join_of_distances(
        &self,
        a: Rounded<'_>,
        other: Option<Rounded<'_>>,
        distance: f64,
        many_pairs: usize,
    ) -> Result<FigureJoin<Distance>> {
        let figure = Distances { within: checked_distance("distance", distance)? };
        self.measure(a, other, figure, distance, false, Some(many_pairs)).await
    }

    pub(crate) async fn join_of_penetrations(
        &self,
        a: Rounded<'_>,
        other: Option<Rounded<'_>>,
    ) -> Result<FigureJoin<Penetration>> {
        let is_rounded = a.is_rounded() || other.is_some_and(Rounded::is_rounded);
        self.measure(a, other, Penetrations, 0.0, !is_rounded, None).await
    }

    pub(crate) async fn join_of_manifolds(
        &self,
        a: Rounded<'_>,
        other: Option<Rounded<'_>>,
        margin: f64,
    ) -> Result<FigureJoin<Manifold>> {
        let figure = Manifolds::new(margin)?;
        let rounded = a.is_rounded() || other.is_some_and(Rounded::is_rounded);
        self.measure(a, other, figure, margin, margin == 0.0 && !rounded, None).await
    }

    /// Measures all pairs of pieces whose boxes are at most `reach` apart; with `meeting`, only those that meet exactly.
    /// With `many_pairs`, those alone that may be the nearest of their objects, where two of these may have more pairs.
    async fn measure<F: Least>(
        &self,
        rounded_a: Rounded<'_>,
        rounded_other: Option<Rounded<'_>>,
        figure: F,
        reach: f64,
        meeting: bool,
        many_pairs: Option<usize>,
    ) -> Result<FigureJoin<F::Output>> {
        let start = Instant::now();
        let (a, other) = (rounded_a.cores, rounded_other.map(|side| side.cores));
        let rounded_b = rounded_other.unwrap_or(rounded_a);
        check_sizes(a, other)?;
        let b = other.unwrap_or(a);
        let (boxes_a, boxes_b) = (a.piece_boxes(), other.map(PolygonSet::piece_boxes));
        let others = boxes_b.as_deref().map(|boxes| grown(boxes, rounded_b, 0.0));
        let nearest = if many_pairs.is_some_and(|many_pairs| most_pairs(a, b) > many_pairs) {
            let other = others.as_deref().map(|boxes| (rounded_b, Cow::Borrowed(boxes)));
            Some(NearestPieces::new((rounded_a, grown(&boxes_a, rounded_a, 0.0)), other, reach)?)
        } else {
            None
        };
        let mut candidates = match (nearest, &others) {
            (Some(nearest), _) => PiecePairs::Nearest(Box::new(nearest)),
            (None, None) => {
                // Each of the two grows by half.
                let boxes = grown(&boxes_a, rounded_a, 0.5 * reach);
                PiecePairs::Near(Box::new(broad_phase::self_join(&boxes, a.piece_objects())?))
            }
            (None, Some(others)) => {
                PiecePairs::Near(Box::new(broad_phase::join(&grown(&boxes_a, rounded_a, reach), others)?))
            }
        };
        let choice = self.choice_for(0, |most| candidates.count_up_to(most));
        let (mut counts, mut timings) = (Counts::default(), Timings::default());
        let (pieces_a, pieces_b) = (Pieces::of(a), Pieces::of(b));
        let side_a = Side { pieces: pieces_a, boxes: &boxes_a };
        let side_b = boxes_b.as_deref().map(|boxes| Side { pieces: pieces_b, boxes });
        let mut narrow_phase =
            NarrowPhase::new(self, choice.backend, side_a, side_b, Lists::One, &mut timings).await?;
        let mut scratch = Scratch::default();
        let (mut found, mut figures, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
        let mut relations = Vec::new();
        let by_relation = F::BY_RELATION && !rounded_a.is_rounded() && !rounded_b.is_rounded();
        let (mut candidate_pairs, mut refined) = (0, 0);
        let mut reduce_at = UNREDUCED;
        while candidates.next_chunk(CHUNK_IN_CACHE, &mut pairs) {
            candidate_pairs += pairs.len() as u64;
            if other.is_none() {
                // From the lesser object to the greater.
                pairs.par_iter_mut().for_each(|pair| {
                    if a.piece_object(pair[0] as usize) > a.piece_object(pair[1] as usize) {
                        pair.swap(0, 1);
                    }
                });
            }
            if meeting || by_relation {
                narrow_phase.submit(&pairs, &mut counts, &mut timings).await?;
                let sides = (pieces_a, pieces_b);
                narrow_phase.relations(sides, &pairs, &mut scratch, &mut counts, &mut timings).await?;
                relations.clone_from(&scratch.relations);
            }
            if meeting {
                let mut known = scratch.relations.iter();
                pairs.retain(|_| known.next() != Some(&Relation::Disjoint));
                relations.retain(|&relation| relation != Relation::Disjoint);
            }
            figures.clear();
            let sides = [rounded_a, rounded_b];
            refined +=
                narrow_phase.figures(figure, sides, &pairs, &relations, &mut figures, &mut timings).await?;
            let wanted = pairs.iter().zip(figures.drain(..)).enumerate().filter_map(|(k, (pair, output))| {
                let mut rank = figure.rank(&output)?;
                let relation = relations.get(k).copied();
                let &[piece_a, piece_b] = pair;
                if relation == Some(Relation::Touching) {
                    rank = F::rank_of_touching(&output, |PairEdge { side, index }| match side {
                        PairSide::A => a.is_internal_edge(piece_a as usize, index as usize),
                        PairSide::B => b.is_internal_edge(piece_b as usize, index as usize),
                    });
                }
                let (a, b) =
                    (a.piece_object(piece_a as usize) as u32, b.piece_object(piece_b as usize) as u32);
                Some(((Reverse(relation), rank), ObjectFigure { a, b, piece_a, piece_b, figure: output }))
            });
            for pair in wanted {
                crate::base::memory::try_reserve(&mut found, 1).map_err(|_| Error::OutOfMemory {
                    needed_bytes: (found.len() + 1).saturating_mul(size_of_val(&pair)),
                })?;
                found.push(pair);
            }
            if found.len() >= reduce_at {
                keep_least(&mut found);
                reduce_at = 2 * found.len() + UNREDUCED;
            }
        }
        keep_least(&mut found);
        let pairs = found.into_iter().map(|(_, pair)| pair).collect();
        Ok(FigureJoin { pairs, choice, candidate_pairs, refined, time: start.elapsed() })
    }
}

/// The pairs of pieces to look at.
enum PiecePairs<'a> {
    /// All that are near enough.
    Near(Box<Candidates>),
    /// Those that may be the nearest of their objects.
    Nearest(Box<NearestPieces<'a>>),
}

impl PiecePairs<'_> {
    /// As of [`Candidates::count_up_to`].
    fn count_up_to(&self, most: u64) -> u64 {
        match self {
            Self::Near(candidates) => candidates.count_up_to(most),
            Self::Nearest(nearest) => nearest.count(),
        }
    }

    fn next_chunk(&mut self, limit: usize, out: &mut Vec<[u32; 2]>) -> bool {
        match self {
            Self::Near(candidates) => candidates.next_chunk(limit, out),
            Self::Nearest(nearest) => nearest.next_chunk(limit, out),
        }
    }
}

/// What comes first of the pieces of two objects: the strongest relation where it counts, then the rank.
type Rank = (Reverse<Option<Relation>>, f64);

/// Sorts by objects, and leaves of each pair of them the least; in a tie that of the least numbers of pieces.
fn keep_least<T: Clone + Send>(found: &mut Vec<(Rank, ObjectFigure<T>)>) {
    found.par_sort_unstable_by(|(rank, pair), (other_rank, other)| {
        let pieces = (pair.piece_a, pair.piece_b).cmp(&(other.piece_a, other.piece_b));
        let ranks = rank.0.cmp(&other_rank.0).then(rank.1.total_cmp(&other_rank.1));
        (pair.a, pair.b).cmp(&(other.a, other.b)).then(ranks).then(pieces)
    });
    found.dedup_by_key(|(_, pair)| (pair.a, pair.b));
}

/// Boxes that are larger by the radius and by `reach` on every side, or by a little more.
pub(super) fn grown<'a>(boxes: &'a [Aabb], rounded: Rounded<'_>, reach: f64) -> Cow<'a, [Aabb]> {
    if reach == 0.0 && !rounded.is_rounded() {
        return Cow::Borrowed(boxes);
    }
    let outward = |(piece, aabb): (usize, &Aabb)| {
        let reach = (rounded.radius(piece) + reach).next_up();
        let (min, max) = (aabb.min - reach, aabb.max + reach);
        Aabb {
            min: [min.x.next_down(), min.y.next_down()].into(),
            max: [max.x.next_up(), max.y.next_up()].into(),
        }
    };
    Cow::Owned(boxes.par_iter().with_light_work().enumerate().map(outward).collect())
}
