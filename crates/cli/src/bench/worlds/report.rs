//! The results of a benchmark of worlds: one line for each row, and a record that is written as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::super::bars::{self, Bar};
use super::super::machine::Machine;
use super::super::plan::with_commas;
use super::super::table::ms;
use super::RUNS;

/// The version of the record's form. Every change of the form increases this number.
pub(super) const FORMAT: u32 = 1;

/// The stages of a step.
pub(super) const STAGES: [&str; 5] = ["broad phase", "narrow phase", "prepare", "solve", "finish"];

/// The record of one benchmark run of simulated worlds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "sat2d bench --worlds --json")]
pub(in crate::bench) struct Report {
    /// Version of the record's form. A file with another number has another form.
    #[schemars(extend("const" = FORMAT))]
    pub(super) format: u32,
    /// Version of sat2d that wrote the file.
    pub(super) version: String,
    /// The commit of the build. A `+` says that the source may differ from the commit.
    pub(super) commit: String,
    /// Whether the program was built with optimisation.
    pub(super) optimised: bool,
    /// The machine that ran the benchmark.
    pub(super) machine: Machine,
    /// Seed of the worlds.
    pub(super) seed: u64,
    /// Number of steps before the timed steps.
    pub(super) first_steps: u64,
    /// Number of timed steps of all runs together.
    pub(super) timed_steps: u64,
    /// One row for each world, size and contender.
    pub(super) rows: Vec<Row>,
    /// The required results of a hardware adapter.
    pub(super) bars: Vec<Bar>,
    /// The measurements that were left out, each with its reason.
    pub(super) left_out: Vec<String>,
    /// The failures: errors and wrong worlds.
    pub(in crate::bench) failures: Vec<String>,
    /// Seconds of the whole run.
    pub(super) seconds: f64,
}

/// The steps of one world of one size by one contender.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Row {
    /// Name of the world: `heap` or `particles`.
    pub(super) world: String,
    /// Number of dynamic bodies.
    pub(super) bodies: usize,
    /// Name of the contender: `cpu-all` is the CPU with all threads, `cpu-1` is the CPU with one thread, and `gpu` is the
    /// adapter.
    pub(super) contender: String,
    /// Number of CPU threads that the contender may use.
    pub(super) threads: usize,
    /// Name of the adapter. `null` for the CPU.
    pub(super) adapter: Option<String>,
    /// Whether the contender is a software adapter.
    pub(super) is_software: bool,
    /// Steps per second: the median of the runs.
    pub(super) steps_per_second: f64,
    /// Milliseconds per step of each run, sorted.
    pub(super) run_ms: Vec<f64>,
    /// Name and milliseconds per step of each stage, the mean of all runs. The stages are `broad phase`, `narrow phase`,
    /// `prepare`, `solve` and `finish`.
    pub(super) stages: Vec<(String, f64)>,
    /// Number of candidate pairs of the last step.
    pub(super) candidates: u64,
    /// Number of contacts of the last step. Each contact has two bodies.
    pub(super) contacts: u64,
    /// Size of the world's buffers on the device, in bytes. 0 on the CPU.
    pub(super) device_bytes: u64,
    /// Mean depth of the overlaps, in the unit of length. A body is about 1 long. `null` if the depth is not finite.
    #[schemars(with = "Option<f64>")]
    pub(super) mean_penetration: f64,
    /// Greatest depth of the overlaps, in the unit of length. `null` if the depth is not finite.
    #[schemars(with = "Option<f64>")]
    pub(super) greatest_penetration: f64,
    /// The fault of the world. `null` if the world has no fault.
    pub(super) wrong: Option<String>,
}

impl Report {
    /// Returns the lines before the first row: the description of the measurement, and the headings of the columns.
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

    /// Returns the lines that follow the last row: the bars, and the measurements that were left out.
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
