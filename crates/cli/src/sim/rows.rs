//! Writes bodies as rows of CSV, and statistics as JSON.

use std::io::Write;

use serde::Serialize;

use super::record::Recording;
use crate::error::{Error, Result};
use sat2d::sim::{BodyId, Solver, World};
use sat2d_io::Output;

/// The CSV output, with one row per body and written step.
pub(super) struct Rows(Output);

impl Rows {
    pub(super) fn new(output: Output) -> Result<Self> {
        let mut rows = Self(output);
        rows.put("step,time,body,x,y,angle,vx,vy,w\n")?;
        Ok(rows)
    }

    pub(super) fn write(&mut self, step: u64, time: f64, world: &mut World, ids: &[BodyId]) -> Result<()> {
        for (body, &id) in ids.iter().enumerate() {
            let pose = world.pose(id)?;
            let (at, angle) = (pose.translation(), pose.sin().atan2(pose.cos()));
            let (velocity, w) = world.velocity(id)?;
            let [x, y, vx, vy] = [at.x, at.y, velocity.x, velocity.y];
            self.put(&format!("{step},{time},{body},{x},{y},{angle},{vx},{vy},{w}\n"))?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<()> {
        Ok(self.0.commit()?)
    }

    fn put(&mut self, text: &str) -> Result<()> {
        put(&mut self.0, text)
    }
}

/// The JSON output: an object with an array `steps`. The array has one item for each written step, each on its own line.
pub(super) struct Summary {
    output: Output,
    is_first: bool,
}

#[derive(Serialize)]
struct Head<'a> {
    version: &'a str,
    scene: &'a str,
    bodies: usize,
    seed: u64,
    dt: f64,
    solver: &'a str,
    substeps: u32,
}

#[derive(Serialize)]
struct Member {
    step: u64,
    time: f64,
    bodies: usize,
    dynamic_bodies: usize,
    momentum: [f64; 2],
    kinetic_energy: f64,
    potential_energy: f64,
    mean_position: [f64; 2],
    rms_velocity: f64,
    overlapping: usize,
    mean_penetration: f64,
    greatest_penetration: f64,
}

impl Summary {
    pub(super) fn new(output: Output, recording: &Recording<'_>) -> Result<Self> {
        let scene = recording.scene;
        let head = Head {
            version: env!("CARGO_PKG_VERSION"),
            scene: scene.scene.name(),
            bodies: scene.bodies.len(),
            seed: recording.seed,
            dt: recording.dt,
            solver: match scene.options.solver {
                Solver::Rigid => "rigid",
                Solver::Push => "push",
            },
            substeps: scene.options.substeps,
        };
        let mut summary = Self { output, is_first: true };
        let text = summary.text(&head)?;
        // The closing brace of the object is removed, because the array `steps` follows.
        let open = text.strip_suffix('}').unwrap_or(&text);
        put(&mut summary.output, &format!("{open},\"steps\":["))?;
        Ok(summary)
    }

    pub(super) fn write(&mut self, step: u64, time: f64, world: &mut World) -> Result<()> {
        let found = world.statistics()?;
        let text = self.text(&Member {
            step,
            time,
            bodies: found.bodies,
            dynamic_bodies: found.dynamic_bodies,
            momentum: found.momentum.to_array(),
            kinetic_energy: found.kinetic_energy,
            potential_energy: found.potential_energy,
            mean_position: found.mean_position.to_array(),
            rms_velocity: found.rms_velocity,
            overlapping: found.overlapping,
            mean_penetration: found.mean_penetration,
            greatest_penetration: found.greatest_penetration,
        })?;
        let separator = if std::mem::take(&mut self.is_first) { "\n" } else { ",\n" };
        put(&mut self.output, separator)?;
        put(&mut self.output, &text)
    }

    pub(super) fn finish(mut self) -> Result<()> {
        put(&mut self.output, "\n]}\n")?;
        Ok(self.output.commit()?)
    }

    fn text(&self, value: &impl Serialize) -> Result<String> {
        serde_json::to_string(value).map_err(|source| Error::write(self.output.name(), source.into()))
    }
}

fn put(output: &mut Output, text: &str) -> Result<()> {
    output.write_all(text.as_bytes()).map_err(|source| Error::write(output.name(), source))
}
