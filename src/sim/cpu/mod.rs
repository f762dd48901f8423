//! Steps on the CPU.

mod batch;
mod candidates;
mod colours;
mod core;
mod crew;
mod disc;
mod discs;
mod fast;
mod place;
mod push;
mod restitution;
mod rigid;
mod rows;
mod sweep;
mod touch;
mod turned;

use std::collections::{HashMap, HashSet};

use super::bodies::{Bodies, BodyState, BodyTraits, DISC, FAST, MOST_ANCHOR, MOVES};
use super::pushes::{Aside, Pushes};
use super::seams::Seams;
use super::shapes::Shapes;
use super::{Solver, StepTimes, WorldOptions};
use crate::base::clock::Instant;
use crate::base::error::{Error, Result};
use crate::base::parallel;
use crate::base::parallel::prelude::*;
use crate::packed::grid::Grid;
use crate::simd::{Instructions, Vectorised, lesser, vectorised_alike};
use candidates::{Bounds, Pairs, Update};
use colours::Colours;
#[cfg(feature = "gpu")]
pub(super) use colours::FIRST_FIXED;
#[cfg(feature = "gpu")]
pub(super) use fast::{DEEPER, MOST_ITERATIONS};
use fast::{Following, Way};
#[cfg(feature = "gpu")]
pub(super) use place::TURNING;
use place::{Placed, Placing};
use push::Push;
use rigid::Rigid;
pub(super) use rigid::Stepping;
#[cfg(feature = "gpu")]
pub(super) use rigid::{BOUNCES, DEEPEST, GENTLE, OVER_RELAXATION, PART, softness};
#[cfg(feature = "gpu")]
pub(super) use sweep::LEVEL;
pub(super) use sweep::{GRAZE, SINKING};
pub(super) use touch::Touch;
#[cfg(feature = "gpu")]
pub(super) use touch::{NEAR, TouchPoint};
use touch::{Scene, Touches};

/// The margin of a body at rest, as a fraction of the length unit. Two bodies have a contact if their gap is at most
/// the sum of their margins.
pub(in crate::sim) const MARGIN: f32 = 0.01;

/// The overlap that the push solver leaves between two bodies so that their contact persists, as a fraction of the
/// length unit.
const SLOP: f32 = 0.002;

/// The number of bodies that one parallel task moves.
const TASK: usize = 1024;

/// The part of a world that runs its steps on the CPU. It keeps its memory from step to step.
#[derive(Debug, Default)]
pub(super) struct CpuWorld {
    placed: Placed,
    seams: Seams,
    pairs: Pairs,
    /// The number of pairs whose boxes met in the last step, or 0 if the last step failed.
    candidates: u64,
    /// The touches of the last step.
    touches: Touches,
    /// The rows of the bodies that were removed or moved since the last step. The touches and pairs of these bodies are ignored.
    forgotten: HashSet<u32>,
    /// Whether a body was removed since the last search for pairs.
    is_stale: bool,
    /// Memory for the states of the bodies after a step. Between two steps, the memory holds outdated states.
    after: Vec<BodyState>,
    colours: Colours,
    rigid: Rigid,
    push: Push,
}

/// The parameters of a step.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub(super) shapes: &'a Shapes,
    pub(super) grid: &'a Grid,
    pub(super) options: &'a WorldOptions,
    pub(super) dt: f32,
}

impl<'a> Step<'a> {
    /// Returns the parameters for placing bodies that move in the step. Each body gets a margin for contacts.
    fn placing(&self, pushes: Pushes) -> Placing<'a> {
        let stepping = Stepping::new(self.options, self.dt);
        let margin = MARGIN * self.options.length_unit as f32;
        let time = stepping.reach();
        let (fall, aside) = (stepping.fall(), pushes.aside(time));
        let far = (fall[0] * fall[0] + fall[1] * fall[1]).sqrt();
        let graze = GRAZE * margin + SINKING * far;
        Placing { dt: self.dt, time, fall, graze, resting: far + graze, margin, aside, ..self.still() }
    }

    /// Returns the parameters for placing bodies at their current poses. No body gets a margin for contacts.
    fn still(&self) -> Placing<'a> {
        let quantum = self.grid.quantum as f32;
        let (shapes, aside) = (self.shapes, Aside::default());
        let (dt, time, fall, graze, resting, margin) = (0.0, 0.0, [0.0; 2], 0.0, 0.0, 0.0);
        Placing { shapes, quantum, dt, time, fall, graze, resting, margin, aside }
    }
}

impl CpuWorld {
    /// Moves the bodies by a step, and adds the time of each stage to `times`. Returns [`Error::LeftWorld`] if a body
    /// would move beyond the grid, or [`Error::TooMany`] if there are too many bodies or seams. After an error, no
    /// body has moved.
    pub(super) fn step(&mut self, bodies: &mut Bodies, step: Step<'_>, times: &mut StepTimes) -> Result<()> {
        let mut clock = Instant::now();
        let mut lap = || {
            let now = Instant::now();
            now - std::mem::replace(&mut clock, now)
        };
        let placing = step.placing(bodies.pushes);
        self.seams.update(bodies, step.shapes, step.grid, placing.margin)?;
        let update = self.place(bodies, placing)?;
        times.broad_phase += lap();
        if !self.forgotten.is_empty() {
            self.touches.forget(&self.forgotten);
            self.forgotten.clear();
        }
        match update {
            Update::Same => {}
            Update::More => self.touches.grow(self.pairs.near.len()),
            Update::Anew => {
                self.touches.follow(&self.pairs.near);
                self.colours.clear(bodies.states.len());
            }
        }
        times.prepare += lap();
        let is_moved = |body: u32| bodies.traits[body as usize].inverse_mass > 0.0;
        let seams = Some(&self.seams).filter(|seams| !seams.is_empty());
        let scene = Scene { seams, ..scene(&self.placed, bodies, placing) };
        let (near, touches, colours) = (&self.pairs.near, &mut self.touches, &mut self.colours);
        self.candidates = if update == Update::Anew {
            // Most touches remain from the previous step, so they can get colours while the new touches are computed.
            let before = touches.counts.clone();
            let found = || scene.touches(near, touches);
            parallel::join(found, || colours.add(near, &before, is_moved)).0
        } else {
            scene.touches(near, touches)
        };
        times.narrow_phase += lap();
        colours.add(near, &touches.counts, is_moved);
        times.prepare += lap();
        let stepping = Stepping::new(step.options, step.dt);
        let (states, traits) = (&bodies.states, &bodies.traits);
        match step.options.solver {
            Solver::Rigid => {
                self.rigid.solve(states, traits, &mut self.touches, &self.colours, stepping);
            }
            Solver::Push => {
                self.push.solve(states, traits, &mut self.touches, &self.colours, stepping);
            }
        }
        times.solve += lap();
        let finished = self.finish(bodies, step, placing);
        if finished.is_err() {
            // The touches belong to the failed step, so they must not be reported.
            self.touches.clear();
            self.candidates = 0;
        }
        times.finish += lap();
        finished
    }

    /// Places the bodies, and finds the pairs of bodies that are near each other during the motion. Returns how the
    /// list of pairs changed, or the error of [`Pairs::update`].
    fn place(&mut self, bodies: &Bodies, placing: Placing<'_>) -> Result<Update> {
        self.placed.update(bodies, placing);
        let bounds = Bounds {
            boxes: &self.placed.boxes,
            states: &bodies.states,
            traits: &bodies.traits,
            quantum: placing.quantum,
            dt: placing.dt,
            meeting: self.candidates,
        };
        // If the update fails, the pairs stay stale.
        let update = self.pairs.update(bounds, self.is_stale)?;
        self.is_stale = false;
        Ok(update)
    }

    /// Moves the bodies to the positions that the solver computed. A fast body stops where another body is in its path.
    /// Returns [`Error::LeftWorld`] if a body would move beyond the grid. In this case, no body has moved.
    fn finish(&mut self, bodies: &mut Bodies, step: Step<'_>, placing: Placing<'_>) -> Result<()> {
        let mut parts = HashMap::new();
        if bodies.traits.iter().any(|traits| traits.has(FAST)) {
            let following = Following {
                bodies,
                shapes: step.shapes,
                placed: &self.placed,
                placing,
                way: |body: u32| self.moved(&bodies.states, &bodies.traits, body as usize, step).1,
                near: 0.5 * placing.margin,
            };
            for (body, part) in following.stops(&self.pairs()) {
                let least: &mut f32 = parts.entry(body as usize).or_insert(part);
                *least = lesser(*least, part);
            }
        }
        let mut after = std::mem::take(&mut self.after);
        after.resize(bodies.states.len(), BodyState::default());
        let finish = |(task, after): (usize, &mut [BodyState])| {
            vectorised_alike(Finish { world: self, bodies, step, parts: &parts, first: task * TASK, after })
        };
        let lost = after.par_chunks_mut(TASK).enumerate().find_map_first(finish);
        if let Some((row, by)) = lost {
            self.after = after;
            let at = bodies.states[row].centre(step.grid) + glam::DVec2::from(by.map(f64::from));
            return Err(Error::LeftWorld { slot: bodies.id(row).slot, x: at.x, y: at.y });
        }
        self.after = std::mem::replace(&mut bodies.states, after);
        Ok(())
    }

    /// Returns two results for the body in a row: its state with the old position and the new velocities, and its motion in the
    /// step. The new velocities and the motion come from the solver.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn moved(
        &self,
        states: &[BodyState],
        traits: &[BodyTraits],
        row: usize,
        step: Step<'_>,
    ) -> (BodyState, Way) {
        let mut state = states[row];
        if !traits[row].has(MOVES) {
            return (state, Way::NONE);
        }
        let mut way = Way::NONE;
        match step.options.solver {
            Solver::Rigid => {
                (state.velocity, state.angular_velocity, way.displacement, way.turn) = self.rigid.moved(row);
                if !traits[row].has(DISC) {
                    return (state, way);
                }
            }
            Solver::Push => (state.velocity, way.displacement) = self.push.moved(row),
        }
        if state.angular_velocity != 0.0 {
            let (sin, cos) = libm::sincosf(state.angular_velocity * step.dt);
            way.turn = [cos, sin];
        }
        (state, way)
    }

    /// Returns the separations of the pairs of bodies that overlap at the current poses, in the caller's unit. All
    /// separations are negative. Returns the error of [`Pairs::update`] if it fails.
    pub(super) fn overlaps(&mut self, bodies: &Bodies, step: Step<'_>) -> Result<Vec<f32>> {
        let placing = step.still();
        self.place(bodies, placing)?;
        self.touches.follow(&self.pairs.near);
        scene(&self.placed, bodies, placing).touches(&self.pairs.near, &mut self.touches);
        Ok(self.touches.iter().map(|touch| touch.separation).filter(|&gap| gap < 0.0).collect())
    }

    /// Returns the touches of the last step. Leaves out the touches of bodies that were removed or moved after this
    /// step.
    pub(super) fn touches(&self) -> Vec<Touch> {
        self.known_touches().copied().collect()
    }

    /// Returns the number of touches in the result of [`CpuWorld::touches`].
    pub(super) fn contacts(&self) -> u64 {
        self.known_touches().count() as u64
    }

    fn known_touches(&self) -> impl Iterator<Item = &Touch> {
        let is_known = |body: &u32| !self.forgotten.contains(body);
        let all = self.forgotten.is_empty();
        self.touches.iter().filter(move |touch| all || touch.bodies.iter().all(is_known))
    }

    /// Returns the pairs of bodies whose boxes met in the last step. Leaves out bodies that were removed or moved after
    /// this step.
    pub(super) fn pairs(&self) -> Vec<[u32; 2]> {
        if self.candidates == 0 {
            // After a failed step, the list holds the pairs of the failed step.
            return Vec::new();
        }
        let boxes = &self.placed.boxes;
        let meet = |&[a, b]: &[u32; 2]| {
            boxes[a as usize].meets(boxes[b as usize])
                && ![a, b].iter().any(|body| self.forgotten.contains(body))
        };
        self.pairs.near.iter().copied().filter(meet).collect()
    }

    /// Returns the number of pairs that [`CpuWorld::pairs`] returned directly after the last step.
    pub(super) fn candidates(&self) -> u64 {
        self.candidates
    }

    /// Records that the body in row `body` was moved, so that its touches of the last step are ignored.
    pub(super) fn forget(&mut self, body: u32) {
        self.forgotten.insert(body);
    }

    /// Records that the body in row `body` was removed, so that its touches of the last step are ignored.
    pub(super) fn remove(&mut self, body: u32) {
        self.forget(body);
        self.is_stale = true;
    }
}

fn scene<'a>(placed: &'a Placed, bodies: &'a Bodies, placing: Placing<'a>) -> Scene<'a> {
    let Bodies { states, traits, .. } = bodies;
    Scene { placed, states, traits, shapes: placing.shapes, placing, seams: None }
}

/// A task that moves a range of bodies to their positions after a step.
struct Finish<'a> {
    world: &'a CpuWorld,
    bodies: &'a Bodies,
    step: Step<'a>,
    /// The fraction of its path that a body moves, by the row of the body. The map has only the bodies that stop early.
    parts: &'a HashMap<usize, f32>,
    /// The row of the first body of the range.
    first: usize,
    after: &'a mut [BodyState],
}

impl Vectorised for Finish<'_> {
    /// The row of the first body of the range that would leave the world, and the displacement of this body. `None` if
    /// no body would leave.
    type Output = Option<(usize, [f32; 2])>;

    #[inline(always)]
    fn run<I: Instructions>(self, _: I) -> Self::Output {
        let Self { world, bodies, step, parts, first, after } = self;
        for (row, after) in (first..).zip(after) {
            let way;
            (*after, way) = world.moved(&bodies.states, &bodies.traits, row, step);
            if !bodies.traits[row].has(MOVES) {
                continue;
            }
            let part = if parts.is_empty() { 1.0 } else { parts.get(&row).copied().unwrap_or(1.0) };
            if part == 1.0 {
                after.turn(way.turn);
            } else {
                let (sin, cos) = libm::sincosf(way.angle() * part);
                after.turn([cos, sin]);
            }
            let by = [way.displacement[0] * part, way.displacement[1] * part];
            if !after.shift(by, step.grid) {
                return Some((row, by));
            }
        }
        None
    }
}

impl BodyState {
    #[inline(always)]
    fn turn(&mut self, [c, s]: [f32; 2]) {
        let [x, y] = self.rotation;
        let turned = [x * c - y * s, y * c + x * s];
        let length = (turned[0] * turned[0] + turned[1] * turned[1]).sqrt();
        self.rotation = [turned[0] / length, turned[1] / length];
    }

    /// Moves the centre of mass of the body by `by`, and moves the anchor to the nearest point of the grid. Returns
    /// false if the grid has no point there, or if a velocity or the rotation is not finite.
    #[inline(always)]
    fn shift(&mut self, by: [f32; 2], grid: &Grid) -> bool {
        let quantum = grid.quantum as f32;
        for (axis, by) in by.into_iter().enumerate() {
            let offset = self.offset[axis] + by;
            let steps = (offset / quantum).round_ties_even();
            if !steps.is_finite() || steps.abs() > MOST_ANCHOR as f32 {
                return false;
            }
            let anchor = self.anchor[axis] + steps as i32;
            if anchor.abs() > MOST_ANCHOR {
                return false;
            }
            self.anchor[axis] = anchor;
            self.offset[axis] = offset - steps * quantum;
        }
        self.velocity.iter().chain(&self.rotation).chain([&self.angular_velocity]).all(|v| v.is_finite())
    }
}
