//! Runs queries of points: points against the polygons of a set, and given pairs of a point and a piece.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use glam::DVec2;

use super::PointOptions;
#[cfg(not(target_family = "wasm"))]
use super::covered::Covered;
use super::device::{Device, relation_of};
use super::direct::relation_to_piece;
use super::index::PointIndex;
use super::scan::{Hit, Scan, Tally};
use super::search::Searched;
use crate::answers::backend::{Backend, Choice};
use crate::answers::envelope::Answers;
use crate::answers::points::{FirstHits, KeepPoints, PointCount, PointJoin, PointPair, PointRelation};
use crate::answers::results::Timings;
use crate::base::clock::Instant;
use crate::base::error::{Error, Result};
use crate::base::parallel::prelude::*;
use crate::engine::Engine;
use crate::geometry::PolygonSet;
use crate::geometry::limits::check_points;
use crate::kernels::log::Log;
#[cfg(not(target_family = "wasm"))]
use crate::queries::block_on::block_on;
use crate::queries::kinds::Relations;
use crate::queries::polygons::choice_on_edges;

/// The greatest number of points that one task looks up.
const TASK: usize = 1 << 13;
/// The number of tasks that start together, for each thread.
const WAVE: usize = 16;
/// A task stops after the first point or block of points at which it holds at least this many pairs. Together with the
/// number of running tasks, this number bounds the memory that a query needs besides the answer.
pub(super) const TASK_PAIRS: usize = 1 << 17;

/// Points and the polygons of a set, ready for a query: [`Engine::points`] selects them, and [`Points::query`] finds
/// which points lie in which objects. Coordinates of points are world coordinates in f64, in the caller's unit.
///
/// ```
/// use sat2d::{Backend, Engine, PointOptions, PointRelation, PolygonSet};
///
/// let parcels = PolygonSet::from_convex_rings(&[
///     [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
///     [[1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0]],
/// ])?;
/// let points = [[0.5, 0.5], [1.0, 0.25], [7.0, 7.0]];
/// let options = PointOptions { counts: true, first: true, pairs: true, ..PointOptions::default() };
/// let join = Engine::new(Backend::Cpu)?.points(&points, &parcels).query(&options)?;
/// let pairs: Vec<_> = join.pairs.iter().flatten().map(|p| (p.point, p.object, p.relation)).collect();
/// assert_eq!(
///     pairs,
///     [(0, 0, PointRelation::Inside), (1, 0, PointRelation::Boundary), (1, 1, PointRelation::Boundary)]
/// );
/// let counts: Vec<_> = join.counts.iter().flatten().map(|c| (c.inside, c.boundary)).collect();
/// assert_eq!(counts, [(1, 1), (0, 1)]);
/// let first: Vec<_> = join.first.iter().flat_map(|first| first.iter()).collect();
/// assert_eq!(first, [Some(0), Some(0), None]);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "points do nothing before `query`"]
pub struct Points<'a, P> {
    engine: &'a Engine,
    points: &'a [P],
    set: &'a PolygonSet,
}

/// Given pairs of a point and a convex piece: [`Engine::point_pairs`] selects the pairs, and [`PointPairs::query`]
/// decides their relations.
///
/// `pairs[i]` holds the index of a point and the index of a piece of the set. In a set of convex polygons, each object
/// is one piece, and the piece has the index of the object. The point and the piece may be near each other or far
/// apart.
///
/// ```
/// use sat2d::{Backend, Engine, PointRelation, PolygonSet, Relations};
///
/// let set = PolygonSet::from_convex_rings(&[[[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]]])?;
/// let points = [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]];
/// let engine = Engine::new(Backend::Cpu)?;
/// let found = engine.point_pairs(&points, &set, &[[2, 0], [1, 0], [0, 0]]).query(Relations)?;
/// assert_eq!(found.items, [PointRelation::Outside, PointRelation::Boundary, PointRelation::Inside]);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "pairs do nothing before `query`"]
pub struct PointPairs<'a, P> {
    engine: &'a Engine,
    points: &'a [P],
    set: &'a PolygonSet,
    pairs: &'a [[u32; 2]],
}

impl Engine {
    /// Selects points and the polygons of a set for a query. [`Points::query`] finds which points lie in which objects.
    pub fn points<'a, P: Into<DVec2> + Copy + Sync>(
        &'a self,
        points: &'a [P],
        set: &'a PolygonSet,
    ) -> Points<'a, P> {
        Points { engine: self, points, set }
    }

    /// Selects given pairs of a point and a convex piece for a query. [`PointPairs::query`] decides the relations of
    /// the pairs.
    pub fn point_pairs<'a, P: Into<DVec2> + Copy + Sync>(
        &'a self,
        points: &'a [P],
        set: &'a PolygonSet,
        pairs: &'a [[u32; 2]],
    ) -> PointPairs<'a, P> {
        PointPairs { engine: self, points, set, pairs }
    }
}

impl<P: Into<DVec2> + Copy + Sync> Points<'_, P> {
    /// Finds which points lie in which objects. [`PointOptions`] selects the results: the number of points in each object,
    /// the first object of each point, or all pairs.
    ///
    /// The query allocates memory for the result, a few hundred bytes for each polygon, at most 16 bytes for each point, and a
    /// bounded amount of further memory.
    ///
    /// # Errors
    /// - [`Error::Point`] for the first point with a coordinate that is NaN, infinite or out of range.
    /// - [`Error::TooMany`] if there are more points or vertices than 32-bit indices can address.
    /// - [`Error::OutOfMemory`] if the pairs found do not fit in memory.
    /// - On a GPU, a device error, such as [`Error::DeviceLost`].
    #[cfg(not(target_family = "wasm"))]
    pub fn query(&self, options: &PointOptions<'_>) -> Result<PointJoin> {
        block_on(self.query_async(options))
    }

    /// Async variant of [`Points::query`]. On native targets, polling the future blocks the calling thread while the device
    /// or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Fails in the same cases as [`Points::query`].
    pub async fn query_async(&self, options: &PointOptions<'_>) -> Result<PointJoin> {
        let start = Instant::now();
        options.progress.inspect(|progress| progress.stage("broad phase"));
        check_points(self.points)?;
        // In WebAssembly, this code would make the page load slower.
        #[cfg(not(target_family = "wasm"))]
        if let Some(covered) = Covered::by_objects(self.points, self.set) {
            let Self { engine, points, set } = *self;
            let mut join = Points { engine, points: &covered.positions, set }.decide(options, start).await?;
            covered.extend(&mut join, points.len());
            options.progress.inspect(|progress| progress.decided(points.len() as u64));
            join.timings.collect += start.elapsed() - join.timings.total;
            join.timings.total = start.elapsed();
            return Ok(join);
        }
        self.decide(options, start).await
    }

    /// Decides the points. The query began at `start`.
    pub(super) async fn decide(&self, options: &PointOptions<'_>, start: Instant) -> Result<PointJoin> {
        let Self { engine, points, set } = *self;
        let query_start = start;
        let stage = |name| options.progress.inspect(|p| p.stage(name));
        let mut timings = Timings::default();
        let Lookup { index, searched, choice } = self.lookup()?;
        timings.broad_phase = start.elapsed();
        stage("packing");
        let start = Instant::now();
        let mut device = Device::new(engine, choice.backend, set).await?;
        timings.pack = start.elapsed();
        stage("narrow phase");
        let start = Instant::now();
        let one_piece_an_object =
            searched.as_ref().is_none_or(Searched::needs_pieces) && set.has_one_piece_an_object();
        let wants_all = options.counts || options.pairs;
        let until_inside = options.first && !wants_all && options.keep != KeepPoints::Boundary;
        let scan = Scan { index: &index, one_piece_an_object, until_inside, searched: searched.as_ref() };
        let tasks = Tasks { scan, options, spare: Mutex::default() };
        let mut answers = Gathered { pairs: Vec::new(), tally: Tally::default() };
        let mut first = if options.first { vec![FirstHits::NONE; points.len()] } else { Vec::new() };
        if options.counts || options.first || options.pairs {
            answers.take(points, &tasks, &mut first, device.as_mut()).await?;
        }
        timings.kernel = start.elapsed();
        let start = Instant::now();
        let spare = tasks.spare.into_inner().unwrap_or_default();
        let counts = options.counts.then(|| sum(spare, set.object_count()));
        timings.collect = start.elapsed();
        timings.total = query_start.elapsed();
        let Gathered { pairs, tally } = answers;
        Ok(PointJoin {
            counts,
            first: options.first.then_some(FirstHits(first)),
            pairs: options.pairs.then_some(pairs),
            candidate_pairs: tally.candidates,
            uncertain: tally.uncertain,
            oversized: tally.oversized,
            choice,
            timings,
        })
    }
}

/// The data with which objects near a point are found, and the backend that decides the points.
struct Lookup<'a> {
    index: PointIndex<'a>,
    /// The objects or pieces that are not in the point index. `None` if the index has all of them.
    searched: Option<Searched<'a>>,
    choice: Choice,
}

impl<'a, P: Into<DVec2> + Copy + Sync> Points<'a, P> {
    /// Chooses between the grid and a search by boxes, and prepares the chosen one. Returns the errors of the broad
    /// phase and of [`PointIndex::new`]. The device decides candidates of the grid only.
    fn lookup(&self) -> Result<Lookup<'a>> {
        let Self { engine, points, set } = *self;
        let choice = engine.backends.choice_for_points();
        let searched = match choice.backend {
            _ if cfg!(target_family = "wasm") => None,
            Backend::Gpu => Searched::crossed(set)?,
            _ => Searched::for_points(set, points)?,
        };
        if searched.as_ref().is_some_and(Searched::are_all) {
            return Ok(Lookup { index: PointIndex::without_pieces(set), searched, choice });
        }
        let choice = if searched.is_some() { choice_on_edges([set; 2], &engine.backends) } else { choice };
        Ok(Lookup { index: PointIndex::new(set, points.len())?, searched, choice })
    }
}

impl<P: Into<DVec2> + Copy + Sync> PointPairs<'_, P> {
    /// Decides the relation of each pair. The answers are in the order of the pairs.
    ///
    /// # Errors
    /// - [`Error::Point`] for the first point with a coordinate that is NaN, infinite or out of range.
    /// - [`Error::UnknownPoint`] if an index names a point that does not exist.
    /// - [`Error::UnknownPolygon`] if an index names a piece that does not exist.
    /// - [`Error::TooMany`] if there are more points or vertices than 32-bit indices can address.
    /// - On a GPU, a device error, such as [`Error::DeviceLost`].
    #[cfg(not(target_family = "wasm"))]
    pub fn query(&self, query: Relations) -> Result<Answers<PointRelation>> {
        block_on(self.query_async(query))
    }

    /// Async variant of [`PointPairs::query`]. On native targets, polling the future blocks the calling thread while the
    /// device or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Fails in the same cases as [`PointPairs::query`].
    pub async fn query_async(&self, _: Relations) -> Result<Answers<PointRelation>> {
        let Self { engine, points, set, pairs } = *self;
        let mut log = Log::new();
        log.counts.candidate_pairs = pairs.len() as u64;
        log.counts.candidate_object_pairs = pairs.len() as u64;
        check_points(points)?;
        check_pairs(points.len(), set.piece_count(), pairs)?;
        let at = |point: u32| -> DVec2 { points[point as usize].into() };
        let decide = |&[point, piece]: &[u32; 2]| relation_to_piece(at(point), set.piece(piece as usize));
        let uncertain = AtomicU64::new(0);
        let add_uncertain = || _ = uncertain.fetch_add(1, Ordering::Relaxed);
        let choice = engine.backends.choice_for_points();
        let mut device = Device::new(engine, choice.backend, set).await?;
        log.timings.pack = log.start.elapsed();
        let start = Instant::now();
        let mut tally = Tally::default();
        let mut relations = Vec::new();
        if let Some(device) = &mut device {
            relations.reserve_exact(pairs.len());
            for pairs in pairs.chunks(DEVICE_PAIRS) {
                let records =
                    pairs.par_iter().map(|&[point, piece]| device.record(at(point), piece)).collect();
                let codes = device.codes(&records, &mut tally).await?;
                let exactly = |pair| {
                    add_uncertain();
                    decide(pair).relation
                };
                let decided = pairs.par_iter().zip(codes);
                let decided = decided.map(|(pair, &code)| relation_of(code).unwrap_or_else(|| exactly(pair)));
                decided.collect_into(&mut relations);
            }
        } else {
            let decided = pairs.par_iter().with_min_len(1024).map(|pair| {
                let decided = decide(pair);
                if decided.was_uncertain {
                    add_uncertain();
                }
                decided.relation
            });
            relations = decided.collect();
        }
        log.timings.kernel += start.elapsed();
        (log.counts.uncertain, log.counts.oversized) = (uncertain.into_inner(), tally.oversized);
        Ok(log.answers(relations, &choice))
    }
}

/// The number of pairs that a device receives at once.
const DEVICE_PAIRS: usize = 1 << 20;

/// Returns an error if a pair has the index of a point or a piece that does not exist.
fn check_pairs(points: usize, pieces: usize, pairs: &[[u32; 2]]) -> Result<()> {
    for (pair, &[point, piece]) in pairs.iter().enumerate() {
        if point as usize >= points {
            return Err(Error::UnknownPoint { pair, index: point as usize, count: points });
        }
        if piece as usize >= pieces {
            return Err(Error::UnknownPolygon { pair, index: piece as usize, count: pieces });
        }
    }
    Ok(())
}

/// The settings and shared memory of the tasks. Each task looks up a part of the points, in parallel with other tasks.
pub(super) struct Tasks<'a, 'b> {
    pub(super) scan: Scan<'a>,
    options: &'a PointOptions<'b>,
    /// Arrays with one count for each object, which no task is using now. A task takes an array while it runs, so there are
    /// at most as many arrays as tasks that run at once.
    spare: Mutex<Vec<Vec<PointCount>>>,
}

/// The results of all tasks that were collected so far.
struct Gathered {
    pairs: Vec<PointPair>,
    tally: Tally,
}

/// The results that a task writes while it runs.
pub(super) struct Noted<'a> {
    /// The index of the task's first point.
    start: usize,
    keep: KeepPoints,
    wants_pairs: bool,
    counts: Vec<PointCount>,
    pairs: Vec<PointPair>,
    /// For each of the task's points, the lowest index among the objects for which `keep` keeps the point. Empty if the
    /// first objects are not requested.
    first: &'a mut [u32],
}

impl Noted<'_> {
    /// Records the relation of a point to an object. `point` is the index of the point, counted from the task's first
    /// point.
    #[inline(always)]
    pub(super) fn note(&mut self, point: usize, (object, relation): Hit) {
        if let Some(count) = self.counts.get_mut(object as usize) {
            count.inside += u32::from(relation == PointRelation::Inside);
            count.boundary += u32::from(relation == PointRelation::Boundary);
        }
        if self.keep.keeps(relation) {
            if let Some(first) = self.first.get_mut(point) {
                *first = (*first).min(object);
            }
            if self.wants_pairs {
                self.pairs.push(PointPair { point: (self.start + point) as u32, object, relation });
            }
        }
    }
}

/// The results of a task for the points that it has processed.
pub(super) struct Found {
    pairs: Vec<PointPair>,
    /// The number of points that the task has processed.
    done: usize,
    tally: Tally,
}

#[cfg(feature = "gpu")]
impl Found {
    /// Adds the numbers of a tally to the counts of these results.
    pub(super) fn add(&mut self, tally: Tally) {
        self.tally += tally;
    }
}

/// An item of the remaining work. The next item is at the end of the list.
enum Work {
    Points(Range<usize>),
    /// Points that a task has looked up at least in part, and the results of the task.
    Found(Range<usize>, Found),
}

impl Gathered {
    /// Looks up all points. Returns an error if the pairs do not fit in memory or the device fails. `first` has an element for each
    /// point, or is empty if the first objects are not requested.
    async fn take<P: Into<DVec2> + Copy + Sync>(
        &mut self,
        points: &[P],
        tasks: &Tasks<'_, '_>,
        first: &mut [u32],
        mut device: Option<&mut Device<'_>>,
    ) -> Result<()> {
        let wave = WAVE * crate::base::parallel::current_num_threads();
        let mut work = vec![Work::Points(0..points.len())];
        while let Some(next) = work.pop() {
            match next {
                Work::Found(range, found) => {
                    self.tally += found.tally;
                    let needed_bytes = (self.pairs.len() + found.pairs.len()) * size_of::<PointPair>();
                    let room = crate::base::memory::try_reserve(&mut self.pairs, found.pairs.len());
                    room.map_err(|_| Error::OutOfMemory { needed_bytes })?;
                    self.pairs.extend_from_slice(&found.pairs);
                    let done = range.start + found.done;
                    tasks.options.progress.inspect(|p| p.decided(done as u64));
                    if done < range.end {
                        work.push(Work::Points(done..range.end));
                    }
                }
                Work::Points(range) => {
                    // The rest of an unfinished task is split over all threads.
                    let size = TASK.min(range.len().div_ceil(wave)).max(1);
                    let end = range.end.min(range.start + wave * size);
                    if end < range.end {
                        work.push(Work::Points(end..range.end));
                    }
                    let begun = range.start..end;
                    let first = first.get_mut(begun.clone()).unwrap_or_default();
                    let mut parts: Vec<Part<'_, P>> = begun
                        .clone()
                        .step_by(size)
                        .zip(points[begun].chunks(size))
                        .map(|(start, points)| Part { start, points, first: &mut [] })
                        .collect();
                    parts.iter_mut().zip(first.chunks_mut(size)).for_each(|(part, first)| part.first = first);
                    let ranges: Vec<Range<usize>> =
                        parts.iter().map(|part| part.start..part.start + part.points.len()).collect();
                    let found: Vec<Found> = match &mut device {
                        None => parts.into_par_iter().map(|part| tasks.look_up(part)).collect(),
                        Some(device) => device.look_up(tasks, parts).await?,
                    };
                    work.extend(
                        ranges.into_iter().zip(found).rev().map(|(range, found)| Work::Found(range, found)),
                    );
                }
            }
        }
        Ok(())
    }
}

/// The points of a task, and the places for their first objects.
pub(super) struct Part<'a, P> {
    /// The index of the part's first point among all points.
    pub(super) start: usize,
    pub(super) points: &'a [P],
    /// The place for the first object of each point. Empty if the first objects are not requested.
    pub(super) first: &'a mut [u32],
}

impl Tasks<'_, '_> {
    /// Looks up the points of a task, until the task holds too many pairs.
    fn look_up<P: Into<DVec2> + Copy>(&self, part: Part<'_, P>) -> Found {
        let points = part.points;
        self.noting(part, |noted, tally| {
            self.scan.run(points, tally, noted, Noted::note, |noted| noted.pairs.len() >= TASK_PAIRS)
        })
    }

    /// Runs `work`, which records points and their objects and returns the number of points that it has processed. Returns the
    /// results.
    pub(super) fn noting<P>(
        &self,
        part: Part<'_, P>,
        work: impl FnOnce(&mut Noted<'_>, &mut Tally) -> usize,
    ) -> Found {
        let PointOptions { keep, pairs: wants_pairs, .. } = *self.options;
        let counts = if self.options.counts { self.spare_counts() } else { Vec::new() };
        let Part { start, first, .. } = part;
        let mut noted = Noted { start, keep, wants_pairs, counts, pairs: Vec::new(), first };
        let mut tally = Tally::default();
        let done = work(&mut noted, &mut tally);
        let Noted { counts, pairs, .. } = noted;
        if self.options.counts
            && let Ok(mut spare) = self.spare.lock()
        {
            spare.push(counts);
        }
        Found { pairs, done, tally }
    }

    fn spare_counts(&self) -> Vec<PointCount> {
        let spare = self.spare.lock().ok().and_then(|mut spare| spare.pop());
        spare.unwrap_or_else(|| vec![PointCount::default(); self.scan.index.set.object_count()])
    }
}

/// Returns the sums of the counts of all tasks, for each object.
fn sum(mut parts: Vec<Vec<PointCount>>, object_count: usize) -> Vec<PointCount> {
    let mut total = parts.pop().unwrap_or_else(|| vec![PointCount::default(); object_count]);
    for part in parts {
        total.par_iter_mut().zip(part).for_each(|(total, part)| {
            total.inside += part.inside;
            total.boundary += part.boundary;
        });
    }
    total
}
