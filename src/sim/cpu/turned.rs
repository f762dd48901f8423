//! Contacts that get another normal, because of seams or because the bodies only graze each other.

use super::super::seams::{Exposure, Seams, Surface};
use super::touch::Touch;
use crate::simd::{difference, dot, negated};

impl Touch {
    /// Returns the contact as the second body sees it if `is_second` is set, or else as the first body sees it. `points` is
    /// overwritten with the contact points. `is_disc` is true if one of the bodies is a disc.
    pub(super) fn seen<'a>(
        &self,
        is_second: bool,
        is_disc: bool,
        points: &'a mut [([f32; 2], f32); 2],
    ) -> Surface<'a> {
        let normal = if is_second { negated(self.normal) } else { self.normal };
        *points = self.points.map(|point| {
            let arm = if is_second { point.arm_b } else { point.arm_a };
            // Moves the point to the surface of the body, because the contact point is half-way between the two bodies.
            let half = 0.5 * point.separation;
            ([arm[0] - half * normal[0], arm[1] - half * normal[1]], point.separation)
        });
        let between = difference(self.points[0].arm_a, self.points[0].arm_b);
        let other = if is_second { negated(between) } else { between };
        Surface { points: &points[..self.point_count as usize], normal, other, is_disc }
    }

    /// Changes the contact where it meets a seam, which is a place where static bodies touch each other. Applies the
    /// seams of the second body if `is_second` is set, and of the first body otherwise. `is_disc` is true if one of
    /// the bodies is a disc. Returns false if the seams hide the whole contact.
    #[cold]
    #[inline(never)]
    pub(super) fn expose_over(&mut self, seams: &Seams, is_second: bool, is_disc: bool) -> bool {
        let body = self.bodies[usize::from(is_second)];
        match seams.exposure(body, self.seen(is_second, is_disc, &mut Default::default())) {
            Exposure::Open => true,
            Exposure::Hidden => false,
            Exposure::Turned { normal, point, at, separation } => {
                self.turn(is_second, is_disc, (normal, separation), (point, at));
                true
            }
        }
    }

    /// Gives the contact a new normal and a new separation, and keeps only its deepest point. `normal` points from the first body
    /// to the second body. `are_discs` says which bodies are discs.
    #[cold]
    #[inline(never)]
    pub(super) fn turn_to(&mut self, normal: [f32; 2], separation: f32, are_discs: [bool; 2]) {
        let point =
            usize::from(self.point_count == 2 && self.points[1].separation < self.points[0].separation);
        let (is_second, is_disc) = (are_discs[0], are_discs[0] || are_discs[1]);
        let at = self.seen(is_second, is_disc, &mut Default::default()).points[point].0;
        let outward = if is_second { negated(normal) } else { normal };
        self.turn(is_second, is_disc, (outward, separation), (point, at));
    }

    /// Gives the contact the normal `normal`, which points away from the second body if `is_second` is set, and from the first
    /// body otherwise. The contact keeps only the point with the index `point`. `at` is the position of this point on the surface
    /// of this body.
    fn turn(
        &mut self,
        is_second: bool,
        is_disc: bool,
        (normal, separation): ([f32; 2], f32),
        (point, at): (usize, [f32; 2]),
    ) {
        let mut turned = self.points[point];
        let half = 0.5 * separation;
        let by = if is_disc {
            // A force along the normal cannot rotate a disc, so the arm of the disc stays on the normal.
            let arm = if is_second { turned.arm_a } else { turned.arm_b };
            let radius = dot(arm, arm).sqrt() - 0.5 * turned.separation;
            [0, 1].map(|axis| -normal[axis] * (radius + half) - arm[axis])
        } else {
            let arm = if is_second { turned.arm_b } else { turned.arm_a };
            [0, 1].map(|axis| at[axis] + half * normal[axis] - arm[axis])
        };
        for arm in [&mut turned.arm_a, &mut turned.arm_b] {
            (arm[0], arm[1]) = (arm[0] + by[0], arm[1] + by[1]);
        }
        turned.separation = separation;
        self.normal = if is_second { negated(normal) } else { normal };
        (self.points[0], self.point_count, self.separation) = (turned, 1, separation);
    }
}
