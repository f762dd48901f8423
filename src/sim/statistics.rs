//! What a world tells of itself.

use std::time::Duration;

use glam::DVec2;

/// What was done by [`super::World::steps`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StepReport {
    /// Steps taken.
    pub steps: u64,
    /// Pairs whose boxes meet, in the last step.
    pub candidates: u64,
    /// Pairs with a contact, in the last step.
    pub contacts: u64,
    /// How often a buffer of the device was too small and the batch of steps went on after it had grown.
    pub regrown: u32,
    /// By stage, of all steps.
    pub times: StepTimes,
}

/// How long the stages of steps took. On a device by its own clock, from the first step of each batch; without such a clock
/// all is under `solve`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepTimes {
    /// Placing of shapes, boxes and candidate pairs.
    pub broad_phase: Duration,
    /// Manifolds.
    pub narrow_phase: Duration,
    /// What leads from manifolds to constraints: matching with the step before, colours.
    pub prepare: Duration,
    /// Response.
    pub solve: Duration,
    /// Fast bodies, and the rest.
    pub finish: Duration,
}

impl StepTimes {
    /// All stages.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.broad_phase + self.narrow_phase + self.prepare + self.solve + self.finish
    }
}

impl std::ops::Mul<u32> for StepTimes {
    type Output = Self;

    fn mul(self, by: u32) -> Self {
        Self {
            broad_phase: self.broad_phase * by,
            narrow_phase: self.narrow_phase * by,
            prepare: self.prepare * by,
            solve: self.solve * by,
            finish: self.finish * by,
        }
    }
}

impl std::ops::AddAssign for StepTimes {
    fn add_assign(&mut self, other: Self) {
        self.broad_phase += other.broad_phase;
        self.narrow_phase += other.narrow_phase;
        self.prepare += other.prepare;
        self.solve += other.solve;
        self.finish += other.finish;
    }
}

/// The state of a world in a few numbers, in f64.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WorldStatistics {
    /// Bodies of any kind.
    pub bodies: usize,
    /// Bodies that contacts move.
    pub dynamic_bodies: usize,
    /// Of dynamic bodies: mass times velocity.
    pub momentum: DVec2,
    /// Of dynamic bodies: of moving and turning.
    pub kinetic_energy: f64,
    /// Of dynamic bodies: mass times gravity times height, about the world's origin.
    pub potential_energy: f64,
    /// Of dynamic bodies: the mean of their centres of mass.
    pub mean_position: DVec2,
    /// Of dynamic bodies: the root of the mean square of speeds.
    pub rms_velocity: f64,
    /// Pairs that overlap now.
    pub overlapping: usize,
    /// The mean depth of those.
    pub mean_penetration: f64,
    /// The greatest depth.
    pub greatest_penetration: f64,
}
