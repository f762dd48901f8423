//! What is done to eight contacts at a time.

use super::blocks::{Block, Eight, Record};
use super::{OVER_RELAXATION, Softness};
use crate::sim::cpu::rows::Rows;
use crate::vector::{HalfRow, Instructions, LANES, Lanes, Row, Vectorised};

/// What is done to every contact.
#[derive(Clone, Copy, Debug)]
pub(super) enum Phase {
    /// With the softness of contacts of two bodies that they move, and of one with another that they do not.
    Solve {
        inverse_h: f32,
        limit: f32,
        softness: [Softness; 2],
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
pub(super) struct Work<'a, const POINTS: usize> {
    pub(super) blocks: &'a mut [Block<POINTS>],
    /// As many.
    pub(super) records: &'a mut [Record<POINTS>],
    pub(super) rows: Rows<'a, Row>,
    pub(super) phase: Phase,
}

impl<const POINTS: usize> Vectorised for Work<'_, POINTS> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        let Self { blocks, records, rows, phase } = self;
        match phase {
            Phase::Solve { inverse_h, limit, softness } => {
                for block in blocks {
                    block.solve(i, rows, inverse_h, Some((softness, limit)));
                }
            }
            Phase::Relax { inverse_h } => {
                for (block, record) in blocks.iter_mut().zip(records) {
                    block.solve(i, rows, inverse_h, None);
                    // The end of a sub-step.
                    for (total, point) in record.total_impulses.iter_mut().zip(&block.points) {
                        *total = i.load(total, 0).add(i.load(&point.normal_impulse, 0)).to_array();
                    }
                }
            }
            Phase::Bounce { threshold, reach, pull } => {
                for (block, record) in blocks.iter().zip(records) {
                    record.bounced = false;
                    if record.restitution.iter().any(|&r| r > 0.0) {
                        block.bounce(i, record, rows, threshold, reach, pull);
                    }
                }
            }
        }
    }
}

/// Blocks of one colour, of which the impulses of the step before are given to bodies at rest.
pub(super) struct WarmStart<'a, const POINTS: usize> {
    pub(super) blocks: &'a [Block<POINTS>],
    /// Velocity, angular velocity, inverse mass.
    pub(super) rows: Rows<'a, HalfRow>,
}

impl<const POINTS: usize> Vectorised for WarmStart<'_, POINTS> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        for block in self.blocks {
            block.warm_start(i, self.rows);
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

/// The first number where contacts move both bodies, the other elsewhere.
#[inline(always)]
fn soft<I: Instructions>(i: I, [both, one]: [f32; 2], lesser_inverse_mass: I::Lanes) -> I::Lanes {
    i.splat(both).where_less(i.splat(0.0), lesser_inverse_mass, i.splat(one))
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

/// Velocities and inverse masses of eight pairs, by their first four columns.
#[inline(always)]
fn velocities_of<L: Lanes>(a: &[L], b: &[L]) -> (Velocities<L>, [L; 2]) {
    (Velocities { v: [[a[0], a[1]], [b[0], b[1]]], w: [a[2], b[2]] }, [a[3], b[3]])
}

/// The first halves of the rows of those bodies that contacts move.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn halves<I: Instructions>(
    i: I,
    bodies: &[[u32; LANES]; 2],
    of: &Velocities<I::Lanes>,
    inverse_mass: [I::Lanes; 2],
    mut write: impl FnMut(u32, HalfRow),
) {
    for side in 0..2 {
        let [x, y] = of.v[side];
        let halves = i.half_rows([x, y, of.w[side], inverse_mass[side]]);
        let moved = inverse_mass[side].at_least(i.splat(f32::MIN_POSITIVE));
        for (lane, half) in halves.iter().enumerate() {
            if moved >> lane & 1 != 0 {
                write(bodies[side][lane], *half);
            }
        }
    }
}

impl<const POINTS: usize> Block<POINTS> {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[allow(unsafe_code)]
    fn write<I: Instructions>(
        &self,
        i: I,
        rows: Rows<'_, Row>,
        velocities: &Velocities<I::Lanes>,
        inverse_mass: [I::Lanes; 2],
    ) {
        halves(i, &self.bodies, velocities, inverse_mass, |body, half| {
            // SAFETY: this body moves, so that no other contact of the colour names it, and no reference is left.
            unsafe { rows.set_half(body, half) };
        });
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[allow(unsafe_code)]
    fn warm_start<I: Instructions>(&self, i: I, rows: Rows<'_, HalfRow>) {
        // SAFETY: contacts of one colour share no body that moves, and only such rows are written.
        let (a, b) = unsafe { (rows.get(&self.bodies[0]), rows.get(&self.bodies[1])) };
        let (a, b) = (i.half_columns(a), i.half_columns(b));
        let (mut velocities, masses) = velocities_of(&a, &b);
        let normal = pair(i, &self.normal);
        let inertias = pair(i, &self.inverse_inertia);
        for point in &self.points {
            let (along, aside) = (i.load(&point.normal_impulse, 0), i.load(&point.tangent_impulse, 0));
            let impulse = [
                along.mul(normal[0]).add(aside.mul(normal[1])),
                along.mul(normal[1]).sub(aside.mul(normal[0])),
            ];
            let arms = [pair(i, &point.arm_a), pair(i, &point.arm_b)];
            velocities.push(impulse, arms, masses, inertias);
        }
        halves(i, &self.bodies, &velocities, masses, |body, half| {
            // SAFETY: this body moves, so that no other contact of the colour names it, and no reference is left.
            unsafe { rows.set(body, half) };
        });
    }

    /// With the spring of soft contacts and the greatest speed that it gives, or without.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn solve<I: Instructions>(
        &mut self,
        i: I,
        rows: Rows<'_, Row>,
        inverse_h: f32,
        spring: Option<([Softness; 2], f32)>,
    ) {
        let [a, b] = [columns(i, rows, &self.bodies[0]), columns(i, rows, &self.bodies[1])];
        let (mut velocities, masses) = velocities_of(&a, &b);
        let normal = pair(i, &self.normal);
        let inertias = pair(i, &self.inverse_inertia);
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
        let lesser_inverse_mass = masses[0].min(masses[1]);
        let moved = [b[4].sub(a[4]), b[5].sub(a[5])];
        for point in &mut self.points {
            let arms = [pair(i, &point.arm_a), pair(i, &point.arm_b)];
            // The gap now: the arms have turned, and the centres moved.
            let (at_a, at_b) = (turned(arms[0], &a), turned(arms[1], &b));
            let between = [moved[0].add(at_b[0]).sub(at_a[0]), moved[1].add(at_b[1]).sub(at_a[1])];
            let gap = dot_lanes(between, normal).add(i.load(&point.separation, 0));
            // Apart: they may approach by what is between them. Else the spring pushes.
            let apart = gap.mul(i.splat(inverse_h));
            let (bias, mass_scale, impulse_scale) = if let Some((softness, limit)) = spring {
                let whole = i.splat(OVER_RELAXATION);
                let pushed =
                    gap.mul(soft(i, softness.map(|of| of.bias), lesser_inverse_mass)).max(i.splat(-limit));
                (
                    apart.where_less(zero, gap, pushed),
                    whole.where_less(
                        zero,
                        gap,
                        soft(i, softness.map(|of| of.mass_scale), lesser_inverse_mass),
                    ),
                    zero.where_less(
                        zero,
                        gap,
                        soft(i, softness.map(|of| of.impulse_scale), lesser_inverse_mass),
                    ),
                )
            } else {
                (apart.max(zero), i.splat(1.0), zero)
            };
            let before = i.load(&point.normal_impulse, 0);
            let speed = dot_lanes(velocities.at(arms[0], arms[1]), normal);
            let wanted = i.load(&point.normal_mass, 0).mul(mass_scale).mul(speed.add(bias));
            let total = before.sub(wanted).sub(impulse_scale.mul(before)).max(zero);
            let along = total.sub(before);
            point.normal_impulse = total.to_array();
            velocities.push([along.mul(normal[0]), along.mul(normal[1])], arms, masses, inertias);
        }
        self.write(i, rows, &velocities, masses);
    }

    /// Turns the approach of bodies that are to meet in the step into its opposite, times the restitution.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn bounce<I: Instructions>(
        &self,
        i: I,
        record: &mut Record<POINTS>,
        rows: Rows<'_, Row>,
        threshold: f32,
        reach: f32,
        pull: f32,
    ) {
        let [a, b] = [columns(i, rows, &self.bodies[0]), columns(i, rows, &self.bodies[1])];
        let (mut velocities, masses) = velocities_of(&a, &b);
        let normal = pair(i, &self.normal);
        let inertias = pair(i, &self.inverse_inertia);
        let zero = i.splat(0.0);
        let restitution = i.load(&record.restitution, 0);
        for (k, point) in self.points.iter().enumerate() {
            let arms = [pair(i, &point.arm_a), pair(i, &point.arm_b)];
            let mass = i.load(&point.normal_mass, 0);
            let speed = dot_lanes(velocities.at(arms[0], arms[1]), normal);
            // What is not quite near enough bounces early: solved as a contact, it would lose its speed.
            let most = zero.sub(speed).add(i.splat(pull)).mul(i.splat(reach));
            let mass = mass.where_less(i.load(&record.gaps[k], 0), most, zero);
            let mass = mass.where_less(speed, i.splat(-threshold), zero);
            let mass = mass.where_less(zero, restitution, zero);
            let impulse = zero.sub(mass.mul(restitution.mul_add(speed, speed))).max(zero);
            if impulse.any_above(zero) {
                record.bounced = true;
                record.total_impulses[k] = i.load(&record.total_impulses[k], 0).add(impulse).to_array();
                velocities.push([impulse.mul(normal[0]), impulse.mul(normal[1])], arms, masses, inertias);
            }
        }
        self.write(i, rows, &velocities, masses);
    }
}
