//! Queries on pairs: all pairs of objects, or given pairs of pieces or objects.

use super::Engine;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::geometry::{PolygonSet, Shapes};
use crate::kernels::proposer::{Hint, Lists};
#[cfg(not(target_family = "wasm"))]
use crate::queries::block_on::block_on;
use crate::queries::given::{ObjectPairs, PiecePairs};
use crate::queries::joins::Join;
use crate::queries::prepared::Prepared;

impl Engine {
    /// Joins the objects of one set with each other. [`Join::query`] runs a query on all pairs.
    pub fn self_join<'a, S: Shapes>(&'a self, set: &'a S) -> Join<'a, S, S> {
        Join::new(&self.backends, set, None)
    }

    /// Joins the objects of `a` with the objects of `b`. [`Join::query`] runs a query on all pairs.
    pub fn join<'a, A: Shapes, B: Shapes>(&'a self, a: &'a A, b: &'a B) -> Join<'a, A, B> {
        Join::new(&self.backends, a, Some(b))
    }

    /// Selects given pairs for a query: each pair is a piece of `a` and a piece of `b`. [`PiecePairs::query`] runs the
    /// query. You can pass the same set twice.
    pub fn piece_pairs<'a, A: Shapes, B: Shapes>(
        &'a self,
        a: &'a A,
        b: &'a B,
        pairs: &'a [[u32; 2]],
    ) -> PiecePairs<'a, A, B> {
        PiecePairs::new(&self.backends, a, b, pairs)
    }

    /// Selects given pairs for a query: each pair is an object of `a` and an object of `b`. [`ObjectPairs::query`] runs
    /// the query. You can pass the same set twice.
    pub fn object_pairs<'a>(
        &'a self,
        a: &'a PolygonSet,
        b: &'a PolygonSet,
        pairs: &'a [[u32; 2]],
    ) -> ObjectPairs<'a> {
        ObjectPairs::new(&self.backends, [a, b], pairs)
    }

    /// Packs two sets for several lists of pairs. You can pass the same set twice. If the engine runs on a device,
    /// `prepare` also uploads the sets. All lists run on the backend that [`Engine::choice`] states, even if a list has
    /// few pairs.
    ///
    /// # Errors
    /// Returns the errors of [`PolygonSet::check_pieces`], and [`Error::TooMany`] if the two sets together have too many
    /// items for 32-bit indices. On a GPU, may return a device error, such as [`Error::DeviceLost`].
    #[cfg(not(target_family = "wasm"))]
    pub fn prepare<'a>(&'a self, a: &'a PolygonSet, b: &'a PolygonSet) -> Result<Prepared<'a>> {
        block_on(self.prepare_async(a, b))
    }

    /// Async variant of [`Engine::prepare`].
    ///
    /// # Errors
    /// Fails in the same cases as [`Engine::prepare`].
    pub async fn prepare_async<'a>(&'a self, a: &'a PolygonSet, b: &'a PolygonSet) -> Result<Prepared<'a>> {
        self.backends.prepare_on(self.backends.choice.clone(), [a, b], Lists::Several, Hint::RELATIONS).await
    }
}
