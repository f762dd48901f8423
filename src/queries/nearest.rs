//! Runs joins that find the nearest objects of each object.

use std::ops::Range;
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

/// The number of objects of A for which one task searches for the nearest objects.
const TASK: usize = 128;
/// One task copies the rows of this many objects of A to their final places in the result.
const OBJECTS: usize = 1 << 12;
/// The number of objects of A that are searched before their rows are sorted. It bounds the memory for unsorted rows.
const BLOCK: usize = 1 << 18;
/// The longest intended time between two reports of the progress. A caller can cancel the query at a report.
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
        // An object has at most as many neighbours as there are objects, so a greater `k` changes nothing.
        let others = request.other.map_or(a.cores, |b| b.cores).object_count();
        let query = Self { k: self.k.min(others), ..self };
        let has_one_piece = |side: Rounded<'_>| side.cores.has_one_piece_an_object();
        let has_several = !has_one_piece(a) || !request.other.is_none_or(has_one_piece);
        let mut order: Vec<u32> = match is_self_join && !has_several {
            true => {
                targets.pieces_in_order().iter().map(|&p| a.cores.piece_object(p as usize) as u32).collect()
            }
            false => object_order(a, &boxes_a),
        };
        // Within a block, the objects stay in spatial order, because the sort is stable.
        order.sort_by_key(|&object| object as usize / BLOCK);
        log.end(Stage::BroadPhase, 0, start);

        let new_search = || Search::new(query, &targets, (a, &boxes_a), is_self_join, has_several);
        let mut rows = Vec::new();
        let mut count = TASK * current_num_threads();
        let blocks = order.chunk_by(|&one, &other| one as usize / BLOCK == other as usize / BLOCK);
        for (block, objects) in (0..).zip(blocks) {
            stage("narrow phase");
            let start = Instant::now();
            let parts = search_all(objects, &mut count, new_search, |measured| {
                log.counts.candidate_pairs += measured;
                request.drive.report(log.counts.candidate_pairs);
            })?;
            log.end(Stage::Measure, block, start);

            stage("sorting");
            let start = Instant::now();
            let first = objects[0] as usize / BLOCK * BLOCK;
            add_in_order(&parts, first..a.cores.object_count().min(first + BLOCK), &mut rows)?;
            log.end(Stage::Collect, block, start);
        }
        let mut choice = request.backends.choice.clone();
        if choice.backend != Backend::Cpu {
            let reason = "the host finds the nearest objects; the query has no kernel on a device";
            choice = Choice { backend: Backend::Cpu, adapter: None, reason: reason.into() };
        }
        Ok(log.walk_answers(rows, &choice))
    }
}

/// The result of one task: the rows of the result for its objects, one object after the other.
struct Part {
    rows: Vec<Row>,
    candidate_pairs: u64,
}

/// Searches for the nearest objects of each of `objects`. `count` is the number of objects to search between two calls of
/// `report`; the function adapts it to the time that the searches take. `report` receives the number of pairs that were
/// measured since its last call.
///
/// # Errors
/// Returns [`crate::Error::OutOfMemory`] if the rows do not fit in memory.
fn search_all<'a>(
    objects: &[u32],
    count: &mut usize,
    new_search: impl Fn() -> Search<'a> + Sync,
    mut report: impl FnMut(u64),
) -> Result<Vec<Part>> {
    let of_task = |objects: &[u32]| {
        let mut search = new_search();
        let mut part = Part { rows: Vec::new(), candidate_pairs: 0 };
        for &object in objects {
            search.nearest(object, &mut part.rows)?;
        }
        part.candidate_pairs = search.measured_count();
        Ok(part)
    };
    let mut parts: Vec<Part> = Vec::new();
    let mut rest = objects;
    let most = objects.len().next_multiple_of(TASK);
    while !rest.is_empty() {
        let begin = Instant::now();
        let objects;
        (objects, rest) = rest.split_at((*count).min(rest.len()));
        let found: Vec<Result<Part>> = objects.par_chunks(TASK).map(of_task).collect();
        let first = parts.len();
        for part in found {
            parts.push(part?);
        }
        report(parts[first..].iter().map(|part| part.candidate_pairs).sum());
        *count = next_count(*count, most, begin.elapsed());
    }
    Ok(parts)
}

/// Returns the number of objects to search until the next report, at most `most`. The previous `count` objects took the
/// time `elapsed`. `count` and `most` are multiples of [`TASK`]. The result is also a multiple of `TASK`, so that each
/// task always gets the same objects, whatever the time.
fn next_count(count: usize, most: usize, elapsed: Duration) -> usize {
    if elapsed > REPORT {
        (count / 2).next_multiple_of(TASK)
    } else if elapsed < REPORT / 2 {
        most.min(count * 2)
    } else {
        count
    }
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

/// Appends the rows of the objects `objects` of A to `rows`, sorted by object.
///
/// # Errors
/// Returns [`Error::OutOfMemory`] if the rows do not fit in memory.
fn add_in_order(parts: &[Part], objects: Range<usize>, rows: &mut Vec<Row>) -> Result<()> {
    // For each object: the index of its part, the index of its first row in the part, and one past the index of its
    // last row.
    let mut places = vec![(0u32, 0u32, 0u32); objects.len()];
    for (index, part) in parts.iter().enumerate() {
        let mut first = 0;
        for rows in part.rows.chunk_by(|one, other| one.a == other.a) {
            let end = first + rows.len() as u32;
            places[rows[0].a as usize - objects.start] = (index as u32, first, end);
            first = end;
        }
    }
    reserve(rows, parts.iter().map(|part| part.rows.len()).sum())?;
    // The rows are copied in parallel, because the first write to each page of new memory is slow: the system clears the page.
    let places: Vec<_> = places.chunks(OBJECTS).collect();
    let count = |&(_, first, end): &(u32, u32, u32)| (end - first) as usize;
    let counts: Vec<usize> = places.iter().map(|places| places.iter().map(count).sum()).collect();
    append(rows, &counts, |k, room| {
        let of_object = |&(part, first, end): &(u32, u32, u32)| {
            parts.get(part as usize).map(|part| &part.rows[first as usize..end as usize])
        };
        places[k].iter().filter_map(of_object).for_each(|rows| room.copy(rows));
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_objects_between_two_reports_stays_in_bounds() {
        let most = 70 * TASK;
        let mut count = 6 * TASK;
        for _ in 0..200 {
            count = next_count(count, most, Duration::ZERO);
            assert!(count.is_multiple_of(TASK) && (TASK..=most).contains(&count), "{count}");
        }
        assert_eq!((count, next_count(count, most, REPORT)), (most, most));
        for _ in 0..200 {
            count = next_count(count, most, 2 * REPORT);
            assert!(count.is_multiple_of(TASK) && (TASK..=most).contains(&count), "{count}");
        }
        assert_eq!(count, TASK);
    }
}
