//! Measurements of pairs: how deep, where, how far, when.
//!
//! A measurement is that of a pair of convex pieces (of objects, in a set of convex polygons). The host evaluates it in f64, from
//! the caller's coordinates, whatever the backend: f64 chooses the features (edges, vertices) that decide, and what they give
//! is evaluated with twice the bits. It is within [`MEASUREMENT_BOUND`] of the pair's size of the exact value, and has
//! the same digits on every backend, with any number of threads, and whatever pairs are measured with it. On a GPU the device
//! proposes the deciding edge where f32 is certain of it; f64 chooses for the others, which are counted
//! ([`Answers::refined`]). Times of impact have a bound of their own ([`TimeOfImpact`]).

#[cfg(feature = "cli")]
mod check;
mod containment;
mod distance;
mod impact_join;
mod join;
mod manifold;
mod nearest_pieces;
mod of_pieces;
mod pair;
mod penetration;
mod piece_trees;
mod relation;
mod time_of_impact;

use std::time::Duration;

use crate::engine::{Choice, Engine};
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::geometry::{Rounded, Shapes};
#[cfg(not(target_family = "wasm"))]
use crate::join::block_on;
use crate::narrow_phase::Lists;
use crate::narrow_phase::figures::Figure;
use crate::prepared::Prepared;

pub use distance::{Closest, Distance};
pub use impact_join::{ImpactJoin, ObjectImpact};
pub use join::{FigureJoin, ObjectFigure};
pub use manifold::{Contact, Manifold, RelativeVelocity};
pub use pair::{Motion, PairEdge, PairFeature, PairFeatures, PairSide};
pub use penetration::Penetration;
pub use time_of_impact::{Impact, ImpactOutcome, TimeOfImpact, TimeOfImpactOptions};

#[cfg(feature = "cli")]
pub(crate) use check::{NearCheck, NearFault};
pub(crate) use distance::Distances;
#[cfg(feature = "cli")]
pub(crate) use join::checked as checked_distance;
pub(crate) use manifold::Manifolds;
pub(crate) use of_pieces::pieces;
pub(crate) use penetration::Penetrations;

/// How far a measurement that comes to the host may be off, as part of the pair's size: of the greatest extents of the two
/// from the middles of their boxes, and the distance of these middles along an axis, together, in the caller's unit. 2^-44.
///
/// It holds for depths, gaps, distances and places of [`Engine::penetrations`], [`Engine::manifolds`], [`Engine::distances`],
/// and of the joins that measure, beside what exact arithmetic gives of the coordinates. Places in the world are
/// besides rounded to f64, by up to half an ulp of the coordinate.
pub const MEASUREMENT_BOUND: f64 = 1.0 / (1u64 << 44) as f64;

/// How far a measurement in f32 may be off, as part of the same size: in the worlds of `sim`, and in what stays on a device. 2^-16.
pub const FIGURE_BOUND: f64 = 1.0 / 65536.0;

/// One figure a pair, in the order given.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answers<T> {
    /// One a pair.
    pub figures: Vec<T>,
    /// What they were measured on, and why.
    pub choice: Choice,
    /// Pairs that f32 was not certain of. Of measurements: whose deciding edge f64 chose, as the device could not tell; 0 on a
    /// CPU, where f64 chooses for all. Of times of impact: that were computed again in f64, on either backend.
    pub refined: u64,
    /// Wall-clock time, packing included where it was not done before.
    pub time: Duration,
}

impl Engine {
    /// How deep each given pair of pieces overlaps, or how far apart it is over an edge: `pairs[i]` names a piece of
    /// `a` and a piece of `b`. Within [`MEASUREMENT_BOUND`]; the depth is above 0 if and only if the two overlap.
    ///
    /// # Errors
    /// [`Error::UnknownPolygon`] for an index beyond its set; [`Error::TooMany`] where the sets together do not fit 32-bit
    /// indices; the device's errors on a GPU.
    ///
    /// ```
    /// use sat2d::{Backend, Engine, PolygonSet};
    ///
    /// let squares = PolygonSet::from_convex_rings(&[
    ///     [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]],
    ///     [[1.5, 0.5], [3.5, 0.5], [3.5, 2.5], [1.5, 2.5]],
    /// ])?;
    /// let found = Engine::new(Backend::Cpu)?.penetrations(&squares, &squares, &[[0, 1]])?;
    /// assert_eq!(found.figures[0].depth(), 0.5);
    /// // The first leaves the second towards the left.
    /// assert_eq!(found.figures[0].minimum_translation_of_a().to_array(), [-0.5, 0.0]);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    pub fn penetrations<A: Shapes, B: Shapes>(
        &self,
        a: &A,
        b: &B,
        pairs: &[[u32; 2]],
    ) -> Result<Answers<Penetration>> {
        block_on(self.penetrations_async(a, b, pairs))
    }

    /// [`Engine::penetrations`], for callers that are async. Natively it blocks the thread that polls it while the device
    /// or the thread pool works: give it one of its own.
    ///
    /// # Errors
    /// As [`Engine::penetrations`].
    pub async fn penetrations_async<A: Shapes, B: Shapes>(
        &self,
        a: &A,
        b: &B,
        pairs: &[[u32; 2]],
    ) -> Result<Answers<Penetration>> {
        self.figures(Penetrations, [Rounded::of(a), Rounded::of(b)], pairs).await
    }

    /// Where the polygons of each given pair of pieces touch, or are no more than `margin` apart, in the caller's unit. Places and
    /// gaps are within [`MEASUREMENT_BOUND`]. Two polygons that meet have at least one contact point; two that are apart have
    /// one if and only if their distance is at most the margin.
    ///
    /// # Errors
    /// As [`Engine::penetrations`]; [`Error::Option`] for a margin that is negative, NaN or above [`crate::MAX_COORDINATE`].
    ///
    /// ```
    /// use sat2d::{Backend, Engine, PairFeature, PolygonSet};
    ///
    /// let boxes = PolygonSet::from_convex_rings(&[
    ///     [[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [0.0, 1.0]],
    ///     [[3.0, 1.25], [5.0, 1.25], [5.0, 2.0], [3.0, 2.0]],
    /// ])?;
    /// let engine = Engine::new(Backend::Cpu)?;
    /// assert!(engine.manifolds(&boxes, &boxes, &[[0, 1]], 0.0)?.figures[0].points().is_empty());
    /// let manifold = engine.manifolds(&boxes, &boxes, &[[0, 1]], 0.5)?.figures[0];
    /// // The upper edge of the first is cut off at its right end by the second, and ends over it.
    /// let places: Vec<_> = manifold.points().iter().map(|p| p.position.to_array()).collect();
    /// assert_eq!(places, [[4.0, 1.125], [3.0, 1.125]]);
    /// assert_eq!(manifold.points()[0].features.a, PairFeature::Vertex(2));
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    pub fn manifolds<A: Shapes, B: Shapes>(
        &self,
        a: &A,
        b: &B,
        pairs: &[[u32; 2]],
        margin: f64,
    ) -> Result<Answers<Manifold>> {
        block_on(self.manifolds_async(a, b, pairs, margin))
    }

    /// [`Engine::manifolds`], for callers that are async; as [`Engine::penetrations_async`].
    ///
    /// # Errors
    /// As [`Engine::manifolds`].
    pub async fn manifolds_async<A: Shapes, B: Shapes>(
        &self,
        a: &A,
        b: &B,
        pairs: &[[u32; 2]],
        margin: f64,
    ) -> Result<Answers<Manifold>> {
        self.figures(Manifolds::new(margin)?, [Rounded::of(a), Rounded::of(b)], pairs).await
    }

    /// How far apart each given pair of pieces lies, and where they are the nearest. Within [`MEASUREMENT_BOUND`]; the distance
    /// is 0 if and only if the two have a common point.
    ///
    /// # Errors
    /// As [`Engine::penetrations`].
    ///
    /// ```
    /// use sat2d::{Backend, Engine, PairFeature, PolygonSet};
    ///
    /// let triangles = PolygonSet::from_convex_rings(&[
    ///     [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
    ///     [[4.0, 4.0], [4.0, 5.0], [3.0, 5.0]],
    ///     [[0.25, 0.25], [1.0, 1.0], [0.0, 1.0]],
    /// ])?;
    /// let found = Engine::new(Backend::Cpu)?.distances(&triangles, &triangles, &[[0, 1], [0, 2]])?;
    /// // From the middle of the first's long side to the middle of the second's.
    /// assert!((found.figures[0].distance - 3.5 * 2f64.sqrt()).abs() < 1e-5);
    /// assert_eq!(found.figures[1].distance, 0.0);
    /// assert!(found.figures[1].closest.is_none());
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    pub fn distances<A: Shapes, B: Shapes>(
        &self,
        a: &A,
        b: &B,
        pairs: &[[u32; 2]],
    ) -> Result<Answers<Distance>> {
        block_on(self.distances_async(a, b, pairs))
    }

    /// [`Engine::distances`], for callers that are async; as [`Engine::penetrations_async`].
    ///
    /// # Errors
    /// As [`Engine::penetrations`].
    pub async fn distances_async<A: Shapes, B: Shapes>(
        &self,
        a: &A,
        b: &B,
        pairs: &[[u32; 2]],
    ) -> Result<Answers<Distance>> {
        self.figures(Distances::ALL, [Rounded::of(a), Rounded::of(b)], pairs).await
    }

    async fn figures<F: Figure>(
        &self,
        figure: F,
        sides: [Rounded<'_>; 2],
        pairs: &[[u32; 2]],
    ) -> Result<Answers<F::Output>> {
        let count = pairs.len() as u64;
        let choice = self.choice_for(count, |_| count);
        let [a, b] = sides.map(|side| side.cores);
        self.prepare_on(choice, a, b, Lists::One).await?.figures(figure, sides, pairs).await
    }
}

impl Prepared<'_> {
    /// [`Engine::penetrations`] of the sets that are prepared.
    ///
    /// # Errors
    /// [`Error::UnknownPolygon`] for an index beyond its set; the device's errors on a GPU.
    #[cfg(not(target_family = "wasm"))]
    pub fn penetrations(&mut self, pairs: &[[u32; 2]]) -> Result<Answers<Penetration>> {
        block_on(self.penetrations_async(pairs))
    }

    /// [`Prepared::penetrations`], for callers that are async. Natively it blocks the thread that polls it while the device
    /// or the thread pool works: give it one of its own.
    ///
    /// # Errors
    /// As [`Prepared::penetrations`].
    pub async fn penetrations_async(&mut self, pairs: &[[u32; 2]]) -> Result<Answers<Penetration>> {
        self.figures(Penetrations, self.sides(), pairs).await
    }

    /// [`Engine::manifolds`] of the sets that are prepared.
    ///
    /// # Errors
    /// As [`Prepared::penetrations`]; [`Error::Option`] for a margin that is negative, NaN or above [`crate::MAX_COORDINATE`].
    #[cfg(not(target_family = "wasm"))]
    pub fn manifolds(&mut self, pairs: &[[u32; 2]], margin: f64) -> Result<Answers<Manifold>> {
        block_on(self.manifolds_async(pairs, margin))
    }

    /// [`Prepared::manifolds`], for callers that are async; as [`Prepared::penetrations_async`].
    ///
    /// # Errors
    /// As [`Prepared::manifolds`].
    pub async fn manifolds_async(&mut self, pairs: &[[u32; 2]], margin: f64) -> Result<Answers<Manifold>> {
        self.figures(Manifolds::new(margin)?, self.sides(), pairs).await
    }

    /// [`Engine::distances`] of the sets that are prepared.
    ///
    /// # Errors
    /// As [`Prepared::penetrations`].
    #[cfg(not(target_family = "wasm"))]
    pub fn distances(&mut self, pairs: &[[u32; 2]]) -> Result<Answers<Distance>> {
        block_on(self.distances_async(pairs))
    }

    /// [`Prepared::distances`], for callers that are async; as [`Prepared::penetrations_async`].
    ///
    /// # Errors
    /// As [`Prepared::distances`].
    pub async fn distances_async(&mut self, pairs: &[[u32; 2]]) -> Result<Answers<Distance>> {
        self.figures(Distances::ALL, self.sides(), pairs).await
    }
}
