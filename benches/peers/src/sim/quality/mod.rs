//! The quality of simulations: small scenes with an outcome that mechanics predicts, in every engine, and large worlds of sat2d.

mod bouncing;
mod bullets;
mod conserving;
mod friction;
mod large;
mod meeting;
mod order;
mod passing;
mod pressing;
mod resting;
mod scenes;
mod setup;
mod sliding;
mod standing;
mod surfaces;
mod table;
#[cfg(test)]
mod tests;

use clap::ValueEnum;
use serde::Serialize;

use super::Contender;
use crate::bars::{self, Bar, Verdict};
use crate::machine::{self, Machine};
use crate::{AnyError, Arguments, chosen};
use table::Row;

/// A part of the measurement of quality.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Small scenes with an outcome that mechanics predicts, in every engine.
    Scenes,
    /// Worlds of 10,000 bodies, in sat2d.
    Large,
}

#[derive(Debug, Serialize)]
struct Report {
    stage: &'static str,
    #[serde(flatten)]
    machine: Machine,
    seed: u64,
    /// The number of bodies of each large world. `None` if large worlds are not measured.
    count: Option<usize>,
    /// Two rates of agents that pass the doorway, per second of the simulated time: the mean rate until nine tenths of them
    /// have passed, and the rate in the best ten seconds. `None` if large worlds are not measured.
    flow: Option<[f64; 2]>,
    scenes: Vec<Row>,
    bars: Vec<Bar>,
}

/// Measures the chosen parts. A large world that misses a bar counts as a wrong answer. Scenes in which sat2d is clearly wrong
/// only miss a bar.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict, AnyError> {
    let engines = chosen(&arguments.contender, Contender::ALL, Contender::name)?;
    let has = |part: Part| arguments.part.is_empty() || arguments.part.contains(&part);
    let machine = Machine::here();
    println!("{machine}");
    let (mut scenes, mut of_scenes) = (Vec::new(), Vec::new());
    if has(Part::Scenes) {
        engines.iter().for_each(|engine| println!("{}", engine.says()));
        println!(
            "Steps of 1/60 with 4 sub-steps, one thread, no sleeping, continuous collision on. sat2d and Box2D apply restitution from an approach speed of 1 m/s, and at any speed in the lossless scenes; rapier2d applies it at any speed. All engines: friction and restitution of both bodies equal, or of one body 0."
        );
        scenes = measure(&engines)?;
        let table = if arguments.markdown { table::markdown(&scenes) } else { table::text(&scenes) };
        println!("{}\n\n{table}", table::explanation());
        if engines.contains(&Contender::Sat2d) {
            let wrong = scenes.iter().filter(|row| row.is_clearly_wrong(Contender::Sat2d.name())).count();
            of_scenes.push(Bar::at_most("scenes: sat2d clearly wrong".into(), wrong as f64, 0.0));
        }
    }
    let (mut count, mut flow, mut of_large) = (None, None, Vec::new());
    if has(Part::Large) {
        let found = large::measure(arguments)?;
        (count, flow, of_large) = (Some(found.count), Some(found.flow), found.bars);
    }
    let is_right = of_large.iter().all(Bar::passes);
    let bars = [of_scenes, of_large].concat();
    bars::print(&bars);
    let verdict = Verdict::new(is_right, &bars);
    let report = Report { stage: "sim-quality", machine, seed: arguments.seed, count, flow, scenes, bars };
    machine::write_json(arguments.json.as_deref(), &report)?;
    Ok(verdict)
}

/// Measures all scenes, on one thread.
fn measure(engines: &[Contender]) -> Result<Vec<Row>, AnyError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| scenes::SCENES.iter().map(|scene| Row::measure(scene, engines)).collect())
}
