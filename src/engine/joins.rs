//! Joins, relations of given pairs, and prepared sets.

use super::Engine;
use crate::answers::lists::Relations;
use crate::answers::results::Join;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::geometry::PolygonSet;
use crate::kernels::proposer::{Hint, Lists};
#[cfg(not(target_family = "wasm"))]
use crate::queries::block_on::block_on;
use crate::queries::options::JoinOptions;
use crate::queries::prepared::Prepared;

impl Engine {
    /// Finds the pairs of objects of one set that meet (touch or overlap). The result has each pair once, with `a < b`,
    /// sorted by `a`, then `b`.
    ///
    /// # Errors
    /// - [`Error::Option`] if `chunk_pairs` is 0.
    /// - [`Error::TooMany`] if the set has too many items for 32-bit indices.
    /// - [`Error::OutOfMemory`] if the pairs found do not fit in memory.
    /// - On a GPU, an error of the device, such as [`Error::DeviceLost`].
    #[cfg(not(target_family = "wasm"))]
    pub fn self_join(&self, set: &PolygonSet, options: &JoinOptions<'_>) -> Result<Join> {
        block_on(self.backends.join(set, None, options))
    }

    /// Finds the pairs of an object of `a` and an object of `b` that meet (touch or overlap). The pairs are sorted by
    /// `a`, then `b`.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::self_join`], where [`Error::TooMany`] applies to the two sets together.
    ///
    /// ```
    /// use sat2d::{Backend, Engine, JoinOptions, Keep, PolygonSet};
    ///
    /// let parcels = PolygonSet::from_convex_rings(&[
    ///     [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
    ///     [[1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0]],
    /// ])?;
    /// // Overlaps the one and touches the other.
    /// let flood = PolygonSet::from_convex_rings(&[[[0.5, 0.0], [1.0, 0.5], [0.5, 1.0]]])?;
    /// let engine = Engine::new(Backend::Cpu)?;
    /// let options = JoinOptions { keep: Keep::Overlapping, ..JoinOptions::default() };
    /// let join = engine.join(&parcels, &flood, &options)?;
    /// assert_eq!(join.pairs.iter().map(|p| (p.a, p.b)).collect::<Vec<_>>(), [(0, 0)]);
    /// assert_eq!((join.counts.overlapping, join.counts.touching), (1, 1));
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    pub fn join(&self, a: &PolygonSet, b: &PolygonSet, options: &JoinOptions<'_>) -> Result<Join> {
        block_on(self.backends.join(a, Some(b), options))
    }

    /// Async form of [`Engine::self_join`]. On native targets, polling the future blocks the calling thread while the
    /// device or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::self_join`].
    pub async fn self_join_async(&self, set: &PolygonSet, options: &JoinOptions<'_>) -> Result<Join> {
        self.backends.join(set, None, options).await
    }

    /// Async form of [`Engine::join`]. On native targets, polling the future blocks the calling thread while the device
    /// or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::join`].
    pub async fn join_async(
        &self,
        a: &PolygonSet,
        b: &PolygonSet,
        options: &JoinOptions<'_>,
    ) -> Result<Join> {
        self.backends.join(a, Some(b), options).await
    }

    /// Decides the relation of each given pair. `pairs[i]` is the index of a piece of `a` and the index of a piece of
    /// `b`. A piece is a convex part of an object. In a set of convex polygons, each object is one piece, and the piece
    /// has the index of the object. The two pieces may be near each other or far apart.
    ///
    /// # Errors
    /// - [`Error::UnknownPolygon`] if an index names a piece that does not exist.
    /// - [`Error::TooMany`] if the two sets together have too many items for 32-bit indices.
    /// - On a GPU, an error of the device, such as [`Error::DeviceLost`].
    ///
    /// ```
    /// use sat2d::{Backend, ConvexPolygon, Engine, PolygonSet, Pose, Relation};
    ///
    /// let square = ConvexPolygon::new(&[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])?;
    /// let places = [(0, Pose::IDENTITY), (0, Pose::from_translation([2.0, 2.0])?), (0, Pose::new(0.5, [2.0, 0.0])?)];
    /// let set = PolygonSet::from_instances(&[square.into()], &places)?;
    /// let found = Engine::new(Backend::Cpu)?.relations(&set, &set, &[[0, 1], [0, 2], [1, 2]])?;
    /// assert_eq!(found.relations, [Relation::Touching, Relation::Overlapping, Relation::Overlapping]);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    pub fn relations(&self, a: &PolygonSet, b: &PolygonSet, pairs: &[[u32; 2]]) -> Result<Relations> {
        block_on(self.relations_async(a, b, pairs))
    }

    /// Async form of [`Engine::relations`]. On native targets, polling the future blocks the calling thread while the
    /// device or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::relations`].
    pub async fn relations_async(
        &self,
        a: &PolygonSet,
        b: &PolygonSet,
        pairs: &[[u32; 2]],
    ) -> Result<Relations> {
        let count = pairs.len() as u64;
        let choice = self.backends.choice_for(count, |_| count);
        self.backends
            .prepare_on(choice, [a, b], Lists::One, Hint::RELATIONS)
            .await?
            .relations_async(pairs)
            .await
    }

    /// Packs two sets. You can pass one set twice. If the engine runs on a device, `prepare` also uploads the sets.
    /// [`Engine::choice`] states the backend, which does not depend on the number of pairs.
    ///
    /// # Errors
    /// Returns [`Error::TooMany`] if the two sets together have too many items for 32-bit indices. On a GPU, may return
    /// an error of the device, such as [`Error::DeviceLost`].
    #[cfg(not(target_family = "wasm"))]
    pub fn prepare<'a>(&'a self, a: &'a PolygonSet, b: &'a PolygonSet) -> Result<Prepared<'a>> {
        block_on(self.prepare_async(a, b))
    }

    /// Async form of [`Engine::prepare`].
    ///
    /// # Errors
    /// Returns the errors of [`Engine::prepare`].
    pub async fn prepare_async<'a>(&'a self, a: &'a PolygonSet, b: &'a PolygonSet) -> Result<Prepared<'a>> {
        self.backends.prepare_on(self.backends.choice.clone(), [a, b], Lists::Several, Hint::RELATIONS).await
    }
}
