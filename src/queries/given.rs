//! Queries on pairs that the caller gives: pairs of pieces, and pairs of objects.

#[cfg(doc)]
use crate::Engine;
use crate::answers::backend::{Backend, Choice};
use crate::answers::envelope::Answers;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::geometry::{PolygonSet, Rounded, Shapes};
use crate::kernels::backends::Backends;
use crate::kernels::proposer::{Hint, Lists};
#[cfg(not(target_family = "wasm"))]
use crate::queries::block_on::block_on;
use crate::queries::drive::Drive;
#[cfg(doc)]
use crate::queries::kinds::{Containments, Distances, Hits, Impacts, Manifolds, Penetrations, Relations};
#[cfg(doc)]
use crate::queries::kinds_of_areas::{IntersectionArea, Iou};
use crate::queries::prepared::Prepared;
use crate::queries::progress::Progress;

/// Given pairs of convex pieces, ready for a query: [`Engine::piece_pairs`] creates the pairs, and [`PiecePairs::query`]
/// runs a query on them.
///
/// `pairs[i]` holds the index of a piece of the first set and the index of a piece of the second set. In a set of
/// convex polygons, each object is one piece, and the piece has the index of the object. The two pieces may be near
/// each other or far apart. [`PolygonSet::piece_object`] returns the object of a piece.
///
/// The queries are [`Relations`], [`Hits`], [`Distances`], [`Penetrations`], [`Manifolds`], [`IntersectionArea`], [`Iou`]
/// and [`Impacts`], and [`Containments`] if a set has rounded shapes. A tuple of two of the first seven queries runs in one
/// pass over the pairs.
///
/// ```
/// use sat2d::{Backend, Engine, PolygonSet, Relation, Relations, RoundedSet, RoundedShape};
///
/// let wall = PolygonSet::from_convex_rings(&[[[2.0, -5.0], [3.0, -5.0], [3.0, 5.0], [2.0, 5.0]]])?;
/// let balls = RoundedSet::new(&[
///     RoundedShape::circle([0.0, 0.0], 1.5)?,
///     RoundedShape::circle([0.0, 0.0], 2.0)?,
///     RoundedShape::capsule([0.0, 0.0], [0.0, 9.0], 2.5)?,
/// ])?;
/// let engine = Engine::new(Backend::Cpu)?;
/// let found = engine.piece_pairs(&balls, &wall, &[[0, 0], [1, 0], [2, 0]]).query(Relations)?;
/// assert_eq!(found.items, [Relation::Disjoint, Relation::Touching, Relation::Overlapping]);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "pairs do nothing before `query`"]
pub struct PiecePairs<'p, A = PolygonSet, B = PolygonSet> {
    pub(super) backends: &'p Backends,
    pub(super) a: &'p A,
    pub(super) b: &'p B,
    pub(super) pairs: &'p [[u32; 2]],
    pub(super) drive: Drive<'p>,
}

impl<A, B> Clone for PiecePairs<'_, A, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, B> Copy for PiecePairs<'_, A, B> {}

/// A query on given pairs of pieces. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a query on pairs of pieces of `{A}` and `{B}`",
    note = "`Hits`, `IntersectionArea`, `Iou` and `Impacts` need two `PolygonSet`s",
    note = "`Containments` needs a `RoundedSet`; for the objects of polygon sets use `Engine::object_pairs`"
)]
pub trait PieceQuery<A = PolygonSet, B = PolygonSet>: Sized {
    /// The result: [`Answers`], or for a tuple of queries a tuple of [`Answers`].
    type Output;

    /// Whether the query needs the relations of the pairs from the backend.
    #[doc(hidden)]
    const NEEDS_RELATIONS: bool;
    /// Whether the query runs only on the host. If such a query runs on prepared sets, its answers still name the
    /// backend of these sets.
    #[doc(hidden)]
    const IS_ON_HOST: bool = false;

    /// Returns an error if a field of the query has an invalid value.
    #[doc(hidden)]
    fn check(&self) -> Result<()> {
        Ok(())
    }

    #[doc(hidden)]
    fn run(self, given: Given<'_, '_>) -> impl Future<Output = Result<Self::Output>>;
}

/// The pairs of pieces that the caller gives, and the sets to which the pieces belong.
#[derive(Debug)]
pub struct Given<'m, 'a> {
    pub(super) prepared: &'m mut Prepared<'a>,
    /// The two sides of the query. The cores of each side are one of the prepared sets. A core is a polygon, or the
    /// point, segment or polygon inside a rounded shape.
    pub(super) sides: [Rounded<'a>; 2],
    pub(super) pairs: &'m [[u32; 2]],
    pub(super) drive: Drive<'m>,
}

impl<'p, A: Shapes, B: Shapes> PiecePairs<'p, A, B> {
    pub(crate) fn new(backends: &'p Backends, a: &'p A, b: &'p B, pairs: &'p [[u32; 2]]) -> Self {
        Self { backends, a, b, pairs, drive: Drive::default() }
    }

    /// Reports the progress to an observer. The query calls the observer after each chunk of pairs.
    pub fn progress(mut self, progress: &'p dyn Progress) -> Self {
        self.drive.progress = Some(progress);
        self
    }

    /// Runs a query on the pairs. The answers are in the order of the pairs.
    ///
    /// # Errors
    /// - [`Error::UnknownPolygon`] if an index names a piece that does not exist.
    /// - The errors of [`PolygonSet::check_pieces`].
    /// - [`Error::TooMany`] if the two sets together have too many items for 32-bit indices.
    /// - [`Error::OutOfMemory`] if the answers do not fit in memory.
    /// - On a GPU, a device error, such as [`Error::DeviceLost`].
    /// - The errors that the documentation of the query lists.
    #[cfg(not(target_family = "wasm"))]
    pub fn query<Q: PieceQuery<A, B>>(&self, query: Q) -> Result<Q::Output> {
        block_on(self.query_async(query))
    }

    /// Async variant of [`PiecePairs::query`]. On native targets, polling the future blocks the calling thread while the device
    /// or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Fails in the same cases as [`PiecePairs::query`].
    pub async fn query_async<Q: PieceQuery<A, B>>(&self, query: Q) -> Result<Q::Output> {
        query.check()?;
        let sides = [Rounded::of(self.a), Rounded::of(self.b)];
        let count = self.pairs.len() as u64;
        let choice = if Q::IS_ON_HOST {
            let reason = "the query runs in f64 on the CPU";
            Choice { backend: Backend::Cpu, adapter: None, reason: reason.into() }
        } else {
            self.backends.choice_for(count, |_| count)
        };
        let hint = Hint { relations: Q::NEEDS_RELATIONS, ..Hint::default() };
        let sets = sides.map(|side| side.cores);
        let mut prepared = self.backends.prepare_on(choice, sets, Lists::One, hint).await?;
        query.run(Given { prepared: &mut prepared, sides, pairs: self.pairs, drive: self.drive }).await
    }
}

/// Given pairs of pieces of two sets that have already been prepared: [`Prepared::piece_pairs`] creates the pairs.
/// [`PiecePairs`] describes the indices.
#[derive(Debug)]
#[must_use = "pairs do nothing before `query`"]
pub struct PreparedPairs<'p, 'a> {
    prepared: &'p mut Prepared<'a>,
    pairs: &'p [[u32; 2]],
    drive: Drive<'p>,
}

impl<'p, 'a> PreparedPairs<'p, 'a> {
    pub(super) fn new(prepared: &'p mut Prepared<'a>, pairs: &'p [[u32; 2]]) -> Self {
        Self { prepared, pairs, drive: Drive::default() }
    }

    /// Reports the progress to an observer. The query calls the observer after each chunk of pairs.
    pub fn progress(mut self, progress: &'p dyn Progress) -> Self {
        self.drive.progress = Some(progress);
        self
    }

    /// Runs a query on the pairs, and returns the same answers as [`PiecePairs::query`]. The timings of the first query after
    /// [`Engine::prepare`] include the time spent on packing. The method consumes the pairs, because the prepared sets serve one
    /// query at a time.
    ///
    /// # Errors
    /// Fails in the same cases as [`PiecePairs::query`].
    #[cfg(not(target_family = "wasm"))]
    pub fn query<Q: PieceQuery>(self, query: Q) -> Result<Q::Output> {
        block_on(self.query_async(query))
    }

    /// Async variant of [`PreparedPairs::query`]. On native targets, polling the future blocks the calling thread while the
    /// device or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Fails in the same cases as [`PreparedPairs::query`].
    pub async fn query_async<Q: PieceQuery>(self, query: Q) -> Result<Q::Output> {
        let sides = self.prepared.sides();
        query.run(Given { prepared: self.prepared, sides, pairs: self.pairs, drive: self.drive }).await
    }
}

/// Given pairs of objects: [`Engine::object_pairs`] creates the pairs, and [`ObjectPairs::query`] runs a query on them.
///
/// `pairs[i]` holds the index of an object of the first set and the index of an object of the second set. The two
/// objects may be near each other or far apart. The queries on pairs of objects are [`Containments`], [`IntersectionArea`] and
/// [`Iou`]. An object without a region has no area in common with other objects.
///
/// ```
/// use sat2d::{Backend, Containment, Containments, Engine, PolygonObject, PolygonSet};
///
/// let square = |x: f64, side: f64| [[x, 0.0], [x + side, 0.0], [x + side, side], [x, side]];
/// // The first object consists of two squares that share an edge. The second lies across the edge: only the two
/// // squares together cover it.
/// let two = PolygonObject::from_multi_polygon(&[[square(0.0, 2.0)], [square(2.0, 2.0)]])?;
/// let across = PolygonObject::from_polygon(&[square(1.0, 2.0)])?;
/// let set = PolygonSet::from_objects(&[two, across])?;
/// let engine = Engine::new(Backend::Cpu)?;
/// let found = engine.object_pairs(&set, &set, &[[0, 1], [1, 0], [0, 0]]).query(Containments)?;
/// assert_eq!(found.items, [Containment::Covers, Containment::CoveredBy, Containment::Equal]);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "pairs do nothing before `query`"]
pub struct ObjectPairs<'p> {
    pub(super) backends: &'p Backends,
    pub(super) sets: [&'p PolygonSet; 2],
    pub(super) pairs: &'p [[u32; 2]],
    pub(super) drive: Drive<'p>,
}

/// A query on given pairs of objects. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a query on pairs of objects",
    note = "`Containments`, `IntersectionArea` and `Iou` are; other queries take pairs of pieces (`Engine::piece_pairs`)"
)]
pub trait ObjectQuery: Sized {
    /// The type of the answer for one pair.
    type Item;

    #[doc(hidden)]
    fn run(self, pairs: &ObjectPairs<'_>) -> impl Future<Output = Result<Answers<Self::Item>>>;
}

impl<'p> ObjectPairs<'p> {
    pub(crate) fn new(backends: &'p Backends, sets: [&'p PolygonSet; 2], pairs: &'p [[u32; 2]]) -> Self {
        Self { backends, sets, pairs, drive: Drive::default() }
    }

    /// Returns [`Error::UnknownObject`] if a pair names an object that does not exist.
    pub(super) fn check_objects(&self) -> Result<()> {
        let mut indices = self.pairs.iter().flat_map(|indices| indices.iter().zip(self.sets));
        indices.try_for_each(|(&index, set)| set.check_object(index as usize))
    }

    /// Reports the progress to an observer. The query calls the observer after each chunk of pairs.
    pub fn progress(mut self, progress: &'p dyn Progress) -> Self {
        self.drive.progress = Some(progress);
        self
    }

    /// Runs a query on the pairs. The answers are in the order of the pairs.
    ///
    /// # Errors
    /// - [`Error::UnknownObject`] if an index names an object that does not exist.
    /// - The errors of [`PolygonSet::check_pieces`], if the query needs the convex pieces.
    /// - [`Error::TooMany`] if the two sets together have too many items for 32-bit indices.
    /// - [`Error::OutOfMemory`] if the answers do not fit in memory.
    /// - On a GPU, a device error, such as [`Error::DeviceLost`].
    /// - The errors that the documentation of the query lists.
    #[cfg(not(target_family = "wasm"))]
    pub fn query<Q: ObjectQuery>(&self, query: Q) -> Result<Answers<Q::Item>> {
        block_on(self.query_async(query))
    }

    /// Async variant of [`ObjectPairs::query`]. On native targets, polling the future blocks the calling thread while the device
    /// or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Fails in the same cases as [`ObjectPairs::query`].
    pub async fn query_async<Q: ObjectQuery>(&self, query: Q) -> Result<Answers<Q::Item>> {
        query.run(self).await
    }
}
