//! The push solver. It moves bodies apart along the normals of their contacts, without rotation.
//!
//! The step is divided into sub-steps of duration h. In each sub-step, the solver first accelerates the bodies. It then
//! resolves the contacts in two ways: impulses change velocities, and displacements reduce overlap.
//!
//! Let n be the normal of a contact, g the current gap, and v the relative velocity. The impulses act along n. The sum of
//! the impulses of a contact is 0 or more. The impulses ensure that `v.n` is at least `-g / h` if the bodies are apart,
//! and at least 0 otherwise. Each sub-step starts with the impulses of the previous sub-step. For each body, these
//! impulses add up to the change of velocity that the contacts caused in the previous sub-step (Catto 2006, "Fast and
//! Simple Physics using Sequential Impulses"). Many sub-steps with one round each converge better than many rounds
//! (Macklin et al. 2019, "Small Steps in Physics Simulation").
//!
//! The displacements resolve overlap: the solver moves the bodies apart, at most at the push-out speed (Müller et al.
//! 2007, "Position Based Dynamics"). This movement gives the bodies no velocity. It is the split impulse of Guendelman
//! et al. 2003, "Nonconvex Rigid Bodies with Stacking".

mod bounce;
mod maker;

use super::super::bodies::{BodyState, BodyTraits, DYNAMIC, MOVES};
use super::colours::{COLOURS, Colours};
use super::crew;
use super::rigid::{BOUNCES, Stepping};
use super::rows::Rows;
use super::touch::{Touch, Touches};
use crate::base::parallel::prelude::*;
use crate::simd::{HalfRow, Instructions, LANES, Lanes, Vectorised, vectorised_alike};
use maker::Maker;

/// The number of blocks in one parallel task.
const TASK: usize = 32;
/// The number of bodies in one parallel task.
const BODIES: usize = 2048;
/// Several threads process a colour together if it has at least this many blocks.
const PARALLEL: usize = 64;

type Eight = [f32; LANES];

/// Eight contacts that share no dynamic body. The fields that every sub-step reads come first.
#[repr(C)]
#[derive(Clone, Debug, Default)]
struct Block {
    bodies: [[u32; LANES]; 2],
    normal: [Eight; 2],
    /// For each of the two bodies, its share of a correction: the body moves by this fraction of the correction.
    share: [Eight; 2],
    separation: Eight,
    /// The change of the relative velocity along the normal in the current sub-step.
    pushed: Eight,
    /// The change of the relative velocity along the normal over all sub-steps and bounces.
    total: Eight,
    /// For each of the two bodies, a mask whose bit for a lane is set if contacts move the lane's body.
    moved: [u8; 2],
    /// Whether any of the eight contacts bounced in the last round of bouncing.
    bounced: bool,
    /// The change of the relative velocity along the tangent in the current sub-step.
    rubbed: Eight,
    friction: Eight,
    restitution: Eight,
    /// The mass that converts a change of the relative velocity to an impulse.
    mass: Eight,
    /// The indices of the touches. Lanes without a contact have [`NO_TOUCH`].
    touches: [u32; LANES],
}

const NO_TOUCH: u32 = u32::MAX;

/// Prefetch distance in blocks: touches are prefetched this many blocks before they are read.
const AHEAD: usize = 2;

/// The push solver, with the memory that it keeps from step to step.
#[derive(Debug, Default)]
pub(crate) struct Push {
    /// For each body, its velocity, and its displacement since the step began.
    rows: Vec<HalfRow>,
    /// For each body, the change of velocity by contacts in the previous sub-step. While a sub-step runs, the row has the
    /// velocity of the body before the sub-step.
    before: Vec<HalfRow>,
    /// For each body, the change of its velocity in a sub-step by gravity, damping and preference. A row has a
    /// factor that multiplies the velocity, followed by a vector that is added.
    motions: Vec<HalfRow>,
    colours: Vec<Colour>,
    /// The contacts without a colour. Each block has one of them, because they may share a body.
    rest: Colour,
    bounces: bool,
    rubs: bool,
}

/// The contacts of one colour, or the contacts without a colour.
#[derive(Debug, Default)]
struct Colour {
    blocks: Vec<Block>,
    /// The indices of the pairs of this colour that touch.
    list: Vec<u32>,
    /// Whether any contact of this colour has restitution.
    bounces: bool,
    rubs: bool,
}

impl Push {
    pub(crate) fn solve(
        &mut self,
        states: &[BodyState],
        traits: &[BodyTraits],
        touches: &mut Touches,
        colours: &Colours,
        stepping: Stepping,
    ) {
        let h = stepping.dt / stepping.substeps as f32;
        self.begin(states, traits, stepping, h);
        self.prepare(traits, touches, colours);
        if self.bounces {
            for _ in 0..BOUNCES {
                self.each(Phase::Bounce {
                    threshold: stepping.restitution_threshold,
                    reach: stepping.reach(),
                    pull: stepping.pull(),
                    half_kick: stepping.half_kick(),
                    inverse_h: 1.0 / h,
                });
                if !self.blocks().any(|block| block.bounced) {
                    break;
                }
            }
        }
        self.go(stepping, h);
        let rows = Rows::new(&mut touches.all);
        for colour in self.colours.iter().chain([&self.rest]) {
            colour.blocks.par_iter().with_min_len(PARALLEL).for_each(|block| block.store(rows));
        }
    }

    fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.colours.iter().chain([&self.rest]).flat_map(|colour| &colour.blocks)
    }

    /// Returns the velocity and the displacement of a body.
    #[inline(always)]
    pub(crate) fn moved(&self, body: usize) -> ([f32; 2], [f32; 2]) {
        let HalfRow([vx, vy, dx, dy]) = self.rows[body];
        ([vx, vy], [dx, dy])
    }

    fn begin(&mut self, states: &[BodyState], traits: &[BodyTraits], stepping: Stepping, h: f32) {
        let count = states.len();
        for rows in [&mut self.rows, &mut self.before, &mut self.motions] {
            rows.resize(count + 1, HalfRow::default());
            // The row that lanes without a contact read and write.
            rows[count] = HalfRow::default();
        }
        let rows = self.rows[..count].par_iter_mut().with_min_len(BODIES);
        let others = self.before[..count].par_iter_mut().zip(&mut self.motions[..count]);
        rows.zip(others).zip(states.par_iter().zip(traits)).for_each(
            |((row, (before, motion)), (state, traits))| {
                let [vx, vy] = if traits.has(MOVES) { state.velocity } else { [0.0; 2] };
                *row = HalfRow([vx, vy, 0.0, 0.0]);
                *before = HalfRow::default();
                *motion = HalfRow([1.0, 0.0, 0.0, 0.0]);
                if traits.has(DYNAMIC) {
                    let [x, y] = stepping.accelerated([0.0; 2], state, traits, h);
                    *motion = HalfRow([Stepping::kept(traits, h), x, y, 0.0]);
                }
            },
        );
    }

    /// Runs the step: applies the impulses of the previous step, then runs all sub-steps of this step.
    #[allow(unsafe_code)]
    fn go(&mut self, stepping: Stepping, h: f32) {
        let push = Phase::Push {
            inverse_h: 1.0 / h,
            rubs: self.rubs,
            most_out: stepping.push_out_speed * stepping.dt,
            slop: stepping.slop,
        };
        let mut stages = Vec::new();
        // Applied to rows that start at 0, the impulses of the previous step give the changes of velocity.
        stages.extend((0..=COLOURS).map(|colour| Stage::Contacts(colour, Phase::WarmStart)));
        stages.push(Stage::Bodies(Part::First));
        for part in 0..stepping.substeps {
            stages.extend((0..=COLOURS).map(|colour| Stage::Contacts(colour, push)));
            stages.push(Stage::Bodies(if part + 1 < stepping.substeps { Part::Next } else { Part::Last }));
        }
        let [rows, before] = [Rows::new(&mut self.rows), Rows::new(&mut self.before)];
        let motions = &self.motions;
        let blocks: Vec<Rows<'_, Block>> = self
            .colours
            .iter_mut()
            .chain([&mut self.rest])
            .map(|colour| Rows::new(&mut colour.blocks))
            .collect();
        let parts: Vec<usize> = (stages.iter())
            .map(|stage| match stage {
                // Contacts without a colour are solved one after another.
                Stage::Contacts(COLOURS, _) => 1,
                Stage::Contacts(colour, _) => blocks[*colour].len().div_ceil(TASK),
                Stage::Bodies(_) => motions.len().div_ceil(BODIES),
            })
            .collect();
        crew::go_through(&parts, |stage, part| match stages[stage] {
            Stage::Contacts(colour, phase) => {
                let rows = if matches!(phase, Phase::WarmStart) { before } else { rows };
                // SAFETY: no other part of the stage has these blocks.
                let (_, blocks) = unsafe { blocks[colour].part(part, parts[stage]) };
                vectorised_alike(Work { blocks, rows, phase });
            }
            Stage::Bodies(when) => {
                // SAFETY: no other part of the stage has these bodies.
                let ((first, rows), (_, before)) =
                    unsafe { (rows.part(part, parts[stage]), before.part(part, parts[stage])) };
                vectorised_alike(Moving { rows, before, motions: &motions[first..], part: when, h });
            }
        });
    }

    fn prepare(&mut self, traits: &[BodyTraits], touches: &Touches, colours: &Colours) {
        let maker = Maker { traits, touches, nobody: traits.len() as u32 };
        self.colours.resize_with(COLOURS, Colour::default);
        let lists = colours.lists.par_iter().with_max_len(1);
        let rest = std::slice::from_mut(&mut self.rest);
        let all = self.colours.par_iter_mut().chain(rest).with_max_len(1).zip(lists);
        all.enumerate().for_each(|(number, (colour, list))| {
            maker.fill(list, if number == COLOURS { 1 } else { LANES }, colour);
        });
        let mut all = self.colours.iter().chain([&self.rest]);
        self.bounces = all.clone().any(|colour| colour.bounces);
        self.rubs = all.any(|colour| colour.rubs);
    }

    fn each(&mut self, phase: Phase) {
        let rows = Rows::new(&mut self.rows);
        for Colour { blocks, .. } in &mut self.colours {
            if blocks.len() < PARALLEL {
                vectorised_alike(Work { blocks, rows, phase });
            } else {
                blocks.par_chunks_mut(TASK).for_each(|blocks| vectorised_alike(Work { blocks, rows, phase }));
            }
        }
        vectorised_alike(Work { blocks: &mut self.rest.blocks, rows, phase });
    }
}

/// A stage of a step. All work of a stage ends before the next stage begins.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Runs a phase for the contacts of one colour. The index [`COLOURS`] stands for the contacts without a colour.
    Contacts(usize, Phase),
    Bodies(Part),
}

/// The time at which a stage that updates the bodies runs, relative to the sub-steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// The stage runs before the first sub-step.
    First,
    /// The stage runs between two sub-steps.
    Next,
    /// The stage runs after the last sub-step.
    Last,
}

/// A phase of the solver: the work that it does on each contact.
#[derive(Clone, Copy, Debug)]
enum Phase {
    WarmStart,
    /// Changes velocities along the normals, and along the tangents by friction if `rubs` is set. Then reduces overlap
    /// above `slop`, by at most `most_out`.
    Push {
        inverse_h: f32,
        rubs: bool,
        most_out: f32,
        slop: f32,
    },
    /// Bounces contacts whose bodies approach faster than `threshold`. `reach` is the time for which contacts look
    /// ahead. `half_kick` is half of the velocity that gravity adds in a sub-step. `pull` times `half_kick` is the mean
    /// velocity that gravity adds over the time `reach`.
    Bounce {
        threshold: f32,
        reach: f32,
        pull: f32,
        half_kick: [f32; 2],
        /// 1 divided by the duration of a sub-step.
        inverse_h: f32,
    },
}

/// The work of one phase of the solver on blocks of one colour.
struct Work<'a> {
    blocks: &'a mut [Block],
    rows: Rows<'a, HalfRow>,
    phase: Phase,
}

impl Vectorised for Work<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        match self.phase {
            Phase::WarmStart => {
                for block in self.blocks {
                    block.warm_start(i, self.rows);
                }
            }
            Phase::Push { inverse_h, rubs: false, most_out, slop } => {
                for block in self.blocks {
                    block.push::<I, false>(i, self.rows, inverse_h, [most_out, slop]);
                }
            }
            Phase::Push { inverse_h, rubs: true, most_out, slop } => {
                for block in self.blocks {
                    block.push::<I, true>(i, self.rows, inverse_h, [most_out, slop]);
                }
            }
            Phase::Bounce { threshold, reach, pull, half_kick, inverse_h } => {
                for block in self.blocks {
                    block.bounce(i, self.rows, threshold, [reach, pull, inverse_h], half_kick);
                }
            }
        }
    }
}

/// A range of bodies that a stage moves and accelerates. Their new velocities include the change of velocity that
/// contacts gave them in the previous sub-step.
struct Moving<'a> {
    rows: &'a mut [HalfRow],
    before: &'a mut [HalfRow],
    motions: &'a [HalfRow],
    part: Part,
    h: f32,
}

impl Vectorised for Moving<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, _: I) {
        let Self { rows, before, motions, part, h } = self;
        for ((row, before), motion) in rows.iter_mut().zip(before).zip(motions) {
            let HalfRow([vx, vy, dx, dy]) = row;
            if part != Part::First {
                *dx += h * *vx;
                *dy += h * *vy;
            }
            if part == Part::Last {
                continue;
            }
            let [kept, x, y, _] = motion.0;
            let [bx, by, ..] = before.0;
            let given = if part == Part::First { [bx, by] } else { [*vx - bx, *vy - by] };
            let v = [kept * *vx + x, kept * *vy + y];
            (before.0[0], before.0[1]) = (v[0], v[1]);
            (*vx, *vy) = (v[0] + given[0], v[1] + given[1]);
        }
    }
}

impl Block {
    #[inline(always)]
    #[allow(unsafe_code)]
    fn columns<I: Instructions>(&self, i: I, rows: Rows<'_, HalfRow>) -> [[I::Lanes; 4]; 2] {
        // SAFETY: contacts of one colour share no body that contacts move, and only the rows of such bodies are
        // written.
        unsafe { [i.half_columns(rows.get(&self.bodies[0])), i.half_columns(rows.get(&self.bodies[1]))] }
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    fn write<I: Instructions>(&self, i: I, rows: Rows<'_, HalfRow>, columns: [[I::Lanes; 4]; 2]) {
        for (side, columns) in columns.iter().enumerate() {
            for (lane, half) in i.half_rows(*columns).iter().enumerate() {
                if self.moved[side] >> lane & 1 != 0 {
                    // SAFETY: contacts move this body, so no other contact of the colour names it, and no reference to
                    // its row is left.
                    unsafe { rows.set(self.bodies[side][lane], *half) };
                }
            }
        }
    }

    /// Changes the relative velocity of the two bodies: by `by` along the normal, and by `aside` along the tangent.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn part<I: Instructions>(&self, i: I, columns: &mut [[I::Lanes; 4]; 2], by: I::Lanes, aside: I::Lanes) {
        let normal = [i.load(&self.normal[0], 0), i.load(&self.normal[1], 0)];
        let step = [by.mul(normal[0]).add(aside.mul(normal[1])), by.mul(normal[1]).sub(aside.mul(normal[0]))];
        for axis in 0..2 {
            columns[0][axis] = columns[0][axis].sub(i.load(&self.share[0], 0).mul(step[axis]));
            columns[1][axis] = i.load(&self.share[1], 0).mul_add(step[axis], columns[1][axis]);
        }
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn warm_start<I: Instructions>(&self, i: I, rows: Rows<'_, HalfRow>) {
        let mut columns = self.columns(i, rows);
        self.part(i, &mut columns, i.load(&self.pushed, 0), i.load(&self.rubbed, 0));
        self.write(i, rows, columns);
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn push<I: Instructions, const RUBS: bool>(
        &mut self,
        i: I,
        rows: Rows<'_, HalfRow>,
        inverse_h: f32,
        [most_out, slop]: [f32; 2],
    ) {
        let mut columns = self.columns(i, rows);
        let [a, b] = columns;
        let normal = [i.load(&self.normal[0], 0), i.load(&self.normal[1], 0)];
        let zero = i.splat(0.0);
        let way = b[2].sub(a[2]).mul_add(normal[0], b[3].sub(a[3]).mul(normal[1]));
        let separation = i.load(&self.separation, 0);
        let gap = separation.add(way);
        let v = [b[0].sub(a[0]), b[1].sub(a[1])];
        let along = v[0].mul_add(normal[0], v[1].mul(normal[1]));
        let before = i.load(&self.pushed, 0);
        let room = gap.max(zero).mul(i.splat(inverse_h));
        let pushed = before.sub(room.add(along)).max(zero);
        self.pushed = pushed.to_array();
        self.total = i.load(&self.total, 0).add(pushed).to_array();
        let mut aside = zero;
        if RUBS {
            // Friction changes the relative velocity by at most its coefficient times the change along the normal.
            let before = i.load(&self.rubbed, 0);
            let most = i.load(&self.friction, 0).mul(pushed);
            let slip = v[0].mul(normal[1]).sub(v[1].mul(normal[0]));
            let rubbed = before.sub(slip).min(most).max(zero.sub(most));
            self.rubbed = rubbed.to_array();
            aside = rubbed.sub(before);
        }
        self.part(i, &mut columns, pushed.sub(before), aside);
        // The least gap that the two bodies must have at the end of the step.
        let wanted = separation.add(i.splat(most_out)).min(i.splat(-slop));
        let out = wanted.sub(gap).max(zero);
        for axis in 0..2 {
            let step = out.mul(normal[axis]);
            columns[0][2 + axis] = columns[0][2 + axis].sub(i.load(&self.share[0], 0).mul(step));
            columns[1][2 + axis] = i.load(&self.share[1], 0).mul_add(step, columns[1][2 + axis]);
        }
        self.write(i, rows, columns);
    }

    #[allow(unsafe_code)]
    fn store(&self, touches: Rows<'_, Touch>) {
        for (lane, &index) in self.touches.iter().enumerate().filter(|&(_, &index)| index != NO_TOUCH) {
            let mass = self.mass[lane];
            let store = |touch: &mut Touch| {
                // If the touch has two points, each point gets half of the impulse.
                let part = mass / touch.point_count as f32;
                for point in touch.points.iter_mut().take(touch.point_count as usize) {
                    point.normal_impulse = self.pushed[lane] * part;
                    point.tangent_impulse = self.rubbed[lane] * part;
                    point.total_impulse = self.total[lane] * part;
                }
            };
            // SAFETY: each touch is in only one lane of one block.
            unsafe { touches.change(index, store) };
        }
    }
}
