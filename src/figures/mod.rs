//! Figures of pairs: how deep, where, how far.
//!
//! A figure is asked of pairs of convex pieces (of objects, in a set of convex polygons). It comes from f32 arithmetic on
//! either backend, with a bound on its own error; a pair for which that bound is not small enough is computed again in f64
//! from the caller's coordinates, and counted ([`Answers::refined`]). Hence a figure is within [`FIGURE_BOUND`] of the
//! pair's size of what f64 gives, wherever the pair lies, and backends differ by no more than twice that.

mod penetration;

use std::time::Duration;

use crate::Engine;
use crate::error::Result;
use crate::geometry::PolygonSet;
use crate::prepared::Prepared;

pub use penetration::Penetration;
#[cfg(all(test, feature = "gpu"))]
pub(crate) use penetration::Penetrations;

/// How far a figure in the caller's unit may be off, as part of the pair's size: of the greatest extents of the two from
/// the middles of their boxes, and the distance of these middles along an axis, together. 2^-16.
pub const FIGURE_BOUND: f64 = 1.0 / 65536.0;

/// One of the two polygons of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairSide {
    /// The first.
    A,
    /// The second.
    B,
}

/// An edge of one polygon of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairEdge {
    /// Whose it is.
    pub side: PairSide,
    /// The vertex that it starts at: edge `k` goes from vertex `k` to the next of [`PolygonSet::piece_vertices`].
    pub index: u32,
}

/// One figure a pair, in the order given.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answers<T> {
    /// One a pair.
    pub figures: Vec<T>,
    /// Pairs whose f32 figure was not certain enough, and which were computed again in f64. Depends on the backend.
    pub refined: u64,
    /// Wall-clock time, packing included where it was not done before.
    pub time: Duration,
}

impl Engine {
    /// How deep each given pair of pieces overlaps, or how far its edges say that it is apart: `pairs[i]` names a piece of
    /// `a` and a piece of `b`.
    ///
    /// # Errors
    /// [`crate::Error::UnknownPolygon`] for an index beyond its set; [`crate::Error::TooMany`] where the sets together do
    /// not fit 32-bit indices; the device's errors on a GPU.
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
    pub fn penetrations(
        &self,
        a: &PolygonSet,
        b: &PolygonSet,
        pairs: &[[u32; 2]],
    ) -> Result<Answers<Penetration>> {
        crate::join::block_on(async {
            let count = pairs.len() as u64;
            let choice = self.choice_for(count, || count);
            self.prepare_on(choice.backend, a, b).await?.penetrations_async(pairs).await
        })
    }
}

impl Prepared<'_> {
    /// [`Engine::penetrations`] of the sets that are prepared.
    ///
    /// # Errors
    /// [`crate::Error::UnknownPolygon`] for an index beyond its set; the device's errors on a GPU.
    #[cfg(not(target_family = "wasm"))]
    pub fn penetrations(&mut self, pairs: &[[u32; 2]]) -> Result<Answers<Penetration>> {
        crate::join::block_on(self.penetrations_async(pairs))
    }

    /// [`Prepared::penetrations`], for callers that are async. Natively it blocks the thread that polls it while the device
    /// or the thread pool works: give it one of its own.
    ///
    /// # Errors
    /// As [`Prepared::penetrations`].
    pub async fn penetrations_async(&mut self, pairs: &[[u32; 2]]) -> Result<Answers<Penetration>> {
        self.figures(penetration::Penetrations, pairs).await
    }
}
