//! The results of a benchmark of worlds: one line for each row, and a record that is written as JSON.

use serde::Serialize;

use super::super::bars::{self, Bar};
use super::super::machine::Machine;
use super::super::plan::with_commas;
use super::super::table::ms;
use super::RUNS;

/// The version of the record's form; another number is another form.
pub(super) const FORMAT: u32 = 1;

/// The stages of a step.
pub(super) const STAGES: [&str; 5] = ["broad phase", "narrow phase", "prepare", "solve", "finish"];

/// All that a run measured.
#[derive(Clone, Debug, Serialize)]
pub(in crate::bench) struct Report {
    /// [`FORMAT`].
    pub(super) format: u32,
    pub(super) version: String,
    pub(super) commit: String,
    /// Whether the program was built with optimisation.
    pub(super) optimised: bool,
    pub(super) machine: Machine,
    pub(super) seed: u64,
    /// The number of steps before the timed steps. The number of timed steps follows.
    pub(super) first_steps: u64,
    pub(super) timed_steps: u64,
    pub(super) rows: Vec<Row>,
    pub(super) bars: Vec<Bar>,
    /// The measurements that were left out, with the reason, one on each line.
    pub(super) left_out: Vec<String>,
    /// The failures: errors and wrong worlds, one on each line.
    pub(in crate::bench) failures: Vec<String>,
    /// The whole run.
    pub(super) seconds: f64,
}

/// One contender on one world of one size.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    pub(super) world: String,
    /// The number of dynamic bodies.
    pub(super) bodies: usize,
    pub(super) contender: String,
    pub(super) threads: usize,
    pub(super) adapter: Option<String>,
    pub(super) is_software: bool,
    /// The median of the runs.
    pub(super) steps_per_second: f64,
    /// Milliseconds a step of each run, sorted.
    pub(super) run_ms: Vec<f64>,
    /// Milliseconds a step of each of [`STAGES`], the mean of all runs.
    pub(super) stages: Vec<(String, f64)>,
    /// The number of candidate pairs of the last step.
    pub(super) candidates: u64,
    /// The number of contacts of the last step. Each contact has two bodies.
    pub(super) contacts: u64,
    /// The number of bytes of the world's buffers on the device.
    pub(super) device_bytes: u64,
    pub(super) mean_penetration: f64,
    pub(super) greatest_penetration: f64,
    /// The fault of the world, if there is one.
    pub(super) wrong: Option<String>,
}

impl Report {
    /// The description of the measurement, and the columns.
    pub(super) fn head(&self) -> Vec<String> {
        let mut lines = vec![format!("sat2d {}, commit {}", self.version, self.commit), self.machine.line()];
        if !self.optimised {
            lines.push("note: built without optimisation; the times mean nothing".into());
        }
        let stages: String = STAGES.map(|name| format!("{name:>14}")).concat();
        lines.extend([
            format!(
                "Steps per second are the median of {RUNS} runs of {} steps, after {} untimed steps; stages are in ms per step.",
                self.timed_steps / RUNS,
                self.first_steps
            ),
            "contacts: per body; each counts for both bodies. penetration: mean depth of the overlaps; a body is about 1 long."
                .into(),
            String::new(),
            format!(
                "{:<10}{:>10}  {:<9}{:>9}{stages}{:>10}{:>9}{:>13}  world",
                "world", "bodies", "on", "steps/s", "contacts", "B/body", "penetration"
            ),
        ]);
        lines
    }

    /// Everything that is known when all rows are there.
    pub(in crate::bench) fn summary(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.bars.is_empty() {
            lines.extend([String::new(), bars::title(&self.bars)]);
            lines.extend(self.bars.iter().map(|bar| format!("  {}", bar.line())));
        }
        if !self.left_out.is_empty() {
            lines.extend([String::new(), "Left out".into()]);
            lines.extend(self.left_out.iter().map(|line| format!("  {line}")));
        }
        lines
    }
}

impl Row {
    pub(super) fn line(&self) -> String {
        let stages: String = self.stages.iter().map(|(_, time)| format!("{:>14}", ms(*time))).collect();
        let bodies = self.bodies.max(1) as f64;
        let (contacts, bytes) = (2.0 * self.contacts as f64 / bodies, self.device_bytes as f64 / bodies);
        let bytes = if self.device_bytes == 0 { "-".into() } else { format!("{bytes:.0}") };
        format!(
            "{:<10}{:>10}  {:<9}{:>9.1}{stages}{contacts:>10.2}{bytes:>9}{:>13.5}  {}",
            self.world,
            with_commas(self.bodies as u64),
            self.contender,
            self.steps_per_second,
            self.mean_penetration,
            if self.wrong.is_some() { "WRONG" } else { "right" }
        )
    }
}
