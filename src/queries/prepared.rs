//! Two sets prepared once for any number of pair lists.

#[cfg(doc)]
use crate::Engine;
use crate::answers::lists::{Hits, Relations};
use std::time::Duration;

use crate::answers::backend::Choice;
use crate::answers::impact::TimeOfImpact;
use crate::answers::measured::Answers;
use crate::answers::results::Keep;
use crate::answers::results::{Counts, Relation, Timings};
use crate::base::clock::Instant;
use crate::base::error::{Error, Result};
use crate::base::large_pages::ask_for_large_pages;
use crate::base::parallel::prelude::*;
use crate::base::room::{Room, append};
use crate::geometry::limits::check_sizes;
use crate::geometry::{Pieces, PolygonSet, Rounded};
use crate::kernels::backends::Backends;
use crate::kernels::impacts::Motions;
use crate::kernels::measurements::Figure;
use crate::kernels::{CHUNK_IN_CACHE, Lists, NarrowPhase, Scratch, Side, TASK, Tally};

/// Pairs that one task checks.
const CHECK_TASK: usize = 1 << 13;
/// Tallies of pairs of which one task keeps the hits: few enough for a cache.
const HITS_TALLIES: usize = 8;
/// Pairs of such a task.
const HITS_TASK: usize = HITS_TALLIES * TASK;
/// Pairs whose hits are put together before they are written where they stay.
const HITS_STEP: usize = 256;

/// Two sets, packed once into the records that the kernels of an engine read. Use a `Prepared` for several lists of
/// pairs. For one list of pairs, use [`Engine::relations`]. On the CPU, `Engine::relations` reads some sets without
/// packing.
///
/// ```
/// use sat2d::{Backend, Engine, PolygonSet, Relation};
///
/// let set = PolygonSet::from_convex_rings(&[
///     [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
///     [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
///     [[3.0, 0.0], [4.0, 0.0], [3.0, 1.0]],
/// ])?;
/// let engine = Engine::new(Backend::Cpu)?;
/// let mut prepared = engine.prepare(&set, &set)?;
/// assert_eq!(prepared.relations(&[[0, 1]])?.relations, [Relation::Touching]);
/// assert_eq!(prepared.relations(&[[0, 2]])?.relations, [Relation::Disjoint]);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Debug)]
pub struct Prepared<'a> {
    a: &'a PolygonSet,
    b: &'a PolygonSet,
    choice: Choice,
    narrow_phase: NarrowPhase<'a>,
    scratch: Scratch,
    timings: Timings,
}

impl Backends {
    pub(crate) async fn prepare_on<'a>(
        &'a self,
        choice: Choice,
        a: &'a PolygonSet,
        b: &'a PolygonSet,
        lists: Lists,
    ) -> Result<Prepared<'a>> {
        let mut timings = Timings::default();
        let start = Instant::now();
        let other = (!std::ptr::eq(a, b)).then_some(b);
        check_sizes(a, other)?;
        let (boxes_a, boxes_b) = (a.piece_boxes(), other.map(PolygonSet::piece_boxes));
        let side_a = Side { pieces: Pieces::of(a), boxes: &boxes_a };
        let side_b = boxes_b.as_deref().map(|boxes| Side { pieces: Pieces::of(b), boxes });
        timings.pack += start.elapsed();
        let narrow_phase =
            NarrowPhase::new(self, choice.backend, side_a, side_b, lists, &mut timings).await?;
        Ok(Prepared { a, b, choice, narrow_phase, scratch: Scratch::default(), timings })
    }
}

impl<'a> Prepared<'a> {
    /// The two sets.
    pub(crate) fn sides(&self) -> [Rounded<'a>; 2] {
        [Rounded::plain(self.a), Rounded::plain(self.b)]
    }

    /// Decides the relation of each given pair. `pairs[i]` is the index of a piece of the first set and the index of a
    /// piece of the second set. In a set of convex polygons, each object is one piece, and the piece has the index of
    /// the object. The two pieces may be near each other or far apart. The timings of the first call include the time
    /// of the packing.
    ///
    /// # Errors
    /// Returns [`Error::UnknownPolygon`] if an index names a piece that does not exist. On a GPU, may return an error
    /// of the device, such as [`Error::DeviceLost`].
    #[cfg(not(target_family = "wasm"))]
    pub fn relations(&mut self, pairs: &[[u32; 2]]) -> Result<Relations> {
        crate::queries::block_on::block_on(self.relations_async(pairs))
    }

    /// Async form of [`Prepared::relations`]. On native targets, polling the future blocks the calling thread while the
    /// device or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Returns the errors of [`Prepared::relations`].
    pub async fn relations_async(&mut self, pairs: &[[u32; 2]]) -> Result<Relations> {
        let mut relations = Vec::with_capacity(pairs.len());
        let take = |_: &[[u32; 2]], decided: &Scratch| {
            relations.extend_from_slice(&decided.relations);
            Ok(())
        };
        let (counts, timings) = self.decide(pairs, take).await?;
        Ok(Relations { relations, choice: self.choice.clone(), counts, timings })
    }

    /// Returns the given pairs whose relation `keep` accepts, in the given order. The indices of a pair are indices of
    /// pieces, as in [`Prepared::relations`]. On a GPU, the host filters chunk n while the device runs chunk n + 1.
    ///
    /// # Errors
    /// Returns the errors of [`Prepared::relations`]. Returns [`Error::OutOfMemory`] if the returned pairs do not fit
    /// in memory.
    ///
    /// ```
    /// use sat2d::{Backend, Engine, Keep, PolygonSet, Relation};
    ///
    /// let set = PolygonSet::from_convex_rings(&[
    ///     [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]],
    ///     [[1.0, 0.0], [3.0, 0.0], [1.0, 2.0]],
    ///     [[3.0, 0.0], [4.0, 0.0], [3.0, 1.0]],
    /// ])?;
    /// let engine = Engine::new(Backend::Cpu)?;
    /// let mut prepared = engine.prepare(&set, &set)?;
    /// let pairs = [[1, 2], [0, 2], [0, 1]];
    /// let hits = prepared.hits(&pairs, Keep::Meeting)?;
    /// assert_eq!(hits.pairs, [([1, 2], Relation::Touching), ([0, 1], Relation::Overlapping)]);
    /// assert_eq!(prepared.hits(&pairs, Keep::Overlapping)?.pairs, [([0, 1], Relation::Overlapping)]);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    pub fn hits(&mut self, pairs: &[[u32; 2]], keep: Keep) -> Result<Hits> {
        crate::queries::block_on::block_on(self.hits_async(pairs, keep))
    }

    /// Async form of [`Prepared::hits`]. On native targets, polling the future blocks the calling thread while the
    /// device or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Returns the errors of [`Prepared::hits`].
    pub async fn hits_async(&mut self, pairs: &[[u32; 2]], keep: Keep) -> Result<Hits> {
        let (mut hits, mut collect) = (Vec::new(), Duration::ZERO);
        let (mut looked_at, all) = (0, pairs.len());
        let take = |pairs: &[[u32; 2]], decided: &Scratch| {
            let start = Instant::now();
            let tasks = decided.tallies.chunks(HITS_TALLIES);
            let counts: Vec<usize> = tasks.map(|tallies| hit_count(tallies, keep)).collect();
            looked_at += pairs.len();
            reserve(&mut hits, counts.iter().sum(), all as f64 / looked_at as f64)?;
            append(&mut hits, &counts, |task, room| {
                let begin = task * HITS_TASK;
                let end = pairs.len().min(begin + HITS_TASK);
                write_hits(&pairs[begin..end], &decided.relations[begin..end], keep, room);
            });
            collect += start.elapsed();
            Ok(())
        };
        let (counts, mut timings) = self.decide(pairs, take).await?;
        timings.collect += collect;
        Ok(Hits { pairs: hits, choice: self.choice.clone(), counts, timings })
    }

    /// Gives `take` all pairs with their relations, in order, a chunk at a time.
    async fn decide(
        &mut self,
        pairs: &[[u32; 2]],
        mut take: impl FnMut(&[[u32; 2]], &Scratch) -> Result<()>,
    ) -> Result<(Counts, Timings)> {
        self.narrow_phase.forget_submitted();
        let (mut counts, mut timings) = (Counts::default(), self.timings);
        let sides = (Pieces::of(self.a), Pieces::of(self.b));
        let (size, depth) = (self.narrow_phase.chunk_pairs(), self.narrow_phase.depth());
        let mut submitted = 0;
        for (decided, chunk) in pairs.chunks(size).enumerate() {
            for ahead in pairs.chunks(size).take(decided + depth).skip(submitted) {
                self.check_pairs(ahead, submitted * size)?;
                self.narrow_phase.submit(ahead, &mut counts, &mut timings).await?;
                submitted += 1;
            }
            let scratch = &mut self.scratch;
            self.narrow_phase.relations(sides, chunk, scratch, &mut counts, &mut timings).await?;
            take(chunk, scratch)?;
            for tally in &scratch.tallies {
                counts.touching += u64::from(tally.touching);
                counts.overlapping += u64::from(tally.overlapping);
            }
        }
        counts.candidate_pairs = pairs.len() as u64;
        counts.candidate_object_pairs = pairs.len() as u64;
        self.timings = Timings::default();
        Ok((counts, timings))
    }

    pub(crate) fn sets(&self) -> (&PolygonSet, &PolygonSet) {
        (self.a, self.b)
    }

    /// Whether all pieces that are named exist; an error names the pair by its index, that of the first being `first`.
    pub(crate) fn check_pairs(&self, pairs: &[[u32; 2]], first: usize) -> Result<()> {
        let counts = [self.a.piece_count(), self.b.piece_count()];
        let unknown = |indices: &[u32; 2]| (0..2).find(|&side| indices[side] as usize >= counts[side]);
        // No branch a pair: all are in order, as a rule.
        let all_known =
            |task: &[[u32; 2]]| task.iter().fold(true, |known, pair| known & unknown(pair).is_none());
        if !pairs.par_chunks(CHECK_TASK).any(|task| !all_known(task)) {
            return Ok(());
        }
        pairs.iter().enumerate().try_for_each(|(at, indices)| match unknown(indices) {
            None => Ok(()),
            Some(side) => {
                let (index, count) = (indices[side] as usize, counts[side]);
                Err(Error::UnknownPolygon { pair: first + at, index, count })
            }
        })
    }

    /// The figure of every pair of what was prepared, or of shapes that have it for cores.
    pub(crate) async fn figures<F: Figure>(
        &mut self,
        figure: F,
        sides: [Rounded<'_>; 2],
        pairs: &[[u32; 2]],
    ) -> Result<Answers<F::Output>> {
        let start = Instant::now();
        self.check_pairs(pairs, 0)?;
        let mut timings = self.timings;
        let time = timings.pack + timings.upload;
        let mut figures = Vec::with_capacity(pairs.len());
        let mut refined = 0;
        for chunk in pairs.chunks(CHUNK_IN_CACHE) {
            refined +=
                self.narrow_phase.figures(figure, sides, chunk, &[], &mut figures, &mut timings).await?;
        }
        self.timings = Timings::default();
        Ok(Answers { figures, choice: self.choice.clone(), refined, time: time + start.elapsed() })
    }

    /// When each pair touches, since `start`.
    pub(crate) async fn impacts(
        &mut self,
        motions: Motions<'_>,
        pairs: &[[u32; 2]],
        start: Instant,
    ) -> Result<Answers<TimeOfImpact>> {
        let mut timings = self.timings;
        let time = timings.pack + timings.upload;
        let sides = (Pieces::of(self.a), Pieces::of(self.b));
        let moving = self.narrow_phase.moving(motions, sides)?;
        let mut figures = Vec::with_capacity(pairs.len());
        let mut refined = 0;
        for chunk in pairs.chunks(CHUNK_IN_CACHE) {
            refined += self.narrow_phase.impacts(&moving, sides, chunk, &mut figures, &mut timings).await?;
        }
        self.timings = Timings::default();
        Ok(Answers { figures, choice: self.choice.clone(), refined, time: time + start.elapsed() })
    }

    /// Returns the time that the packing and the upload of the two sets took. After the first list of pairs, the method
    /// returns 0, because the timings of the first list include the packing and the upload.
    #[must_use]
    pub fn preparation(&self) -> Duration {
        self.timings.pack + self.timings.upload
    }
}

/// A pair of pieces as it was given, and its relation.
type Hit = ([u32; 2], Relation);

/// Room for `more` hits, and for all that will come if there are `factor` times as many in the end as there are then.
fn reserve(hits: &mut Vec<Hit>, more: usize, factor: f64) -> Result<()> {
    let count = hits.len() + more;
    if hits.capacity() >= count {
        return Ok(());
    }
    // A little more, since later chunks have not just as many.
    let expected = (count as f64 * factor * 1.02) as usize;
    let needed_bytes = count.saturating_mul(size_of::<Hit>());
    if crate::base::memory::try_reserve_exact(hits, expected.max(count) - hits.len()).is_err() {
        crate::base::memory::try_reserve_exact(hits, more)
            .map_err(|_| Error::OutOfMemory { needed_bytes })?;
    }
    ask_for_large_pages(hits);
    Ok(())
}

/// How many pairs are to be kept.
fn hit_count(tallies: &[Tally], keep: Keep) -> usize {
    let touching: u32 = tallies.iter().map(|tally| tally.touching).sum();
    let overlapping: u32 = tallies.iter().map(|tally| tally.overlapping).sum();
    let kept = |relation, count| if keep.keeps(relation) { count as usize } else { 0 };
    kept(Relation::Touching, touching) + kept(Relation::Overlapping, overlapping)
}

/// The pairs to keep, in order. Without a branch a pair: which are kept is hard to foretell.
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
            // Fewer than all were kept before; the remainder needs no check.
            kept[count % HITS_STEP] = (pair, relation);
            count += weights[relation as usize];
        }
        room.copy(&kept[..count]);
    }
}
