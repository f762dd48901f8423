//! The pipeline of a join: pack, broad phase, narrow phase, check, collect.

use crate::geometry::limits::check_sizes;
use crate::queries::options::JoinOptions;
use std::collections::VecDeque;
use std::time::Duration;

use crate::answers::check::CheckReport;
use crate::answers::results::{Counts, Join, StageSpan, Timings};
use crate::base::clock::Instant;
use crate::base::error::{Error, Result};
use crate::broad_phase;
use crate::geometry::{Aabb, Pieces, PolygonSet};
use crate::kernels::backends::Backends;
use crate::kernels::{Lists, NarrowPhase, Side};
use crate::queries::collect::Found;

impl Backends {
    /// Finds the pairs of objects that meet.
    pub(crate) async fn join(
        &self,
        a: &PolygonSet,
        other: Option<&PolygonSet>,
        options: &JoinOptions<'_>,
    ) -> Result<Join> {
        if options.chunk_pairs == 0 {
            return Err(Error::Option {
                option: "chunk_pairs",
                value: "0".into(),
                problem: "must be 1 or more",
            });
        }
        check_sizes(a, other)?;
        let b = other.unwrap_or(a);
        let stage = |name| options.progress.inspect(|p| p.stage(name));
        let mut counts = Counts::default();
        let mut timings = Timings::default();

        let mut clock = Clock { start: Instant::now(), spans: Vec::new() };
        stage("broad phase");
        let start = Instant::now();
        let one_piece_an_object = b.has_one_piece_an_object() && a.has_one_piece_an_object();
        let (boxes_a, boxes_b) = (a.piece_boxes(), other.map(PolygonSet::piece_boxes));
        let mut candidates = match &boxes_b {
            // Two pieces of one object are never a candidate pair.
            None => broad_phase::self_join(&boxes_a, a.piece_objects().filter(|_| !one_piece_an_object))?,
            Some(boxes_b) => broad_phase::join(&boxes_a, boxes_b)?,
        };
        // Nothing is known of the pairs yet; counting them takes a part of the broad phase.
        let choice = self.choice_for(0, |most| candidates.count_up_to(most));
        timings.broad_phase += clock.span("broad phase", 0, start);

        stage("packing");
        let start = Instant::now();
        let (pieces_a, pieces_b) = (Pieces::of(a), Pieces::of(b));
        let side_a = Side { pieces: pieces_a, boxes: &boxes_a };
        let side_b = boxes_b.as_deref().map(|boxes| Side { pieces: pieces_b, boxes });
        let mut narrow_phase =
            NarrowPhase::new(self, choice.backend, side_a, side_b, Lists::One, &mut timings).await?;

        let depth = narrow_phase.depth();
        // A device has a timeline of its own, of packing and uploading by turns.
        if depth == 1 {
            clock.span_until("pack", 0, start, start + timings.pack);
        }

        stage("narrow phase");
        let mut report = options.check.then(CheckReport::default);
        let mut found = Found::new(pieces_a, other.map(|_| pieces_b), one_piece_an_object, options.keep);
        let mut scratch =
            self.spare.lock().map(|mut spare| std::mem::take(&mut spare.scratch)).unwrap_or_default();
        // Chunks on their way.
        let mut waiting = VecDeque::new();
        let chunk_pairs = options.chunk_pairs.min(narrow_phase.chunk_pairs());
        let (mut proposed, mut decided, mut more) = (0, 0, true);
        loop {
            if more && waiting.len() < depth {
                let start = Instant::now();
                let mut pairs: Vec<[u32; 2]> = scratch.pairs.pop().unwrap_or_default();
                more = candidates.next_chunk(chunk_pairs, &mut pairs);
                timings.broad_phase += clock.span("broad phase", proposed, start);
                if more {
                    narrow_phase.submit(&pairs, &mut counts, &mut timings).await?;
                    waiting.push_back(pairs);
                    proposed += 1;
                }
                continue;
            }
            let Some(pairs) = waiting.pop_front() else { break };
            let before = timings;
            let start = Instant::now();
            narrow_phase
                .relations((pieces_a, pieces_b), &pairs, &mut scratch, &mut counts, &mut timings)
                .await?;
            let exact = Instant::now() - (timings.exact - before.exact);
            if depth == 1 {
                clock.span_until("kernel", decided, start, exact);
            }
            clock.span("exact", decided, exact);
            counts.candidate_pairs += pairs.len() as u64;
            if let Some(report) = &mut report {
                let start = Instant::now();
                report.judge(pieces_a, other.map(|_| pieces_b), &pairs, &scratch.relations);
                timings.check += clock.span("check", decided, start);
            }
            let start = Instant::now();
            found.add(&pairs, &scratch.relations)?;
            timings.collect += clock.span("collect", decided, start);
            options.progress.inspect(|p| p.decided(counts.candidate_pairs));
            scratch.pairs.push(pairs);
            decided += 1;
        }

        if let Ok(mut spare) = self.spare.lock() {
            spare.scratch = scratch;
        }
        let mut device_timeline = narrow_phase.timeline(clock.start);

        stage("sorting");
        let start = Instant::now();
        let pairs = found.finish(&mut counts)?;
        drop(candidates);
        timings.collect += clock.span("collect", decided, start);
        let start = Instant::now();
        counts.candidate_object_pairs = count_object_candidates(a, other, counts.candidate_pairs)?;
        timings.broad_phase += start.elapsed();
        if let Some(report) = &mut report {
            report.uncertain = counts.uncertain;
        }
        let mut timeline = clock.spans;
        timeline.append(&mut device_timeline);
        crate::base::sorting::sort_by_key(&mut timeline, |span| (span.begin, span.end));
        Ok(Join { choice, pairs, counts, timings, timeline, check: report })
    }
}

/// When what happened on the host.
struct Clock {
    start: Instant,
    spans: Vec<StageSpan>,
}

impl Clock {
    /// Notes what ends now, and says how long it took.
    fn span(&mut self, stage: &'static str, chunk: u32, begin: Instant) -> Duration {
        self.span_until(stage, chunk, begin, Instant::now())
    }

    fn span_until(&mut self, stage: &'static str, chunk: u32, begin: Instant, end: Instant) -> Duration {
        let since = |at: Instant| at.saturating_duration_since(self.start);
        self.spans.push(StageSpan { chunk, stage, begin: since(begin), end: since(end) });
        end.saturating_duration_since(begin)
    }
}

/// Pairs of objects whose closed boxes meet.
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

/// A box around each object that has a piece: most objects of a file may have none.
fn occupied_boxes(set: &PolygonSet) -> Vec<Aabb> {
    let mut boxes: Vec<Aabb> = Vec::new();
    let mut before = None;
    for (piece, &aabb) in set.piece_boxes().iter().enumerate() {
        let object = Some(set.piece_object(piece));
        match boxes.last_mut() {
            // Pieces are numbered object by object.
            Some(last) if object == before => *last = last.union(aabb),
            _ => boxes.push(aabb),
        }
        before = object;
    }
    boxes
}
