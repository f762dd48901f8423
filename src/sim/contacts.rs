//! Contacts that a world reports.

use glam::DVec2;

use super::BodyId;

/// A contact of two bodies that touch or are near each other, as of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContact {
    /// The first body, A.
    pub a: BodyId,
    /// The second body, B.
    pub b: BodyId,
    /// Unit normal, from A to B.
    pub normal: DVec2,
    pub(super) points: [ContactPoint; 2],
    pub(super) count: usize,
}

impl BodyContact {
    /// Returns the contact points: one or two.
    #[must_use]
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.count]
    }
}

/// A point of a [`BodyContact`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// Position in the world. At the start of the last step it is half way between the two bodies; it then moves with
    /// A's centre of mass.
    pub position: DVec2,
    /// The gap at the start of the last step; negative if the bodies overlap.
    pub separation: f64,
    /// The impulse along the normal in the last step: mass times speed.
    pub impulse: f64,
}

/// Two bodies began or ceased to touch. Bodies touch in a step if they have no gap at its start, or if the contact
/// applied an impulse in it. Bodies that are only near each other have a [`BodyContact`] but do not touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ContactEvent {
    /// The bodies touch, and did not touch in the step before.
    Began {
        /// The first body.
        a: BodyId,
        /// The second body.
        b: BodyId,
    },
    /// The bodies touched in the step before, and no longer do. One of them may have been removed since.
    Ended {
        /// The first body.
        a: BodyId,
        /// The second body.
        b: BodyId,
    },
}
