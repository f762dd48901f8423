//! The room that fast bodies need beside their paths, because other bodies may push them aside.

use super::bodies::{BodyState, BodyTraits, DYNAMIC, FAST, MOVES};

/// If a world has more fast bodies than this, their boxes leave no room for bounces and for pushes of kinematic bodies. The room
/// would give each of the bodies many candidate pairs.
const MANY: u32 = 1024;
/// The room for pushes of kinematic bodies is at most this multiple of the extent of a fast body.
pub(crate) const MOST_EXTENTS: f32 = 8.0;

/// The pushes that a fast body may get from other bodies. If the bodies that push are removed, `bounces` and `kinematic_speed` stay
/// as they are, because more such bodies may follow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pushes {
    /// Whether a body with a restitution above 0 was ever added.
    pub(crate) bounces: bool,
    /// The greatest speed that the host ever gave a point of a kinematic body.
    kinematic_speed: f32,
    /// The number of fast bodies.
    fast_count: u32,
}

/// The room that a fast body has beside its path. It is a fraction of the path plus a distance.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Aside {
    /// A fraction of the greater coordinate of the displacement along the path.
    pub(crate) share: f32,
    /// A distance in the caller's unit. The box of a body uses at most [`MOST_EXTENTS`] times the extent of the body
    /// instead.
    pub(crate) distance: f32,
}

impl Pushes {
    pub(super) fn add(&mut self, state: &BodyState, traits: &BodyTraits) {
        self.fast_count += u32::from(traits.has(FAST));
        self.bounces |= traits.restitution > 0.0;
        self.accelerate(state, traits);
    }

    pub(super) fn remove(&mut self, traits: &BodyTraits) {
        self.fast_count -= u32::from(traits.has(FAST));
    }

    /// Takes the velocity of a body into account.
    pub(super) fn accelerate(&mut self, state: &BodyState, traits: &BodyTraits) {
        if traits.has(MOVES) && !traits.has(DYNAMIC) {
            let [x, y] = state.velocity;
            let speed = (x * x + y * y).sqrt() + state.angular_velocity.abs() * traits.extent;
            self.kinematic_speed = self.kinematic_speed.max(speed);
        }
    }

    /// Returns the room that a fast body needs in the time `time`.
    ///
    /// A kinematic body can give a fast body the speed of the kinematic body. With a restitution of 1, a bounce adds this speed a
    /// second time, and can turn the velocity of the fast body in any direction. The length of a vector is at most 1.5 times its
    /// greater coordinate.
    pub(super) fn aside(&self, time: f32) -> Aside {
        if self.fast_count > MANY {
            return Aside { share: 0.25, distance: 0.0 };
        }
        let (share, times) = if self.bounces { (1.5, 2.0) } else { (0.25, 1.0) };
        Aside { share, distance: times * self.kinematic_speed * time }
    }
}

#[cfg(test)]
mod tests {
    use super::{Aside, MANY, Pushes};
    use crate::sim::bodies::{BodyState, BodyTraits, FAST, MOVES};

    #[test]
    fn the_room_depends_on_the_present_number_of_fast_bodies() {
        let state = BodyState { velocity: [3.0, 4.0], angular_velocity: -2.0, ..BodyState::default() };
        let paddle = BodyTraits { flags: MOVES, extent: 0.5, ..BodyTraits::default() };
        let ball = BodyTraits { flags: FAST, restitution: 0.5, ..BodyTraits::default() };
        let mut pushes = Pushes::default();
        let room = |pushes: &Pushes| {
            let Aside { share, distance } = pushes.aside(0.1);
            [share, distance]
        };
        pushes.add(&state, &paddle);
        assert_eq!(room(&pushes), [0.25, 0.6]);
        for _ in 0..=MANY {
            pushes.add(&BodyState::default(), &ball);
        }
        assert_eq!(room(&pushes), [0.25, 0.0]);
        pushes.remove(&ball);
        assert_eq!(room(&pushes), [1.5, 1.2]);
    }
}
