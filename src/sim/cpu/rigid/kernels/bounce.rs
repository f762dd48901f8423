//! The bounces of eight contacts at a time, before the sub-steps.

use super::super::blocks::{Block, Record};
use super::{columns, cross_lanes, dot_lanes, fallen, pair, velocities_of};
use crate::sim::cpu::restitution::Back;
use crate::sim::cpu::rows::Rows;
use crate::simd::{Instructions, Lanes, Row};

/// The compliance of a point that takes no impulse, as a multiple of the inverse mass at the point. The value is large
/// enough that the impulse is practically 0.
const RIGID: f32 = 1e12;
/// A contact with one point is beside the centre of mass of a body if the lever of the point is more than this fraction of its
/// arm.
const BESIDE: f32 = 1e-3;

impl<const POINTS: usize> Block<POINTS> {
    /// Bounces the points that will close in the step: reverses the speed of approach, and multiplies it by the
    /// restitution.
    ///
    /// A box that lands flat on several tiles has a contact with each tile. The contact under the centre of mass of the box
    /// bounces the whole box flat. A contact whose points all lie on the same side of the centre of mass would rotate the
    /// box. In the first round, such a contact waits if contacts do not move the other body. After the contact under the
    /// centre of mass has bounced, the points of the other contacts no longer approach the tiles.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[cfg_attr(target_family = "wasm", inline(never))]
    pub(super) fn bounce<I: Instructions>(
        &self,
        i: I,
        record: &mut Record<POINTS>,
        rows: Rows<'_, Row>,
        is_first: bool,
        [threshold, reach, pull, inverse_h]: [f32; 4],
        half_kick: [f32; 2],
    ) {
        let [a, b] = [columns(i, rows, &self.bodies[0]), columns(i, rows, &self.bodies[1])];
        let (mut velocities, masses) = velocities_of(&a, &b);
        let normal = pair(i, &self.normal);
        let inertias = pair(i, &self.inverse_inertia);
        let zero = i.splat(0.0);
        let restitution = i.load(&record.restitution, 0);
        let (mut levers, mut excess) = ([[zero; 2]; POINTS], [zero; POINTS]);
        let mut stays = [zero; POINTS];
        let mut way = i.splat(f32::MAX);
        let moved = dot_lanes([b[4].sub(a[4]), b[5].sub(a[5])], normal);
        let fall = dot_lanes(normal, [i.splat(half_kick[0]), i.splat(half_kick[1])]);
        let fall = fallen(i, fall, masses[1]).sub(fallen(i, fall, masses[0]));
        for (k, point) in self.points.iter().enumerate() {
            let arms = [pair(i, &point.arm_a), pair(i, &point.arm_b)];
            levers[k] = [cross_lanes(arms[0], normal), cross_lanes(arms[1], normal)];
            let speed = velocities.along(normal, levers[k]);
            // A point that is not quite near enough bounces early. If the solver treated it as a normal contact, it
            // would lose its speed.
            let most = zero.sub(speed.add(fall.mul(i.splat(pull)))).mul(i.splat(reach));
            let speed_in_flight = speed.add(fall);
            let gap = i.load(&record.gaps[k], 0).add(moved);
            let back = Back::new(i, speed_in_flight, fall, gap, restitution, inverse_h);
            let bounces = speed_in_flight.sub(back.speed);
            let bounces = bounces.where_less(gap, most, zero);
            let bounces = bounces.where_less(speed, i.splat(-threshold), zero);
            excess[k] = bounces.where_less(zero, restitution, zero).min(zero);
            way = way.min(back.way).where_less(excess[k], zero, way);
            // A point that does not bounce gets a compliance so large that it takes no impulse.
            stays[k] = zero.where_less(excess[k], zero, i.splat(RIGID));
        }
        let mut impulses = self.pressed(i, masses, inertias, levers, stays, excess, [zero; POINTS]);
        if !impulses.iter().any(|impulse| impulse.any_above(zero)) {
            return;
        }
        record.bounced = true;
        if is_first {
            let off_balance = self.off_balance(i, masses, levers);
            way = zero.where_less(zero, off_balance, way);
            impulses = impulses.map(|impulse| zero.where_less(zero, off_balance, impulse));
        }
        let way = way.where_less(way, i.splat(f32::MAX), zero);
        if way.any_above(zero) {
            let masses = masses.map(Lanes::to_array);
            self.shift(rows, &self.normal, &masses, &way.to_array());
        }
        for (k, impulse) in impulses.into_iter().enumerate() {
            record.total_impulses[k] = i.load(&record.total_impulses[k], 0).add(impulse).to_array();
            velocities.press(impulse, normal, levers[k], masses, inertias);
        }
        let friction = i.load(&self.friction, 0);
        for (point, impulse) in self.points.iter().zip(impulses) {
            point.rub(i, &mut velocities, normal, [masses, inertias], zero, friction.mul(impulse));
        }
        self.write(i, rows, &velocities, masses);
    }

    /// Returns, for each lane, a number above 0 if contacts move only one of the two bodies, and all points of the contact lie
    /// on the same side of the centre of mass of this body.
    #[inline(always)]
    fn off_balance<I: Instructions>(
        &self,
        i: I,
        [mass_a, mass_b]: [I::Lanes; 2],
        levers: [[I::Lanes; 2]; POINTS],
    ) -> I::Lanes {
        let zero = i.splat(0.0);
        let of_mover = |[a, b]: [I::Lanes; 2]| a.where_less(zero, mass_a, b);
        let lever = of_mover(levers[0]);
        let beside = if POINTS == 2 {
            lever.mul(of_mover(levers[1]))
        } else {
            let point = &self.points[0];
            let [x, y] = pair(i, &point.arm_a);
            let [other_x, other_y] = pair(i, &point.arm_b);
            let arm = [of_mover([x, other_x]), of_mover([y, other_y])];
            lever.mul(lever).sub(dot_lanes(arm, arm).mul(i.splat(BESIDE * BESIDE)))
        };
        zero.where_less(zero, mass_a.min(mass_b), beside)
    }
}
