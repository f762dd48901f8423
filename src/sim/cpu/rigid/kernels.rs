//! What is done to eight contacts at a time.

use super::OVER_RELAXATION;
use super::blocks::{Block, Eight, Point};
use crate::sim::cpu::rows::Rows;
use crate::vector::{Instructions, LANES, Lanes, Row, Vectorised};

/// What is done to every contact.
#[derive(Clone, Copy, Debug)]
pub(super) enum Phase {
    WarmStart,
    Solve {
        inverse_h: f32,
        limit: f32,
    },
    Relax {
        inverse_h: f32,
    },
    /// Of what approaches faster than the threshold; `reach` is for how long they look ahead, `pull` what gravity adds to a
    /// velocity in a step.
    Bounce {
        threshold: f32,
        reach: f32,
        pull: f32,
    },
}

/// Blocks of one colour.
pub(super) struct Work<'a, const POINTS: usize>
where
    [Point; POINTS]: Default,
{
    pub(super) blocks: &'a mut [Block<POINTS>],
    pub(super) rows: Rows<'a, Row>,
    pub(super) phase: Phase,
}

impl<const POINTS: usize> Vectorised for Work<'_, POINTS>
where
    [Point; POINTS]: Default,
{
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        let Self { blocks, rows, phase } = self;
        match phase {
            Phase::WarmStart => {
                for block in blocks {
                    block.warm_start(i, rows);
                }
            }
            Phase::Solve { inverse_h, limit } => {
                for block in blocks {
                    block.solve::<I, true>(i, rows, inverse_h, limit);
                }
            }
            Phase::Relax { inverse_h } => {
                for block in blocks {
                    block.solve::<I, false>(i, rows, inverse_h, 0.0);
                }
            }
            Phase::Bounce { threshold, reach, pull } => {
                for block in blocks {
                    block.bounced = false;
                    if block.restitution.iter().any(|&r| r > 0.0) {
                        block.bounce(i, rows, threshold, reach, pull);
                    }
                }
            }
        }
    }
}

/// Velocities of eight pairs of bodies.
#[derive(Clone, Copy)]
struct Velocities<L> {
    v: [[L; 2]; 2],
    w: [L; 2],
}

impl<L: Lanes> Velocities<L> {
    /// Of b relative to a, at a point.
    #[inline(always)]
    fn at(&self, arm_a: [L; 2], arm_b: [L; 2]) -> [L; 2] {
        let [a, b] = self.v;
        let [w_a, w_b] = self.w;
        let x = b[0].sub(w_b.mul(arm_b[1])).sub(a[0]).add(w_a.mul(arm_a[1]));
        let y = w_b.mul_add(arm_b[0], b[1]).sub(a[1]).sub(w_a.mul(arm_a[0]));
        [x, y]
    }

    /// After an impulse on b, and its opposite on a.
    #[inline(always)]
    fn push(&mut self, impulse: [L; 2], arms: [[L; 2]; 2], inverse_mass: [L; 2], inverse_inertia: [L; 2]) {
        let [px, py] = impulse;
        let [a, b] = self.v;
        self.v = [
            [a[0].sub(px.mul(inverse_mass[0])), a[1].sub(py.mul(inverse_mass[0]))],
            [px.mul_add(inverse_mass[1], b[0]), py.mul_add(inverse_mass[1], b[1])],
        ];
        self.w[0] = self.w[0].sub(inverse_inertia[0].mul(cross_lanes(arms[0], impulse)));
        self.w[1] = inverse_inertia[1].mul_add(cross_lanes(arms[1], impulse), self.w[1]);
    }
}

#[inline(always)]
fn pair<I: Instructions>(i: I, of: &[Eight; 2]) -> [I::Lanes; 2] {
    [i.load(&of[0], 0), i.load(&of[1], 0)]
}

#[inline(always)]
fn dot_lanes<L: Lanes>(a: [L; 2], b: [L; 2]) -> L {
    a[0].mul_add(b[0], a[1].mul(b[1]))
}

#[inline(always)]
fn cross_lanes<L: Lanes>(a: [L; 2], b: [L; 2]) -> L {
    a[0].mul(b[1]).sub(a[1].mul(b[0]))
}

/// An arm as its body has turned it in the step.
#[inline(always)]
fn turned<L: Lanes>(arm: [L; 2], of: &[L; LANES]) -> [L; 2] {
    let (c, s) = (of[6], of[7]);
    [c.mul(arm[0]).sub(s.mul(arm[1])), s.mul_add(arm[0], c.mul(arm[1]))]
}

#[inline(always)]
#[allow(unsafe_code)]
fn columns<I: Instructions>(i: I, rows: Rows<'_, Row>, bodies: &[u32; LANES]) -> [I::Lanes; LANES] {
    // SAFETY: contacts of one colour share no body that moves, and only such rows are written.
    i.columns(unsafe { rows.get(bodies) })
}

impl<const POINTS: usize> Block<POINTS>
where
    [Point; POINTS]: Default,
{
    #[inline(always)]
    fn velocities<I: Instructions>(columns: [&[I::Lanes; LANES]; 2]) -> Velocities<I::Lanes> {
        let [a, b] = columns;
        Velocities { v: [[a[0], a[1]], [b[0], b[1]]], w: [a[2], b[2]] }
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[allow(unsafe_code)]
    fn write<I: Instructions>(&self, i: I, rows: Rows<'_, Row>, velocities: Velocities<I::Lanes>) {
        for side in 0..2 {
            let [x, y] = velocities.v[side];
            let halves = i.half_rows([x, y, velocities.w[side], i.splat(0.0)]);
            for (lane, half) in halves.iter().enumerate() {
                if self.moved[side] >> lane & 1 != 0 {
                    // SAFETY: this body moves, so that no other contact of the colour names it, and no reference is left.
                    unsafe { rows.set_half(self.bodies[side][lane], *half) };
                }
            }
        }
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn warm_start<I: Instructions>(&mut self, i: I, rows: Rows<'_, Row>) {
        let [a, b] = [columns(i, rows, &self.bodies[0]), columns(i, rows, &self.bodies[1])];
        let mut velocities = Self::velocities::<I>([&a, &b]);
        let normal = pair(i, &self.normal);
        let (masses, inertias) = (pair(i, &self.inverse_mass), pair(i, &self.inverse_inertia));
        for point in &self.points {
            let (along, aside) = (i.load(&point.normal_impulse, 0), i.load(&point.tangent_impulse, 0));
            let impulse = [
                along.mul(normal[0]).add(aside.mul(normal[1])),
                along.mul(normal[1]).sub(aside.mul(normal[0])),
            ];
            velocities.push(impulse, [pair(i, &point.arm_a), pair(i, &point.arm_b)], masses, inertias);
        }
        self.write(i, rows, velocities);
    }

    /// With the spring of soft contacts, or without.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn solve<I: Instructions, const SOFT: bool>(
        &mut self,
        i: I,
        rows: Rows<'_, Row>,
        inverse_h: f32,
        limit: f32,
    ) {
        let [a, b] = [columns(i, rows, &self.bodies[0]), columns(i, rows, &self.bodies[1])];
        let mut velocities = Self::velocities::<I>([&a, &b]);
        let normal = pair(i, &self.normal);
        let (masses, inertias) = (pair(i, &self.inverse_mass), pair(i, &self.inverse_inertia));
        let zero = i.splat(0.0);
        let friction = i.load(&self.friction, 0);
        // Friction first: that nothing overlaps matters more, and what is solved last holds.
        for point in &mut self.points {
            let arms = [pair(i, &point.arm_a), pair(i, &point.arm_b)];
            let tangent = [normal[1], zero.sub(normal[0])];
            let speed = dot_lanes(velocities.at(arms[0], arms[1]), tangent);
            let before = i.load(&point.tangent_impulse, 0);
            let most = friction.mul(i.load(&point.normal_impulse, 0));
            let wanted = before.sub(i.load(&point.tangent_mass, 0).mul(speed));
            let total = wanted.min(most).max(zero.sub(most));
            let along = total.sub(before);
            point.tangent_impulse = total.to_array();
            velocities.push([along.mul(tangent[0]), along.mul(tangent[1])], arms, masses, inertias);
        }
        let moved = [b[4].sub(a[4]), b[5].sub(a[5])];
        for point in &mut self.points {
            let arms = [pair(i, &point.arm_a), pair(i, &point.arm_b)];
            // The gap now: the arms have turned, and the centres moved.
            let (at_a, at_b) = (turned(arms[0], &a), turned(arms[1], &b));
            let between = [moved[0].add(at_b[0]).sub(at_a[0]), moved[1].add(at_b[1]).sub(at_a[1])];
            let gap = dot_lanes(between, normal).add(i.load(&point.separation, 0));
            // Apart: they may approach by what is between them. Else the spring pushes.
            let apart = gap.mul(i.splat(inverse_h));
            let whole = i.splat(if SOFT { OVER_RELAXATION } else { 1.0 });
            let (bias, mass_scale, impulse_scale) = if SOFT {
                let spring = gap.mul(i.load(&self.bias, 0)).max(i.splat(-limit));
                (
                    apart.where_less(zero, gap, spring),
                    whole.where_less(zero, gap, i.load(&self.mass_scale, 0)),
                    zero.where_less(zero, gap, i.load(&self.impulse_scale, 0)),
                )
            } else {
                (apart.max(zero), whole, zero)
            };
            let before = i.load(&point.normal_impulse, 0);
            let speed = dot_lanes(velocities.at(arms[0], arms[1]), normal);
            let wanted = i.load(&point.normal_mass, 0).mul(mass_scale).mul(speed.add(bias));
            let total = before.sub(wanted).sub(impulse_scale.mul(before)).max(zero);
            let along = total.sub(before);
            point.normal_impulse = total.to_array();
            if !SOFT {
                // The end of a sub-step.
                point.total_impulse = i.load(&point.total_impulse, 0).add(total).to_array();
            }
            velocities.push([along.mul(normal[0]), along.mul(normal[1])], arms, masses, inertias);
        }
        self.write(i, rows, velocities);
    }

    /// Turns the approach of bodies that are to meet in the step into its opposite, times the restitution.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn bounce<I: Instructions>(&mut self, i: I, rows: Rows<'_, Row>, threshold: f32, reach: f32, pull: f32) {
        let [a, b] = [columns(i, rows, &self.bodies[0]), columns(i, rows, &self.bodies[1])];
        let mut velocities = Self::velocities::<I>([&a, &b]);
        let normal = pair(i, &self.normal);
        let (masses, inertias) = (pair(i, &self.inverse_mass), pair(i, &self.inverse_inertia));
        let zero = i.splat(0.0);
        let restitution = i.load(&self.restitution, 0);
        for point in &mut self.points {
            let arms = [pair(i, &point.arm_a), pair(i, &point.arm_b)];
            let mass = i.load(&point.normal_mass, 0);
            let speed = dot_lanes(velocities.at(arms[0], arms[1]), normal);
            // What is not quite near enough bounces early: solved as a contact, it would lose its speed.
            let most = zero.sub(speed).add(i.splat(pull)).mul(i.splat(reach));
            let mass = mass.where_less(i.load(&point.gap, 0), most, zero);
            let mass = mass.where_less(speed, i.splat(-threshold), zero);
            let mass = mass.where_less(zero, restitution, zero);
            let impulse = zero.sub(mass.mul(restitution.mul_add(speed, speed))).max(zero);
            if impulse.any_above(zero) {
                self.bounced = true;
                point.total_impulse = i.load(&point.total_impulse, 0).add(impulse).to_array();
                velocities.push([impulse.mul(normal[0]), impulse.mul(normal[1])], arms, masses, inertias);
            }
        }
        self.write(i, rows, velocities);
    }
}
