//! Decides which objects cover each other: for the pairs that a caller passes, and for all pairs of one set or of two
//! sets.

use std::borrow::Cow;

use super::buckets::reserve;
use super::drive::{Drive, Query};
use super::given::{ObjectPairs, ObjectQuery};
use super::joins::{JoinQuery, Request, UsedOptions};
use super::kinds::Containments;
use super::polygons::{Polygons, Searched, choice_on_edges};
use super::sources::{Coverable, GivenObjects, Source};
use crate::answers::backend::{Backend, Choice};
use crate::answers::containment::{Containment, CoveringPair};
use crate::answers::envelope::Answers;
use crate::answers::results::Relation;
use crate::base::clock::Instant;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::broad_phase;
use crate::geometry::limits::check_sizes;
use crate::geometry::outline::LeafPairs;
use crate::geometry::{Aabb, Pieces, PolygonSet};
use crate::kernels::backends::Backends;
use crate::kernels::containment::decide;
use crate::kernels::edges::{Region, containment};
#[cfg(feature = "gpu")]
use crate::kernels::gpu::GpuNarrowPhase;
use crate::kernels::log::{Log, Stage};
use crate::kernels::proposer::{Hint, Known, Lists, Proposer, Side, Uses};

/// The number of pairs of objects in a chunk, if the edges of polygons decide the pairs. Deciding a pair of large polygons takes
/// several microseconds.
const CHUNK_PAIRS: usize = 1 << 15;
/// The number of pairs of objects that one task decides by the edges of polygons.
const TASK_PAIRS: usize = 16;

impl ObjectQuery for Containments {
    type Item = Containment;

    async fn run(self, given: &ObjectPairs<'_>) -> Result<Answers<Containment>> {
        let ObjectPairs { backends, sets: [a, b], pairs, drive } = *given;
        given.check_objects()?;
        let other = (!std::ptr::eq(a, b)).then_some(b);
        let count = pairs.len() as u64;
        let (mut source, mut log) = (GivenObjects(pairs), Log::new());
        let (mut query, choice);
        if let Some(polygons) = Polygons::of_both([a, b], backends) {
            choice = choice_on_edges([a, b], backends);
            query = Covering::on_edges([a, b], polygons, false);
            query.run_on_edges(&mut source, drive, &mut log)?;
        } else {
            check_sizes(a, other)?;
            query = Covering::new([a, b], false);
            let first_choice = backends.choice_for(count, |_| count);
            choice = backends.cover(first_choice, other, &mut source, &mut query, drive, &mut log).await?;
        }
        log.counts.candidate_pairs = count;
        log.counts.candidate_object_pairs = count;
        Ok(log.answers(query.containments, &choice))
    }
}

impl JoinQuery for Containments {
    type Output = Answers<CoveringPair>;

    async fn run(self, request: Request<'_>) -> Result<Self::Output> {
        request.check_options(UsedOptions { keep: true, ..UsedOptions::NOTHING })?;
        let (backends, drive) = (request.backends, request.drive);
        let (a, other) = (request.a.cores, request.other.map(|side| side.cores));
        let stage = |name| drive.progress.inspect(|p| p.stage(name));
        let b = other.unwrap_or(a);
        let polygons = Polygons::of_both([a, b], backends);
        if polygons.is_none() {
            check_sizes(a, other)?;
        }
        let mut log = Log::new();
        stage("broad phase");
        let start = Instant::now();
        let (boxes_a, boxes_b) = (object_boxes(a), other.map(object_boxes));
        let candidates = match &boxes_b {
            None => broad_phase::self_join(&boxes_a, None)?,
            Some(boxes_b) => broad_phase::join(&boxes_a, boxes_b)?,
        };
        let choice = match polygons {
            Some(_) => choice_on_edges([a, b], backends),
            None => backends.choice_for(0, |most| candidates.count_up_to(most)),
        };
        log.timings.broad_phase += start.elapsed();
        let has_exact_boxes = has_exact_boxes(a) && other.is_none_or(has_exact_boxes);
        let boxes = has_exact_boxes.then(|| [&*boxes_a, boxes_b.as_deref().unwrap_or(&boxes_a)]);
        stage("packing");
        let mut source = Coverable { candidates, boxes, found: 0 };
        let (mut query, used);
        if let Some(polygons) = polygons {
            used = choice;
            query = Covering::on_edges([a, b], polygons, true);
            stage("narrow phase");
            query.run_on_edges(&mut source, drive, &mut log)?;
        } else {
            query = Covering::new([a, b], true);
            used = backends.cover(choice, other, &mut source, &mut query, drive, &mut log).await?;
        }
        log.counts.candidate_object_pairs = source.found;
        stage("sorting");
        let start = Instant::now();
        let mut found = query.pairs.unwrap_or_default();
        found.par_sort_unstable_by_key(|pair| (pair.a, pair.b));
        log.counts.overlapping = found.len() as u64;
        // If an object covers another one, the two overlap. A query that does not keep overlapping pairs therefore
        // finds nothing.
        if !request.keep.unwrap_or_default().keeps(Relation::Overlapping) {
            found.clear();
        }
        log.timings.collect += start.elapsed();
        Ok(log.answers(found, &used))
    }
}

impl Backends {
    /// Decides the pairs of `source`, and stores the containments in `query`. Returns the choice of the backend that decided
    /// them, or an error if the source or the device fails.
    async fn cover<'s>(
        &self,
        choice: Choice,
        other: Option<&PolygonSet>,
        source: &mut impl Source<'s>,
        query: &mut Covering<'_>,
        drive: Drive<'_>,
        log: &mut Log,
    ) -> Result<Choice> {
        let [a, b] = query.sets;
        let start = Instant::now();
        let (boxes_a, boxes_b) = (a.piece_boxes(), other.map(PolygonSet::piece_boxes));
        log.timings.pack += start.elapsed();
        let side_a = Side { pieces: Pieces::of(a), boxes: &boxes_a };
        let side_b = boxes_b.as_deref().map(|boxes| Side { pieces: Pieces::of(b), boxes });
        let hint = query.hint();
        let choice = if hint.containments {
            choice
        } else {
            let reason = "containment has a kernel only for pairs of objects of one piece each";
            Choice { backend: Backend::Cpu, adapter: None, reason: reason.into() }
        };
        let sides = (side_a, side_b);
        let mut proposer =
            Proposer::new::<Covering<'_>>(self, choice.backend, sides, Lists::One, hint, log).await?;
        if query.pairs.is_some() {
            drive.progress.inspect(|progress| progress.stage("narrow phase"));
        }
        let mut spare = self.spare.lock().map(|mut spare| spare.take_lists()).unwrap_or_default();
        drive.run(source, &mut proposer, [a, b].map(Pieces::of), query, &mut spare, log).await?;
        if let Ok(mut kept) = self.spare.lock() {
            kept.give_lists(spare);
        }
        Ok(choice)
    }
}

/// Decides for each pair whether one object covers the other object.
struct Covering<'a> {
    sets: [&'a PolygonSet; 2],
    /// Whether each object of both sets is one piece that has the index of the object.
    objects_are_pieces: bool,
    hint: Hint<'static>,
    /// The polygons of both sets, if the edges of polygons decide the pairs. `None` if convex pieces decide the pairs.
    polygons: Option<[Searched<'a>; 2]>,
    /// The pairs in which one object covers the other. `None` if the query keeps the containment of every pair.
    pairs: Option<Vec<CoveringPair>>,
    /// The containment of every pair. The list is empty if `pairs` is used instead.
    containments: Vec<Containment>,
}

impl<'a> Covering<'a> {
    fn new(sets: [&'a PolygonSet; 2], is_join: bool) -> Self {
        let objects_are_pieces = sets.into_iter().all(has_objects_for_pieces);
        let has_convex = |set: &PolygonSet| (0..set.object_count()).any(|i| set.object_pieces(i).len() == 1);
        let has_kernel = objects_are_pieces || sets.into_iter().all(has_convex);
        let hint = if has_kernel { Hint::CONTAINMENTS } else { Hint::default() };
        let pairs = is_join.then(Vec::new);
        Self { sets, objects_are_pieces, hint, polygons: None, pairs, containments: Vec::new() }
    }

    /// Creates a query that decides pairs by the edges of the polygons. No polygon is split into pieces.
    fn on_edges(sets: [&'a PolygonSet; 2], polygons: [Polygons<'a>; 2], is_join: bool) -> Self {
        let (pairs, hint) = (is_join.then(Vec::new), Hint::default());
        Self {
            sets,
            objects_are_pieces: false,
            hint,
            polygons: Some(polygons.map(Searched::of)),
            pairs,
            containments: Vec::new(),
        }
    }

    /// Decides all pairs of a source from the edges of the polygons. Returns the errors of the source.
    fn run_on_edges<'s>(
        &mut self,
        source: &mut impl Source<'s>,
        drive: Drive<'_>,
        log: &mut Log,
    ) -> Result<()> {
        let limit = drive.chunk_pairs.min(CHUNK_PAIRS);
        let (mut spare, known) = (Vec::new(), Known::default());
        for chunk in 0.. {
            let start = Instant::now();
            let pairs = source.next_chunk(limit, &mut spare)?;
            log.end(Stage::BroadPhase, chunk, start);
            let Some(pairs) = pairs else { break };
            log.counts.candidate_pairs += pairs.len() as u64;
            self.take(&pairs, &known, log, chunk)?;
            drive.report(source.visited().unwrap_or(log.counts.candidate_pairs));
            if let Cow::Owned(pairs) = pairs {
                spare = pairs;
            }
        }
        Ok(())
    }

    /// Returns the pieces of two objects, or `None` if an object does not have exactly one piece.
    fn convex(&self, [i, j]: [u32; 2]) -> Option<[u32; 2]> {
        let [a, b] = self.sets;
        let (i, j) = (a.object_pieces(i as usize), b.object_pieces(j as usize));
        (i.len() == 1 && j.len() == 1).then_some([i.start as u32, j.start as u32])
    }

    /// Returns the containment of each pair, or the error of the first pair that cannot be decided. Exact arithmetic decides the
    /// pairs that the filter left undecided.
    fn decide(&self, pairs: &[[u32; 2]], known: &Known) -> Result<Vec<Containment>> {
        if let Some(polygons) = &self.polygons {
            return Ok(decided_on_edges(pairs, polygons));
        }
        let [a, b] = self.sets;
        let decided_exactly = |&[i, j]: &[u32; 2]| decide(a, i as usize, b, j as usize);
        let decided: Vec<Result<Containment>> = if self.objects_are_pieces {
            let decided = pairs.par_iter().zip(&known.containments);
            decided.map(|(pair, known)| known.map_or_else(|| decided_exactly(pair), Ok)).collect()
        } else {
            let convex: Vec<bool> = pairs.par_iter().map(|&pair| self.convex(pair).is_some()).collect();
            let mut next = known.containments.iter().copied();
            let known: Vec<Option<Containment>> = convex
                .into_iter()
                .map(|is_convex| if is_convex { next.next().flatten() } else { None })
                .collect();
            let decided = pairs.par_iter().zip(&known);
            decided.map(|(pair, known)| known.map_or_else(|| decided_exactly(pair), Ok)).collect()
        };
        decided.into_iter().collect()
    }
}

impl Uses for Covering<'_> {
    const CONTAINMENTS: bool = true;

    #[cfg(feature = "gpu")]
    async fn device<'g>(gpu: &'g GpuNarrowPhase, _: Hint<'_>) -> Result<&'g GpuNarrowPhase> {
        gpu.for_containment().await
    }
}

impl Query for Covering<'_> {
    fn hint(&self) -> Hint<'_> {
        self.hint
    }

    fn pieces(&self, pairs: &[[u32; 2]]) -> Option<Vec<[u32; 2]>> {
        let has_others = self.hint.containments && !self.objects_are_pieces;
        has_others.then(|| pairs.par_iter().filter_map(|&pair| self.convex(pair)).collect())
    }

    fn take(&mut self, pairs: &[[u32; 2]], known: &Known, log: &mut Log, _: u32) -> Result<()> {
        let start = Instant::now();
        let decided = self.decide(pairs, known)?;
        log.timings.exact += start.elapsed();
        let start = Instant::now();
        let Some(covering) = &mut self.pairs else {
            reserve(&mut self.containments, decided.len())?;
            self.containments.extend(decided);
            return Ok(());
        };
        let kept = || decided.iter().zip(pairs).filter(|(c, _)| **c != Containment::Neither);
        reserve(covering, kept().count())?;
        covering.extend(kept().map(|(&containment, &[a, b])| CoveringPair { a, b, containment }));
        log.timings.collect += start.elapsed();
        Ok(())
    }
}

/// Decides by the edges of polygons, for each pair, whether one object covers the other object.
fn decided_on_edges(pairs: &[[u32; 2]], [a, b]: &[Searched<'_>; 2]) -> Vec<Containment> {
    let decide = |pairs: &[[u32; 2]]| -> Vec<Containment> {
        let (mut leaf_pairs, [mut singles_a, mut singles_b]) =
            (LeafPairs::default(), [const { Vec::new() }; 2]);
        let mut decide = |&[i, j]: &[u32; 2]| {
            let [of_a, of_b] = [a.bounds_of(i), b.bounds_of(j)];
            let (near_a, others_a) = a.outlines_near(i, of_b, &mut singles_a);
            let (near_b, others_b) = b.outlines_near(j, of_a, &mut singles_b);
            let a = Region { near: &near_a, has_others: others_a, bounds: of_a };
            let b = Region { near: &near_b, has_others: others_b, bounds: of_b };
            containment(a, b, &mut leaf_pairs)
        };
        pairs.iter().map(&mut decide).collect()
    };
    let decided: Vec<Vec<Containment>> = pairs.par_chunks(TASK_PAIRS).map(decide).collect();
    decided.concat()
}

/// Returns a closed box around each object.
fn object_boxes(set: &PolygonSet) -> Cow<'_, [Aabb]> {
    if set.outlined().is_none() && has_objects_for_pieces(set) {
        return set.piece_boxes();
    }
    Cow::Owned(set.object_aabbs())
}

/// Returns whether each object of a set is one piece that has the index of the object.
fn has_objects_for_pieces(set: &PolygonSet) -> bool {
    set.has_one_piece_an_object() && set.piece_count() == set.object_count()
}

/// Returns whether the object boxes of a set are exact: the set has no poses and no crossed object. An object can then
/// cover another object only if its box covers the other box. The box of a crossed object is not exact, because it may
/// contain edges that have no interior beside them.
fn has_exact_boxes(set: &PolygonSet) -> bool {
    set.is_static() && set.crossed_objects().is_empty()
}
