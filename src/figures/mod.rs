//! Measurements of pairs: penetration, contact points, distance and time of impact.
//!
//! A measurement is of a pair of convex pieces. In a set of convex polygons, each object is one piece. The host
//! evaluates a measurement in f64 from the caller's coordinates, on either backend: f64 selects the deciding features
//! (edges, vertices), and the result is evaluated from these features with twice the precision of f64. The result is
//! within [`MEASUREMENT_BOUND`] times the pair's size of the exact value. It has the same digits on every backend,
//! with any number of threads, and whatever other pairs are measured in the same call. On a GPU, the device proposes
//! the deciding edge where f32 is certain of it; f64 selects it for the other pairs, which [`Answers::refined`]
//! counts. Times of impact have their own bound ([`TimeOfImpact`]).

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

/// The largest error of a measurement that is returned to the host, as a fraction of the size of the pair: 2^-44.
///
/// The size of a pair is a length in the caller's unit, computed from the bounding boxes of A and B. The size is the
/// sum of three lengths: half of the longer side of A's box, half of the longer side of B's box, and the distance of
/// the centres of the boxes in x or in y, whichever is larger.
///
/// The bound applies to depths, gaps, distances and positions that [`Engine::penetrations`], [`Engine::manifolds`],
/// [`Engine::distances`] and the joins that measure return. The error is the difference from exact arithmetic on the
/// given coordinates. Positions in the world are also rounded to f64, by up to half an ulp of the coordinate.
pub const MEASUREMENT_BOUND: f64 = 1.0 / (1u64 << 44) as f64;

/// The largest error of an f32 measurement, as a fraction of the size of the pair: 2^-16. [`MEASUREMENT_BOUND`] defines
/// the size. The bound applies to simulations (`sim`) and to results that stay on a device.
pub const FIGURE_BOUND: f64 = 1.0 / 65536.0;

/// The measurements of a list of pairs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answers<T> {
    /// The measurement of each pair, in the order of the given pairs.
    pub figures: Vec<T>,
    /// The backend that measured the pairs, and the reason.
    pub choice: Choice,
    /// Number of pairs that f32 could not decide. For times of impact, `refined` counts the pairs whose time was
    /// computed again in f64, on a CPU or on a GPU. For other measurements, `refined` counts the pairs for which the
    /// device could not select the deciding edge in f32. The host selected the edges of these pairs in f64. On a CPU,
    /// `refined` is 0 for other measurements, because no device selects edges.
    pub refined: u64,
    /// Wall-clock time of the query. The time includes packing the sets, unless [`Engine::prepare`] packed the sets
    /// before.
    pub time: Duration,
}

impl Engine {
    /// Measures the penetration of each given pair of convex pieces: how deep the pieces overlap, or how wide the gap
    /// between the pieces is. `pairs[i]` is the index of a piece of `a` and the index of a piece of `b`. The error of a
    /// result is at most [`MEASUREMENT_BOUND`] times the size of the pair. The depth is above 0 if and only if the two
    /// pieces overlap.
    ///
    /// # Errors
    /// - [`Error::UnknownPolygon`] if an index names a piece that does not exist.
    /// - [`Error::TooMany`] if the two sets together have too many items for 32-bit indices.
    /// - On a GPU, an error of the device, such as [`Error::DeviceLost`].
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

    /// Async form of [`Engine::penetrations`]. On native targets, polling the future blocks the calling thread while
    /// the device or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::penetrations`].
    pub async fn penetrations_async<A: Shapes, B: Shapes>(
        &self,
        a: &A,
        b: &B,
        pairs: &[[u32; 2]],
    ) -> Result<Answers<Penetration>> {
        self.figures(Penetrations, [Rounded::of(a), Rounded::of(b)], pairs).await
    }

    /// Computes the contact manifold of each given pair of convex pieces. The manifold has the points where the two
    /// pieces touch, or are at most `margin` apart. `pairs[i]` is the index of a piece of `a` and the index of a piece
    /// of `b`. `margin` is in the caller's unit. The errors of positions and gaps are at most [`MEASUREMENT_BOUND`]
    /// times the size of the pair. Two polygons that meet have at least one contact point. Two polygons that are apart
    /// have a contact point if and only if their distance is at most the margin.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::penetrations`]. Returns [`Error::Option`] if the margin is negative, NaN or
    /// above [`crate::MAX_COORDINATE`].
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

    /// Async form of [`Engine::manifolds`]. Polling the future blocks the calling thread, as for
    /// [`Engine::penetrations_async`].
    ///
    /// # Errors
    /// Returns the errors of [`Engine::manifolds`].
    pub async fn manifolds_async<A: Shapes, B: Shapes>(
        &self,
        a: &A,
        b: &B,
        pairs: &[[u32; 2]],
        margin: f64,
    ) -> Result<Answers<Manifold>> {
        self.figures(Manifolds::new(margin)?, [Rounded::of(a), Rounded::of(b)], pairs).await
    }

    /// Measures the distance and the closest points of each given pair of convex pieces. `pairs[i]` is the index of a
    /// piece of `a` and the index of a piece of `b`. The error of a result is at most [`MEASUREMENT_BOUND`] times the
    /// size of the pair. The distance is 0 if and only if the two pieces have a common point.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::penetrations`].
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

    /// Async form of [`Engine::distances`]. Polling the future blocks the calling thread, as for
    /// [`Engine::penetrations_async`].
    ///
    /// # Errors
    /// Returns the errors of [`Engine::penetrations`].
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
    /// Measures the penetration of each given pair of pieces of the prepared sets, as [`Engine::penetrations`] does.
    ///
    /// # Errors
    /// Returns [`Error::UnknownPolygon`] if an index names a piece that does not exist. On a GPU, may return an error
    /// of the device, such as [`Error::DeviceLost`].
    #[cfg(not(target_family = "wasm"))]
    pub fn penetrations(&mut self, pairs: &[[u32; 2]]) -> Result<Answers<Penetration>> {
        block_on(self.penetrations_async(pairs))
    }

    /// Async form of [`Prepared::penetrations`]. On native targets, polling the future blocks the calling thread while
    /// the device or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Returns the errors of [`Prepared::penetrations`].
    pub async fn penetrations_async(&mut self, pairs: &[[u32; 2]]) -> Result<Answers<Penetration>> {
        self.figures(Penetrations, self.sides(), pairs).await
    }

    /// Computes the contact manifold of each given pair of pieces of the prepared sets, as [`Engine::manifolds`] does.
    ///
    /// # Errors
    /// Returns the errors of [`Prepared::penetrations`]. Returns [`Error::Option`] if the margin is negative, NaN or
    /// above [`crate::MAX_COORDINATE`].
    #[cfg(not(target_family = "wasm"))]
    pub fn manifolds(&mut self, pairs: &[[u32; 2]], margin: f64) -> Result<Answers<Manifold>> {
        block_on(self.manifolds_async(pairs, margin))
    }

    /// Async form of [`Prepared::manifolds`]. Polling the future blocks the calling thread, as for
    /// [`Prepared::penetrations_async`].
    ///
    /// # Errors
    /// Returns the errors of [`Prepared::manifolds`].
    pub async fn manifolds_async(&mut self, pairs: &[[u32; 2]], margin: f64) -> Result<Answers<Manifold>> {
        self.figures(Manifolds::new(margin)?, self.sides(), pairs).await
    }

    /// Measures the distance of each given pair of pieces of the prepared sets, as [`Engine::distances`] does.
    ///
    /// # Errors
    /// Returns the errors of [`Prepared::penetrations`].
    #[cfg(not(target_family = "wasm"))]
    pub fn distances(&mut self, pairs: &[[u32; 2]]) -> Result<Answers<Distance>> {
        block_on(self.distances_async(pairs))
    }

    /// Async form of [`Prepared::distances`]. Polling the future blocks the calling thread, as for
    /// [`Prepared::penetrations_async`].
    ///
    /// # Errors
    /// Returns the errors of [`Prepared::distances`].
    pub async fn distances_async(&mut self, pairs: &[[u32; 2]]) -> Result<Answers<Distance>> {
        self.figures(Distances::ALL, self.sides(), pairs).await
    }
}
