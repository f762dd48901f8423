//! Times of impact of moving bodies.

use glam::DVec2;

use crate::base::error::{Error, Result};

/// The time at which two convex pieces first touch while their objects move during a step.
///
/// A vertex that starts at v is at `centre + R (v - centre) + linear t` after the time t. R is the rotation by
/// `angular t`. [`Motion`](crate::Motion) defines `centre`, `linear` and `angular`. The vertex follows exactly this
/// path, not an interpolation of two poses.
///
/// The reported time is never later than the time of the first common point. Before the reported time, the bodies stay
/// about half of the tolerance apart. If the bodies touch, the outcome is never [`ImpactOutcome::Apart`]. If the bodies
/// come nearer than the tolerance and never touch, the outcome may be [`ImpactOutcome::Hit`] or
/// [`ImpactOutcome::Apart`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TimeOfImpact {
    /// The outcome of the step.
    pub outcome: ImpactOutcome,
    /// Time as a fraction of the step, from 0 to 1:
    ///
    /// - hit: the time of impact;
    /// - apart: 1;
    /// - overlapping at the start: 0;
    /// - iteration limit: a time before which the bodies provably do not touch.
    pub time: f64,
    /// The normal and the point at which the bodies meet. `None` if the outcome is [`ImpactOutcome::Apart`] or
    /// [`ImpactOutcome::IterationLimit`].
    pub impact: Option<Impact>,
    /// Number of iterations of the search for the time of impact. The number depends on the backend.
    pub iterations: u32,
}

/// The outcome of a step for two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Impact {
    /// Unit normal, from A to B, at the time of impact.
    pub normal: DVec2,
    /// Position in the world: half way between the closest points of the two bodies. If the bodies meet at the start of
    /// the step, the position is the deepest point of one body in the other body.
    pub point: DVec2,
}

/// Tolerance, duration and iteration limit of a time-of-impact query.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TimeOfImpactOptions {
    /// The distance at which two bodies count as touching, in the caller's unit. The tolerance must be positive, for
    /// example a hundredth of the size of a body. The *reach* of a pair is about the size of the pair plus the lengths
    /// of the two paths. f64 cannot distinguish two times between which the bodies move by less than about 2^-40 times
    /// the reach. If the tolerance is smaller than 2^-40 times the reach, the search uses 2^-40 times the reach
    /// instead.
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

    pub(crate) fn check(&self) -> Result<()> {
        let option = |option, value: String, problem| Err(Error::Option { option, value, problem });
        if !(self.tolerance.is_finite() && self.tolerance > 0.0) {
            return option("tolerance", self.tolerance.to_string(), "must be positive and finite");
        }
        check_step(self.step)?;
        if self.most_iterations == 0 {
            return option("most_iterations", "0".into(), "must be 1 or more");
        }
        Ok(())
    }
}

/// Returns an error if the duration of a step is negative, infinite or NaN.
pub(crate) fn check_step(step: f64) -> Result<()> {
    if step.is_finite() && step >= 0.0 {
        return Ok(());
    }
    Err(Error::Option { option: "step", value: step.to_string(), problem: "must be finite, and 0 or more" })
}
