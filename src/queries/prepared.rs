//! Two sets prepared once for any number of pair lists.

use std::time::Duration;

use super::drive::{Drive, Query};
use super::lists::{HitList, ImpactList, List, Measurements, RelationList};
#[cfg(doc)]
use crate::Engine;
use crate::answers::backend::Choice;
use crate::answers::impact::TimeOfImpact;
use crate::answers::lists::{Hits, Relations};
use crate::answers::measured::Answers;
use crate::answers::results::{Keep, Timings};
use crate::base::clock::Instant;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::geometry::limits::check_sizes;
use crate::geometry::{Pieces, PolygonSet, Rounded};
use crate::kernels::backends::Backends;
use crate::kernels::impacts::{Motions, Moving};
use crate::kernels::log::Log;
use crate::kernels::measurements::Figure;
use crate::kernels::proposer::{Hint, Lists, Proposer, Side, Spare};

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
    proposer: Proposer<'a>,
    spare: Spare,
    /// Time to pack and to upload, which the first list of pairs reports.
    timings: Timings,
}

impl Backends {
    /// Prepares two sets for the queries of `hint`.
    pub(crate) async fn prepare_on<'a>(
        &'a self,
        choice: Choice,
        [a, b]: [&'a PolygonSet; 2],
        lists: Lists,
        hint: Hint<'_>,
    ) -> Result<Prepared<'a>> {
        let mut log = Log::new();
        let start = Instant::now();
        let other = (!std::ptr::eq(a, b)).then_some(b);
        check_sizes(a, other)?;
        let (boxes_a, boxes_b) = (a.piece_boxes(), other.map(PolygonSet::piece_boxes));
        let side_a = Side { pieces: Pieces::of(a), boxes: &boxes_a };
        let side_b = boxes_b.as_deref().map(|boxes| Side { pieces: Pieces::of(b), boxes });
        log.timings.pack += start.elapsed();
        let proposer =
            Proposer::new::<RelationList>(self, choice.backend, (side_a, side_b), lists, hint, &mut log)
                .await?;
        Ok(Prepared { a, b, choice, proposer, spare: Spare::default(), timings: log.timings })
    }
}

impl<'a> Prepared<'a> {
    /// The two sets.
    pub(crate) fn sides(&self) -> [Rounded<'a>; 2] {
        self.sets().map(Rounded::plain)
    }

    pub(crate) fn sets(&self) -> [&'a PolygonSet; 2] {
        [self.a, self.b]
    }

    /// Where each piece of the sets is while it moves.
    pub(crate) fn moving<'m>(&mut self, motions: Motions<'m>) -> Result<Moving<'m>> {
        let pieces = self.sets().map(Pieces::of);
        self.proposer.moving(motions, pieces)
    }

    /// Takes pairs of a source through a query.
    pub(crate) async fn drive<'s, Q: Query>(
        &mut self,
        source: &mut impl super::drive::Source<'s>,
        query: &mut Q,
    ) -> Result<Log> {
        self.proposer.forget_submitted();
        let mut log = Log::new();
        log.timings = self.timings;
        let pieces = self.sets().map(Pieces::of);
        let (proposer, spare) = (&mut self.proposer, &mut self.spare);
        Drive::default().run(source, proposer, pieces, query, spare, &mut log).await?;
        log.counts.candidate_object_pairs = log.counts.candidate_pairs;
        self.timings = Timings::default();
        Ok(log)
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
        let mut query = RelationList::new(pairs.len());
        let log = self.drive(&mut List::new(pairs, self.sets()), &mut query).await?;
        let (choice, counts, timings) = (self.choice.clone(), log.counts, log.timings);
        Ok(Relations { relations: query.relations, choice, counts, timings })
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
        let mut query = HitList::new(pairs.len(), keep);
        let log = self.drive(&mut List::new(pairs, self.sets()), &mut query).await?;
        let (choice, counts, timings) = (self.choice.clone(), log.counts, log.timings);
        Ok(Hits { pairs: query.hits, choice, counts, timings })
    }

    /// Measures each given pair. `sides` are the prepared sets, or rounded shapes that have them as cores.
    pub(crate) async fn figures<F: Figure>(
        &mut self,
        figure: F,
        sides: [Rounded<'_>; 2],
        pairs: &[[u32; 2]],
    ) -> Result<Answers<F::Output>> {
        let mut query = Measurements::new(pairs.len(), figure, sides);
        let time = self.preparation();
        let log = self.drive(&mut List::new(pairs, self.sets()), &mut query).await?;
        let (choice, time) = (self.choice.clone(), time + log.start.elapsed());
        Ok(Answers { figures: query.figures, choice, refined: query.refined, time })
    }

    /// Computes when each given pair touches. The time of the answer counts from `start`.
    pub(crate) async fn impacts(
        &mut self,
        motions: Motions<'_>,
        pairs: &[[u32; 2]],
        start: Instant,
    ) -> Result<Answers<TimeOfImpact>> {
        let time = self.preparation();
        let moving = self.moving(motions)?;
        let mut query = ImpactList::new(pairs.len(), &moving, self.sets());
        self.drive(&mut List::new(pairs, self.sets()), &mut query).await?;
        let (choice, time) = (self.choice.clone(), time + start.elapsed());
        Ok(Answers { figures: query.impacts, choice, refined: query.refined, time })
    }

    /// Returns the time that the packing and the upload of the two sets took. After the first list of pairs, the method
    /// returns 0, because the timings of the first list include the packing and the upload.
    #[must_use]
    pub fn preparation(&self) -> Duration {
        self.timings.pack + self.timings.upload
    }
}
