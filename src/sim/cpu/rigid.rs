//! The rigid solver: sequential impulses over coloured contacts, eight at a time, in sub-steps with soft contacts.
//!
//! For each contact point with the normal n, arms a and b, and relative velocity `v = v_b + w_b × b - v_a - w_a × a`, the
//! impulse j along n changes v.n by `j k`, where `k = 1/m_a + 1/m_b + (a × n)²/I_a + (b × n)²/I_b` (Catto 2006, "Fast and
//! Simple Physics using Sequential Impulses"). Impulses add up over a step and stay at or above 0; friction impulses stay
//! within the friction coefficient times those.
//!
//! Overlap is resolved as by a spring with a frequency and a damping ratio, integrated implicitly (Catto 2011, "Soft
//! Constraints"); with `h` the length of a sub-step, `w = 2π frequency` and `z` the ratio,
//!
//! ```text
//! bias = w / (2 z + h w)    mass scale = h w (2 z + h w) / (1 + h w (2 z + h w))    impulse scale = 1 - mass scale
//! ```
//!
//! After bodies have moved by a sub-step, contacts are solved once more without the spring, so that it leaves no velocity
//! behind ("relax", Catto 2024, "Solver2D").
//!
//! Bodies that are to meet in the step and bounce do so before it, one contact after another with the velocities as of
//! then, until none that bounces approaches: each of these impulses keeps the energy where the restitution is 1.

use rayon::prelude::*;

use super::super::WorldOptions;
use super::super::bodies::{BodyState, BodyTraits, DYNAMIC};
use super::colours::{COLOURS, Colours};
use super::rows::Rows;
use super::touch::{Touch, TouchPoint};
use crate::vector::{Instructions, LANES, Lanes, Row, Vectorised, vectorised};

/// Blocks that one task takes.
const TASK: usize = 32;
/// The greatest frequency of the spring of a contact, an inverse of the caller's unit of time.
const MOST_FREQUENCY: f32 = 55.0;
/// Its damping, as a multiple of the critical one.
const DAMPING_RATIO: f32 = 20.0;

/// Rounds of bouncing in a step.
pub(crate) const BOUNCES: usize = 16;
/// Of how much longer than a step and a part of it bodies look ahead for what they bounce off.
const EARLY: f32 = 1.02;

/// Spring and damper of contacts.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) struct Softness {
    pub(in crate::sim) bias: f32,
    pub(in crate::sim) mass_scale: f32,
    pub(in crate::sim) impulse_scale: f32,
}

/// Of two bodies that contacts move, and of one with another that they do not, which is stiffer.
pub(in crate::sim) fn softness(h: f32) -> [Softness; 2] {
    let most = MOST_FREQUENCY.min(0.25 / h);
    [Softness::new(most, h), Softness::new(2.0 * most, h)]
}

impl Softness {
    fn new(frequency: f32, h: f32) -> Self {
        let omega = std::f32::consts::TAU * frequency;
        let a = 2.0 * DAMPING_RATIO + h * omega;
        let b = h * omega * a;
        Self { bias: omega / a, mass_scale: b / (1.0 + b), impulse_scale: 1.0 / (1.0 + b) }
    }
}

/// What a step is solved with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stepping {
    pub(crate) gravity: [f32; 2],
    pub(crate) dt: f32,
    pub(crate) substeps: u32,
    /// The greatest speed that resolving overlap gives.
    pub(crate) push_out_speed: f32,
    pub(crate) restitution_threshold: f32,
    /// Overlap that [`super::push`] leaves, so that contacts last.
    pub(crate) slop: f32,
}

impl Stepping {
    pub(crate) fn new(options: &WorldOptions, dt: f32) -> Self {
        let unit = options.length_unit as f32;
        Self {
            gravity: options.gravity.to_array().map(|x| x as f32),
            dt,
            substeps: options.substeps,
            push_out_speed: options.push_out_speed as f32 * unit,
            restitution_threshold: options.restitution_threshold as f32 * unit,
            slop: super::SLOP * unit,
        }
    }

    /// For how long bodies look ahead for what they bounce off: a step, and the part of one that contacts look ahead.
    pub(crate) fn reach(&self) -> f32 {
        EARLY * self.dt * (1.0 + 1.0 / self.substeps as f32)
    }

    /// What gravity adds to a velocity in a step.
    pub(crate) fn pull(&self) -> f32 {
        self.gravity[0].hypot(self.gravity[1]) * self.dt
    }

    /// What gravity, damping and preference make of a velocity in a time.
    #[inline(always)]
    pub(crate) fn accelerated(
        &self,
        v: [f32; 2],
        state: &BodyState,
        traits: &BodyTraits,
        h: f32,
    ) -> [f32; 2] {
        let strive = traits.preference * h;
        let strive = strive / (1.0 + strive);
        let damp = 1.0 / (1.0 + h * traits.linear_damping);
        [0, 1].map(|axis| {
            let v = (v[axis] + h * self.gravity[axis]) * damp;
            v + strive * (state.preferred_velocity[axis] - v)
        })
    }
}

type Eight = [f32; LANES];

/// Eight contacts of `POINTS` points each that share no body that moves.
#[derive(Clone, Debug, Default)]
struct Block<const POINTS: usize>
where
    [Point; POINTS]: Default,
{
    /// Indices of the touches; beyond the last one [`NO_TOUCH`].
    touches: [u32; LANES],
    bodies: [[u32; LANES]; 2],
    /// Which bodies contacts move: a bit a lane.
    moved: [u8; 2],
    inverse_mass: [Eight; 2],
    inverse_inertia: [Eight; 2],
    normal: [Eight; 2],
    friction: Eight,
    restitution: Eight,
    bias: Eight,
    mass_scale: Eight,
    impulse_scale: Eight,
    points: [Point; POINTS],
    /// Whether any of them bounced in the last round.
    bounced: bool,
}

/// A point of each of eight contacts.
#[derive(Clone, Debug, Default)]
struct Point {
    arm_a: [Eight; 2],
    arm_b: [Eight; 2],
    /// The separation, less what the arms are apart along the normal.
    separation: Eight,
    normal_mass: Eight,
    tangent_mass: Eight,
    normal_impulse: Eight,
    tangent_impulse: Eight,
    /// The gap at the start.
    gap: Eight,
    /// Of all sub-steps and bounces.
    total_impulse: Eight,
}

const NO_TOUCH: u32 = u32::MAX;

/// Contacts of one colour.
#[derive(Debug, Default)]
struct Colour {
    ones: Vec<Block<1>>,
    twos: Vec<Block<2>>,
}

/// The solver and its memory.
#[derive(Debug, Default)]
pub(crate) struct Rigid {
    /// Velocity, angular velocity, 0; displacement and turn (cosine and sine) since the step began.
    rows: Vec<Row>,
    colours: Vec<Colour>,
    /// Contacts of no colour, one a block, in their order.
    rest: Colour,
}

impl Rigid {
    /// Moves bodies by a step, and leaves the impulses in the touches. The states keep their places: see
    /// [`Rigid::moved`].
    pub(crate) fn solve(
        &mut self,
        states: &[BodyState],
        traits: &[BodyTraits],
        touches: &mut [Touch],
        colours: &Colours,
        stepping: Stepping,
    ) {
        let h = stepping.dt / stepping.substeps as f32;
        self.begin(states, traits);
        self.prepare(traits, touches, colours, h);
        for _ in 0..BOUNCES {
            self.each(Phase::Bounce {
                threshold: stepping.restitution_threshold,
                reach: stepping.reach(),
                pull: stepping.pull(),
            });
            if !self.bounced() {
                break;
            }
        }
        let limit = stepping.push_out_speed;
        for _ in 0..stepping.substeps {
            self.accelerate(states, traits, stepping, h);
            self.each(Phase::WarmStart);
            self.each(Phase::Solve { inverse_h: 1.0 / h, limit });
            self.advance(h);
            self.each(Phase::Relax { inverse_h: 1.0 / h });
        }
        self.store(touches);
    }

    /// Of a body: velocity, angular velocity; displacement and turn.
    pub(crate) fn moved(&self, body: usize) -> ([f32; 2], f32, [f32; 2], [f32; 2]) {
        let [vx, vy, w, _, dx, dy, c, s] = self.rows[body].0;
        ([vx, vy], w, [dx, dy], [c, s])
    }

    fn begin(&mut self, states: &[BodyState], traits: &[BodyTraits]) {
        self.rows.resize(states.len() + 1, Row::default());
        let row = |(row, (state, traits)): (&mut Row, (&BodyState, &BodyTraits))| {
            let moves = traits.has(super::super::bodies::MOVES);
            let [vx, vy] = if moves { state.velocity } else { [0.0; 2] };
            let w = if moves { state.angular_velocity } else { 0.0 };
            *row = Row([vx, vy, w, 0.0, 0.0, 0.0, 1.0, 0.0]);
        };
        let bodies = states.par_iter().with_min_len(1024).zip(traits);
        self.rows.par_iter_mut().with_min_len(1024).zip(bodies).for_each(row);
        // What lanes without a contact name.
        self.rows[states.len()] = Row([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    }

    fn accelerate(&mut self, states: &[BodyState], traits: &[BodyTraits], stepping: Stepping, h: f32) {
        let bodies = states.par_iter().with_min_len(1024).zip(traits);
        self.rows.par_iter_mut().with_min_len(1024).zip(bodies).for_each(|(row, (state, traits))| {
            if traits.has(DYNAMIC) {
                let v = stepping.accelerated([row.0[0], row.0[1]], state, traits, h);
                (row.0[0], row.0[1]) = (v[0], v[1]);
                row.0[2] *= 1.0 / (1.0 + h * traits.angular_damping);
            }
        });
    }

    fn advance(&mut self, h: f32) {
        self.rows.par_iter_mut().with_min_len(1024).for_each(|Row([vx, vy, w, _, dx, dy, c, s])| {
            *dx += h * *vx;
            *dy += h * *vy;
            let (turned_c, turned_s) = (*c - h * *w * *s, *s + h * *w * *c);
            let inverse = 1.0 / (turned_c * turned_c + turned_s * turned_s).sqrt();
            (*c, *s) = (turned_c * inverse, turned_s * inverse);
        });
    }

    fn prepare(&mut self, traits: &[BodyTraits], touches: &[Touch], colours: &Colours, h: f32) {
        let maker = Maker { traits, touches, softness: softness(h), nobody: traits.len() as u32 };
        self.colours.resize_with(COLOURS, Colour::default);
        for (colour, list) in self.colours.iter_mut().zip(&colours.lists) {
            maker.fill(list, LANES, colour);
        }
        maker.fill(&colours.lists[COLOURS], 1, &mut self.rest);
    }

    fn each(&mut self, phase: Phase) {
        let rows = Rows::new(&mut self.rows);
        for colour in &mut self.colours {
            if colour.ones.is_empty() && colour.twos.is_empty() {
                continue;
            }
            if colour.ones.len() + colour.twos.len() <= TASK {
                vectorised(Work { blocks: &mut colour.ones, rows, phase });
                vectorised(Work { blocks: &mut colour.twos, rows, phase });
                continue;
            }
            let Colour { ones, twos } = colour;
            rayon::join(
                || ones.par_chunks_mut(TASK).for_each(|blocks| vectorised(Work { blocks, rows, phase })),
                || twos.par_chunks_mut(TASK).for_each(|blocks| vectorised(Work { blocks, rows, phase })),
            );
        }
        vectorised(Work { blocks: &mut self.rest.ones, rows, phase });
        vectorised(Work { blocks: &mut self.rest.twos, rows, phase });
    }

    /// Whether any contact bounced in the last round.
    fn bounced(&self) -> bool {
        self.colours.iter().chain([&self.rest]).any(|colour| {
            colour.ones.iter().any(|block| block.bounced) || colour.twos.iter().any(|block| block.bounced)
        })
    }

    fn store(&self, touches: &mut [Touch]) {
        for colour in self.colours.iter().chain([&self.rest]) {
            colour.ones.iter().for_each(|block| block.store(touches));
            colour.twos.iter().for_each(|block| block.store(touches));
        }
    }
}

/// What is done to every contact.
#[derive(Clone, Copy, Debug)]
enum Phase {
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

/// What blocks are made of.
struct Maker<'a> {
    traits: &'a [BodyTraits],
    touches: &'a [Touch],
    /// Of two bodies that contacts move, and of one with another that they do not.
    softness: [Softness; 2],
    /// The row of no body.
    nobody: u32,
}

impl Maker<'_> {
    /// Blocks of at most `lanes` contacts.
    fn fill(&self, list: &[u32], lanes: usize, colour: &mut Colour) {
        let of = |count: u32| -> Vec<u32> {
            list.iter().copied().filter(|&k| self.touches[k as usize].point_count == count).collect()
        };
        self.fill_blocks(&of(1), lanes, &mut colour.ones);
        self.fill_blocks(&of(2), lanes, &mut colour.twos);
    }

    fn fill_blocks<const POINTS: usize>(&self, list: &[u32], lanes: usize, blocks: &mut Vec<Block<POINTS>>)
    where
        [Point; POINTS]: Default,
    {
        blocks.resize_with(list.len().div_ceil(lanes), Block::default);
        blocks
            .par_iter_mut()
            .with_min_len(TASK)
            .zip(list.par_chunks(lanes))
            .for_each(|(block, list)| self.fill_block(list, block));
    }

    fn fill_block<const POINTS: usize>(&self, list: &[u32], block: &mut Block<POINTS>)
    where
        [Point; POINTS]: Default,
    {
        block.moved = [0; 2];
        for lane in 0..LANES {
            let Some(&index) = list.get(lane) else {
                block.clear(lane, self.nobody);
                continue;
            };
            let touch = &self.touches[index as usize];
            block.touches[lane] = index;
            let traits = touch.bodies.map(|body| &self.traits[body as usize]);
            for (side, traits) in traits.into_iter().enumerate() {
                block.bodies[side][lane] = touch.bodies[side];
                block.moved[side] |= u8::from(traits.has(DYNAMIC)) << lane;
                block.inverse_mass[side][lane] = traits.inverse_mass;
                block.inverse_inertia[side][lane] = traits.inverse_inertia;
                block.normal[side][lane] = touch.normal[side];
            }
            block.friction[lane] = (traits[0].friction * traits[1].friction).sqrt();
            block.restitution[lane] = traits[0].restitution.max(traits[1].restitution);
            let one_moves = traits.iter().any(|traits| !traits.has(DYNAMIC));
            let softness = self.softness[usize::from(one_moves)];
            block.bias[lane] = softness.bias;
            block.mass_scale[lane] = softness.mass_scale;
            block.impulse_scale[lane] = softness.impulse_scale;
            for (point, of) in block.points.iter_mut().zip(&touch.points) {
                self.fill_point(touch, traits, of, lane, point);
            }
        }
    }

    fn fill_point(
        &self,
        touch: &Touch,
        [a, b]: [&BodyTraits; 2],
        of: &TouchPoint,
        lane: usize,
        point: &mut Point,
    ) {
        let normal = touch.normal;
        let tangent = [normal[1], -normal[0]];
        for axis in 0..2 {
            point.arm_a[axis][lane] = of.arm_a[axis];
            point.arm_b[axis][lane] = of.arm_b[axis];
        }
        let between = [0, 1].map(|axis| of.arm_b[axis] - of.arm_a[axis]);
        point.separation[lane] = of.separation - dot(between, normal);
        let masses = a.inverse_mass + b.inverse_mass;
        let mass_along = |direction: [f32; 2]| {
            let (arm_a, arm_b) = (cross(of.arm_a, direction), cross(of.arm_b, direction));
            let k = masses + a.inverse_inertia * arm_a * arm_a + b.inverse_inertia * arm_b * arm_b;
            if k > 0.0 { 1.0 / k } else { 0.0 }
        };
        point.normal_mass[lane] = mass_along(normal);
        point.tangent_mass[lane] = mass_along(tangent);
        point.gap[lane] = of.separation;
        point.normal_impulse[lane] = of.normal_impulse;
        point.tangent_impulse[lane] = of.tangent_impulse;
        point.total_impulse[lane] = 0.0;
    }
}

fn dot(a: [f32; 2], b: [f32; 2]) -> f32 {
    a[0] * b[0] + a[1] * b[1]
}

fn cross(a: [f32; 2], b: [f32; 2]) -> f32 {
    a[0] * b[1] - a[1] * b[0]
}

impl<const POINTS: usize> Block<POINTS>
where
    [Point; POINTS]: Default,
{
    /// A lane that does nothing.
    fn clear(&mut self, lane: usize, nobody: u32) {
        self.touches[lane] = NO_TOUCH;
        for side in 0..2 {
            self.bodies[side][lane] = nobody;
            self.inverse_mass[side][lane] = 0.0;
            self.inverse_inertia[side][lane] = 0.0;
            self.normal[side][lane] = 0.0;
        }
        self.restitution[lane] = 0.0;
        self.friction[lane] = 0.0;
        for point in &mut self.points {
            for axis in 0..2 {
                point.arm_a[axis][lane] = 0.0;
                point.arm_b[axis][lane] = 0.0;
            }
            point.separation[lane] = 0.0;
            point.normal_mass[lane] = 0.0;
            point.tangent_mass[lane] = 0.0;
            point.gap[lane] = 0.0;
            point.normal_impulse[lane] = 0.0;
            point.tangent_impulse[lane] = 0.0;
            point.total_impulse[lane] = 0.0;
        }
    }

    fn store(&self, touches: &mut [Touch]) {
        for lane in 0..LANES {
            if self.touches[lane] != NO_TOUCH {
                let touch = &mut touches[self.touches[lane] as usize];
                for (to, point) in touch.points.iter_mut().zip(&self.points) {
                    to.normal_impulse = point.normal_impulse[lane];
                    to.tangent_impulse = point.tangent_impulse[lane];
                    to.total_impulse = point.total_impulse[lane];
                }
            }
        }
    }
}

/// Blocks of one colour.
struct Work<'a, const POINTS: usize>
where
    [Point; POINTS]: Default,
{
    blocks: &'a mut [Block<POINTS>],
    rows: Rows<'a, Row>,
    phase: Phase,
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

    #[inline(always)]
    #[allow(unsafe_code)]
    fn write<I: Instructions>(&self, i: I, rows: Rows<'_, Row>, velocities: Velocities<I::Lanes>) {
        for side in 0..2 {
            let [x, y] = velocities.v[side];
            let halves = i.half_rows([x, y, velocities.w[side], i.splat(0.0)]);
            for (lane, half) in halves.into_iter().enumerate() {
                if self.moved[side] >> lane & 1 != 0 {
                    // SAFETY: this body moves, so that no other contact of the colour names it, and no reference is left.
                    unsafe { rows.set_half(self.bodies[side][lane], half) };
                }
            }
        }
    }

    #[inline(always)]
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
    #[inline(always)]
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
        let moved = [b[4].sub(a[4]), b[5].sub(a[5])];
        let friction = i.load(&self.friction, 0);
        for point in &mut self.points {
            let arms = [pair(i, &point.arm_a), pair(i, &point.arm_b)];
            // The gap now: the arms have turned, and the centres moved.
            let (at_a, at_b) = (turned(arms[0], &a), turned(arms[1], &b));
            let between = [moved[0].add(at_b[0]).sub(at_a[0]), moved[1].add(at_b[1]).sub(at_a[1])];
            let gap = dot_lanes(between, normal).add(i.load(&point.separation, 0));
            // Apart: they may approach by what is between them. Else the spring pushes.
            let apart = gap.mul(i.splat(inverse_h));
            let one = i.splat(1.0);
            let (bias, mass_scale, impulse_scale) = if SOFT {
                let spring = gap.mul(i.load(&self.bias, 0)).max(i.splat(-limit));
                (
                    apart.where_less(zero, gap, spring),
                    one.where_less(zero, gap, i.load(&self.mass_scale, 0)),
                    zero.where_less(zero, gap, i.load(&self.impulse_scale, 0)),
                )
            } else {
                (apart.max(zero), one, zero)
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
        self.write(i, rows, velocities);
    }

    /// Turns the approach of bodies that are to meet in the step into its opposite, times the restitution.
    #[inline(always)]
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
