//! Time of impact of two moving bodies.

use glam::DVec2;

use super::{Answers, Motion, PairSide};
use crate::Engine;
use crate::clock::Instant;
use crate::error::{Error, Result};
use crate::geometry::{MAX_COORDINATE, PolygonSet};
#[cfg(not(target_family = "wasm"))]
use crate::join::block_on;
use crate::narrow_phase::Lists;
use crate::narrow_phase::impacts::Motions;
use crate::prepared::Prepared;

/// Radians that a body may turn in a step.
const MOST_TURN: f64 = (1u64 << 30) as f64;

/// When two convex pieces first touch while their objects move during a step.
///
/// After the time t, a vertex v of a body is at `centre + R (v - centre) + linear t`, where R is the rotation by
/// `angular t`. The vertex follows exactly this path, not an interpolation of two poses.
///
/// The reported time is never later than the time of the first common point. Before the reported time, the bodies stay
/// about half of the tolerance apart. If the bodies touch, the outcome is never [`ImpactOutcome::Apart`]. If the bodies
/// come nearer than the tolerance and never touch, the outcome may be [`ImpactOutcome::Hit`] or
/// [`ImpactOutcome::Apart`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeOfImpact {
    /// The outcome of the step.
    pub outcome: ImpactOutcome,
    /// Time as a fraction of the step, from 0 to 1:
    ///
    /// - hit: the time of impact;
    /// - apart: 1;
    /// - overlapping at the start: 0;
    /// - iteration limit: a time until which the bodies provably do not touch.
    pub time: f64,
    /// The normal and the point at which the bodies meet. The value is present if the bodies hit each other, or overlap
    /// at the start of the step.
    pub impact: Option<Impact>,
    /// Number of iterations of the search for the time of impact. The number depends on the backend.
    pub iterations: u32,
}

/// The outcome of a step for two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ImpactOutcome {
    /// The interiors of the two bodies have a common point at the start of the step.
    OverlappingAtStart,
    /// The two bodies come within the tolerance of each other, or touch at the start.
    Hit,
    /// The iteration limit was reached, so the outcome is unknown. The two bodies do not touch before the reported
    /// time.
    IterationLimit,
    /// The two bodies have no common point at any time of the step.
    Apart,
}

/// The normal and the point at which two bodies meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Unit normal, from A to B, at the time of impact.
    pub normal: DVec2,
    /// Position in the world: half way between the closest points of the two bodies. If the bodies meet at the start of
    /// the step, the position is the deepest point of one body in the other body.
    pub point: DVec2,
}

/// Tolerance, duration and iteration limit of a time-of-impact query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeOfImpactOptions {
    /// The distance at which two bodies count as touching, in the caller's unit. The tolerance must be positive, for
    /// example a hundredth of the size of a body. f64 cannot distinguish times at which the positions differ by less
    /// than about 2^-40 of the size and the path of the pair. The search raises a smaller tolerance to 2^-40 of the
    /// size and the path.
    pub tolerance: f64,
    /// The duration of the step, in the unit of time in which velocities are given.
    pub step: f64,
    /// Maximum number of iterations for a pair, at least 1.
    pub most_iterations: u32,
}

impl TimeOfImpactOptions {
    /// Returns options with a step of duration 1 and a limit of 256 iterations. Bodies that rotate a few times in a
    /// step need a few dozen iterations.
    #[must_use]
    pub fn new(tolerance: f64) -> Self {
        Self { tolerance, step: 1.0, most_iterations: 256 }
    }

    pub(super) fn check(&self) -> Result<()> {
        let option = |option, value: String, problem| Err(Error::Option { option, value, problem });
        if !(self.tolerance.is_finite() && self.tolerance > 0.0) {
            return option("tolerance", self.tolerance.to_string(), "must be positive and finite");
        }
        if !(self.step.is_finite() && self.step >= 0.0) {
            return option("step", self.step.to_string(), "must be finite, and 0 or more");
        }
        if self.most_iterations == 0 {
            return option("most_iterations", "0".into(), "must be 1 or more");
        }
        Ok(())
    }
}

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
        let choice = self.choice_for(count, |_| count);
        let mut prepared = self.prepare_on(choice, a, b, Lists::One).await?;
        prepared.times_of_impact_async(motions_a, motions_b, pairs, options).await
    }
}

impl Prepared<'_> {
    /// Computes when each given pair of pieces of the prepared sets first touches, as [`Engine::times_of_impact`] does.
    /// The prepared sets hold the pieces at the start of the step.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::times_of_impact`].
    #[cfg(not(target_family = "wasm"))]
    pub fn times_of_impact(
        &mut self,
        motions_a: &[Motion],
        motions_b: &[Motion],
        pairs: &[[u32; 2]],
        options: &TimeOfImpactOptions,
    ) -> Result<Answers<TimeOfImpact>> {
        block_on(self.times_of_impact_async(motions_a, motions_b, pairs, options))
    }

    /// Async form of [`Prepared::times_of_impact`]. Polling the future blocks the calling thread, as for
    /// [`Prepared::penetrations_async`].
    ///
    /// # Errors
    /// Returns the errors of [`Engine::times_of_impact`].
    pub async fn times_of_impact_async(
        &mut self,
        motions_a: &[Motion],
        motions_b: &[Motion],
        pairs: &[[u32; 2]],
        options: &TimeOfImpactOptions,
    ) -> Result<Answers<TimeOfImpact>> {
        let start = Instant::now();
        options.check()?;
        let (a, b) = self.sets();
        check_motions(a, motions_a, options.step, PairSide::A)?;
        check_motions(b, motions_b, options.step, PairSide::B)?;
        self.check_pairs(pairs, 0)?;
        let motions = Motions { of_a: motions_a, of_b: motions_b, options };
        self.impacts(motions, pairs, start).await
    }
}

/// Refuses motions that are not one an object, not finite, or beyond all measure.
pub(super) fn check_motions(set: &PolygonSet, motions: &[Motion], step: f64, side: PairSide) -> Result<()> {
    if motions.len() != set.object_count() {
        let value = format!("{} for {} objects of {side}", motions.len(), set.object_count());
        return Err(Error::Option { option: "motions", value, problem: "give one for each object" });
    }
    motions.iter().enumerate().try_for_each(|(object, motion)| check_motion(motion, step, side, object))
}

/// Refuses a motion that is not finite, or beyond all measure.
pub(super) fn check_motion(motion: &Motion, step: f64, side: PairSide, object: usize) -> Result<()> {
    let Motion { linear, angular, centre } = *motion;
    let values = [
        ("linear.x", linear.x, step, MAX_COORDINATE),
        ("linear.y", linear.y, step, MAX_COORDINATE),
        ("angular", angular, step, MOST_TURN),
        ("centre.x", centre.x, 1.0, MAX_COORDINATE),
        ("centre.y", centre.y, 1.0, MAX_COORDINATE),
    ];
    for (name, value, factor, most) in values {
        if !value.is_finite() {
            let problem = "is not finite; give a finite number";
            return Err(Error::Motion { side, object, name, value, problem });
        }
        // Differences of what is accepted are finite.
        if (value * factor).abs() > most || value.abs() > f64::MAX / 4.0 {
            let problem = "goes beyond 2^201, or 2^30 radians, in the step; rescale, or shorten the step";
            return Err(Error::Motion { side, object, name, value, problem });
        }
    }
    Ok(())
}
