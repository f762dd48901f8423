//! The questions: points against the polygons of a set, and given pairs of a point and a piece.

use std::sync::Mutex;
use std::time::Instant;

use glam::DVec2;
use rayon::prelude::*;

use super::index::PointIndex;
use super::scan::{Hit, Scan, Tally};
use super::{
    FirstHits, KeepPoints, PointCount, PointJoin, PointOptions, PointPair, PointRelation, check_points,
};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::geometry::PolygonSet;
use crate::results::Timings;

/// Points that one task takes.
const TASK: usize = 1 << 13;
/// Tasks that are begun together, for each thread.
const WAVE: usize = 16;
/// Pairs that a task holds, about, before it stops: with the tasks begun together they bound the memory beside the answer.
const TASK_PAIRS: usize = 1 << 17;

impl Engine {
    /// Which points lie in which objects of a set: as [`PointOptions`] has it the points of each object, the first object of
    /// each point, or all pairs. Points are in the caller's unit and frame, in f64.
    ///
    /// Memory is that of the answer, of a grid over the polygons (a few hundred bytes a polygon) and a bounded amount beside.
    ///
    /// # Errors
    /// [`Error::Point`] for the first point that is not finite or out of the accepted range; [`Error::TooMany`] for more points
    /// or vertices than 32-bit indices can name; [`Error::OutOfMemory`] where the pairs found do not fit memory.
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
    /// let join = Engine::new(Backend::Cpu)?.points_in_polygons(&points, &parcels, &options)?;
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
    pub fn points_in_polygons<P: Into<DVec2> + Copy + Sync>(
        &self,
        points: &[P],
        set: &PolygonSet,
        options: &PointOptions<'_>,
    ) -> Result<PointJoin> {
        let stage = |name| options.progress.inspect(|p| p.stage(name));
        let mut timings = Timings::default();
        stage("broad phase");
        let start = Instant::now();
        check_points(points)?;
        let index = PointIndex::new(set, points.len())?;
        timings.broad_phase = start.elapsed();
        stage("narrow phase");
        let start = Instant::now();
        let one_piece_an_object = set.has_one_piece_an_object();
        let wants_all = options.counts || options.pairs;
        let until_inside = options.first && !wants_all && options.keep != KeepPoints::Boundary;
        let scan = Scan { index: &index, one_piece_an_object, until_inside };
        let mut answers =
            Answers { scan, options, spare: Mutex::default(), tally: Tally::default(), pairs: Vec::new() };
        let mut first = if options.first { vec![FirstHits::NONE; points.len()] } else { Vec::new() };
        if options.counts || options.first || options.pairs {
            answers.take(points, 0, &mut first)?;
        }
        timings.kernel = start.elapsed();
        let start = Instant::now();
        let Answers { spare, tally, pairs, .. } = answers;
        let spare = spare.into_inner().unwrap_or_default();
        let counts = options.counts.then(|| sum(spare, set.object_count()));
        timings.collect = start.elapsed();
        Ok(PointJoin {
            counts,
            first: options.first.then_some(FirstHits(first)),
            pairs: options.pairs.then_some(pairs),
            candidate_pairs: tally.candidates,
            uncertain: tally.uncertain,
            oversized: 0,
            choice: self.choice.clone(),
            timings,
        })
    }

    /// Where points lie to pieces: `pairs[i]` names a point and a piece of the set, near each other or not, and the answer's
    /// `i`th is theirs. In a set of convex polygons pieces are objects.
    ///
    /// # Errors
    /// [`Error::Point`]; [`Error::UnknownPoint`] and [`Error::UnknownPolygon`] for an index beyond the points or the set;
    /// [`Error::TooMany`].
    ///
    /// ```
    /// use sat2d::{Backend, Engine, PointRelation, PolygonSet};
    ///
    /// let set = PolygonSet::from_convex_rings(&[[[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]]])?;
    /// let points = [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]];
    /// let found = Engine::new(Backend::Cpu)?.point_relations(&points, &set, &[[2, 0], [1, 0], [0, 0]])?;
    /// assert_eq!(found, [PointRelation::Outside, PointRelation::Boundary, PointRelation::Inside]);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    pub fn point_relations<P: Into<DVec2> + Copy + Sync>(
        &self,
        points: &[P],
        set: &PolygonSet,
        pairs: &[[u32; 2]],
    ) -> Result<Vec<PointRelation>> {
        check_points(points)?;
        check_pairs(points.len(), set.piece_count(), pairs)?;
        let index = PointIndex::without_cells(set)?;
        let relation =
            |&[point, piece]: &[u32; 2]| index.relation_to_piece(points[point as usize].into(), piece).0;
        Ok(pairs.par_iter().with_min_len(1024).map(relation).collect())
    }
}

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

/// Points on their way to answers.
struct Answers<'a, 'b> {
    scan: Scan<'a>,
    options: &'a PointOptions<'b>,
    /// Counts of objects, one array for each task that runs at the same time as others.
    spare: Mutex<Vec<Vec<PointCount>>>,
    tally: Tally,
    pairs: Vec<PointPair>,
}

/// What a task found of its points.
struct Found {
    pairs: Vec<PointPair>,
    /// Points it looked at.
    done: usize,
    tally: Tally,
}

impl Answers<'_, '_> {
    /// Takes points, the first of which is number `start`; `first` has a place for each, or none.
    fn take<P: Into<DVec2> + Copy + Sync>(
        &mut self,
        points: &[P],
        start: usize,
        first: &mut [u32],
    ) -> Result<()> {
        let wave = WAVE * rayon::current_num_threads();
        // A part of a task that was left is cut so that every thread has some of it.
        let size = TASK.min(points.len().div_ceil(wave)).max(1);
        let mut at = 0;
        let mut rest_first = first;
        while at < points.len() {
            let end = points.len().min(at + wave * size);
            let length = if self.options.first { end - at } else { 0 };
            let (wave_first, tail) = std::mem::take(&mut rest_first).split_at_mut(length);
            rest_first = tail;
            let tasks: Vec<(usize, &[P])> =
                (at..end).step_by(size).zip(points[at..end].chunks(size)).collect();
            let found: Vec<Found> = if self.options.first {
                let tasks = tasks.into_par_iter().zip(wave_first.par_chunks_mut(size));
                tasks.map(|((from, points), first)| self.task(points, start + from, first)).collect()
            } else {
                tasks.into_par_iter().map(|(from, points)| self.task(points, start + from, &mut [])).collect()
            };
            for (from, found) in (at..end).step_by(size).zip(found) {
                self.tally += found.tally;
                let needed_bytes = (self.pairs.len() + found.pairs.len()) * size_of::<PointPair>();
                self.pairs.try_reserve(found.pairs.len()).map_err(|_| Error::OutOfMemory { needed_bytes })?;
                self.pairs.extend_from_slice(&found.pairs);
                drop(found.pairs);
                let of_task = from..end.min(from + size);
                let left = of_task.start + found.done..of_task.end;
                if !left.is_empty() {
                    let first = if self.options.first {
                        &mut wave_first[left.start - at..left.end - at]
                    } else {
                        &mut []
                    };
                    self.take(&points[left.clone()], start + left.start, first)?;
                }
            }
            at = end;
            self.options.progress.inspect(|p| p.decided((start + at) as u64));
        }
        Ok(())
    }

    /// Looks at the points of a task, until it holds too many pairs.
    fn task<P: Into<DVec2> + Copy>(&self, points: &[P], start: usize, first: &mut [u32]) -> Found {
        let keep = self.options.keep;
        let mut pairs = Vec::new();
        let mut tally = Tally::default();
        let mut counts = if self.options.counts { self.spare_counts() } else { Vec::new() };
        let done = self.scan.run(points, &mut tally, |point, hits: &[Hit]| {
            for &(object, relation) in hits {
                if let Some(count) = counts.get_mut(object as usize) {
                    match relation {
                        PointRelation::Inside => count.inside += 1,
                        _ => count.boundary += 1,
                    }
                }
                if keep.keeps(relation) {
                    if let Some(first) = first.get_mut(point)
                        && *first == FirstHits::NONE
                    {
                        *first = object;
                    }
                    if self.options.pairs {
                        pairs.push(PointPair { point: (start + point) as u32, object, relation });
                    }
                }
            }
            pairs.len() < TASK_PAIRS
        });
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

/// The counts of all tasks together.
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
