//! Times of impact of given pairs, and of all pairs that hit each other.

use super::Engine;
#[cfg(doc)]
use crate::MAX_COORDINATE;
use crate::answers::impact::{TimeOfImpact, TimeOfImpactOptions};
use crate::answers::measured::{Answers, ImpactJoin};
use crate::answers::pair::Motion;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::geometry::PolygonSet;
use crate::kernels::proposer::{Hint, Lists};
#[cfg(not(target_family = "wasm"))]
use crate::queries::block_on::block_on;

impl Engine {
    /// Computes when each given pair of convex pieces first touches. `pairs[i]` is the index of a piece of `a` and the
    /// index of a piece of `b`. `motions` has one motion for each object of a set. All pieces of an object follow the
    /// motion of the object.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::penetrations`], and:
    /// - [`Error::Option`] if the tolerance is not positive and finite, the step is negative or not finite, the
    ///   iteration limit is 0, or the number of motions is not the number of objects.
    /// - [`Error::Motion`] if a motion is not finite, or moves beyond [`MAX_COORDINATE`] or by more than 2^30 radians
    ///   in the step.
    ///
    /// ```
    /// use sat2d::{Backend, Engine, ImpactOutcome, Motion, PolygonSet, TimeOfImpactOptions, glam::DVec2};
    ///
    /// let wall = PolygonSet::from_convex_rings(&[[[10.0, -5.0], [10.01, -5.0], [10.01, 5.0], [10.0, 5.0]]])?;
    /// let bullet = PolygonSet::from_convex_rings(&[[[0.0, 0.0], [1.0, 0.0], [1.0, 0.5], [0.0, 0.5]]])?;
    /// let flying = Motion { linear: DVec2::new(900.0, 0.0), ..Motion::REST };
    /// let engine = Engine::new(Backend::Cpu)?;
    /// let options = TimeOfImpactOptions::new(0.001);
    /// let found = engine.times_of_impact(&bullet, &[flying], &wall, &[Motion::REST], &[[0, 0]], &options)?;
    /// let hit = found.figures[0];
    /// assert_eq!(hit.outcome, ImpactOutcome::Hit);
    /// // Never later than when it touches, and nearer than the tolerance.
    /// assert!(hit.time <= 0.01 && 900.0 * (0.01 - hit.time) <= 0.001);
    /// assert_eq!(hit.impact.map(|impact| impact.normal), Some(DVec2::X));
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    pub fn times_of_impact(
        &self,
        a: &PolygonSet,
        motions_a: &[Motion],
        b: &PolygonSet,
        motions_b: &[Motion],
        pairs: &[[u32; 2]],
        options: &TimeOfImpactOptions,
    ) -> Result<Answers<TimeOfImpact>> {
        block_on(self.times_of_impact_async(a, motions_a, b, motions_b, pairs, options))
    }

    /// Async form of [`Engine::times_of_impact`]. Polling the future blocks the calling thread, as for
    /// [`Engine::penetrations_async`].
    ///
    /// # Errors
    /// Returns the errors of [`Engine::times_of_impact`].
    pub async fn times_of_impact_async(
        &self,
        a: &PolygonSet,
        motions_a: &[Motion],
        b: &PolygonSet,
        motions_b: &[Motion],
        pairs: &[[u32; 2]],
        options: &TimeOfImpactOptions,
    ) -> Result<Answers<TimeOfImpact>> {
        let count = pairs.len() as u64;
        let choice = self.backends.choice_for(count, |_| count);
        let mut prepared = self.backends.prepare_on(choice, [a, b], Lists::One, Hint::default()).await?;
        prepared.times_of_impact_async(motions_a, motions_b, pairs, options).await
    }

    /// Finds the pairs of objects of one set that hit each other during a step, or that overlap at the start of the
    /// step. The result also has the pairs whose search reached the iteration limit without a decision. For each pair,
    /// the result names the pieces that touch first. Two pieces of one object are never a pair.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::times_of_impact`].
    ///
    /// ```
    /// use sat2d::{Backend, Engine, Motion, PolygonSet, TimeOfImpactOptions, glam::DVec2};
    ///
    /// let square = |x: f64| [[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]];
    /// let row = PolygonSet::from_convex_rings(&[square(0.0), square(3.0), square(9.0)])?;
    /// let motions = [1.0, 0.0, -8.0].map(|speed| Motion { linear: DVec2::new(speed, 0.0), ..Motion::REST });
    /// let engine = Engine::new(Backend::Cpu)?;
    /// let found = engine.self_join_impacts(&row, &motions, &TimeOfImpactOptions::new(1e-3))?;
    /// let hits: Vec<_> = found.pairs.iter().map(|hit| (hit.a, hit.b)).collect();
    /// // Each body goes its own way over the step, whatever it hits on it.
    /// assert_eq!(hits, [(0, 2), (1, 2)]);
    /// assert!((found.pairs[1].impact.time - 5.0 / 8.0).abs() < 1e-3);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    pub fn self_join_impacts(
        &self,
        set: &PolygonSet,
        motions: &[Motion],
        options: &TimeOfImpactOptions,
    ) -> Result<ImpactJoin> {
        block_on(self.self_join_impacts_async(set, motions, options))
    }

    /// Async form of [`Engine::self_join_impacts`]. On native targets, polling the future blocks the calling thread
    /// while the device or the thread pool works. Poll the future on a dedicated thread.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::times_of_impact`].
    pub async fn self_join_impacts_async(
        &self,
        set: &PolygonSet,
        motions: &[Motion],
        options: &TimeOfImpactOptions,
    ) -> Result<ImpactJoin> {
        self.backends.impacts((set, motions), None, options).await
    }

    /// Finds the pairs of an object of `a` and an object of `b` that hit each other during a step.
    /// [`Engine::self_join_impacts`] does the same for one set.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::times_of_impact`].
    #[cfg(not(target_family = "wasm"))]
    pub fn join_impacts(
        &self,
        a: &PolygonSet,
        motions_a: &[Motion],
        b: &PolygonSet,
        motions_b: &[Motion],
        options: &TimeOfImpactOptions,
    ) -> Result<ImpactJoin> {
        block_on(self.join_impacts_async(a, motions_a, b, motions_b, options))
    }

    /// Async form of [`Engine::join_impacts`]. Polling the future blocks the calling thread, as for
    /// [`Engine::self_join_impacts_async`].
    ///
    /// # Errors
    /// Returns the errors of [`Engine::times_of_impact`].
    pub async fn join_impacts_async(
        &self,
        a: &PolygonSet,
        motions_a: &[Motion],
        b: &PolygonSet,
        motions_b: &[Motion],
        options: &TimeOfImpactOptions,
    ) -> Result<ImpactJoin> {
        self.backends.impacts((a, motions_a), Some((b, motions_b)), options).await
    }
}
