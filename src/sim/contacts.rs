//! What a world tells of contacts.

use glam::DVec2;

use super::BodyId;

/// Two bodies that are near each other or meet, as of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContact {
    /// One body.
    pub a: BodyId,
    /// The other.
    pub b: BodyId,
    /// Of length 1, from A to B.
    pub normal: DVec2,
    pub(super) points: [ContactPoint; 2],
    pub(super) count: usize,
}

impl BodyContact {
    /// One or two.
    #[must_use]
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.count]
    }
}

/// A point of a [`BodyContact`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// In the world, half way between the two at the start of the last step, and moved with A's centre of mass since.
    pub position: DVec2,
    /// The gap there at the start of the last step, negative where they overlap.
    pub separation: f64,
    /// What it gave along the normal in the last step, mass times speed.
    pub impulse: f64,
}

/// Two bodies began to touch, or no longer do. They touch in a step at whose start they had no gap, or in which the contact gave
/// an impulse; a [`BodyContact`] is also there for bodies that are only near.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ContactEvent {
    /// They did not touch in the step before.
    Began {
        /// One body.
        a: BodyId,
        /// The other.
        b: BodyId,
    },
    /// They touched in the step before; one of them may have been removed since.
    Ended {
        /// One body.
        a: BodyId,
        /// The other.
        b: BodyId,
    },
}
