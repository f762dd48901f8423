//! Runs joins and lists of pairs that measure areas.

use std::borrow::Cow;

use super::areas::{Area, Objects, PieceSum, Sums, are_same, of_pieces};
use super::buckets::reserve;
use super::drive::Query;
use super::joins::{JoinQuery, Request};
use super::kinds_of_areas::{IntersectionArea, Iou};
use super::of_pairs::ListPart;
use super::shared::Part;
use super::walk::{Walk, Walked};
use crate::answers::area::{LeastAreas, MeasuredObjects, Overlap};
use crate::answers::backend::Choice;
use crate::answers::envelope::Answers;
use crate::answers::results::{Counts, Keep, Relation};
use crate::base::clock::Instant;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::geometry::{PolygonSet, Rounded};
use crate::kernels::area::{is_less, overlaps};
#[cfg(all(feature = "gpu", not(target_family = "wasm")))]
use crate::kernels::gpu::{GpuNarrowPhase, Session};
use crate::kernels::log::{Log, Stage};
use crate::kernels::proposer::{Hint, Known, Uses};

/// The areas that the join has measured so far.
enum Found {
    /// The areas of the pairs of objects, in the order in which they arrive, if each object has one piece.
    InOrder(Vec<MeasuredObjects<f64>>),
    /// The sum of the areas of the pieces for each pair of objects, if an object has several pieces.
    Sums(Sums),
}

/// Measures the areas of the candidate pairs of a join.
pub(super) struct Areas<'a, Q> {
    query: Q,
    sets: [&'a PolygonSet; 2],
    is_self_join: bool,
    /// The areas of all objects, or `None` if neither the query nor the sums need them.
    objects: Option<Objects>,
    found: Found,
    /// The buffer for the areas of a chunk of pairs.
    areas: Vec<f64>,
    candidate_pairs: u64,
    keep: Option<Keep>,
}

impl<'a, Q: Area> Areas<'a, Q> {
    fn new(walk: &Walk<'a>, query: Q, keep: Option<Keep>) -> Self {
        let sets = walk.sides().map(|side| side.cores);
        let is_sorted = walk.is_sorted();
        Self {
            query,
            sets,
            is_self_join: walk.is_self_join(),
            objects: (Q::NEEDS_OBJECTS || !is_sorted).then(|| Objects::of(sets)),
            found: if is_sorted { Found::InOrder(Vec::new()) } else { Found::Sums(Sums::new()) },
            areas: Vec::new(),
            candidate_pairs: 0,
            keep,
        }
    }

    /// Returns the indices of the two objects to which a pair of pieces belongs.
    fn objects_of(&self, pair: [u32; 2]) -> [u32; 2] {
        let [i, j] = [0, 1].map(|side| self.sets[side].piece_object(pair[side] as usize) as u32);
        if self.is_self_join { [i.min(j), i.max(j)] } else { [i, j] }
    }

    /// Returns limits on the areas: the join may leave out a pair of pieces that is below a limit. Returns `None` if
    /// the join must measure every pair, for example because an object has several pieces. A small common area of two
    /// pieces may then belong to a large common area of two objects.
    fn least(&self) -> Option<LeastAreas> {
        self.query.least().filter(|_| matches!(self.found, Found::InOrder(_)))
    }

    /// Returns whether the boxes of two pieces show that the common area of the pieces is too small for the join to
    /// keep the pair. Each piece must be a whole object.
    fn is_less(&self, pair: [u32; 2], LeastAreas { area, iou }: LeastAreas) -> bool {
        let of_both = self.objects.as_ref().map_or(0.0, |objects| {
            let [a, b] = objects.areas(self.objects_of(pair));
            iou / (1.0 + iou) * (a + b)
        });
        let boxes = [0, 1].map(|side| self.sets[side].piece_aabb(pair[side] as usize));
        is_less(boxes, area.max(of_both))
    }

    /// Returns the measurement of each pair of objects, sorted by the objects, or the error of [`Sums::finish`].
    fn finish(mut self, Walked { choice, log }: &mut Walked) -> Result<Answers<MeasuredObjects<Q::Output>>> {
        let start = Instant::now();
        let (query, sets) = (self.query, self.sets);
        let pairs = match self.found {
            Found::InOrder(mut found) => {
                let key = |pair: &MeasuredObjects<f64>| (pair.a, pair.b);
                // If there are very many pairs, they arrive in several parts. Each part is sorted, but the whole list may not be.
                if !found.is_sorted_by_key(key) {
                    found.par_sort_unstable_by_key(key);
                }
                found
            }
            Found::Sums(sums) => match &mut self.objects {
                Some(objects) => sums.finish(sets, objects, &[], Q::NEEDS_OBJECTS)?,
                None => unreachable!("sums have the areas of the objects"),
            },
        };
        let is_wanted = |area: f64| {
            let relation = if area > 0.0 { Relation::Overlapping } else { Relation::Touching };
            self.keep.is_none_or(|keep| keep.keeps(relation))
        };
        let measured = |pair: &MeasuredObjects<f64>| {
            let (a, b, area) = (pair.a, pair.b, pair.measurement);
            let (areas, is_rounded) = match &self.objects {
                Some(objects) => (objects.areas([a, b]), objects.is_rounded([a, b])),
                None => ([f64::INFINITY; 2], false),
            };
            let measurement = query.measured(area, areas, is_rounded, || are_same(sets, [a, b]));
            let is_kept = is_wanted(area) && query.keeps(&measurement);
            is_kept.then_some(MeasuredObjects { a, b, measurement })
        };
        let items = pairs.par_iter().with_min_len(256).filter_map(measured).collect();
        log.timings.collect += start.elapsed();
        let mut answers = log.walk_answers(items, choice);
        let Counts { uncertain, oversized, .. } = answers.counts;
        let candidate_pairs = self.candidate_pairs;
        answers.counts = Counts { candidate_pairs, uncertain, oversized, ..Counts::default() };
        Ok(answers)
    }
}

impl<Q: Area> Uses for Areas<'_, Q> {
    const RELATIONS: bool = true;

    #[cfg(all(feature = "gpu", not(target_family = "wasm")))]
    async fn device<'g>(gpu: &'g GpuNarrowPhase, hint: Hint<'_>) -> Result<&'g GpuNarrowPhase> {
        if hint.areas.is_some() { gpu.for_areas().await } else { Ok(gpu) }
    }

    #[cfg(all(feature = "gpu", not(target_family = "wasm")))]
    fn leave_out(session: &mut Session<'_>, hint: Hint<'_>) {
        session.leave_out(hint.areas);
    }
}

impl<Q: Area> Query for Areas<'_, Q> {
    fn hint(&self) -> Hint<'_> {
        Hint {
            #[cfg(not(target_family = "wasm"))]
            areas: self.least(),
            ..Hint::RELATIONS
        }
    }

    fn take(&mut self, pairs: &[[u32; 2]], known: &Known, log: &mut Log, chunk: u32) -> Result<()> {
        let start = Instant::now();
        self.candidate_pairs += pairs.len() as u64;
        let meets = |k: &usize| known.relations[*k] != Relation::Disjoint;
        let (pairs, relations): (Cow<'_, [[u32; 2]]>, Vec<Relation>) = {
            let meeting = || (0..pairs.len()).filter(meets);
            (meeting().map(|k| pairs[k]).collect(), meeting().map(|k| known.relations[k]).collect())
        };
        let mut areas = std::mem::take(&mut self.areas);
        areas.clear();
        reserve(&mut areas, pairs.len())?;
        areas.resize(pairs.len(), 0.0);
        let (least, objects) = (self.least(), self.objects.as_ref());
        let share = |pair| match (&self.found, objects) {
            (Found::Sums(_), Some(objects)) => Some(objects.share(self.objects_of(pair))),
            _ => (!least.is_some_and(|least| self.is_less(pair, least))).then_some(1.0),
        };
        overlaps(self.sets, &pairs, &relations, share, &mut areas);
        log.end(Stage::Measure, chunk, start);

        let start = Instant::now();
        let of_objects: Vec<[u32; 2]> = pairs.iter().map(|&pair| self.objects_of(pair)).collect();
        let least = self.query.least_area();
        match (&mut self.found, &self.objects) {
            (Found::InOrder(found), _) => {
                reserve(found, pairs.len())?;
                let measured = of_objects.iter().zip(&areas).filter(|(_, area)| **area >= least);
                found.extend(measured.map(|(&[a, b], &measurement)| MeasuredObjects { a, b, measurement }));
            }
            (Found::Sums(sums), Some(objects)) => {
                let of_pair =
                    |(&pair, &area): (&[u32; 2], &f64)| PieceSum::of(pair, area, objects.smaller(pair));
                sums.add(pairs.len(), of_objects.iter().zip(&areas).map(of_pair))?;
            }
            (Found::Sums(_), None) => unreachable!("sums have the areas of the objects"),
        }
        self.areas = areas;
        log.end(Stage::Collect, chunk, start);
        Ok(())
    }
}

/// Measures the areas of the pairs of pieces that the caller passed.
pub(super) struct AreaList<'a, Q> {
    query: Q,
    sets: [&'a PolygonSet; 2],
    areas: Vec<f64>,
}

impl<Q: Area> Uses for AreaList<'_, Q> {
    const RELATIONS: bool = true;
}

impl<Q: Area> Query for AreaList<'_, Q> {
    fn hint(&self) -> Hint<'_> {
        Hint::RELATIONS
    }

    fn take(&mut self, pairs: &[[u32; 2]], known: &Known, log: &mut Log, _: u32) -> Result<()> {
        let start = Instant::now();
        let first = self.areas.len();
        self.areas.resize(first + pairs.len(), 0.0);
        overlaps(self.sets, pairs, &known.relations, |_| Some(1.0), &mut self.areas[first..]);
        log.timings.measure += start.elapsed();
        Ok(())
    }
}

/// Implements the traits of joins and of lists for the queries of areas.
macro_rules! area_queries {
    ($($query:ty => $output:ty;)+) => {$(
        impl Part<PolygonSet, PolygonSet> for $query {
            type State<'a> = Areas<'a, Self>;

            fn reach(&self, _: &Request<'_>) -> Result<f64> {
                Area::check(*self).map(|()| 0.0)
            }

            async fn begin<'a>(self, walk: &Walk<'a>, request: &Request<'a>) -> Result<Self::State<'a>> {
                Ok(Areas::new(walk, self, request.keep))
            }

            fn finish<'a>(state: Self::State<'a>, walked: &mut Walked) -> Result<Self::Output> {
                state.finish(walked)
            }
        }

        impl JoinQuery for $query {
            type Output = Answers<MeasuredObjects<$output>>;

            async fn run(self, request: Request<'_>) -> Result<Self::Output> {
                super::shared::run::<PolygonSet, PolygonSet, Self>(self, request).await
            }
        }

        impl ListPart<PolygonSet, PolygonSet> for $query {
            type State<'a> = AreaList<'a, Self>;

            fn check(&self) -> Result<()> {
                Area::check(*self)
            }

            fn begin(self, sides: [Rounded<'_>; 2], count: usize) -> Result<Self::State<'_>> {
                Area::check(self)?;
                let mut areas = Vec::new();
                reserve(&mut areas, count)?;
                Ok(AreaList { query: self, sets: sides.map(|side| side.cores), areas })
            }

            fn finish(
                state: Self::State<'_>,
                pairs: &[[u32; 2]],
                log: &Log,
                choice: &Choice,
            ) -> Self::Output {
                let AreaList { query, sets, areas } = state;
                let measured = |(&pair, &area): (&[u32; 2], &f64)| of_pieces(query, sets, pair, area);
                let items = pairs.par_iter().with_min_len(256).zip(&areas).map(measured).collect();
                log.answers(items, choice)
            }
        }
    )+};
}

area_queries! {
    IntersectionArea => f64;
    Iou => Overlap;
}
