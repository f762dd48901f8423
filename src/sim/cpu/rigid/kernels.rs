//! The operations of the rigid solver on eight contacts at a time.

mod bounce;

use super::blocks::{Block, Eight, Point, Record};
use super::two_points::TwoPoints;
use super::{DEEPEST, GENTLE, OVER_RELAXATION, PART, Softness};
use crate::sim::cpu::rows::Rows;
use crate::simd::{HalfRow, Instructions, LANES, Lanes, Row, Vectorised};

/// A phase of the solver: the work that it does on each contact.
#[derive(Clone, Copy, Debug)]
pub(super) enum Phase {
    /// Solves contacts, and moves overlapping bodies apart. `inverse_h` is 1 divided by the duration of a sub-step.
    Solve {
        inverse_h: f32,
        apart: Apart,
    },
    Relax {
        inverse_h: f32,
    },
    /// Bounces contacts whose bodies approach each other faster than `threshold`. `reach` is the time for which
    /// contacts look ahead. `half_kick` is half of the velocity that gravity adds in a sub-step. `pull` times `half_kick` is
    /// the mean velocity that gravity adds over the time `reach`. `is_first` is true in the first round of bouncing.
    Bounce {
        is_first: bool,
        threshold: f32,
        reach: f32,
        pull: f32,
        half_kick: [f32; 2],
        /// 1 divided by the duration of a sub-step.
        inverse_h: f32,
    },
}

/// How contacts move overlapping bodies apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Apart {
    /// The first softness is for contacts between two dynamic bodies. The second softness is for contacts with a static
    /// or kinematic body.
    pub(super) softness: [Softness; 2],
    /// The greatest speed at which a contact moves its bodies apart.
    pub(super) limit: f32,
    /// The overlap beyond which a contact without a load is deep: see [`super`].
    pub(super) deep: f32,
    /// The duration of a sub-step.
    pub(super) h: f32,
}

/// The work of one phase of the solver on blocks of one colour.
pub(super) struct Work<'a, const POINTS: usize> {
    pub(super) blocks: &'a mut [Block<POINTS>],
    /// One record for each block.
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
            Phase::Solve { inverse_h, apart } => {
                for block in blocks {
                    block.solve(i, rows, inverse_h, Some(apart));
                }
            }
            Phase::Relax { inverse_h } => {
                for (block, record) in blocks.iter_mut().zip(records) {
                    block.solve(i, rows, inverse_h, None);
                    // The phase ends a sub-step, so the impulses of the sub-step are final.
                    for (total, point) in record.total_impulses.iter_mut().zip(&block.points) {
                        *total = i.load(total, 0).add(i.load(&point.normal_impulse, 0)).to_array();
                    }
                }
            }
            Phase::Bounce { is_first, threshold, reach, pull, half_kick, inverse_h } => {
                for (block, record) in blocks.iter().zip(records) {
                    record.bounced = false;
                    if record.restitution.iter().any(|&r| r > 0.0) {
                        block.bounce(
                            i,
                            record,
                            rows,
                            is_first,
                            [threshold, reach, pull, inverse_h],
                            half_kick,
                        );
                    }
                }
            }
        }
    }
}

/// The work of applying the impulses of the previous step, for blocks of one colour. The velocities in the rows start
/// at 0, so afterwards they are the changes of velocity.
pub(super) struct WarmStart<'a, const POINTS: usize> {
    pub(super) blocks: &'a [Block<POINTS>],
    /// For each body, its velocity, its angular velocity and its inverse mass.
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

/// The velocities and angular velocities of the two bodies of each of eight contacts.
#[derive(Clone, Copy)]
struct Velocities<L> {
    v: [[L; 2]; 2],
    w: [L; 2],
}

impl<L: Lanes> Velocities<L> {
    /// Returns the velocity of the second body relative to the first body at a contact point. `arm_a` and `arm_b` are
    /// the vectors from the centres of mass to the point.
    #[inline(always)]
    fn at(&self, arm_a: [L; 2], arm_b: [L; 2]) -> [L; 2] {
        let [a, b] = self.v;
        let [w_a, w_b] = self.w;
        let x = b[0].sub(w_b.mul(arm_b[1])).sub(a[0]).add(w_a.mul(arm_a[1]));
        let y = w_b.mul_add(arm_b[0], b[1]).sub(a[1]).sub(w_a.mul(arm_a[0]));
        [x, y]
    }

    /// Returns the component along `normal` of the velocity of the second body relative to the first body, at a contact
    /// point. `levers` has, for each body, the cross product of its arm with the normal.
    #[inline(always)]
    fn along(&self, normal: [L; 2], levers: [L; 2]) -> L {
        let [a, b] = self.v;
        let straight = dot_lanes([b[0].sub(a[0]), b[1].sub(a[1])], normal);
        levers[1].mul_add(self.w[1], straight).sub(levers[0].mul(self.w[0]))
    }

    /// Applies an impulse along `normal` to the second body, and the opposite impulse to the first body. `levers` has,
    /// for each body, the cross product of its arm with the normal.
    #[inline(always)]
    fn press(
        &mut self,
        impulse: L,
        normal: [L; 2],
        levers: [L; 2],
        inverse_mass: [L; 2],
        inverse_inertia: [L; 2],
    ) {
        let [a, b] = self.v;
        let (on_a, on_b) = (impulse.mul(inverse_mass[0]), impulse.mul(inverse_mass[1]));
        self.v = [
            [a[0].sub(on_a.mul(normal[0])), a[1].sub(on_a.mul(normal[1]))],
            [on_b.mul_add(normal[0], b[0]), on_b.mul_add(normal[1], b[1])],
        ];
        self.w[0] = self.w[0].sub(inverse_inertia[0].mul(levers[0]).mul(impulse));
        self.w[1] = inverse_inertia[1].mul(levers[1]).mul_add(impulse, self.w[1]);
    }

    /// Applies an impulse to the second body, and the opposite impulse to the first body, at the ends of their `arms`.
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

/// Returns, for each lane, `both` if contacts move both bodies of the lane's contact, and `one` otherwise.
#[inline(always)]
fn soft<I: Instructions>(i: I, [both, one]: [f32; 2], lesser_inverse_mass: I::Lanes) -> I::Lanes {
    i.splat(both).where_less(i.splat(0.0), lesser_inverse_mass, i.splat(one))
}

/// Returns, for each lane, a number above 0 if a body that contacts do not move has a velocity. `a` and `b` are the columns of
/// the rows of the bodies.
#[inline(always)]
fn driven<I: Instructions>(i: I, a: &[I::Lanes; LANES], b: &[I::Lanes; LANES]) -> I::Lanes {
    let zero = i.splat(0.0);
    let magnitude = |speed: I::Lanes| speed.max(zero.sub(speed));
    let motion = |of: &[I::Lanes; LANES]| {
        let motion = magnitude(of[0]).max(magnitude(of[1])).max(magnitude(of[2]));
        zero.where_less(zero, of[3], motion)
    };
    motion(a).max(motion(b))
}

/// Returns the change of the relative velocity along the normal at a contact point. The cause of the change is a unit impulse
/// along the normal, at the same contact point or at another one. `at` has the levers of the point whose velocity changes, and
/// `by` has the levers of the point with the impulse.
#[inline(always)]
fn change_by<L: Lanes>(masses: [L; 2], inertias: [L; 2], by: [L; 2], at: [L; 2]) -> L {
    let turn_a = inertias[0].mul(by[0]).mul(at[0]);
    inertias[1].mul(by[1]).mul_add(at[1], turn_a).add(masses[0].add(masses[1]))
}

/// Returns, for each lane, `by` if contacts move the lane's body, and 0 otherwise.
#[inline(always)]
fn fallen<I: Instructions>(i: I, by: I::Lanes, inverse_mass: I::Lanes) -> I::Lanes {
    by.where_less(i.splat(0.0), inverse_mass, i.splat(0.0))
}

/// Returns arms of contact points, rotated as far as their bodies have rotated since the start of the step. `of` has the
/// columns of the bodies' rows.
#[inline(always)]
fn turned<L: Lanes>(arm: [L; 2], of: &[L; LANES]) -> [L; 2] {
    let (c, s) = (of[6], of[7]);
    [c.mul(arm[0]).sub(s.mul(arm[1])), s.mul_add(arm[0], c.mul(arm[1]))]
}

#[inline(always)]
#[allow(unsafe_code)]
fn columns<I: Instructions>(i: I, rows: Rows<'_, Row>, bodies: &[u32; LANES]) -> [I::Lanes; LANES] {
    // SAFETY: contacts of one colour share no body that contacts move, and only the rows of such bodies are written.
    i.columns(unsafe { rows.get(bodies) })
}

/// Returns the velocities and the inverse masses of the two bodies of each of eight contacts. `a` and `b` are the
/// columns of the rows of the first and of the second bodies.
#[inline(always)]
fn velocities_of<L: Lanes>(a: &[L], b: &[L]) -> (Velocities<L>, [L; 2]) {
    (Velocities { v: [[a[0], a[1]], [b[0], b[1]]], w: [a[2], b[2]] }, [a[3], b[3]])
}

/// Calls `write` with the row index and the new first half of the row, for each body that contacts move.
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

impl Point {
    /// Applies friction to the velocities. Returns the total impulse along the tangent, which is at most `most` in
    /// either direction. `before` is the part of this impulse that was already applied.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[cfg_attr(target_family = "wasm", inline(never))]
    fn rub<I: Instructions>(
        &self,
        i: I,
        velocities: &mut Velocities<I::Lanes>,
        normal: [I::Lanes; 2],
        [masses, inertias]: [[I::Lanes; 2]; 2],
        before: I::Lanes,
        most: I::Lanes,
    ) -> I::Lanes {
        let zero = i.splat(0.0);
        let arms = [pair(i, &self.arm_a), pair(i, &self.arm_b)];
        let tangent = [normal[1], zero.sub(normal[0])];
        let speed = dot_lanes(velocities.at(arms[0], arms[1]), tangent);
        let wanted = before.sub(i.load(&self.tangent_mass, 0).mul(speed));
        let total = wanted.min(most).max(zero.sub(most));
        let along = total.sub(before);
        velocities.push([along.mul(tangent[0]), along.mul(tangent[1])], arms, masses, inertias);
        total
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
            // SAFETY: contacts move this body, so no other contact of the colour names it, and no reference to its row
            // is left.
            unsafe { rows.set_half(body, half) };
        });
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[allow(unsafe_code)]
    fn warm_start<I: Instructions>(&self, i: I, rows: Rows<'_, HalfRow>) {
        // SAFETY: contacts of one colour share no body that contacts move, and only the rows of such bodies are
        // written.
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
            // SAFETY: contacts move this body, so no other contact of the colour names it, and no reference to its row
            // is left.
            unsafe { rows.set(body, half) };
        });
    }

    /// Moves the bodies of each contact along the normal. `ways` has a distance for each contact. The bodies of a contact
    /// move towards each other by this distance if it is positive, and apart if it is negative. Each body moves by its
    /// share of the distance, in inverse proportion to its mass. A body that contacts do not move stays.
    #[cold]
    #[inline(never)]
    #[allow(unsafe_code)]
    fn shift(&self, rows: Rows<'_, Row>, normal: &[Eight; 2], inverse_mass: &[Eight; 2], ways: &Eight) {
        for (lane, &way) in ways.iter().enumerate().filter(|(_, way)| **way != 0.0) {
            let masses = inverse_mass.map(|of| of[lane]);
            for (side, sign) in [1.0, -1.0].into_iter().enumerate().filter(|&(side, _)| masses[side] > 0.0) {
                let by = sign * way * (masses[side] / (masses[0] + masses[1]));
                let shift = |row: &mut Row| {
                    row.0[4] += by * normal[0][lane];
                    row.0[5] += by * normal[1][lane];
                };
                // SAFETY: contacts move this body, so no other contact of the colour names it, and no reference to its
                // row is left.
                unsafe { rows.change(self.bodies[side][lane], shift) };
            }
        }
    }

    /// Solves the contacts of the block along their normals. If `apart` is given, the contacts also move overlapping
    /// bodies apart. If `apart` is `None`, the call is for the end of a sub-step, and also applies friction.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[cfg_attr(target_family = "wasm", inline(never))]
    fn solve<I: Instructions>(&mut self, i: I, rows: Rows<'_, Row>, inverse_h: f32, apart: Option<Apart>) {
        let [a, b] = [columns(i, rows, &self.bodies[0]), columns(i, rows, &self.bodies[1])];
        let (mut velocities, masses) = velocities_of(&a, &b);
        let normal = pair(i, &self.normal);
        let inertias = pair(i, &self.inverse_inertia);
        let zero = i.splat(0.0);
        let lesser_inverse_mass = masses[0].min(masses[1]);
        let moved = [b[4].sub(a[4]), b[5].sub(a[5])];
        let mut levers = [[zero; 2]; POINTS];
        // For each point: the speed that the contact must remove, and the compliance as a fraction of the inverse mass.
        let (mut excess, mut compliance) = ([zero; POINTS], [zero; POINTS]);
        // Above 0 for the points that are over-relaxed.
        let mut shallow = [zero; POINTS];
        // The distance by which the contact moves its bodies apart without changing their velocities.
        let mut way = zero;
        for (k, point) in self.points.iter().enumerate() {
            let arms = [pair(i, &point.arm_a), pair(i, &point.arm_b)];
            levers[k] = [cross_lanes(arms[0], normal), cross_lanes(arms[1], normal)];
            // The current gap at the point, after the arms have rotated and the centres of mass have moved.
            let (at_a, at_b) = (turned(arms[0], &a), turned(arms[1], &b));
            let between = [moved[0].add(at_b[0]).sub(at_a[0]), moved[1].add(at_b[1]).sub(at_a[1])];
            let gap = dot_lanes(between, normal).add(i.load(&point.separation, 0));
            // If the bodies have a gap, they may approach by the gap in the sub-step.
            let approach = gap.mul(i.splat(inverse_h));
            let bias = if let Some(Apart { softness, limit, deep, h }) = apart {
                let stiffness = soft(i, softness.map(|of| of.bias), lesser_inverse_mass);
                let mut pushed = gap.mul(stiffness).max(i.splat(-limit));
                let yielding = soft(i, softness.map(|of| of.compliance), lesser_inverse_mass);
                shallow[k] = yielding.where_less(i.splat(-GENTLE * limit), pushed, zero);
                if i.splat(-deep).any_above(gap) {
                    // The overlap at which the spring balances the impulse of the contact.
                    let own = change_by(masses, inertias, levers[k], levers[k]);
                    let loaded = own.mul(yielding).mul(i.load(&point.normal_impulse, 0)).div(stiffness);
                    let deep = zero.sub(loaded.add(i.splat(deep)).min(i.splat(DEEPEST * deep)));
                    // No overlap with a moving kinematic body is deep.
                    let deep = i.splat(f32::NEG_INFINITY).where_less(zero, driven(i, &a, &b), deep);
                    pushed = pushed.max(deep.mul(stiffness));
                    let most_way = pushed.add(i.splat(limit)).mul(i.splat(h));
                    way = way.max(deep.sub(gap).mul(i.splat(PART)).min(most_way));
                    shallow[k] = zero.where_less(gap, deep, shallow[k]);
                }
                compliance[k] = zero.where_less(zero, gap, yielding);
                shallow[k] = zero.where_less(zero, gap, shallow[k]);
                approach.where_less(zero, gap, pushed)
            } else {
                approach.max(zero)
            };
            excess[k] = velocities.along(normal, levers[k]).add(bias);
        }
        let mut before = [zero; POINTS];
        for (before, point) in before.iter_mut().zip(&self.points) {
            *before = i.load(&point.normal_impulse, 0);
        }
        let mut total = self.pressed(i, masses, inertias, levers, compliance, excess, before);
        if apart.is_some() {
            for k in 0..POINTS {
                let more = total[k].sub(before[k]).mul_add(i.splat(OVER_RELAXATION), before[k]).max(zero);
                total[k] = more.where_less(zero, shallow[k], total[k]);
            }
        }
        for (k, point) in self.points.iter_mut().enumerate() {
            point.normal_impulse = total[k].to_array();
            velocities.press(total[k].sub(before[k]), normal, levers[k], masses, inertias);
        }
        if apart.is_none() {
            // The limit of friction comes from the impulse along the normal, which is final for this sub-step.
            let friction = i.load(&self.friction, 0);
            for (point, normal_impulse) in self.points.iter_mut().zip(total) {
                let before = i.load(&point.tangent_impulse, 0);
                let most = friction.mul(normal_impulse);
                let total = point.rub(i, &mut velocities, normal, [masses, inertias], before, most);
                point.tangent_impulse = total.to_array();
            }
        }
        self.write(i, rows, &velocities, masses);
        if way.any_above(zero) {
            let masses = masses.map(Lanes::to_array);
            self.shift(rows, &self.normal, &masses, &zero.sub(way).to_array());
        }
    }

    /// Returns the impulses along the normal that remove the excess speeds of the points of a contact. All impulses are
    /// at least 0. `before` has the parts of these impulses that were already applied.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[cfg_attr(target_family = "wasm", inline(never))]
    #[allow(clippy::too_many_arguments)]
    fn pressed<I: Instructions>(
        &self,
        i: I,
        masses: [I::Lanes; 2],
        inertias: [I::Lanes; 2],
        levers: [[I::Lanes; 2]; POINTS],
        compliance: [I::Lanes; POINTS],
        excess: [I::Lanes; POINTS],
        before: [I::Lanes; POINTS],
    ) -> [I::Lanes; POINTS] {
        let (zero, one) = (i.splat(0.0), i.splat(1.0));
        let mut total = before;
        if POINTS == 2 {
            // This code uses no closure, because the compiler would pass the vectors to a closure in memory.
            let (first, second) = (levers[0], levers[1]);
            let own =
                [change_by(masses, inertias, first, first), change_by(masses, inertias, second, second)];
            let yields = [own[0].mul(compliance[0]), own[1].mul(compliance[1])];
            let contact = TwoPoints {
                own: [own[0].add(yields[0]), own[1].add(yields[1])],
                other: change_by(masses, inertias, first, second),
            };
            let wanted = [
                zero.sub(excess[0]).sub(yields[0].mul(before[0])),
                zero.sub(excess[1]).sub(yields[1].mul(before[1])),
            ];
            [total[0], total[1]] = contact.solve(i, wanted, [before[0], before[1]]);
        } else {
            for (k, point) in self.points.iter().enumerate() {
                let mass = i.load(&point.normal_mass, 0);
                let scale = one.div(one.add(compliance[k]));
                let rest = one.sub(scale);
                total[k] = before[k].sub(mass.mul(scale).mul(excess[k])).sub(rest.mul(before[k])).max(zero);
            }
        }
        total
    }
}
