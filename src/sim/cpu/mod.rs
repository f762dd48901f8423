//! Steps on the CPU.

mod candidates;
mod colours;
mod place;
mod rigid;
mod rows;
mod touch;

use std::collections::HashSet;
use std::time::Instant;

use rayon::prelude::*;

use super::bodies::{Bodies, BodyState, MOST_ANCHOR, MOVES};
use super::shapes::Shapes;
use super::{Solver, StepTimes, WorldOptions};
use crate::error::{Error, Result};
use crate::grid::Grid;
use candidates::Pairs;
use colours::Colours;
use place::{Placed, Placing};
use rigid::{Rigid, Stepping};
#[cfg(feature = "gpu")]
pub(super) use place::TURNING;
#[cfg(feature = "gpu")]
pub(super) use rigid::softness;
#[cfg(feature = "gpu")]
pub(super) use touch::{NEAR, TouchPoint};
pub(super) use touch::{Touch, Touches};

/// How far apart contacts are looked for, for each body, as a part of the length unit.
pub(in crate::sim) const MARGIN: f32 = 0.01;

/// The stepper and its memory.
#[derive(Debug, Default)]
pub(super) struct CpuWorld {
    placed: Placed,
    pairs: Pairs,
    /// Of the last step.
    touches: Touches,
    /// Of the one before that.
    before: Touches,
    /// Bodies that are gone or elsewhere since.
    forgotten: HashSet<u32>,
    colours: Colours,
    rigid: Rigid,
}

/// What a step is taken with.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub(super) shapes: &'a Shapes,
    pub(super) grid: &'a Grid,
    pub(super) options: &'a WorldOptions,
    pub(super) dt: f32,
}

impl CpuWorld {
    /// Moves the bodies by a step; where that fails, none.
    pub(super) fn step(&mut self, bodies: &mut Bodies, step: Step<'_>, times: &mut StepTimes) -> Result<()> {
        let mut clock = Instant::now();
        let mut lap = || {
            let now = Instant::now();
            now - std::mem::replace(&mut clock, now)
        };
        let unit = step.options.length_unit as f32;
        self.place(bodies, step, step.dt, MARGIN * unit)?;
        times.broad_phase += lap();
        if !self.forgotten.is_empty() {
            self.touches.forget(&self.forgotten);
            self.forgotten.clear();
        }
        std::mem::swap(&mut self.touches, &mut self.before);
        self.touch(bodies, step);
        times.narrow_phase += lap();
        let is_moved = |body: u32| bodies.traits[body as usize].inverse_mass > 0.0;
        self.colours.update(bodies.states.len(), self.touches.all.iter().map(|touch| touch.bodies), is_moved);
        times.prepare += lap();
        let stepping = Stepping {
            gravity: step.options.gravity.to_array().map(|x| x as f32),
            dt: step.dt,
            substeps: step.options.substeps,
            push_out_speed: step.options.push_out_speed as f32 * unit,
            restitution_threshold: step.options.restitution_threshold as f32 * unit,
        };
        match step.options.solver {
            Solver::Rigid | Solver::Push => {
                let touches = &mut self.touches.all;
                self.rigid.solve(&bodies.states, &bodies.traits, touches, &self.colours, stepping);
            }
        }
        times.solve += lap();
        self.finish(bodies, step.grid)?;
        times.finish += lap();
        Ok(())
    }

    /// Where bodies stand, and the pairs of those whose boxes meet as they move for a time.
    fn place(&mut self, bodies: &Bodies, step: Step<'_>, dt: f32, margin: f32) -> Result<()> {
        let placing = Placing { shapes: step.shapes, quantum: step.grid.quantum as f32, dt, margin };
        self.placed.update(bodies, placing);
        self.pairs.update(&self.placed.boxes, &bodies.traits)
    }

    fn touch(&mut self, bodies: &Bodies, step: Step<'_>) {
        let scene = touch::Scene {
            placed: &self.placed,
            states: &bodies.states,
            traits: &bodies.traits,
            shapes: step.shapes,
            quantum: step.grid.quantum as f32,
        };
        scene.touches(&self.pairs.sorted, &self.before, &mut self.touches.all);
        self.touches.index(bodies.states.len());
    }

    /// Bodies to where the solver moved them.
    fn finish(&mut self, bodies: &mut Bodies, grid: &Grid) -> Result<()> {
        let rigid = &self.rigid;
        let moved = |slot: usize, state: &BodyState| {
            let (velocity, angular_velocity, displacement, [c, s]) = rigid.moved(slot);
            let mut state = BodyState { velocity, angular_velocity, ..*state };
            let [x, y] = state.rotation;
            let turned = [x * c - y * s, y * c + x * s];
            let length = (turned[0] * turned[0] + turned[1] * turned[1]).sqrt();
            state.rotation = turned.map(|part| part / length);
            state.shift(displacement, grid).then_some(state)
        };
        let lost = bodies.states.par_iter().zip(&bodies.traits).with_min_len(1024).enumerate().find_map_first(
            |(slot, (state, traits))| {
                (traits.has(MOVES) && moved(slot, state).is_none()).then_some(slot)
            },
        );
        if let Some(slot) = lost {
            let state = &bodies.states[slot];
            let at = state.centre(grid) + glam::DVec2::from(rigid.moved(slot).2.map(f64::from));
            return Err(Error::LeftWorld { slot: slot as u32, x: at.x, y: at.y });
        }
        bodies.states.par_iter_mut().zip(&bodies.traits).with_min_len(1024).enumerate().for_each(
            |(slot, (state, traits))| {
                if traits.has(MOVES) {
                    *state = moved(slot, state).unwrap_or(*state);
                }
            },
        );
        Ok(())
    }

    /// How deep the bodies overlap where they stand: the pairs that do, and their separations.
    pub(super) fn overlaps(&mut self, bodies: &Bodies, step: Step<'_>) -> Result<Vec<f32>> {
        self.place(bodies, step, 0.0, 0.0)?;
        let scene = touch::Scene {
            placed: &self.placed,
            states: &bodies.states,
            traits: &bodies.traits,
            shapes: step.shapes,
            quantum: step.grid.quantum as f32,
        };
        let mut touches = Vec::new();
        scene.touches(&self.pairs.sorted, &Touches::default(), &mut touches);
        Ok(touches.iter().map(|touch| touch.separation).filter(|&gap| gap < 0.0).collect())
    }

    /// Of the last step, without those of bodies that are gone or elsewhere since.
    pub(super) fn touches(&self) -> impl Iterator<Item = &Touch> {
        let is_known = |body: &u32| !self.forgotten.contains(body);
        self.touches.all.iter().filter(move |touch| touch.bodies.iter().all(is_known))
    }

    pub(super) fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs.sorted
    }

    /// A body is gone or elsewhere.
    pub(super) fn forget(&mut self, body: u32) {
        self.forgotten.insert(body);
    }
}

impl BodyState {
    /// Moves the centre of mass, and the anchor so that it is the nearest point of the grid; false where there is none.
    #[inline(always)]
    fn shift(&mut self, by: [f32; 2], grid: &Grid) -> bool {
        let quantum = grid.quantum as f32;
        for axis in 0..2 {
            let offset = self.offset[axis] + by[axis];
            let steps = (offset / quantum).round_ties_even();
            // NaN is in no range.
            if !(steps.abs() <= MOST_ANCHOR as f32) {
                return false;
            }
            let anchor = self.anchor[axis] + steps as i32;
            if anchor.abs() > MOST_ANCHOR {
                return false;
            }
            self.anchor[axis] = anchor;
            self.offset[axis] = offset - steps * quantum;
        }
        self.velocity.iter().chain([&self.angular_velocity]).all(|v| v.is_finite())
    }
}
