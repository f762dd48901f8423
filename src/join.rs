//! The pipeline of a join: pack, broad phase, narrow phase, check, collect.

use std::collections::VecDeque;
use std::time::Duration;

use crate::broad_phase;
use crate::check::CheckReport;
use crate::clock::Instant;
use crate::collect::Found;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::geometry::{Aabb, Pieces, PolygonSet};
use crate::narrow_phase::{Lists, NarrowPhase, Side};
use crate::prepared::Relations;
use crate::results::{Counts, Join, Relation, StageSpan, Timings};

/// Selects the pairs that a join returns, by their relation. A caller for whom touching pairs do not count chooses
/// [`Keep::Overlapping`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// The join returns touching and overlapping pairs.
    #[default]
    Meeting,
    /// The join returns touching pairs.
    Touching,
    /// The join returns overlapping pairs.
    Overlapping,
}

impl Keep {
    /// Returns whether a join keeps a pair with this relation.
    #[must_use]
    pub fn keeps(self, relation: Relation) -> bool {
        match self {
            Self::Meeting => relation != Relation::Disjoint,
            Self::Touching => relation == Relation::Touching,
            Self::Overlapping => relation == Relation::Overlapping,
        }
    }
}

/// Options of a join. The relations and the order of the pairs are the same with all options.
#[derive(Clone, Copy, Debug)]
pub struct JoinOptions<'a> {
    /// Which pairs the join returns.
    pub keep: Keep,
    /// Whether to decide every candidate pair a second time, by exact arithmetic alone. [`Join::check`] then reports
    /// whether the answers agree.
    pub check: bool,
    /// Maximum number of candidate pairs that the join decides at once, in one chunk; at least 1. The default is 2^20.
    /// A backend may use smaller chunks.
    pub chunk_pairs: usize,
    /// An observer of the progress. The join calls the observer when a stage begins, and after each chunk of candidate
    /// pairs.
    pub progress: Option<&'a dyn Progress>,
}

impl Default for JoinOptions<'_> {
    fn default() -> Self {
        Self { keep: Keep::default(), check: false, chunk_pairs: 1 << 20, progress: None }
    }
}

/// An observer of the progress of a join. The default methods do nothing.
pub trait Progress: std::fmt::Debug + Sync {
    /// The join calls this method when a stage begins. The stages are `packing`, `broad phase`, `narrow phase` and
    /// `sorting`.
    fn stage(&self, name: &'static str) {
        let _ = name;
    }
    /// The join calls this method after each chunk. `pairs` is the total number of candidate pairs of pieces decided so
    /// far.
    fn decided(&self, pairs: u64) {
        let _ = pairs;
    }
}

impl Engine {
    /// Finds the pairs of objects of one set that meet (touch or overlap). The result has each pair once, with `a < b`,
    /// sorted by `a`, then `b`.
    ///
    /// # Errors
    /// - [`Error::Option`] if `chunk_pairs` is 0.
    /// - [`Error::TooMany`] if the set has too many items for 32-bit indices.
    /// - [`Error::OutOfMemory`] if the pairs found do not fit in memory.
    /// - On a GPU, an error of the device, such as [`Error::DeviceLost`].
    #[cfg(not(target_family = "wasm"))]
    pub fn self_join(&self, set: &PolygonSet, options: &JoinOptions<'_>) -> Result<Join> {
        block_on(self.run(set, None, options))
    }

    /// Finds the pairs of an object of `a` and an object of `b` that meet (touch or overlap). The pairs are sorted by
    /// `a`, then `b`.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::self_join`], where [`Error::TooMany`] applies to the two sets together.
    ///
    /// ```
    /// use sat2d::{Backend, Engine, JoinOptions, Keep, PolygonSet};
    ///
    /// let parcels = PolygonSet::from_convex_rings(&[
    ///     [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
    ///     [[1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0]],
    /// ])?;
    /// // Overlaps the one and touches the other.
    /// let flood = PolygonSet::from_convex_rings(&[[[0.5, 0.0], [1.0, 0.5], [0.5, 1.0]]])?;
    /// let engine = Engine::new(Backend::Cpu)?;
    /// let options = JoinOptions { keep: Keep::Overlapping, ..JoinOptions::default() };
    /// let join = engine.join(&parcels, &flood, &options)?;
    /// assert_eq!(join.pairs.iter().map(|p| (p.a, p.b)).collect::<Vec<_>>(), [(0, 0)]);
    /// assert_eq!((join.counts.overlapping, join.counts.touching), (1, 1));
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    pub fn join(&self, a: &PolygonSet, b: &PolygonSet, options: &JoinOptions<'_>) -> Result<Join> {
        block_on(self.run(a, Some(b), options))
    }

    /// Async form of [`Engine::self_join`]. On native targets, polling the future blocks the calling thread while the
    /// device or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::self_join`].
    pub async fn self_join_async(&self, set: &PolygonSet, options: &JoinOptions<'_>) -> Result<Join> {
        self.run(set, None, options).await
    }

    /// Async form of [`Engine::join`]. On native targets, polling the future blocks the calling thread while the device
    /// or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::join`].
    pub async fn join_async(
        &self,
        a: &PolygonSet,
        b: &PolygonSet,
        options: &JoinOptions<'_>,
    ) -> Result<Join> {
        self.run(a, Some(b), options).await
    }

    /// Decides the relation of each given pair. `pairs[i]` is the index of a piece of `a` and the index of a piece of
    /// `b`. A piece is a convex part of an object. In a set of convex polygons, each object is one piece, and the piece
    /// has the index of the object. The two pieces may be near each other or far apart.
    ///
    /// # Errors
    /// - [`Error::UnknownPolygon`] if an index names a piece that does not exist.
    /// - [`Error::TooMany`] if the two sets together have too many items for 32-bit indices.
    /// - On a GPU, an error of the device, such as [`Error::DeviceLost`].
    ///
    /// ```
    /// use sat2d::{Backend, ConvexPolygon, Engine, PolygonSet, Pose, Relation};
    ///
    /// let square = ConvexPolygon::new(&[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])?;
    /// let places = [(0, Pose::IDENTITY), (0, Pose::from_translation([2.0, 2.0])?), (0, Pose::new(0.5, [2.0, 0.0])?)];
    /// let set = PolygonSet::from_instances(&[square.into()], &places)?;
    /// let found = Engine::new(Backend::Cpu)?.relations(&set, &set, &[[0, 1], [0, 2], [1, 2]])?;
    /// assert_eq!(found.relations, [Relation::Touching, Relation::Overlapping, Relation::Overlapping]);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    pub fn relations(&self, a: &PolygonSet, b: &PolygonSet, pairs: &[[u32; 2]]) -> Result<Relations> {
        block_on(self.relations_async(a, b, pairs))
    }

    /// Async form of [`Engine::relations`]. On native targets, polling the future blocks the calling thread while the
    /// device or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::relations`].
    pub async fn relations_async(
        &self,
        a: &PolygonSet,
        b: &PolygonSet,
        pairs: &[[u32; 2]],
    ) -> Result<Relations> {
        let count = pairs.len() as u64;
        let choice = self.choice_for(count, |_| count);
        self.prepare_on(choice, a, b, Lists::One).await?.relations_async(pairs).await
    }

    async fn run(
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
        crate::sorting::sort_by_key(&mut timeline, |span| (span.begin, span.end));
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

/// Refuses two sets that do not fit one pool of 32-bit indices.
pub(crate) fn check_sizes(a: &PolygonSet, b: Option<&PolygonSet>) -> Result<()> {
    let limit = u32::MAX as usize - 1;
    let both = |count: fn(&PolygonSet) -> usize| count(a) + b.map_or(0, count);
    for (items, count) in [
        ("vertices", both(PolygonSet::vertex_count)),
        ("shapes", both(PolygonSet::shape_count)),
        ("pieces", both(PolygonSet::piece_count)),
    ] {
        if count > limit {
            return Err(Error::TooMany { items, count, limit });
        }
    }
    Ok(())
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

/// Runs a future that only ever waits for the device, which it polls itself.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    #[cfg(feature = "gpu")]
    return pollster::block_on(future);
    #[cfg(not(feature = "gpu"))]
    {
        let mut future = std::pin::pin!(future);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        loop {
            // Without a device nothing is ever waited for.
            if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return value;
            }
        }
    }
}
