//! When two moving bodies first touch.

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

/// When two convex pieces first touch as their objects move over a step.
///
/// A vertex v of a body is at `centre + R (v - centre) + linear t` after the time t, R being the turn by `angular t`: exactly
/// that, and no blend of two poses. The time is never later than that of the first common point, and until then the two
/// have none: they stay about half of the tolerance apart. Bodies that come nearer than the tolerance and do not touch may
/// be said to hit or not; those that touch are never missed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeOfImpact {
    /// What happens.
    pub outcome: ImpactOutcome,
    /// As a part of the step, from 0 to 1: when they hit; 1 where they stay apart; 0 where they overlap at the start; where the
    /// iterations ended, a time until which they provably do not touch.
    pub time: f64,
    /// Where and how, for those that hit or overlap at the start.
    pub impact: Option<Impact>,
    /// How many steps of time it took. Depends on the backend.
    pub iterations: u32,
}

/// What happens to two bodies in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ImpactOutcome {
    /// Their interiors have a common point at the start.
    OverlappingAtStart,
    /// They come within the tolerance of each other, touching at the start included.
    Hit,
    /// Unknown: the iterations allowed did not suffice; they do not touch until the time that is given.
    IterationLimit,
    /// They have no common point at any time of the step.
    Apart,
}

/// How two bodies hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Of length 1, from A to B, at the time of impact.
    pub normal: DVec2,
    /// In the world: half way between the closest points of the two; the deepest point of one in the other where they meet at
    /// the start.
    pub point: DVec2,
}

/// How precisely, and over what time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeOfImpactOptions {
    /// The distance at which two bodies count as touching, in the caller's unit, above 0: a hundredth of a body's size, say.
    /// f64 cannot tell times whose ways differ by less than about 2^-40 of the pair's size and way, and a lesser tolerance
    /// counts as that.
    pub tolerance: f64,
    /// The duration of the step, in the unit of time of the velocities.
    pub step: f64,
    /// Steps of time that a pair may take, from 1.
    pub most_iterations: u32,
}

impl TimeOfImpactOptions {
    /// A step of duration 1, and 256 iterations: bodies that turn a few times in a step need some dozens.
    #[must_use]
    pub fn new(tolerance: f64) -> Self {
        Self { tolerance, step: 1.0, most_iterations: 256 }
    }

    pub(super) fn check(&self) -> Result<()> {
        let option = |option, value: String, problem| Err(Error::Option { option, value, problem });
        if !(self.tolerance.is_finite() && self.tolerance > 0.0) {
            return option(
                "tolerance",
                self.tolerance.to_string(),
                "is no tolerance; give a positive, finite number",
            );
        }
        if !(self.step.is_finite() && self.step >= 0.0) {
            return option(
                "step",
                self.step.to_string(),
                "is no duration; give 0 or a positive, finite number",
            );
        }
        if self.most_iterations == 0 {
            return option("most_iterations", "0".into(), "must be 1 or more");
        }
        Ok(())
    }
}

impl Engine {
    /// When each given pair of pieces first touches: `pairs[i]` names a piece of `a` and a piece of `b`. There is one motion
    /// for each object of a set, which all of its pieces follow.
    ///
    /// # Errors
    /// As [`Engine::penetrations`]; [`Error::Option`] for a tolerance that is not positive, a step that is negative, either
    /// not finite, no iterations, or not as many motions as objects; [`Error::Motion`] for a motion that is not finite or
    /// goes beyond [`MAX_COORDINATE`] or 2^30 radians in the step.
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

    /// [`Engine::times_of_impact`], for callers that are async; as [`Engine::penetrations_async`].
    ///
    /// # Errors
    /// As [`Engine::times_of_impact`].
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
    /// [`Engine::times_of_impact`] of the sets that are prepared, which hold the pieces at the start of the step.
    ///
    /// # Errors
    /// As [`Engine::times_of_impact`].
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

    /// [`Prepared::times_of_impact`], for callers that are async; as [`Prepared::penetrations_async`].
    ///
    /// # Errors
    /// As [`Engine::times_of_impact`].
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
