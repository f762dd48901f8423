//! Runs joins that find the nearest objects of each object.

use std::time::Duration;

use super::buckets::reserve;
use super::joins::{JoinQuery, Request, UsedOptions};
use super::kinds::Nearest;
use super::nearest_search::{Search, Targets};
use crate::answers::backend::{Backend, Choice};
use crate::answers::distance::Distance;
use crate::answers::envelope::Answers;
use crate::answers::measured::MeasuredPair;
use crate::base::clock::Instant;
use crate::base::error::{Error, Result};
use crate::base::parallel::current_num_threads;
use crate::base::parallel::prelude::*;
use crate::base::room::append;
use crate::broad_phase;
use crate::geometry::limits::{check_sizes, checked_distance};
use crate::geometry::{Aabb, Rounded, Shapes};
use crate::kernels::log::{Log, Stage};

/// The number of objects of A for which one task searches.
const TASK: usize = 128;
/// The number of objects of A whose rows of the result one task copies to their final places.
const OBJECTS: usize = 1 << 12;
/// The intended greatest time between two reports of the progress, so that a caller can cancel the query soon.
const REPORT: Duration = Duration::from_millis(100);

type Row = MeasuredPair<Distance>;

impl Nearest {
    /// Returns an error if an option is out of range.
    fn check(&self) -> Result<()> {
        if self.k == 0 {
            let problem = "must be 1 or more: the number of nearest objects of each object";
            return Err(Error::Option { option: "k", value: "0".into(), problem });
        }
        self.within.map_or(Ok(()), |within| checked_distance("within", within).map(drop))
    }
}

impl<A: Shapes, B: Shapes> JoinQuery<A, B> for Nearest {
    type Output = Answers<Row>;

    async fn run(self, request: Request<'_>) -> Result<Self::Output> {
        self.check()?;
        request.check_options(UsedOptions::NOTHING)?;
        let progress = request.drive.progress;
        let stage = |name| progress.inspect(|progress| progress.stage(name));
        check_sizes(request.a.cores, request.other.map(|side| side.cores))?;
        let mut log = Log::new();
        stage("broad phase");
        let start = Instant::now();
        let a = request.a.made();
        let boxes_a = a.cores.piece_boxes();
        let boxes_a = super::walk::grown(&boxes_a, a, 0.0);
        let targets = match request.other {
            None => Targets::new(a, &boxes_a)?,
            Some(b) => {
                let b = b.made();
                Targets::new(b, &super::walk::grown(&b.cores.piece_boxes(), b, 0.0))?
            }
        };
        let is_self_join = request.other.is_none();
        // An object has at most as many neighbours as there are objects.
        let others = request.other.map_or(a.cores, |b| b.cores).object_count();
        let query = Self { k: self.k.min(others), ..self };
        let has_one_piece = |side: Rounded<'_>| side.cores.has_one_piece_an_object();
        let has_several = !has_one_piece(a) || !request.other.is_none_or(has_one_piece);
        let order = match is_self_join && !has_several {
            true => {
                targets.pieces_in_order().iter().map(|&p| a.cores.piece_object(p as usize) as u32).collect()
            }
            false => object_order(a, &boxes_a),
        };
        log.end(Stage::BroadPhase, 0, start);

        stage("narrow phase");
        let start = Instant::now();
        let mut parts: Vec<Part> = Vec::new();
        let (mut rest, mut count) = (&order[..], TASK * current_num_threads());
        while !rest.is_empty() {
            let begin = Instant::now();
            let objects;
            (objects, rest) = rest.split_at(count.min(rest.len()));
            let of_task = |objects: &[u32]| {
                let mut search = Search::new(query, &targets, (a, &boxes_a), is_self_join, has_several);
                let mut part = Part { rows: Vec::new(), candidate_pairs: 0 };
                for &object in objects {
                    search.nearest(object, &mut part.rows)?;
                }
                part.candidate_pairs = search.measured_count();
                Ok(part)
            };
            let found: Vec<Result<Part>> = objects.par_chunks(TASK).map(of_task).collect();
            for part in found {
                let part = part?;
                log.counts.candidate_pairs += part.candidate_pairs;
                parts.push(part);
            }
            request.drive.report(log.counts.candidate_pairs);
            let elapsed = begin.elapsed();
            if elapsed > REPORT {
                count = (count / 2).max(TASK);
            } else if elapsed < REPORT / 2 {
                count *= 2;
            }
        }
        log.end(Stage::Measure, 0, start);

        stage("sorting");
        let start = Instant::now();
        let rows = in_order(&parts, a.cores.object_count())?;
        log.end(Stage::Collect, 0, start);
        let mut choice = request.backends.choice.clone();
        if choice.backend != Backend::Cpu {
            let reason = "the host finds the nearest objects; the query has no kernel on a device";
            choice = Choice { backend: Backend::Cpu, adapter: None, reason: reason.into() };
        }
        Ok(log.walk_answers(rows, &choice))
    }
}

/// The result of one task: the rows of its objects, one object after the other.
struct Part {
    rows: Vec<Row>,
    candidate_pairs: u64,
}

/// Returns the objects in spatial order, so that consecutive objects are mostly near each other.
fn object_order(a: Rounded<'_>, boxes: &[Aabb]) -> Vec<u32> {
    let Some(objects) = a.cores.piece_objects() else { return broad_phase::order(boxes) };
    let mut first = 0;
    let mut of_objects = vec![Aabb::EMPTY; a.cores.object_count()];
    for pieces in objects.chunk_by(|one, other| one == other) {
        let boxes = boxes[first..first + pieces.len()].iter();
        of_objects[pieces[0] as usize] = boxes.fold(Aabb::EMPTY, |all, &aabb| all.union(aabb));
        first += pieces.len();
    }
    broad_phase::order(&of_objects)
}

/// Returns the rows sorted by their objects of A, or an error if the rows do not fit in memory.
fn in_order(parts: &[Part], object_count: usize) -> Result<Vec<Row>> {
    // For each object: the index of its part, its first row in the part, and the end of its rows.
    let mut places = vec![(0u32, 0u32, 0u32); object_count];
    for (number, part) in parts.iter().enumerate() {
        let mut first = 0;
        for rows in part.rows.chunk_by(|one, other| one.a == other.a) {
            places[rows[0].a as usize] = (number as u32, first, first + rows.len() as u32);
            first += rows.len() as u32;
        }
    }
    let mut rows = Vec::new();
    reserve(&mut rows, parts.iter().map(|part| part.rows.len()).sum())?;
    // The rows are copied in parallel, because the system clears each page of new memory, which takes long.
    let places: Vec<_> = places.chunks(OBJECTS).collect();
    let count = |&(_, first, end): &(u32, u32, u32)| (end - first) as usize;
    let counts: Vec<usize> = places.iter().map(|places| places.iter().map(count).sum()).collect();
    append(&mut rows, &counts, |k, room| {
        let of_object = |&(part, first, end): &(u32, u32, u32)| {
            parts.get(part as usize).map(|part| &part.rows[first as usize..end as usize])
        };
        places[k].iter().filter_map(of_object).for_each(|rows| room.copy(rows));
    });
    Ok(rows)
}
