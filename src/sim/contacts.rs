//! Contacts that a world reports.

use glam::DVec2;

use super::cpu::Touch;
use super::{BodyId, World};

/// A contact of two bodies that touched or were near each other in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContact {
    /// The first body of the contact, A.
    pub a: BodyId,
    /// The second body of the contact, B.
    pub b: BodyId,
    /// Unit normal of the contact, from A to B.
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

/// A contact point of a [`BodyContact`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// Position in the world. At the start of the last step, the contact point was half way between the two bodies.
    /// During the step, the contact point moved with the centre of mass of A.
    pub position: DVec2,
    /// The gap between the two bodies along the normal at this contact point, at the start of the last step, in the
    /// caller's unit. The gap is negative if the bodies overlapped. If the bodies first meet during the step, the gap is the
    /// distance that they approach each other along the normal until they meet.
    pub separation: f64,
    /// The impulse along the normal in the last step, in units of mass times speed.
    pub impulse: f64,
}

/// Reports that two bodies began or stopped touching. Two bodies touch in a step if there is no gap between them at the start of
/// the step, or if their contact applied an impulse during the step. Bodies that are only near each other have a [`BodyContact`],
/// but do not touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ContactEvent {
    /// The two bodies touch in this step, and did not touch in the previous step.
    Began {
        /// The first body.
        a: BodyId,
        /// The second body.
        b: BodyId,
    },
    /// The two bodies touched in the previous step, and do not touch in this step. One of the two bodies may have been
    /// removed.
    Ended {
        /// The first body.
        a: BodyId,
        /// The second body.
        b: BodyId,
    },
}

impl World {
    /// Converts the touches of a step to contacts, sorted by the ids of their two bodies.
    pub(super) fn contacts_of(&self, touches: &[Touch]) -> Vec<BodyContact> {
        let mut contacts: Vec<BodyContact> = touches.iter().map(|touch| self.contact(touch)).collect();
        crate::base::sorting::sort_unstable_by_key(&mut contacts, |contact| [contact.a, contact.b]);
        contacts
    }

    fn contact(&self, touch: &Touch) -> BodyContact {
        let [a, b] = self.bodies.pair(touch.bodies);
        let is_from_a = self.bodies.id(touch.bodies[0] as usize) == a;
        let row = touch.bodies[usize::from(!is_from_a)] as usize;
        // The arm ends at the contact point at the start of the step. The centre of mass has moved since then.
        let centre = self.bodies.states[row].centre(&self.grid);
        let count = touch.point_count as usize;
        let mut points = [ContactPoint::default(); 2];
        for (to, point) in points.iter_mut().zip(&touch.points[..count]) {
            let arm = if is_from_a { point.arm_a } else { point.arm_b };
            *to = ContactPoint {
                position: centre + DVec2::from(arm.map(f64::from)),
                separation: f64::from(point.separation),
                impulse: f64::from(point.total_impulse),
            };
        }
        let normal = DVec2::from(touch.normal.map(f64::from));
        BodyContact { a, b, normal: if is_from_a { normal } else { -normal }, points, count }
    }

    /// Converts pairs of row indices to pairs of body ids, and sorts the pairs.
    pub(super) fn pairs_of(&self, pairs: &[[u32; 2]]) -> Vec<[BodyId; 2]> {
        let mut pairs: Vec<[BodyId; 2]> = pairs.iter().map(|&pair| self.bodies.pair(pair)).collect();
        crate::base::sorting::sort_unstable(&mut pairs);
        pairs
    }
}
