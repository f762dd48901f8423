//! Reports and statistics of a world.

use std::time::Duration;

use glam::DVec2;

/// The counts and times of the steps that a world has taken. [`super::World::steps`] returns them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StepReport {
    /// Number of steps taken.
    pub steps: u64,
    /// Number of pairs of bodies whose boxes met in the last step.
    pub candidates: u64,
    /// Number of pairs of bodies with a contact in the last step.
    pub contacts: u64,
    /// Number of times that a device buffer was too small. After each of these failures, the buffer was enlarged, and
    /// the device repeated the step.
    pub regrown: u32,
    /// Time of each stage, summed over all steps.
    pub times: StepTimes,
}

/// Time of each stage of a step. A device runs the steps in batches. Its clock measures only the first step of each batch, and
/// the measured times stand for every step of the batch. If a device has no clock, `solve` is the whole time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepTimes {
    /// Time to pose shapes, to compute boxes and to find candidate pairs.
    pub broad_phase: Duration,
    /// Time to compute contact manifolds.
    pub narrow_phase: Duration,
    /// Time to prepare the contacts for the solver. The preparation matches the contacts with the contacts of the
    /// previous step, and divides them into groups so that no two contacts of a group share a dynamic body.
    pub prepare: Duration,
    /// Time to resolve contacts.
    pub solve: Duration,
    /// Time to move the bodies, to stop fast bodies where they meet other bodies, and to complete the step.
    pub finish: Duration,
}

impl StepTimes {
    /// Returns the sum of the times of all stages.
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

/// Summary of the state of a world. All measurements are in f64.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WorldStatistics {
    /// Number of bodies of all kinds.
    pub bodies: usize,
    /// Number of dynamic bodies.
    pub dynamic_bodies: usize,
    /// Momentum of the dynamic bodies: the sum of mass times velocity.
    pub momentum: DVec2,
    /// Kinetic energy of the dynamic bodies, translational and rotational.
    pub kinetic_energy: f64,
    /// Potential energy of the dynamic bodies: mass times gravity times height above the world's origin.
    pub potential_energy: f64,
    /// Mean of the centres of mass of the dynamic bodies.
    pub mean_position: DVec2,
    /// Root mean square speed of the dynamic bodies.
    pub rms_velocity: f64,
    /// Number of pairs of bodies that overlap.
    pub overlapping: usize,
    /// Mean depth of the pairs of bodies that overlap, in the unit of length.
    pub mean_penetration: f64,
    /// Greatest depth of the pairs of bodies that overlap, in the unit of length.
    pub greatest_penetration: f64,
}
