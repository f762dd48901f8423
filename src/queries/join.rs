//! Finds the pairs of objects that meet, with their relations.

use std::borrow::Cow;

use super::collect::Found;
use super::drive::Query;
use super::walk::{Walk, Walked};
use crate::answers::check::CheckReport;
use crate::answers::envelope::Answers;
use crate::answers::results::{Counts, Keep, RelatedPair, Relation};
use crate::base::clock::Instant;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::broad_phase;
use crate::geometry::{Aabb, Pieces, PolygonSet};
use crate::kernels::log::{Log, Stage};
use crate::kernels::proposer::{Hint, Known, Uses};

/// Collects the pairs of objects that meet, with their relations.
pub(super) struct Meetings<'a> {
    a: Pieces<'a>,
    /// The pieces of B, or `None` in a self-join.
    b: Option<Pieces<'a>>,
    found: Found<'a>,
    report: Option<CheckReport>,
    /// The boxes of all pieces of A and of B, if the walk also visits pairs whose boxes do not meet. Otherwise `None`,
    /// because the boxes of every visited pair meet.
    boxes: Option<[Cow<'a, [Aabb]>; 2]>,
    candidate_pairs: u64,
    /// The answers of a join that compared the polygons by their edges. They replace the answers from the pieces,
    /// because the pieces are rounded if rings cross. `None` if the answers from the pieces are exact.
    #[cfg(not(target_family = "wasm"))]
    exact: Option<Answers<RelatedPair>>,
}

impl<'a> Meetings<'a> {
    pub(super) fn new(walk: &Walk<'a>, keep: Keep, check: bool) -> Self {
        let [a, b] = walk.sides().map(|side| Pieces::of(side.cores));
        let b = (!walk.is_self_join()).then_some(b);
        let boxes = (walk.reach > 0.0).then(|| walk.sides().map(|side| side.cores.piece_boxes()));
        Self {
            a,
            b,
            found: Found::new(a, b, walk.has_one_piece_an_object(), keep),
            report: check.then(CheckReport::default),
            boxes,
            candidate_pairs: 0,
            #[cfg(not(target_family = "wasm"))]
            exact: None,
        }
    }

    /// Sets the answers of a join that compared the polygons by their edges. They replace the answers from the pieces.
    /// `None` keeps the answers from the pieces.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn answered_by(self, exact: Option<Answers<RelatedPair>>) -> Self {
        Self { exact, ..self }
    }

    /// Returns the pairs to keep, sorted by the objects, for another query that runs in the same [`Walk`]. Returns an
    /// error if the pairs do not fit in memory.
    pub(super) fn pairs(self, walked: &mut Walked) -> Result<Vec<RelatedPair>> {
        let start = Instant::now();
        #[cfg(not(target_family = "wasm"))]
        if let Some(exact) = self.exact {
            return Ok(exact.items);
        }
        let pairs = self.found.finish(&mut Counts::default())?;
        walked.log.timings.collect += start.elapsed();
        Ok(pairs)
    }

    /// Returns the answers, sorted by the objects. Returns an error if the pairs do not fit in memory, and the errors of the broad
    /// phase.
    pub(super) fn finish(self, Walked { choice, log }: &mut Walked) -> Result<Answers<RelatedPair>> {
        #[cfg(not(target_family = "wasm"))]
        if let Some(mut exact) = self.exact {
            exact.check = self.report.map(|report| CheckReport { uncertain: log.counts.uncertain, ..report });
            return Ok(exact);
        }
        let chunks = log.spans.iter().filter(|span| span.stage == "exact").count() as u32;
        let start = Instant::now();
        let before = log.counts;
        let pairs = self.found.finish(&mut log.counts)?;
        log.end(Stage::Collect, chunks, start);
        let start = Instant::now();
        log.counts.candidate_pairs = self.candidate_pairs;
        let other = self.b.map(|b| b.set);
        log.counts.candidate_object_pairs = count_object_candidates(self.a.set, other, self.candidate_pairs)?;
        log.timings.broad_phase += start.elapsed();
        let mut answers = log.walk_answers(pairs, choice);
        answers.check = self.report;
        if let Some(report) = &mut answers.check {
            report.uncertain = log.counts.uncertain;
        }
        // The other queries of the walk set their own counts, so the counts of the log are restored.
        log.counts = before;
        Ok(answers)
    }
}

impl Uses for Meetings<'_> {
    const RELATIONS: bool = true;
}

impl Query for Meetings<'_> {
    fn hint(&self) -> Hint<'_> {
        Hint::RELATIONS
    }

    fn take(&mut self, pairs: &[[u32; 2]], known: &Known, log: &mut Log, chunk: u32) -> Result<()> {
        let near = self.boxes.as_ref().map(|[a, b]| {
            let meets = |(&pair, &relation): (&[u32; 2], &Relation)| {
                a[pair[0] as usize].meets(b[pair[1] as usize]).then_some((pair, relation))
            };
            let near = pairs.par_iter().zip(&known.relations).with_light_work().filter_map(meets);
            near.collect().into_iter().unzip::<_, _, Vec<[u32; 2]>, Vec<Relation>>()
        });
        let (pairs, relations) = match &near {
            None => (pairs, &known.relations[..]),
            Some((pairs, relations)) => (&pairs[..], &relations[..]),
        };
        self.candidate_pairs += pairs.len() as u64;
        if let Some(report) = &mut self.report {
            let start = Instant::now();
            report.judge(self.a, self.b, pairs, relations);
            log.end(Stage::Check, chunk, start);
        }
        let start = Instant::now();
        self.found.add(pairs, relations)?;
        log.end(Stage::Collect, chunk, start);
        Ok(())
    }
}

/// Returns the number of pairs of objects whose closed boxes meet, or the error of the broad phase. `of_pieces` is the number of
/// pairs of pieces whose boxes meet.
fn count_object_candidates(a: &PolygonSet, b: Option<&PolygonSet>, of_pieces: u64) -> Result<u64> {
    if a.has_one_piece_an_object() && b.is_none_or(PolygonSet::has_one_piece_an_object) {
        return Ok(of_pieces);
    }
    let boxes_a = occupied_boxes(a);
    match b {
        None => Ok(broad_phase::self_join(&boxes_a, None)?.count()),
        Some(b) => Ok(broad_phase::join(&boxes_a, &occupied_boxes(b))?.count()),
    }
}

/// Returns the box around each object that has a piece. Other objects have no entry: a file may contain many objects without a
/// piece.
fn occupied_boxes(set: &PolygonSet) -> Vec<Aabb> {
    let mut boxes: Vec<Aabb> = Vec::new();
    let mut before = None;
    for (piece, &aabb) in set.piece_boxes().iter().enumerate() {
        let object = Some(set.piece_object(piece));
        match boxes.last_mut() {
            // The pieces of an object are consecutive, so a piece belongs to the last object or to a new one.
            Some(last) if object == before => *last = last.union(aabb),
            _ => boxes.push(aabb),
        }
        before = object;
    }
    boxes
}
