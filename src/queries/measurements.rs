//! Measurements of pairs: penetration, contact points, distance and time of impact.
//!
//! A measurement is of a pair of convex pieces. In a set of convex polygons, each object is one piece. The host
//! evaluates a measurement in f64 from the caller's coordinates, on either backend: f64 selects the deciding features
//! (edges, vertices), and the result is evaluated from these features with twice the precision of f64. The result is
//! within [`MEASUREMENT_BOUND`](crate::MEASUREMENT_BOUND) times the pair's size of the exact value. It has the same digits on every backend,
//! with any number of threads, and whatever other pairs are measured in the same call. On a GPU, the device proposes
//! the deciding edge where f32 is certain of it; f64 selects it for the other pairs, which [`Answers::refined`]
//! counts. Times of impact have their own bound ([`TimeOfImpact`](crate::TimeOfImpact)).

#[cfg(doc)]
use crate::Engine;
use crate::answers::distance::Distance;
use crate::answers::manifold::Manifold;
use crate::answers::measured::Answers;
use crate::answers::penetration::Penetration;
use crate::kernels::measurements::{Distances, Manifolds, Penetrations};

#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::geometry::Rounded;
use crate::kernels::backends::Backends;
use crate::kernels::measurements::Figure;
use crate::kernels::proposer::{Hint, Lists};
#[cfg(not(target_family = "wasm"))]
use crate::queries::block_on::block_on;
use crate::queries::prepared::Prepared;

impl Backends {
    /// Measures each given pair.
    pub(crate) async fn figures<F: Figure>(
        &self,
        figure: F,
        sides: [Rounded<'_>; 2],
        pairs: &[[u32; 2]],
    ) -> Result<Answers<F::Output>> {
        let count = pairs.len() as u64;
        let choice = self.choice_for(count, |_| count);
        let sets = sides.map(|side| side.cores);
        self.prepare_on(choice, sets, Lists::One, Hint::EDGES).await?.figures(figure, sides, pairs).await
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
