//! The room that fast bodies need beside their paths, because other bodies may push them aside.

use super::bodies::{BodyState, BodyTraits, DYNAMIC, MOVES};

/// The pushes that a fast body may get from other bodies. The values never decrease: the bodies that caused them may be removed,
/// but more such bodies may follow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pushes {
    /// Whether a body with a restitution above 0 was ever added.
    pub(crate) bounces: bool,
    /// The greatest speed that the host ever gave a point of a kinematic body.
    kinematic_speed: f32,
}

/// The room that a fast body has beside its path. It is a fraction of the path plus a distance.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Aside {
    /// A fraction of the greater coordinate of the displacement along the path.
    pub(crate) share: f32,
    /// A distance in the caller's unit.
    pub(crate) distance: f32,
}

impl Pushes {
    /// Takes a body into account that was added, or whose velocity the host has set.
    pub(super) fn include(&mut self, state: &BodyState, traits: &BodyTraits) {
        self.bounces |= traits.restitution > 0.0;
        if traits.has(MOVES) && !traits.has(DYNAMIC) {
            let [x, y] = state.velocity;
            let speed = (x * x + y * y).sqrt() + state.angular_velocity.abs() * traits.extent;
            self.kinematic_speed = self.kinematic_speed.max(speed);
        }
    }

    /// Returns the room that a fast body needs in the time `time`.
    ///
    /// A kinematic body gives a fast body its own speed. If the two bounce, a restitution of 1 adds this speed once more, and turns
    /// the velocity of the fast body to any direction. The length of a vector is at most 1.5 times its greater coordinate.
    pub(super) fn aside(&self, time: f32) -> Aside {
        let (share, times) = if self.bounces { (1.5, 2.0) } else { (0.25, 1.0) };
        Aside { share, distance: times * self.kinematic_speed * time }
    }
}
