//! The answer of `join`: pairs, their measurements, and the cross-check of both.

use std::time::Duration;

use super::areas::Overlaps;
use super::input::Side;
use super::pair_lists::{Cursor, figure_of};
use crate::error::Result;
use sat2d::internal::NearCheck;
use sat2d::{
    Answers, Choice, Containment, Distance, Manifold, MeasuredPair, Penetration, PolygonSet, RelatedPair,
    Relation,
};
use sat2d_io::internal::{DirectedPair, PairDecimals, counts_of_pairs};
use sat2d_io::{Column, PairRow};

/// The result of a join.
pub(super) struct Answer {
    /// The pairs to write, and the statistics of the join. A pair whose objects do not meet has the relation `Disjoint`. The
    /// counts include only the pairs that meet.
    pub(super) join: Answers<RelatedPair>,
    /// The rows of `--keep largest` in a join of one file, or `None` if the output has one row for each pair.
    pub(super) directed: Option<Vec<DirectedPair>>,
    /// The containment of each pair, or `None` without `--contains`.
    pub(super) containments: Option<Vec<Containment>>,
    pub(super) figures: Figures,
}

/// The measurements of pairs of objects. Each list is sorted by the index in A, then by the index in B.
#[derive(Default)]
pub(super) struct Figures {
    pub(super) columns: Vec<Column>,
    /// The greatest distance of `--within`. Without this option, it is 0 for the points at equal positions of other points, and
    /// otherwise `None`.
    pub(super) within: Option<f64>,
    pub(super) distances: Option<Vec<MeasuredPair<Distance>>>,
    pub(super) penetrations: Option<Vec<MeasuredPair<Penetration>>>,
    pub(super) manifolds: Option<Vec<MeasuredPair<Manifold>>>,
    pub(super) overlaps: Option<Overlaps>,
    /// Whether the pairs are the result of `--nearest`, which has no candidate pairs.
    pub(super) is_of_nearest: bool,
    /// The backend of the measurements, or `None` if nothing was measured.
    pub(super) choice: Option<Choice>,
    /// The number of pairs of pieces for which f64 chose the deciding edge, because f32 on the device was not certain.
    pub(super) refined: u64,
    /// The number of measured pairs of pieces.
    pub(super) measured: u64,
    pub(super) time: Duration,
}

/// The result of the cross-check of measurements against exact arithmetic and against the relations.
#[derive(Debug, Default)]
pub(super) struct MeasuredCheck {
    /// The check of the pairs within the distance [`Figures::within`], or `None` without such a distance.
    pub(super) near: Option<NearCheck>,
    /// The pairs whose measurements contradict their relation.
    pub(super) contradictions: Vec<Contradiction>,
}

/// A pair with a measurement that contradicts the relation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Contradiction {
    /// The index of the pair's feature of A, and the index of its feature of B.
    pub(super) pair: [u32; 2],
    pub(super) relation: &'static str,
    /// Name of the measurement that contradicts the relation.
    pub(super) measurement: &'static str,
}

impl MeasuredCheck {
    pub(super) fn of(answer: &Answer, (a, b): (&PolygonSet, Option<&PolygonSet>)) -> Result<Self> {
        Ok(Self { near: answer.check_near(a, b)?, contradictions: answer.contradictions() })
    }

    /// Returns the check with the features of A and B exchanged in each pair.
    pub(super) fn swapped(mut self) -> Self {
        self.contradictions.iter_mut().for_each(|found| found.pair.swap(0, 1));
        let near = self.near.iter_mut().flat_map(|near| &mut near.disagreements);
        near.for_each(|(of_a, of_b, _)| std::mem::swap(of_a, of_b));
        self
    }

    pub(super) fn disagreement_count(&self) -> u64 {
        let near = self.near.as_ref().map_or(0, |near| near.disagreement_count);
        near + self.contradictions.len() as u64
    }
}

impl Figures {
    /// Returns the counts of a join of distances, for the summary and the statistics.
    pub(super) fn counts_of(found: &Answers<MeasuredPair<Distance>>) -> Self {
        Self {
            choice: Some(found.choice.clone()),
            refined: found.counts.refined,
            measured: found.counts.candidate_pairs,
            time: found.timings.total,
            ..Self::default()
        }
    }

    pub(super) fn counted<T>(&mut self, found: Answers<MeasuredPair<T>>) -> Vec<MeasuredPair<T>> {
        self.refined += found.counts.refined;
        self.measured += found.counts.candidate_pairs;
        self.choice = Some(found.choice);
        self.time = found.timings.total;
        found.items
    }
}

impl Answer {
    /// Creates an answer from the pairs of a join, without containments and measurements.
    pub(super) fn of(join: Answers<RelatedPair>) -> Self {
        Self { join, directed: None, containments: None, figures: Figures::default() }
    }

    /// Returns the number of rows of pairs.
    pub(super) fn row_count(&self) -> usize {
        self.directed.as_ref().map_or(self.join.items.len(), Vec::len)
    }

    /// Returns the number of rows of each of the `features` features of A. `is_self_join` says whether there is no file B.
    pub(super) fn counts(&self, features: usize, is_self_join: bool) -> Vec<usize> {
        let items = &self.join.items;
        match &self.directed {
            Some(directed) => {
                let pairs = directed.iter().map(|row| {
                    let RelatedPair { a, b, .. } = items[row.pair];
                    if row.is_swapped { [b, a] } else { [a, b] }
                });
                counts_of_pairs(pairs, features, false)
            }
            // Each pair of a self-join is one row, which counts for both features. The rows of `--nearest` belong to A.
            None => {
                let has_both = is_self_join && !self.figures.is_of_nearest;
                counts_of_pairs(items.iter().map(|pair| [pair.a, pair.b]), features, has_both)
            }
        }
    }

    /// Returns the columns that follow the column `relation` in the output.
    pub(super) fn columns(&self) -> &[Column] {
        &self.figures.columns
    }

    /// Returns the number of pairs that do not meet, or `None` if no distances were measured.
    pub(super) fn apart(&self) -> Option<u64> {
        let is_apart = |pair: &&RelatedPair| pair.relation == Relation::Disjoint;
        self.figures.distances.as_ref().map(|_| self.join.items.iter().filter(is_apart).count() as u64)
    }

    /// Checks by exact arithmetic which pairs are within the distance of `--within`. Returns `None` without this option.
    pub(super) fn check_near(&self, a: &PolygonSet, b: Option<&PolygonSet>) -> Result<Option<NearCheck>> {
        let (Some(within), Some(found)) = (self.figures.within, &self.figures.distances) else {
            return Ok(None);
        };
        Ok(Some(NearCheck::of(a, b, within, found)?))
    }

    /// Returns the pairs whose measurements contradict their relation.
    pub(super) fn contradictions(&self) -> Vec<Contradiction> {
        let mut distances = Cursor::of(self.figures.distances.as_deref());
        let mut penetrations = Cursor::of(self.figures.penetrations.as_deref());
        let mut manifolds = Cursor::of(self.figures.manifolds.as_deref());
        let mut contradictions = Vec::new();
        for pair in &self.join.items {
            let (overlap, meet) =
                (pair.relation == Relation::Overlapping, pair.relation != Relation::Disjoint);
            let distance = distances.find(pair).map(|found| found.measurement.distance);
            let depth = penetrations.find(pair).map(|found| found.measurement.depth());
            let has_contact = manifolds.find(pair).map(|found| !found.measurement.points().is_empty());
            let figures = &self.figures;
            let wrong = [
                (figures.distances.is_some() && distance.is_none_or(|d| (d == 0.0) != meet), "distance"),
                (
                    figures.penetrations.is_some()
                        && if meet { depth.is_none_or(|d| (d > 0.0) != overlap) } else { depth.is_some() },
                    "penetration",
                ),
                (figures.manifolds.is_some() && meet && has_contact != Some(true), "manifold"),
                (
                    figures.overlaps.as_ref().is_some_and(|overlaps| {
                        let area = overlaps.find(pair).map_or(0.0, |found| found.area);
                        (area > 0.0) != overlap
                    }),
                    "area",
                ),
            ];
            let of = |&(_, measurement): &(bool, &'static str)| Contradiction {
                pair: [pair.a, pair.b],
                relation: pair.relation.name(),
                measurement,
            };
            contradictions.extend(wrong.iter().filter(|(is_wrong, _)| *is_wrong).map(of));
        }
        contradictions
    }

    /// Returns a function from the index of a row to the row. `has_places` says whether the format shows positions.
    pub(super) fn rows<'a>(
        &'a self,
        a: &'a Side,
        b: Option<&'a Side>,
        has_places: bool,
    ) -> impl Fn(usize) -> PairRow<'a> + Sync {
        let b = b.unwrap_or(a);
        let decimals = PairDecimals::new([&a.set, &b.set], self.figures.within);
        let has_closest = has_places || self.columns().contains(&Column::Closest);
        let row_of_pair = move |k: usize| {
            let pair = &self.join.items[k];
            let Figures { distances, penetrations, manifolds, .. } = &self.figures;
            let (id_a, id_b) = (a.features.ids.of(pair.a as usize), b.features.ids.of(pair.b as usize));
            let mut row = PairRow::new(id_a, id_b, pair.relation);
            row.containment = self.containments.as_ref().map(|containments| containments[k]);
            match pair.relation {
                Relation::Disjoint => {
                    let found = figure_of(distances.as_deref(), pair, k);
                    row.distance = found.map(|found| decimals.distance(found));
                    row.closest = found.filter(|_| has_closest).and_then(|found| decimals.closest(found));
                }
                Relation::Touching | Relation::Overlapping => {
                    row.distance = Some(0.0);
                    // In a join of points with points, each piece is a point.
                    let found = figure_of(distances.as_deref(), pair, k);
                    let point =
                        found.and_then(|found| a.features.points.positions().get(found.piece_a as usize));
                    row.point = point.copied();
                }
            }
            let penetration = figure_of(penetrations.as_deref(), pair, k);
            row.penetration = penetration.map(|found| decimals.penetration(found));
            row.manifold = figure_of(manifolds.as_deref(), pair, k).map(|found| decimals.manifold(found));
            row.overlap = self.figures.overlaps.as_ref().and_then(|overlaps| overlaps.find(pair));
            row
        };
        move |k| match self.directed.as_ref().map(|directed| directed[k]) {
            None => row_of_pair(k),
            Some(DirectedPair { pair, is_swapped: false }) => row_of_pair(pair),
            Some(DirectedPair { pair, is_swapped: true }) => row_of_pair(pair).swapped(),
        }
    }
}
