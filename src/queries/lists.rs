//! Runs queries on the pairs that a caller passes. Each pair has one answer, and the answers are in the order of the
//! pairs.

use std::borrow::Cow;

use super::drive::Query;
use super::sources::Source;
use crate::answers::impact::TimeOfImpact;
use crate::answers::results::{Counts, Keep, Relation};
use crate::base::clock::Instant;
use crate::base::error::{Error, Result};
use crate::base::large_pages::ask_for_large_pages;
use crate::base::parallel::prelude::*;
use crate::base::room::{Room, append};
use crate::geometry::{Pieces, PolygonSet, Rounded};
use crate::kernels::cpu::measure::measure_all;
use crate::kernels::impacts::Moving;
use crate::kernels::log::Log;
use crate::kernels::measurements::Figure;
use crate::kernels::proposer::{Hint, Known, TASK, Tally, Uses};

/// The number of pairs that one task checks for piece indices out of range.
const CHECK_TASK: usize = 1 << 13;
/// The number of tallies whose hits one task keeps. A tally counts the touching and the overlapping pairs among
/// [`TASK`] consecutive pairs. The hits of a task fit in a cache.
const HITS_TALLIES: usize = 8;
/// One task keeps the hits of this many pairs.
const HITS_TASK: usize = HITS_TALLIES * TASK;
/// The number of pairs whose hits fill a buffer before the buffer is written to the answer.
const HITS_STEP: usize = 256;

/// The source of the pairs that the caller gives.
pub(super) struct List<'p> {
    rest: &'p [[u32; 2]],
    /// The index of the first pair that the query has not taken yet.
    first: usize,
    /// The number of pieces of each set.
    counts: [usize; 2],
}

impl<'p> List<'p> {
    pub(super) fn new(pairs: &'p [[u32; 2]], sets: [&PolygonSet; 2]) -> Self {
        Self { rest: pairs, first: 0, counts: sets.map(PolygonSet::piece_count) }
    }

    /// Returns an error if one of `pairs` names a piece that does not exist. The error describes the first such pair.
    fn check(&self, pairs: &[[u32; 2]]) -> Result<()> {
        let unknown = |indices: &[u32; 2]| (0..2).find(|&side| indices[side] as usize >= self.counts[side]);
        // The first pass has no branch for each pair, because normally all pieces exist.
        let all_known =
            |task: &[[u32; 2]]| task.iter().fold(true, |known, pair| known & unknown(pair).is_none());
        if !pairs.par_chunks(CHECK_TASK).any(|task| !all_known(task)) {
            return Ok(());
        }
        pairs.iter().enumerate().try_for_each(|(at, indices)| match unknown(indices) {
            None => Ok(()),
            Some(side) => {
                let (index, count) = (indices[side] as usize, self.counts[side]);
                Err(Error::UnknownPolygon { pair: self.first + at, index, count })
            }
        })
    }
}

impl<'p> Source<'p> for List<'p> {
    fn next_chunk(&mut self, limit: usize, _: &mut Vec<[u32; 2]>) -> Result<Option<Cow<'p, [[u32; 2]]>>> {
        let (pairs, rest) = self.rest.split_at(limit.min(self.rest.len()));
        self.check(pairs)?;
        self.rest = rest;
        self.first += pairs.len();
        Ok((!pairs.is_empty()).then_some(Cow::Borrowed(pairs)))
    }
}

/// The number of touching pairs and the number of overlapping pairs, among the pairs that the caller passed.
#[derive(Clone, Copy, Default)]
pub(super) struct Meeting {
    touching: u64,
    overlapping: u64,
}

impl Meeting {
    /// Adds the numbers of touching and of overlapping pairs of a chunk.
    fn count(&mut self, known: &Known) {
        for tally in &known.tallies {
            self.touching += u64::from(tally.touching);
            self.overlapping += u64::from(tally.overlapping);
        }
    }

    /// Stores both numbers in the counts of an answer.
    pub(super) fn note(self, counts: &mut Counts) {
        (counts.touching, counts.overlapping) = (self.touching, self.overlapping);
    }
}

/// Returns an empty list with memory for the answers of `pairs` pairs, or an error if they do not fit in memory.
fn room<T>(pairs: usize) -> Result<Vec<T>> {
    let mut answers = Vec::new();
    super::buckets::reserve(&mut answers, pairs)?;
    Ok(answers)
}

/// Collects the relation of each pair.
pub(super) struct RelationList {
    pub(super) relations: Vec<Relation>,
    pub(super) meeting: Meeting,
}

impl RelationList {
    pub(super) fn new(pairs: usize) -> Result<Self> {
        Ok(Self { relations: room(pairs)?, meeting: Meeting::default() })
    }
}

impl Uses for RelationList {
    const RELATIONS: bool = true;
}

impl Query for RelationList {
    fn hint(&self) -> Hint<'_> {
        Hint::RELATIONS
    }

    fn take(&mut self, _: &[[u32; 2]], known: &Known, _: &mut Log, _: u32) -> Result<()> {
        self.relations.extend_from_slice(&known.relations);
        self.meeting.count(known);
        Ok(())
    }
}

/// Collects the pairs of pieces whose relation the caller wants to keep.
pub(super) struct HitList {
    pub(super) hits: Vec<Hit>,
    pub(super) meeting: Meeting,
    keep: Keep,
    /// The number of pairs that the caller passed.
    all: usize,
    taken: usize,
}

impl HitList {
    pub(super) fn new(pairs: usize, keep: Keep) -> Self {
        Self { hits: Vec::new(), meeting: Meeting::default(), keep, all: pairs, taken: 0 }
    }
}

impl Uses for HitList {
    const RELATIONS: bool = true;
}

impl Query for HitList {
    fn hint(&self) -> Hint<'_> {
        Hint::RELATIONS
    }

    fn take(&mut self, pairs: &[[u32; 2]], known: &Known, log: &mut Log, _: u32) -> Result<()> {
        let (start, keep) = (Instant::now(), self.keep);
        let tasks = known.tallies.chunks(HITS_TALLIES);
        let counts: Vec<usize> = tasks.map(|tallies| hit_count(tallies, keep)).collect();
        self.taken += pairs.len();
        reserve(&mut self.hits, counts.iter().sum(), self.all as f64 / self.taken as f64)?;
        append(&mut self.hits, &counts, |task, room| {
            let begin = task * HITS_TASK;
            let end = pairs.len().min(begin + HITS_TASK);
            write_hits(&pairs[begin..end], &known.relations[begin..end], keep, room);
        });
        self.meeting.count(known);
        log.timings.collect += start.elapsed();
        Ok(())
    }
}

/// Collects the measurement of each pair.
pub(super) struct Measurements<'a, F: Figure> {
    figure: F,
    pub(super) sides: [Rounded<'a>; 2],
    pub(super) figures: Vec<F::Output>,
    pub(super) refined: u64,
}

impl<'a, F: Figure> Measurements<'a, F> {
    pub(super) fn new(pairs: usize, figure: F, sides: [Rounded<'a>; 2]) -> Result<Self> {
        Ok(Self { figure, sides, figures: room(pairs)?, refined: 0 })
    }
}

impl<F: Figure> Uses for Measurements<'_, F> {
    const EDGES: bool = true;
}

impl<F: Figure> Query for Measurements<'_, F> {
    fn hint(&self) -> Hint<'_> {
        Hint::EDGES
    }

    fn take(&mut self, pairs: &[[u32; 2]], known: &Known, log: &mut Log, _: u32) -> Result<()> {
        let start = Instant::now();
        measure_all(self.figure, self.sides, pairs, &[], &known.edges, &mut self.figures);
        self.refined += known.edges.iter().filter(|edge| edge.is_none()).count() as u64;
        log.timings.measure += start.elapsed();
        Ok(())
    }
}

/// Collects the time of impact of each pair.
pub(super) struct ImpactList<'a> {
    moving: Moving<'a>,
    sides: [Pieces<'a>; 2],
    pub(super) impacts: Vec<TimeOfImpact>,
    pub(super) refined: u64,
}

impl<'a> ImpactList<'a> {
    pub(super) fn new(pairs: usize, moving: Moving<'a>, sets: [&'a PolygonSet; 2]) -> Result<Self> {
        Ok(Self { moving, sides: sets.map(Pieces::of), impacts: room(pairs)?, refined: 0 })
    }
}

impl Uses for ImpactList<'_> {
    const IMPACTS: bool = true;
}

impl Query for ImpactList<'_> {
    fn hint(&self) -> Hint<'_> {
        Hint { impacts: Some(&self.moving), ..Hint::default() }
    }

    fn take(&mut self, pairs: &[[u32; 2]], known: &Known, log: &mut Log, _: u32) -> Result<()> {
        let start = Instant::now();
        let (found, refined) = self.moving.times_of_impact(self.sides, pairs, &known.impacts);
        self.refined += refined;
        self.impacts.extend(found);
        log.timings.measure += start.elapsed();
        Ok(())
    }
}

/// A pair of pieces that the caller passed, and its relation.
type Hit = ([u32; 2], Relation);

/// Reserves memory for `more` hits, or returns [`Error::OutOfMemory`]. If the memory must grow, also reserves memory
/// for hits of later calls. `factor` is the expected number of all hits, divided by the number of hits after this call.
fn reserve(hits: &mut Vec<Hit>, more: usize, factor: f64) -> Result<()> {
    let count = hits.len() + more;
    if hits.capacity() >= count {
        return Ok(());
    }
    // Reserves a little more than the expected number of hits, because later chunks may have more hits than this one.
    let expected = (count as f64 * factor * 1.02) as usize;
    let needed_bytes = count.saturating_mul(size_of::<Hit>());
    if crate::base::memory::try_reserve_exact(hits, expected.max(count) - hits.len()).is_err() {
        crate::base::memory::try_reserve_exact(hits, more)
            .map_err(|_| Error::OutOfMemory { needed_bytes })?;
    }
    ask_for_large_pages(hits);
    Ok(())
}

/// Returns the number of pairs whose relation `keep` accepts.
fn hit_count(tallies: &[Tally], keep: Keep) -> usize {
    let touching: u32 = tallies.iter().map(|tally| tally.touching).sum();
    let overlapping: u32 = tallies.iter().map(|tally| tally.overlapping).sum();
    let kept = |relation, count| if keep.keeps(relation) { count as usize } else { 0 };
    kept(Relation::Touching, touching) + kept(Relation::Overlapping, overlapping)
}

/// Writes the pairs whose relation `keep` accepts to `room`, in order. The relations are hard to predict, so the loop
/// has no branch on them.
fn write_hits(pairs: &[[u32; 2]], relations: &[Relation], keep: Keep, room: &mut Room<'_, Hit>) {
    let weights = [
        usize::from(keep.keeps(Relation::Disjoint)),
        usize::from(keep.keeps(Relation::Touching)),
        usize::from(keep.keeps(Relation::Overlapping)),
    ];
    let mut kept = [([0; 2], Relation::Disjoint); HITS_STEP];
    for (pairs, relations) in pairs.chunks(HITS_STEP).zip(relations.chunks(HITS_STEP)) {
        let mut count = 0;
        for (&pair, &relation) in pairs.iter().zip(relations) {
            // `count` is less than `HITS_STEP` here. The remainder only avoids a bounds check.
            kept[count % HITS_STEP] = (pair, relation);
            count += weights[relation as usize];
        }
        room.copy(&kept[..count]);
    }
}
