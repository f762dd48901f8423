//! The bounces of eight contacts at a time, before the sub-steps.

use super::{Block, Eight};
use crate::sim::cpu::restitution::Back;
use crate::sim::cpu::rows::Rows;
use crate::simd::{HalfRow, Instructions, Lanes};

impl Block {
    /// Bounces contacts that will close in the step: reverses the speed of approach, and multiplies it by the restitution.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn bounce<I: Instructions>(
        &mut self,
        i: I,
        rows: Rows<'_, HalfRow>,
        threshold: f32,
        [reach, pull, inverse_h]: [f32; 3],
        half_kick: [f32; 2],
    ) {
        let mut columns = self.columns(i, rows);
        let [a, b] = columns;
        let normal = [i.load(&self.normal[0], 0), i.load(&self.normal[1], 0)];
        let restitution = i.load(&self.restitution, 0);
        let zero = i.splat(0.0);
        let speed = b[0].sub(a[0]).mul_add(normal[0], b[1].sub(a[1]).mul(normal[1]));
        let fall = normal[0].mul_add(i.splat(half_kick[0]), normal[1].mul(i.splat(half_kick[1])));
        let fallen = |share: &Eight| fall.where_less(zero, i.load(share, 0), zero);
        let fall = fallen(&self.share[1]).sub(fallen(&self.share[0]));
        // A contact that is not quite near enough bounces early. If the solver treated it as a normal contact, it would
        // lose its speed.
        let most = zero.sub(speed.add(fall.mul(i.splat(pull)))).mul(i.splat(reach));
        let speed_in_flight = speed.add(fall);
        let way = b[2].sub(a[2]).mul_add(normal[0], b[3].sub(a[3]).mul(normal[1]));
        let gap = i.load(&self.separation, 0).add(way);
        let back = Back::new(i, speed_in_flight, fall, gap, restitution, inverse_h);
        let by = back.speed.sub(speed_in_flight).max(zero);
        let by = by.where_less(gap, most, zero);
        let by = by.where_less(speed, i.splat(-threshold), zero).where_less(zero, restitution, zero);
        self.bounced = by.any_above(zero);
        if self.bounced {
            self.total = i.load(&self.total, 0).add(by).to_array();
            let way = back.way.where_less(zero, by, zero);
            for axis in 0..2 {
                let step = way.mul(normal[axis]);
                columns[0][2 + axis] = i.load(&self.share[0], 0).mul_add(step, columns[0][2 + axis]);
                columns[1][2 + axis] = columns[1][2 + axis].sub(i.load(&self.share[1], 0).mul(step));
            }
            // The friction of a bounce. Its limit depends on the impulse of the bounce.
            let slip = b[0].sub(a[0]).mul(normal[1]).sub(b[1].sub(a[1]).mul(normal[0]));
            let most = i.load(&self.friction, 0).mul(by);
            let aside = zero.sub(slip).min(most).max(zero.sub(most));
            self.part(i, &mut columns, by, aside);
            self.write(i, rows, columns);
        }
    }
}
