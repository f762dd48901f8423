//! The rigid solver. It applies sequential impulses to coloured contacts, eight contacts at a time. The step is divided
//! into sub-steps, and contacts are soft.
//!
//! A contact point has the normal n, the arms a and b, and the relative velocity `v = v_b + w_b × b - v_a - w_a × a`.
//! An impulse j along n changes v.n by `j k`, where `k = 1/m_a + 1/m_b + (a × n)²/I_a + (b × n)²/I_b` (Catto 2006,
//! "Fast and Simple Physics using Sequential Impulses"). The sum of the impulses of a point over a sub-step stays at or
//! above 0. The two points of a contact are solved together: see [`two_points`].
//!
//! A damped spring resolves overlap. The spring has a frequency and a damping ratio, and is integrated implicitly
//! (Catto 2011, "Soft Constraints"). Let `h` be the length of a sub-step, let `w = 2π frequency`, and let `z` be the
//! damping ratio. Then
//!
//! ```text
//! bias = w / (2 z + h w)    compliance = 1 / (h w (2 z + h w))
//! ```
//!
//! The target velocity of the spring is `-bias gap`. An impulse j lowers this target by `compliance k j`. Contacts that overlap
//! are over-relaxed: the solver multiplies the change of the impulse by a constant between 1 and 2 (projected successive
//! over-relaxation: Cottle, Pang, Stone 1992, "The Linear Complementarity Problem", chapter 5). A load then spreads through a
//! tall pile in fewer sub-steps. Contacts with a gap are not over-relaxed, because over-relaxation would throw light bodies. Deep
//! contacts (see below) and contacts with a strong spring ([`GENTLE`]) are not over-relaxed either.
//!
//! If springs resolved the overlaps of many contacts, bodies that were added at overlapping positions would fly apart. The spring
//! of a contact with the impulse j balances this impulse at the overlap `compliance k j / bias`. The threshold of deep overlaps
//! is this overlap plus [`DEEP`], but at most [`DEEPEST`] times [`DEEP`]. The spring pushes as if the overlap were at most the
//! threshold. The solver resolves the rest of the overlap by moving the bodies, without changing their velocities. A load whose
//! spring balances below the threshold rests on the spring alone. No overlap with a moving kinematic body is deep, because the
//! spring must give the other body the velocity to get away from the kinematic body.
//!
//! Each sub-step first applies the change of velocity that contacts gave each body in the previous sub-step. After the
//! bodies have moved, the solver solves the contacts once more without the spring. This step, called "relax", removes
//! the velocity that the spring added (Catto 2024, "Solver2D"). Friction follows. The limit of the friction is the
//! coefficient of friction times the impulse along the normal, which is final at this point. Contacts with bodies that
//! contacts do not move are solved after the other contacts with a colour: see [`super::colours::FIRST_FIXED`].
//!
//! If bodies will meet and bounce in the step, they bounce before the sub-steps. The solver resolves the contacts one
//! at a time, each with the current velocities of the bodies. The solver repeats this until the bodies of all bouncing
//! contacts separate, but at most [`BOUNCES`] times. If the restitution is 1, each of these impulses conserves the
//! energy. Contacts that would rotate a body that lands flat wait in the first round: see [`Block::bounce`]. Bodies that would
//! not come back to their current positions first move to the place where they meet: see
//! [`super::restitution`].

mod blocks;
mod kernels;
mod two_points;

use super::super::WorldOptions;
use super::super::bodies::{BodyState, BodyTraits, DISC, DYNAMIC, MOVES};
use super::colours::{COLOURS, Colours};
use super::crew;
use super::rows::Rows;
use super::touch::{Touch, Touches};
use crate::base::parallel::prelude::*;
use crate::simd::{HalfRow, LANES, Row, vectorised_alike};
use blocks::{Block, Blocks, Colour, Maker, Record};
use kernels::{Apart, Phase, WarmStart, Work};

/// The number of blocks in one parallel task.
const TASK: usize = 32;
/// The number of bodies in one parallel task.
const BODIES: usize = 1024;
/// Several threads process a colour together if it has at least this many blocks.
const PARALLEL: usize = 128;
/// The frequency of the spring of a contact between two bodies that contacts move, as a fraction of the number of
/// sub-steps per unit of time. The spring of a contact with any other body has twice this frequency.
const FREQUENCY: f32 = 0.25;
/// The damping ratio of the spring, as a multiple of critical damping.
const DAMPING_RATIO: f32 = 35.0;
/// The factor by which the solver multiplies the change of an impulse if the two bodies overlap.
pub(crate) const OVER_RELAXATION: f32 = 1.4;
/// The overlap beyond which a contact without a load is deep, as a fraction of the length unit.
const DEEP: f32 = 0.005;
/// The overlap beyond which every contact is deep, as a multiple of [`DEEP`].
pub(crate) const DEEPEST: f32 = 10.0;
/// In a sub-step, a contact moves its bodies apart by this part of the overlap beyond the threshold of deep overlaps. The contact
/// never moves its bodies at more than the greatest speed ([`Stepping::push_out_speed`]).
pub(crate) const PART: f32 = 0.1;
/// A contact is not over-relaxed if its overlap asks for more than this fraction of the greatest speed.
pub(crate) const GENTLE: f32 = 0.5;

/// The maximum number of rounds in which the contacts of a step bounce.
pub(crate) const BOUNCES: usize = 16;
/// The factor by which [`Stepping::reach`] lengthens the time for which the search for contacts looks ahead. It is slightly above
/// 1.
const EARLY: f32 = 1.02;

/// The properties of the damped springs that resolve the overlap of contacts.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) struct Softness {
    pub(in crate::sim) bias: f32,
    /// The compliance of the spring of a contact. The unit is the change of velocity that a unit impulse of the contact
    /// causes.
    pub(in crate::sim) compliance: f32,
}

/// Returns the softness of contacts for sub-steps of duration `h`. The first entry is for contacts between two dynamic
/// bodies. The second entry is for contacts with a static or kinematic body, and is stiffer.
pub(in crate::sim) fn softness(h: f32) -> [Softness; 2] {
    [Softness::new(FREQUENCY / h, h), Softness::new(2.0 * FREQUENCY / h, h)]
}

impl Softness {
    fn new(frequency: f32, h: f32) -> Self {
        let omega = std::f32::consts::TAU * frequency;
        let a = 2.0 * DAMPING_RATIO + h * omega;
        let b = h * omega * a;
        Self { bias: omega / a, compliance: 1.0 / b }
    }
}

/// The parameters of a step for both solvers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stepping {
    pub(crate) gravity: [f32; 2],
    pub(crate) dt: f32,
    pub(crate) substeps: u32,
    /// A contact moves its overlapping bodies apart at this speed or more slowly.
    pub(crate) push_out_speed: f32,
    pub(crate) restitution_threshold: f32,
    /// The overlap that the push solver leaves between two bodies, so that their contact persists.
    pub(crate) slop: f32,
    /// The overlap beyond which a contact without a load is deep, in the caller's unit. The push solver ignores this field.
    pub(crate) deep: f32,
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
            deep: DEEP * unit,
        }
    }

    /// Returns the time for which the search for contacts looks ahead: the duration of a step and of one sub-step,
    /// times [`EARLY`].
    pub(crate) fn reach(&self) -> f32 {
        EARLY * self.dt * (1.0 + 1.0 / self.substeps as f32)
    }

    /// Returns the displacement that gravity gives a body at rest in the time [`Stepping::reach`].
    pub(crate) fn fall(&self) -> [f32; 2] {
        let (time, h) = (self.reach(), self.dt / self.substeps as f32);
        self.gravity.map(|along| 0.5 * along * time * (time + h))
    }

    /// Returns the factor by which [`Stepping::half_kick`] is multiplied to get the mean velocity that gravity adds to a
    /// body over the time [`Stepping::reach`].
    pub(crate) fn pull(&self) -> f32 {
        let h = self.dt / self.substeps as f32;
        (self.reach() + h) / h
    }

    /// Returns half of the velocity that gravity adds in a sub-step. A body moves by the velocity at the end of each
    /// sub-step. Its path through the air is therefore the exact path of a body that is faster by this amount. A bounce
    /// that ignored this amount would lose or gain energy.
    pub(crate) fn half_kick(&self) -> [f32; 2] {
        let h = self.dt / self.substeps as f32;
        self.gravity.map(|along| 0.5 * h * along)
    }

    #[inline(always)]
    fn damp(traits: &BodyTraits, h: f32) -> f32 {
        1.0 / (1.0 + h * traits.linear_damping)
    }

    /// Returns the fraction of a velocity that remains after damping and preference have acted for the time `h`.
    #[inline(always)]
    pub(crate) fn kept(traits: &BodyTraits, h: f32) -> f32 {
        let strive = traits.preference * h;
        Self::damp(traits, h) / (1.0 + strive)
    }

    /// Returns the velocity of a body after gravity, damping and preference have acted for the time `h`. `v` is the
    /// velocity before.
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
        let damp = Self::damp(traits, h);
        let along = |axis: usize| {
            let v = (v[axis] + h * self.gravity[axis]) * damp;
            v + strive * (state.preferred_velocity[axis] - v)
        };
        [along(0), along(1)]
    }
}

/// A stage of a step. All work of a stage ends before the next stage begins.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Applies the impulses of the previous step, for the contacts of one colour. The index [`COLOURS`] stands for the
    /// contacts without a colour.
    WarmStart(usize),
    /// Runs a phase for the contacts of one colour. The index [`COLOURS`] stands for the contacts without a colour.
    Contacts(usize, Phase),
    Accelerate {
        is_first: bool,
    },
    Advance,
}

/// The change of a body's velocities in a sub-step by gravity, damping and preference. The new velocity is the old
/// velocity times a factor, plus a vector. The new angular velocity is the old angular velocity times another factor.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    /// The factor that multiplies the velocity of the body.
    kept: f32,
    gained: [f32; 2],
    /// The factor that multiplies the angular velocity of the body.
    turn_kept: f32,
    /// 1 if the contact points of the body rotate with it, and 0 for a disc.
    turns: f32,
}

impl Change {
    fn new(state: &BodyState, traits: &BodyTraits, stepping: Stepping, h: f32) -> Self {
        let turns = if traits.has(DISC) { 0.0 } else { 1.0 };
        if !traits.has(DYNAMIC) {
            return Self { kept: 1.0, gained: [0.0; 2], turn_kept: 1.0, turns };
        }
        Self {
            kept: Stepping::kept(traits, h),
            gained: stepping.accelerated([0.0; 2], state, traits, h),
            turn_kept: 1.0 / (1.0 + h * traits.angular_damping),
            turns,
        }
    }
}

/// Applies gravity, damping, preference, and the change of velocity that contacts gave the body in the previous
/// sub-step.
#[inline(always)]
fn accelerate(row: &mut Row, before: &mut HalfRow, change: Change, is_first: bool) {
    let now = [row.0[0], row.0[1], row.0[2]];
    let [x, y, turn, _] = before.0;
    let given = if is_first { [x, y, turn] } else { [now[0] - x, now[1] - y, now[2] - turn] };
    let Change { kept, gained, turn_kept, .. } = change;
    let (vx, vy, w) = (now[0] * kept + gained[0], now[1] * kept + gained[1], now[2] * turn_kept);
    (before.0[0], before.0[1], before.0[2]) = (vx, vy, w);
    (row.0[0], row.0[1], row.0[2]) = (vx + given[0], vy + given[1], w + given[2]);
}

/// Moves and rotates a body for the duration `h` of a sub-step. A disc does not rotate.
fn advance(Row([vx, vy, w, _, dx, dy, c, s]): &mut Row, h: f32, change: Change) {
    *dx += h * *vx;
    *dy += h * *vy;
    let angle = h * change.turns * *w;
    let (turned_c, turned_s) = (*c - angle * *s, *s + angle * *c);
    let inverse = 1.0 / (turned_c * turned_c + turned_s * turned_s).sqrt();
    (*c, *s) = (turned_c * inverse, turned_s * inverse);
}

/// The rigid solver, with the memory that it keeps from step to step.
#[derive(Debug, Default)]
pub(crate) struct Rigid {
    /// For each body, its velocity, its angular velocity and its inverse mass, followed by its displacement and its
    /// rotation (cosine and sine) since the step began.
    rows: Vec<Row>,
    /// For each body: the change of its velocities by contacts in the previous sub-step, and its inverse mass. While a
    /// sub-step runs, the body's velocities before the sub-step replace this change.
    before: Vec<HalfRow>,
    /// For each body, the change of its velocities in a sub-step by gravity, damping and preference.
    changes: Vec<Change>,
    colours: Vec<Colour>,
    /// The contacts without a colour, in order. Each block has one of them, because they may share a body.
    rest: Colour,
}

impl Rigid {
    /// Solves a step, and stores the impulses in the touches. The method does not change the states of the bodies:
    /// [`Rigid::moved`] returns their new velocities and displacements.
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
        for round in 0..BOUNCES {
            self.each(Phase::Bounce {
                is_first: round == 0,
                threshold: stepping.restitution_threshold,
                reach: stepping.reach(),
                pull: stepping.pull(),
                half_kick: stepping.half_kick(),
                inverse_h: 1.0 / h,
            });
            if !self.bounced() {
                break;
            }
        }
        self.go(stepping, h);
        self.store(&mut touches.all);
    }

    /// Returns four results for the body in row `body`: its velocity, its angular velocity, its displacement in the step, and its
    /// rotation in the step (cosine and sine). The solver does not rotate a disc, so its rotation is always (1, 0).
    #[inline(always)]
    pub(crate) fn moved(&self, body: usize) -> ([f32; 2], f32, [f32; 2], [f32; 2]) {
        let [vx, vy, w, _, dx, dy, c, s] = self.rows[body].0;
        ([vx, vy], w, [dx, dy], [c, s])
    }

    fn begin(&mut self, states: &[BodyState], traits: &[BodyTraits], stepping: Stepping, h: f32) {
        let count = states.len();
        let rests = Row([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        self.rows.resize(count + 1, rests);
        self.before.resize(count + 1, HalfRow::default());
        // The row that lanes without a contact read and write.
        (self.rows[count], self.before[count]) = (rests, HalfRow::default());
        self.changes.resize(count + 1, Change::default());
        let rows = self.rows[..count].par_iter_mut().with_min_len(BODIES).zip(&mut self.before[..count]);
        let rows = rows.zip(&mut self.changes[..count]);
        rows.zip(states.par_iter().zip(traits)).for_each(|(((row, before), change), (state, traits))| {
            (*row, *before) = (rests, HalfRow([0.0, 0.0, 0.0, traits.inverse_mass]));
            row.0[3] = traits.inverse_mass;
            if traits.has(MOVES) {
                (row.0[0], row.0[1], row.0[2]) =
                    (state.velocity[0], state.velocity[1], state.angular_velocity);
            }
            *change = Change::new(state, traits, stepping, h);
        });
    }

    /// Runs the step: applies the impulses of the previous step, then runs all sub-steps.
    #[allow(unsafe_code)]
    fn go(&mut self, stepping: Stepping, h: f32) {
        let (limit, deep) = (stepping.push_out_speed, stepping.deep);
        let apart = Apart { softness: softness(h), limit, deep, h };
        let solve = Phase::Solve { inverse_h: 1.0 / h, apart };
        let relax = Phase::Relax { inverse_h: 1.0 / h };
        let mut stages = Vec::new();
        // Applies the impulses of the previous step to rows that start at 0. The rows then hold the change of velocity
        // of each body.
        stages.extend((0..=COLOURS).map(Stage::WarmStart));
        for part in 0..stepping.substeps {
            stages.push(Stage::Accelerate { is_first: part == 0 });
            stages.extend((0..=COLOURS).map(|colour| Stage::Contacts(colour, solve)));
            stages.push(Stage::Advance);
            stages.extend((0..=COLOURS).map(|colour| Stage::Contacts(colour, relax)));
        }
        let (rows, before) = (Rows::new(&mut self.rows), Rows::new(&mut self.before));
        let changes = &self.changes;
        let counts: Vec<usize> = self.colours.iter().chain([&self.rest]).map(Colour::block_count).collect();
        let colours: Vec<_> = (self.colours.iter_mut().chain([&mut self.rest]))
            .map(|colour| (SharedBlocks::new(&mut colour.ones), SharedBlocks::new(&mut colour.twos)))
            .collect();
        let parts: Vec<usize> = (stages.iter())
            .map(|stage| match stage {
                // Contacts without a colour are solved one after another.
                Stage::WarmStart(COLOURS) | Stage::Contacts(COLOURS, _) => 1,
                Stage::WarmStart(colour) | Stage::Contacts(colour, _) => counts[*colour].div_ceil(TASK),
                Stage::Accelerate { .. } | Stage::Advance => rows.len().div_ceil(BODIES),
            })
            .collect();
        crew::go_through(&parts, |stage, part| match stages[stage] {
            Stage::WarmStart(colour) => {
                let (ones, twos) = &colours[colour];
                // SAFETY: no other part of the stage has these blocks, and contacts of one colour share no body that they
                // move.
                unsafe {
                    ones.warm_start(part, parts[stage], before);
                    twos.warm_start(part, parts[stage], before);
                }
            }
            Stage::Contacts(colour, phase) => {
                let (ones, twos) = &colours[colour];
                // SAFETY: no other part of the stage has these blocks, and contacts of one colour share no body that they
                // move.
                unsafe {
                    ones.work(part, parts[stage], rows, phase);
                    twos.work(part, parts[stage], rows, phase);
                }
            }
            Stage::Accelerate { is_first } => {
                // SAFETY: no other part of the stage has these bodies.
                let ((first, rows), (_, before)) =
                    unsafe { (rows.part(part, parts[stage]), before.part(part, parts[stage])) };
                for ((row, before), &change) in rows.iter_mut().zip(before).zip(&changes[first..]) {
                    accelerate(row, before, change, is_first);
                }
            }
            Stage::Advance => {
                // SAFETY: no other part of the stage has these bodies.
                let (first, rows) = unsafe { rows.part(part, parts[stage]) };
                rows.iter_mut().zip(&changes[first..]).for_each(|(row, &change)| advance(row, h, change));
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
    }

    fn each(&mut self, phase: Phase) {
        let rows = Rows::new(&mut self.rows);
        for colour in &mut self.colours {
            let at_once = if colour.block_count() < PARALLEL { usize::MAX } else { TASK };
            let Colour { ones, twos, .. } = colour;
            if at_once == TASK {
                crate::base::parallel::join(
                    || ones.each(at_once, rows, phase),
                    || twos.each(at_once, rows, phase),
                );
            } else {
                ones.each(at_once, rows, phase);
                twos.each(at_once, rows, phase);
            }
        }
        self.rest.ones.each(usize::MAX, rows, phase);
        self.rest.twos.each(usize::MAX, rows, phase);
    }

    /// Returns true if any contact bounced or waited in the last round of bouncing.
    fn bounced(&self) -> bool {
        self.colours.iter().chain([&self.rest]).any(Colour::bounced)
    }

    fn store(&self, touches: &mut [Touch]) {
        let touches = Rows::new(touches);
        for colour in self.colours.iter().chain([&self.rest]) {
            colour.ones.store(touches);
            colour.twos.store(touches);
        }
    }
}

impl<const POINTS: usize> Blocks<POINTS> {
    /// Runs a phase on the blocks, in groups of `at_once` blocks. No two blocks may share a dynamic body.
    fn each(&mut self, at_once: usize, rows: Rows<'_, Row>, phase: Phase) {
        let blocks = self.blocks.par_chunks_mut(at_once).zip(self.records.par_chunks_mut(at_once));
        blocks.for_each(|(blocks, records)| vectorised_alike(Work { blocks, records, rows, phase }));
    }
}

/// The blocks of one colour and their records, which several threads process at the same time.
struct SharedBlocks<'a, const POINTS: usize> {
    blocks: Rows<'a, Block<POINTS>>,
    records: Rows<'a, Record<POINTS>>,
}

impl<'a, const POINTS: usize> SharedBlocks<'a, POINTS> {
    fn new(all: &'a mut Blocks<POINTS>) -> Self {
        Self { blocks: Rows::new(&mut all.blocks), records: Rows::new(&mut all.records) }
    }

    /// Divides the blocks into `parts` parts, and applies the impulses of the previous step in the part with index
    /// `part`.
    ///
    /// # Safety
    /// During the call, no other thread may process the same part. No other thread may write the row of a body of the
    /// part's contacts, or read such a row if the part's contacts move the body.
    #[allow(unsafe_code)]
    unsafe fn warm_start(&self, part: usize, parts: usize, rows: Rows<'_, HalfRow>) {
        // SAFETY: the caller guarantees that no other thread has this part.
        let (_, blocks) = unsafe { self.blocks.part(part, parts) };
        vectorised_alike(WarmStart { blocks, rows });
    }

    /// Divides the blocks into `parts` parts, and runs a phase in the part with index `part`.
    ///
    /// # Safety
    /// During the call, no other thread may process the same part. No other thread may write the row of a body of the
    /// part's contacts, or read such a row if the part's contacts move the body.
    #[allow(unsafe_code)]
    unsafe fn work(&self, part: usize, parts: usize, rows: Rows<'_, Row>, phase: Phase) {
        // SAFETY: the caller guarantees that no other thread has this part.
        let ((_, blocks), (_, records)) =
            unsafe { (self.blocks.part(part, parts), self.records.part(part, parts)) };
        vectorised_alike(Work { blocks, records, rows, phase });
    }
}
