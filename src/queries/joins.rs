//! Describes a join: one set or two sets, and the caller's options.

use std::marker::PhantomData;

#[cfg(doc)]
use crate::Engine;
#[cfg(doc)]
use crate::answers::envelope::Answers;
use crate::answers::results::Keep;
use crate::base::error::{Error, Result};
use crate::geometry::{PolygonSet, Rounded, Shapes};
use crate::kernels::backends::Backends;
#[cfg(not(target_family = "wasm"))]
use crate::queries::block_on::block_on;
use crate::queries::drive::Drive;
#[cfg(doc)]
use crate::queries::kinds::{Containments, Distances, Impacts, Manifolds, Nearest, Penetrations, Relations};
#[cfg(doc)]
use crate::queries::kinds_of_areas::{IntersectionArea, Iou};
use crate::queries::progress::Progress;

/// A join of the objects of one set or of two sets: [`Engine::self_join`] and [`Engine::join`] create the join, and
/// [`Join::query`] runs a query on it. [`Join::keep`] and [`Join::within`] select pairs. No option changes the answer
/// for a pair, or the order of the pairs.
///
/// The queries are [`Relations`], [`Distances`], [`Penetrations`], [`Manifolds`], [`IntersectionArea`], [`Iou`],
/// [`Nearest`], [`Containments`] and [`Impacts`]. All but the last three can run together, in one pass over the
/// candidate pairs. To run two to four queries together, pass them as a tuple. An element of the tuple may itself be
/// such a tuple. The result is a tuple of [`Answers`].
///
/// ```
/// use sat2d::{Backend, Distances, Engine, Keep, Manifolds, PolygonSet, Relations};
///
/// let parcels = PolygonSet::from_convex_rings(&[
///     [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
///     [[1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0]],
/// ])?;
/// // Overlaps the first parcel, and touches the second.
/// let flood = PolygonSet::from_convex_rings(&[[[0.5, 0.0], [1.0, 0.5], [0.5, 1.0]]])?;
/// let engine = Engine::new(Backend::Cpu)?;
///
/// let flooded = engine.join(&parcels, &flood).keep(Keep::Overlapping).query(Relations)?;
/// assert_eq!(flooded.iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>(), [(0, 0)]);
/// assert_eq!((flooded.counts.overlapping, flooded.counts.touching), (1, 1));
///
/// // One walk for both measurements.
/// let join = engine.join(&parcels, &flood).within(7.5);
/// let (distances, manifolds) = join.query((Distances, Manifolds { margin: 0.1 }))?;
/// assert_eq!((distances.len(), manifolds.len()), (2, 2));
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "a join does nothing before `query`"]
pub struct Join<'a, A = PolygonSet, B = PolygonSet> {
    request: Request<'a>,
    sets: PhantomData<(&'a A, &'a B)>,
}

impl<A, B> Clone for Join<'_, A, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, B> Copy for Join<'_, A, B> {}

/// The sets and the options of a join.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub(super) backends: &'a Backends,
    pub(super) a: Rounded<'a>,
    /// The second set of the join, or `None` in a self-join.
    pub(super) other: Option<Rounded<'a>>,
    pub(super) keep: Option<Keep>,
    pub(super) check: bool,
    pub(super) within: Option<f64>,
    pub(super) drive: Drive<'a>,
}

/// A query on the pairs of a [`Join`]. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a query on a join of `{A}` and `{B}`",
    note = "`Relations`, `IntersectionArea`, `Iou`, `Containments` and `Impacts` need two `PolygonSet`s",
    note = "a tuple has up to four of `Relations`, `Distances`, `Penetrations`, `Manifolds`, `IntersectionArea` and `Iou`"
)]
pub trait JoinQuery<A = PolygonSet, B = PolygonSet>: Sized {
    /// The result: [`Answers`], or for a tuple of queries a tuple of [`Answers`].
    type Output;

    #[doc(hidden)]
    fn run(self, request: Request<'_>) -> impl Future<Output = Result<Self::Output>>;
}

impl<'a, A: Shapes, B: Shapes> Join<'a, A, B> {
    pub(crate) fn new(backends: &'a Backends, a: &'a A, other: Option<&'a B>) -> Self {
        let drive = Drive::default();
        let (a, other) = (Rounded::of(a), other.map(Rounded::of));
        let request = Request { backends, a, other, keep: None, check: false, within: None, drive };
        Self { request, sets: PhantomData }
    }

    /// Returns only pairs whose relation `keep` accepts. By default, a query returns the pairs that its documentation
    /// describes. The option applies to every query except [`Impacts`] and [`Nearest`], and to every query of a tuple.
    /// With [`Distances`], the option leaves out all disjoint pairs. With rounded shapes, the option is an error.
    pub fn keep(mut self, keep: Keep) -> Self {
        self.request.keep = Some(keep);
        self
    }

    /// Returns the pairs that are at most `distance` apart. The distance is in the caller's unit, and must be from 0 to
    /// [`crate::MAX_COORDINATE`]. [`Distances`] needs this option. No other query uses this option. [`Manifolds`] has
    /// its own margin for contact points, and [`Nearest`] has its own limit.
    pub fn within(mut self, distance: f64) -> Self {
        self.request.within = Some(distance);
        self
    }

    /// Decides every candidate pair of [`Relations`] a second time, by exact arithmetic alone. [`Answers::check`] then
    /// reports whether the relations agree. If the join compares large polygons by their edges, a second join of the
    /// same sets compares convex pieces. The report then also compares the relations of all pairs of objects that
    /// either join found.
    pub fn check(mut self) -> Self {
        self.request.check = true;
        self
    }

    /// Limits the size of chunks: the join decides at most `pairs` candidate pairs at once. `pairs` must be at least 1.
    /// Without a limit, the backend chooses the size of chunks. A limit can only make chunks smaller.
    pub fn chunk_pairs(mut self, pairs: usize) -> Self {
        self.request.drive.chunk_pairs = pairs;
        self
    }

    /// Reports the progress to an observer. The join calls the observer when a stage begins, and after each chunk of
    /// candidate pairs. If two objects may have more than 4,096 pairs of pieces, the query [`Distances`] makes a pass of
    /// its own over the candidate pairs. The join then reports the stages twice, and starts to count from 0 each time.
    pub fn progress(mut self, progress: &'a dyn Progress) -> Self {
        self.request.drive.progress = Some(progress);
        self
    }

    /// Runs a query on all pairs of the join. In a self-join, the result of every query except [`Nearest`] contains
    /// each pair of objects once, with `a < b`. Two pieces of the same object never form a pair.
    ///
    /// # Errors
    /// - [`Error::Option`] if an option is out of range, or if no query uses an option that is set.
    /// - The errors of [`PolygonSet::check_pieces`], if the query needs the convex pieces.
    /// - [`Error::TooMany`] if the sets together have too many items for 32-bit indices.
    /// - [`Error::OutOfMemory`] if the pairs found do not fit in memory.
    /// - On a GPU, a device error, such as [`Error::DeviceLost`].
    /// - The errors that the documentation of the query lists.
    #[cfg(not(target_family = "wasm"))]
    pub fn query<Q: JoinQuery<A, B>>(&self, query: Q) -> Result<Q::Output> {
        block_on(self.query_async(query))
    }

    /// Async variant of [`Join::query`]. On native targets, polling the future blocks the calling thread while the device or the
    /// thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Fails in the same cases as [`Join::query`].
    pub async fn query_async<Q: JoinQuery<A, B>>(&self, query: Q) -> Result<Q::Output> {
        if self.request.drive.chunk_pairs == 0 {
            let (option, value) = ("chunk_pairs", "0".into());
            return Err(Error::Option { option, value, problem: "must be 1 or more" });
        }
        query.run(self.request).await
    }
}

impl Request<'_> {
    /// Returns an error if an option is set that no query of the join uses, or if `keep` is set and a set has rounded
    /// shapes.
    pub(super) fn check_options(&self, uses: UsedOptions) -> Result<()> {
        let unused = |option, value: String, problem| Err(Error::Option { option, value, problem });
        if self.check && !uses.check {
            return unused("check", "true".into(), "needs the query `Relations`");
        }
        if let (Some(within), false) = (self.within, uses.within) {
            return unused("within", within.to_string(), "needs the query `Distances`");
        }
        match self.keep {
            Some(keep) if !uses.keep => {
                unused("keep", format!("{keep:?}"), "is not used by any query; leave it out")
            }
            Some(keep) if self.a.is_rounded() || self.other.is_some_and(Rounded::is_rounded) => {
                unused("keep", format!("{keep:?}"), "does not apply to rounded shapes")
            }
            _ => Ok(()),
        }
    }
}

/// For each option of a join, whether a query uses the option.
#[derive(Clone, Copy, Debug)]
pub(super) struct UsedOptions {
    pub(super) keep: bool,
    pub(super) check: bool,
    pub(super) within: bool,
}

impl UsedOptions {
    pub(super) const NOTHING: Self = Self { keep: false, check: false, within: false };

    /// Returns the options that at least one of two queries uses.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            keep: self.keep | other.keep,
            check: self.check | other.check,
            within: self.within | other.within,
        }
    }
}
