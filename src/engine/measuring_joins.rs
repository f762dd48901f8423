//! Joins that measure the pairs that they find.

use super::Engine;
#[cfg(doc)]
use crate::MAX_COORDINATE;
use crate::answers::distance::Distance;
use crate::answers::manifold::Manifold;
use crate::answers::measured::FigureJoin;
use crate::answers::penetration::Penetration;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::geometry::{Rounded, Shapes};
#[cfg(not(target_family = "wasm"))]
use crate::queries::block_on::block_on;
use crate::queries::nearest_pieces::MANY_PAIRS;

impl Engine {
    /// Finds the pairs of objects of one set that are at most `distance` apart, with the distance and the closest
    /// points. `distance` is in the caller's unit. The result has each pair once, with `a < b`, sorted by `a`, then
    /// `b`. The distance of two objects is the least distance of their pieces.
    ///
    /// A pair is in the result if and only if its true distance is at most `distance`, for every f64 value of
    /// `distance`. Two rounded shapes are in the result if the distance of their cores is at most the sum of `distance`
    /// and the two radii. The sum is exact. Each reported distance is at most `distance`.
    ///
    /// # Errors
    /// - [`Error::Option`] if the distance is negative, NaN or above [`MAX_COORDINATE`].
    /// - [`Error::TooMany`] if the set has too many items for 32-bit indices.
    /// - [`Error::OutOfMemory`] if the pairs found do not fit in memory.
    /// - On a GPU, an error of the device, such as [`Error::DeviceLost`].
    ///
    /// ```
    /// use sat2d::{Backend, Engine, PolygonSet};
    ///
    /// let squares = PolygonSet::from_convex_rings(&[
    ///     [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
    ///     [[4.0, 5.0], [6.0, 5.0], [6.0, 6.0], [4.0, 6.0]],
    ///     [[90.0, 0.0], [91.0, 0.0], [91.0, 1.0], [90.0, 1.0]],
    /// ])?;
    /// let near = Engine::new(Backend::Cpu)?.self_join_within(&squares, 7.5)?;
    /// let found: Vec<_> = near.pairs.iter().map(|pair| (pair.a, pair.b, pair.figure.distance)).collect();
    /// // 3 to the right and 4 up.
    /// assert_eq!(found, [(0, 1, 5.0)]);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    pub fn self_join_within<S: Shapes>(&self, set: &S, distance: f64) -> Result<FigureJoin<Distance>> {
        block_on(self.self_join_within_async(set, distance))
    }

    /// Async form of [`Engine::self_join_within`]. On native targets, polling the future blocks the calling thread
    /// while the device or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::self_join_within`].
    pub async fn self_join_within_async<S: Shapes>(
        &self,
        set: &S,
        distance: f64,
    ) -> Result<FigureJoin<Distance>> {
        self.backends.join_of_distances(Rounded::of(set), None, distance, MANY_PAIRS).await
    }

    /// Finds the pairs of an object of `a` and an object of `b` that are at most `distance` apart.
    /// [`Engine::self_join_within`] does the same for one set.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::self_join_within`].
    #[cfg(not(target_family = "wasm"))]
    pub fn join_within<A: Shapes, B: Shapes>(
        &self,
        a: &A,
        b: &B,
        distance: f64,
    ) -> Result<FigureJoin<Distance>> {
        block_on(self.join_within_async(a, b, distance))
    }

    /// Async form of [`Engine::join_within`]. Polling the future blocks the calling thread, as for
    /// [`Engine::self_join_within_async`].
    ///
    /// # Errors
    /// Returns the errors of [`Engine::self_join_within`].
    pub async fn join_within_async<A: Shapes, B: Shapes>(
        &self,
        a: &A,
        b: &B,
        distance: f64,
    ) -> Result<FigureJoin<Distance>> {
        self.backends.join_of_distances(Rounded::of(a), Some(Rounded::of(b)), distance, MANY_PAIRS).await
    }

    /// Measures the penetration of every pair of objects of one set that meet. The result has each pair once, with `a <
    /// b`, sorted by `a`, then `b`. The depth is above 0 if and only if the two objects overlap.
    ///
    /// For objects of several pieces, the result is the penetration of the deepest pair of pieces. An internal edge is
    /// a cut between two pieces of one object. The deciding edge is an internal edge only if all edges of the pieces
    /// are internal, or if the pieces only touch. A move of A by the minimum translation vector separates the two
    /// measured pieces. After the move, other pieces of the objects may still overlap.
    ///
    /// # Errors
    /// Returns [`Error::TooMany`] if the set has too many items for 32-bit indices. Returns [`Error::OutOfMemory`] if
    /// the pairs found do not fit in memory. On a GPU, may return an error of the device, such as
    /// [`Error::DeviceLost`].
    #[cfg(not(target_family = "wasm"))]
    pub fn self_join_penetrations<S: Shapes>(&self, set: &S) -> Result<FigureJoin<Penetration>> {
        block_on(self.self_join_penetrations_async(set))
    }

    /// Async form of [`Engine::self_join_penetrations`]. Polling the future blocks the calling thread, as for
    /// [`Engine::self_join_within_async`].
    ///
    /// # Errors
    /// Returns the errors of [`Engine::self_join_penetrations`].
    pub async fn self_join_penetrations_async<S: Shapes>(&self, set: &S) -> Result<FigureJoin<Penetration>> {
        self.backends.join_of_penetrations(Rounded::of(set), None).await
    }

    /// Measures the penetration of every pair of an object of `a` and an object of `b` that meet.
    /// [`Engine::self_join_penetrations`] does the same for one set.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::self_join_penetrations`].
    #[cfg(not(target_family = "wasm"))]
    pub fn join_penetrations<A: Shapes, B: Shapes>(&self, a: &A, b: &B) -> Result<FigureJoin<Penetration>> {
        block_on(self.join_penetrations_async(a, b))
    }

    /// Async form of [`Engine::join_penetrations`]. Polling the future blocks the calling thread, as for
    /// [`Engine::self_join_within_async`].
    ///
    /// # Errors
    /// Returns the errors of [`Engine::self_join_penetrations`].
    pub async fn join_penetrations_async<A: Shapes, B: Shapes>(
        &self,
        a: &A,
        b: &B,
    ) -> Result<FigureJoin<Penetration>> {
        self.backends.join_of_penetrations(Rounded::of(a), Some(Rounded::of(b))).await
    }

    /// Computes the contact manifold of every pair of objects of one set that meet or are at most `margin` apart. The
    /// result has each pair once, with `a < b`, sorted by `a`, then `b`. `margin` is in the caller's unit.
    ///
    /// If two objects of several pieces overlap, the result is the manifold of the deepest pair of pieces. An internal
    /// edge is a cut between two pieces of one object. The contact points of overlapping objects never lie on an
    /// internal edge. If the objects only touch, the result is the manifold of the two pieces that touch along the
    /// longest segment.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::self_join_within`], where `margin` takes the place of `distance`.
    #[cfg(not(target_family = "wasm"))]
    pub fn self_join_manifolds<S: Shapes>(&self, set: &S, margin: f64) -> Result<FigureJoin<Manifold>> {
        block_on(self.self_join_manifolds_async(set, margin))
    }

    /// Async form of [`Engine::self_join_manifolds`]. Polling the future blocks the calling thread, as for
    /// [`Engine::self_join_within_async`].
    ///
    /// # Errors
    /// Returns the errors of [`Engine::self_join_manifolds`].
    pub async fn self_join_manifolds_async<S: Shapes>(
        &self,
        set: &S,
        margin: f64,
    ) -> Result<FigureJoin<Manifold>> {
        self.backends.join_of_manifolds(Rounded::of(set), None, margin).await
    }

    /// Computes the contact manifold of every pair of an object of `a` and an object of `b` that meet or are at most
    /// `margin` apart. [`Engine::self_join_manifolds`] does the same for one set.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::self_join_manifolds`].
    #[cfg(not(target_family = "wasm"))]
    pub fn join_manifolds<A: Shapes, B: Shapes>(
        &self,
        a: &A,
        b: &B,
        margin: f64,
    ) -> Result<FigureJoin<Manifold>> {
        block_on(self.join_manifolds_async(a, b, margin))
    }

    /// Async form of [`Engine::join_manifolds`]. Polling the future blocks the calling thread, as for
    /// [`Engine::self_join_within_async`].
    ///
    /// # Errors
    /// Returns the errors of [`Engine::self_join_manifolds`].
    pub async fn join_manifolds_async<A: Shapes, B: Shapes>(
        &self,
        a: &A,
        b: &B,
        margin: f64,
    ) -> Result<FigureJoin<Manifold>> {
        self.backends.join_of_manifolds(Rounded::of(a), Some(Rounded::of(b)), margin).await
    }
}
