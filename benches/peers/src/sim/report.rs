use serde::Serialize;

use super::judge::State;
use crate::bars::{self, Bar, Verdict, threads};
use crate::machine::Machine;
use crate::measure::Times;

/// The smallest accepted ratio of sat2d's speed to the speed of the fastest other engine, in scenes of the rigid solver.
const RIGID_RATIO: f64 = 0.5;
const PUSH_RATIO: f64 = 3.0;
/// The factor by which a value of sat2d's state may be worse than the value of the fastest other engine. A smaller difference can
/// be chance.
const CHANCE: f64 = 1.05;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    stage: &'static str,
    #[serde(flatten)]
    machine: Machine,
    seed: u64,
    outcomes: Vec<Outcome>,
    bars: Vec<Bar>,
}

/// The results of a scene with one number of bodies.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Outcome {
    pub(super) case: &'static str,
    pub(super) count: usize,
    pub(super) is_rigid: bool,
    pub(super) speeds: Vec<Speed>,
    /// The states of the engines' worlds when the scene counts as settled, and at the end of the run.
    pub(super) standings: Vec<Standing>,
}

/// The speeds of the engines in a scene with one number of threads.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Speed {
    threads: usize,
    /// Whether the steps were timed after the scene had settled.
    settled: bool,
    /// For each engine: the steps per second, and the CPU time of all threads in milliseconds per step. The values are
    /// medians over blocks after settling, and means of all blocks before it.
    engines: Vec<(&'static str, f64, f64)>,
}

/// The state of one engine's world after a number of steps.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Standing {
    pub(super) engine: &'static str,
    /// The number of steps that the world took before this state.
    pub(super) steps: usize,
    #[serde(flatten)]
    pub(super) state: State,
}

impl Speed {
    /// Returns the speeds of the engines, computed from the times of blocks. Returns `None` if nothing was timed.
    pub(super) fn new(
        threads: usize,
        settled: bool,
        block: usize,
        times: &[(&'static str, &Times)],
    ) -> Option<Self> {
        let seconds = |times: &Times| {
            let mean = |all: &[std::time::Duration]| {
                all.iter().sum::<std::time::Duration>().as_secs_f64() / all.len().max(1) as f64
            };
            if settled { (times.median(), times.cpu_median()) } else { (mean(&times.wall), mean(&times.cpu)) }
        };
        let engine = |&(name, times): &(&'static str, &Times)| {
            let (wall, cpu) = seconds(times);
            (name, block as f64 / wall, 1e3 * cpu / block as f64)
        };
        let is_timed = times.iter().all(|(_, times)| !times.wall.is_empty());
        is_timed.then(|| Self { threads, settled, engines: times.iter().map(engine).collect() })
    }

    /// Returns the name of the fastest other engine, and the ratio of sat2d's speed to the speed of this engine. Returns `None`
    /// if sat2d did not run, or no other engine ran.
    fn beside(&self) -> Option<(&'static str, f64)> {
        let ours = self.engines.iter().find(|(name, ..)| *name == "sat2d")?;
        let others = self.engines.iter().filter(|(name, ..)| *name != "sat2d");
        let fastest = others.max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((fastest.0, ours.1 / fastest.1))
    }

    /// Returns the least CPU time of the other engines, divided by sat2d's CPU time. Other programs on the machine disturb CPU
    /// times less than wall times. Returns `None` for several threads, because waiting threads take CPU time, too. Also returns
    /// `None` if sat2d did not run, or no other engine ran.
    fn beside_by_cpu(&self) -> Option<f64> {
        let ours = self.engines.iter().find(|(name, ..)| *name == "sat2d")?;
        let others = self.engines.iter().filter(|(name, ..)| *name != "sat2d").map(|engine| engine.2);
        (self.threads == 1).then_some(others.reduce(f64::min)? / ours.2)
    }
}

impl Report {
    pub(super) fn new(seed: u64) -> Self {
        let machine = Machine::here();
        Self { stage: "sim", machine, seed, outcomes: Vec::new(), bars: Vec::new() }
    }

    pub(super) fn print_head(&self) {
        println!("{}", self.machine);
        println!(
            "seed {}; steps of 1/60, 4 sub-steps; no sleeping, no continuous collision; blocks of steps in turn",
            self.seed
        );
    }

    pub(super) fn verdict(&self) -> Verdict {
        Verdict::new(true, &self.bars)
    }

    pub(super) fn add(&mut self, outcome: Outcome) {
        outcome.print();
        self.bars.extend(outcome.speeds.iter().filter_map(|speed| outcome.bar(speed)));
        self.outcomes.push(outcome);
    }

    pub(super) fn finish(&self) {
        println!(
            "\nratio: steps a second of sat2d over those of the faster other engine; cpu ratio: by CPU time"
        );
        println!(
            "overlapping: pairs; a body: all penetrations over bodies; fastest: speed; lost: bodies outside of the walls"
        );
        println!(
            "bars: the speed, and in this order mean and greatest penetration and rms velocity at the end, as multiples of the other's;"
        );
        println!("of the rigid solver, those may be {CHANCE} at most");
        bars::print(&self.bars);
    }
}

impl Outcome {
    /// Returns the bar for sat2d's speed in a settled scene. The text of the bar also has three ratios of sat2d's state to the
    /// state of the fastest other engine: mean penetration, greatest penetration and root mean square velocity. Returns `None` if
    /// the scene has not settled, or if sat2d or all other engines have no times or no state.
    fn bar(&self, speed: &Speed) -> Option<Bar> {
        let (other, ratio) = speed.beside().filter(|_| speed.settled)?;
        let what = format!("{} {}, {}: as fast as {other}", self.case, self.count, threads(speed.threads));
        let state = |engine: &str| self.standings.iter().rev().find(|s| s.engine == engine).map(|s| s.state);
        let (ours, theirs) = (state("sat2d")?, state(other)?);
        let beside = [
            ours.mean_penetration / theirs.mean_penetration,
            ours.greatest_penetration / theirs.greatest_penetration,
            ours.rms_velocity / theirs.rms_velocity,
        ];
        let what = what + &beside.map(|figure| format!(" {figure:.2}")).concat();
        if !self.is_rigid {
            return Some(Bar::at_least(what, ratio, PUSH_RATIO));
        }
        let is_as_good = beside.iter().all(|figure| *figure <= CHANCE) && ours.lost <= theirs.lost;
        Some(Bar::at_least(what, ratio, RIGID_RATIO).only_if(is_as_good))
    }

    fn print(&self) {
        let Some(first) = self.speeds.first() else { return };
        println!("\n{} of {}, steps a second", self.case, self.count);
        print!("  {:<10} {:<12}", "threads", "phase");
        first.engines.iter().for_each(|(name, ..)| print!(" {name:>9}"));
        println!(" {:>7} {:>10}", "ratio", "cpu ratio");
        for speed in &self.speeds {
            let phase = if speed.settled { "settled" } else { "before that" };
            print!("  {:<10} {phase:<12}", speed.threads);
            speed.engines.iter().for_each(|(_, steps, _)| print!(" {steps:>9.1}"));
            print!(" {:>7}", speed.beside().map_or_else(String::new, |(_, ratio)| format!("{ratio:.2}")));
            println!(
                " {:>10}",
                speed.beside_by_cpu().map_or_else(String::new, |ratio| format!("{ratio:.2}"))
            );
        }
        println!(
            "  {:<10} {:>6} {:>11} {:>10} {:>10} {:>10} {:>12} {:>8} {:>6}",
            "state", "steps", "overlapping", "mean", "greatest", "a body", "rms velocity", "fastest", "lost"
        );
        for Standing { engine, steps, state } in &self.standings {
            println!(
                "  {engine:<10} {steps:>6} {:>11} {:>10.6} {:>10.6} {:>10.6} {:>12.6} {:>8.4} {:>6}",
                state.overlapping,
                state.mean_penetration,
                state.greatest_penetration,
                state.penetration_a_body,
                state.rms_velocity,
                state.greatest_speed,
                state.lost
            );
        }
    }
}
