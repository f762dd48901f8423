//! Joins large polygons, which the CPU compares by their edges. No polygon is split into pieces.

use super::buckets::reserve;
use super::collect::{counted, merge};
use super::joins::Request;
#[cfg(not(target_family = "wasm"))]
use super::polygons::Searched;
use super::polygons::{Polygons, choice_on_edges, have_crossings};
use super::sources::Source;
use crate::answers::envelope::Answers;
use crate::answers::results::{RelatedPair, Relation};
use crate::base::clock::Instant;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::broad_phase;
use crate::geometry::PolygonSet;
use crate::geometry::outline::{LeafPairs, Single};
use crate::kernels::edges::relation;
use crate::kernels::log::{Log, Stage};

/// The number of candidate pairs of polygons in a chunk. Deciding a pair of large polygons takes several microseconds.
const CHUNK_PAIRS: usize = 1 << 15;
/// The number of candidate pairs that one task decides.
const TASK_PAIRS: usize = 16;

/// The buffers that a task reuses for each of its pairs.
#[derive(Debug, Default)]
struct Memory {
    leaf_pairs: LeafPairs,
    singles: [Single; 2],
}

impl Request<'_> {
    /// Returns the sets of both sides. In a self-join, both are the same set.
    fn both(&self) -> [&PolygonSet; 2] {
        [self.a.cores, self.other.unwrap_or(self.a).cores]
    }

    /// Returns whether a set of the join has a crossed object ([`PolygonSet::crossed_objects`]), whose pieces may be
    /// rounded. In WebAssembly, always returns false.
    pub(super) fn has_crossings(&self) -> bool {
        have_crossings(self.both())
    }

    /// Runs a join of relations that compares the edges of polygons. Returns `None` if the join must compare pieces.
    /// Returns the error of the join if it fails.
    pub(super) fn on_edges(&self) -> Result<Option<Answers<RelatedPair>>> {
        if self.a.is_rounded() || self.other.is_some_and(|side| side.is_rounded()) {
            return Ok(None);
        }
        let Some([a, b]) = Polygons::of_both(self.both(), self.backends) else { return Ok(None) };
        self.relations_on_edges(a, self.other.map(|_| b)).map(Some)
    }

    fn relations_on_edges(&self, a: Polygons<'_>, b: Option<Polygons<'_>>) -> Result<Answers<RelatedPair>> {
        let stage = |name| self.drive.progress.inspect(|progress| progress.stage(name));
        let mut log = Log::new();
        stage("broad phase");
        let boxes = a.boxes();
        let mut source = match b {
            None => broad_phase::self_join(&boxes, a.groups())?,
            Some(b) => broad_phase::join(&boxes, &b.boxes())?,
        };
        log.end(Stage::BroadPhase, 0, log.start);
        stage("narrow phase");
        let limit = self.drive.chunk_pairs.min(CHUNK_PAIRS);
        let (mut spare, mut found, mut chunk) = (Vec::new(), Vec::new(), 0);
        loop {
            let start = Instant::now();
            let pairs = Source::next_chunk(&mut source, limit, &mut spare)?;
            log.end(Stage::BroadPhase, chunk, start);
            let Some(pairs) = pairs else { break };
            let start = Instant::now();
            let of_objects = decide(&pairs, a, b);
            log.end(Stage::Exact, chunk, start);
            let start = Instant::now();
            reserve(&mut found, of_objects.len())?;
            found.extend(of_objects);
            log.end(Stage::Collect, chunk, start);
            log.counts.candidate_pairs += pairs.len() as u64;
            self.drive.report(log.counts.candidate_pairs);
            spare = pairs.into_owned();
            chunk += 1;
        }
        stage("sorting");
        let start = Instant::now();
        merge(&mut found);
        counted(&found, &mut log.counts);
        let keep = self.keep.unwrap_or_default();
        found.retain(|pair| keep.keeps(pair.relation));
        log.end(Stage::Collect, chunk, start);
        let start = Instant::now();
        log.counts.polygon_pairs = log.counts.candidate_pairs;
        log.counts.candidate_object_pairs = self.candidate_object_pairs(a, b, log.counts.candidate_pairs)?;
        log.timings.broad_phase += start.elapsed();
        let choice = choice_on_edges(self.both(), self.backends);
        Ok(log.walk_answers(found, &choice))
    }

    /// Returns the number of pairs of objects whose boxes meet, or the error of the broad phase. `of_polygons` is the number of
    /// pairs of polygons whose boxes meet.
    fn candidate_object_pairs(
        &self,
        a: Polygons<'_>,
        b: Option<Polygons<'_>>,
        of_polygons: u64,
    ) -> Result<u64> {
        if a.groups().is_none() && b.is_none_or(|b| b.groups().is_none()) {
            return Ok(of_polygons);
        }
        let boxes = self.a.cores.object_aabbs();
        let candidates = match self.other {
            None => broad_phase::self_join(&boxes, None)?,
            Some(b) => broad_phase::join(&boxes, &b.cores.object_aabbs())?,
        };
        Ok(candidates.count())
    }
}

/// Two sets, prepared to decide the relations of pairs of objects from the edges of their polygons.
#[cfg(not(target_family = "wasm"))]
#[doc(hidden)]
#[derive(Debug)]
pub struct EdgePairs<'a> {
    sides: [Searched<'a>; 2],
}

#[cfg(not(target_family = "wasm"))]
impl<'a> EdgePairs<'a> {
    /// Prepares two sets. Returns `None` if neither set keeps outlines, or if a set has poses.
    #[must_use]
    pub fn of(sets: [&'a PolygonSet; 2]) -> Option<Self> {
        let has_outlines = sets.iter().any(|set| set.outlined().is_some());
        let is_static = sets.iter().all(|set| set.is_static());
        (has_outlines && is_static).then(|| Self { sides: sets.map(|set| Searched::of(Polygons::of(set))) })
    }

    /// Decides the relation of each pair. The relations are exact, even for polygons whose rings cross. Each index must be the
    /// index of an object.
    #[must_use]
    pub fn relations(&self, pairs: &[[u32; 2]]) -> Vec<Relation> {
        let decide_all = |pairs: &[[u32; 2]]| -> Vec<Relation> {
            let mut memory = Memory::default();
            pairs.iter().map(|&pair| self.relation(pair, &mut memory)).collect()
        };
        let relations: Vec<Vec<Relation>> = pairs.par_chunks(TASK_PAIRS).map(decide_all).collect();
        relations.concat()
    }

    /// Returns the two prepared sets.
    pub(super) fn sides(&self) -> &[Searched<'a>; 2] {
        &self.sides
    }

    fn relation(&self, [i, j]: [u32; 2], memory: &mut Memory) -> Relation {
        let Memory { leaf_pairs, singles: [single_a, single_b] } = memory;
        let [a, b] = &self.sides;
        let (mut strongest, mut near) = (Relation::Disjoint, Vec::new());
        a.near(i, b.bounds_of(j), |p| near.push(p));
        for p in near {
            let outline = a.outline(p, single_a);
            b.near(j, a.box_of(p), |q| {
                strongest = strongest.max(relation(outline, b.outline(q, single_b), leaf_pairs));
            });
        }
        strongest
    }
}

/// Compares the polygons of each pair by their edges. For each pair of polygons that meet, returns the pair of their
/// objects and the relation. A pair of objects may occur several times.
fn decide(pairs: &[[u32; 2]], a: Polygons<'_>, b: Option<Polygons<'_>>) -> Vec<RelatedPair> {
    let is_self_join = b.is_none();
    let b = b.unwrap_or(a);
    let decide = |pairs: &[[u32; 2]]| {
        let mut memory = Memory::default();
        let [single_a, single_b] = &mut memory.singles;
        let mut found = Vec::new();
        for &[i, j] in pairs {
            let (outline_a, outline_b) = (a.outline(i, single_a), b.outline(j, single_b));
            let relation = relation(outline_a, outline_b, &mut memory.leaf_pairs);
            if relation != Relation::Disjoint {
                let [i, j] = [a.object(i), b.object(j)];
                let [i, j] = if is_self_join { [i.min(j), i.max(j)] } else { [i, j] };
                found.push(RelatedPair { a: i, b: j, relation });
            }
        }
        found
    };
    let found: Vec<Vec<RelatedPair>> = pairs.par_chunks(TASK_PAIRS).map(decide).collect();
    found.concat()
}
