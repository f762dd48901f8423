//! Measurements of given pairs.

use super::Engine;
#[cfg(doc)]
use crate::MEASUREMENT_BOUND;
use crate::answers::distance::Distance;
use crate::answers::manifold::Manifold;
use crate::answers::measured::Answers;
use crate::answers::penetration::Penetration;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::geometry::{Rounded, Shapes};
use crate::kernels::measurements::{Distances, Manifolds, Penetrations};
#[cfg(not(target_family = "wasm"))]
use crate::queries::block_on::block_on;

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
        self.backends.figures(Penetrations, [Rounded::of(a), Rounded::of(b)], pairs).await
    }

    /// Computes the contact manifold of each given pair of convex pieces. The manifold has at most two contact points.
    /// At a contact point, the two pieces meet, or are at most `margin` apart. `pairs[i]` is the index of a piece of `a`
    /// and the index of a piece of `b`. `margin` is in the caller's unit. The errors of positions and gaps are at most
    /// [`MEASUREMENT_BOUND`] times the size of the pair. Two polygons that meet have at least one contact point. Two
    /// polygons that are apart have a contact point if and only if their distance is at most the margin.
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
        self.backends.figures(Manifolds::new(margin)?, [Rounded::of(a), Rounded::of(b)], pairs).await
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
        self.backends.figures(Distances::ALL, [Rounded::of(a), Rounded::of(b)], pairs).await
    }
}
