//! The results of a benchmark run. The record is written as JSON, and read again for a comparison. Times are in ms. The doc
//! comments of the fields are the descriptions in the JSON Schema of the record.

use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bars::Bar;
use super::expected::Answer;
use super::machine::Machine;
use crate::error::{Error, Result};
use sat2d::Timings;

/// The version of the record's form. Every change of the form increases this number.
pub(super) const FORMAT: u32 = 1;

/// The stages of a join, in the order of the data flow.
pub(super) const STAGES: [&str; 8] =
    ["set", "pack", "broad phase", "upload", "kernel", "readback", "exact", "collect"];

/// Returns the time of each of [`STAGES`]. The stage `set` checks the rings and builds the set.
pub(super) fn stage_times(set: Duration, timings: &Timings) -> [Duration; STAGES.len()] {
    let Timings { pack, broad_phase, upload, kernel, readback, exact, collect, .. } = *timings;
    [set, pack, broad_phase, upload, kernel, readback, exact, collect]
}

/// The stages from candidate pairs to hits, with a prepared set.
pub(super) const HITS_STAGES: [&str; 5] = ["upload", "kernel", "readback", "exact", "collect"];

/// Returns the time of each of [`HITS_STAGES`].
pub(super) fn hits_stage_times(timings: &Timings) -> [Duration; HITS_STAGES.len()] {
    let Timings { upload, kernel, readback, exact, collect, .. } = *timings;
    [upload, kernel, readback, exact, collect]
}

/// The record of one benchmark run. Times are in milliseconds.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "sat2d bench --json")]
pub(super) struct Report {
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
    /// The measured GPU adapters.
    pub(super) adapters: Vec<AdapterReport>,
    /// Bytes read and written per second by a large copy on the host, with all threads. `null` if not measured.
    pub(super) host_copy_bytes_per_second: Option<f64>,
    /// Whether `--quick` was given.
    pub(super) quick: bool,
    /// Seed of the scenes.
    pub(super) seed: u64,
    /// One row for each scene, size and contender.
    pub(super) rows: Vec<Row>,
    /// The break-even size of each adapter in each scene.
    pub(super) break_even: Vec<BreakEven>,
    /// The required results of the adapters.
    #[serde(default)]
    pub(super) bars: Vec<Bar>,
    /// The relation kernel compared with the plain kernel, for each adapter, scene and size.
    pub(super) kernels: Vec<KernelRow>,
    /// The timelines of the adapters, each for the largest measured size of a scene.
    pub(super) timelines: Vec<Timeline>,
    /// The measurements that were left out, each with its reason.
    pub(super) left_out: Vec<String>,
    /// The failures: errors and wrong answers.
    pub(super) failures: Vec<String>,
    /// Seconds of the whole run.
    pub(super) seconds: f64,
}

/// One measured GPU adapter.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct AdapterReport {
    /// Name of the contender in `rows`, such as `gpu-0`.
    pub(super) contender: String,
    /// Name of the adapter as the driver reports it.
    pub(super) name: String,
    /// Programming interface of the adapter, such as `Vulkan`.
    pub(super) interface: String,
    /// Name and version of the driver.
    pub(super) driver: String,
    /// Whether the adapter is hardware. A software adapter is a program on the CPU.
    pub(super) is_hardware: bool,
    /// Bytes read and written per second by copies from buffer to buffer. `null` if not measured.
    pub(super) copy_bytes_per_second: Option<f64>,
    /// Number of f32 operations per second without memory loads: products and sums, fused if the device can fuse them.
    /// `null` if not measured.
    #[serde(default)]
    pub(super) operations_per_second: Option<f64>,
}

impl AdapterReport {
    /// Returns the name, the interface, the driver and the kind of the adapter in one line.
    pub(super) fn line(&self) -> String {
        let kind = if self.is_hardware { "hardware" } else { "software: proves answers, not speed" };
        format!("{} ({}, {}; {kind})", self.name, self.interface, self.driver)
    }
}

/// The median and the least of several times, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Figure {
    /// Median, in milliseconds.
    pub(super) median_ms: f64,
    /// Least time, in milliseconds.
    pub(super) least_ms: f64,
}

impl Figure {
    /// Returns the median and the least of the times. If there are no times, both are 0.
    pub(super) fn of(times: impl IntoIterator<Item = Duration>) -> Self {
        let mut sorted: Vec<f64> = times.into_iter().map(|t| t.as_secs_f64() * 1e3).collect();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let at = |index: usize| sorted.get(index).copied().unwrap_or(0.0);
        let median_ms = if sorted.len() % 2 == 1 {
            at(middle)
        } else {
            (at(middle.saturating_sub(1)) + at(middle)) / 2.0
        };
        Self { median_ms, least_ms: at(0) }
    }

    /// Returns the median and the least of the times. Returns `None` if there are no times, or if a time is unknown or
    /// zero. No rate can be computed from such a time.
    pub(super) fn of_known(times: impl IntoIterator<Item = Option<Duration>>) -> Option<Self> {
        let known = |time: Option<Duration>| time.filter(|time| !time.is_zero());
        let times: Option<Vec<Duration>> = times.into_iter().map(known).collect();
        times.filter(|times| !times.is_empty()).map(Self::of)
    }
}

/// The self-joins of one scene of one size by one contender.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Row {
    /// Name of the scene.
    pub(super) scene: String,
    /// Number of polygons.
    pub(super) count: usize,
    /// Number of vertices of all polygons.
    pub(super) vertices: usize,
    /// Name of the contender: `cpu-all` is the CPU with all threads, `cpu-1` is the CPU with one thread, and `gpu-0` is the
    /// first adapter.
    pub(super) contender: String,
    /// Number of CPU threads that the contender may use.
    pub(super) threads: usize,
    /// Name of the adapter. `null` for the CPU.
    pub(super) adapter: Option<String>,
    /// Whether the contender is a software adapter.
    pub(super) is_software: bool,
    /// Number of timed runs.
    pub(super) repeats: usize,
    /// The total time, from rings in memory to sorted pairs in memory.
    pub(super) total: Figure,
    /// The total time of each run, in milliseconds.
    pub(super) runs_ms: Vec<f64>,
    /// The CPU time of all threads of the process. `null` if the system does not report it.
    pub(super) cpu_time: Option<Figure>,
    /// The time of each stage, in the order of the data flow. The stage `set` checks the rings and builds the set.
    pub(super) stages: Vec<Stage>,
    /// The time of the stage `kernel` by the device's clock, without the waits of the host. `null` if the device has no
    /// clock, or if its clock did not advance.
    #[serde(default)]
    pub(super) kernel_on_device: Option<Figure>,
    /// The total time minus the times of all stages. 0 if the stages overlap so much that the difference is negative.
    pub(super) rest: Figure,
    /// Candidate pairs per second: their number divided by the median of the total time.
    pub(super) pairs_per_second: f64,
    /// Candidate pairs per second of the kernel: their number divided by the median of the kernel's time. The time is by
    /// the device's clock if the device has one. `null` if the time is 0.
    pub(super) kernel_pairs_per_second: Option<f64>,
    /// The least number of bytes that a kernel must move: each vertex read once, each pair read, and each answer
    /// written. `null` for the CPU, where the number depends on the polygons and the processor.
    pub(super) kernel_least_bytes: Option<f64>,
    /// Number of candidate pairs that the fast filter could not decide. Exact arithmetic decided these pairs.
    pub(super) uncertain: u64,
    /// The answer of the contender: a wrong answer if a run gave one.
    pub(super) answer: Answer,
    /// The right answer.
    pub(super) expected: Answer,
    /// Whether the right answer was stored with the benchmark. Otherwise, exact arithmetic computed it in this run.
    pub(super) expected_was_stored: bool,
    /// Whether every run gave the right answer.
    pub(super) is_right: bool,
    /// The time for the same pairs with a prepared set and given candidate pairs.
    #[serde(default)]
    pub(super) to_hits: Option<ToHits>,
}

/// The path from candidate pairs in memory to compacted hits in memory, with a prepared set. The hits are the pairs
/// that the join finds, in the order of the candidates.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct ToHits {
    /// The total time of this path.
    pub(super) time: Figure,
    /// The total time of each run, in milliseconds.
    pub(super) runs_ms: Vec<f64>,
    /// The time of each stage. The stages of chunks in flight overlap.
    #[serde(default)]
    pub(super) stages: Vec<Stage>,
    /// The time of the stage `kernel` by the device's clock. `null` if the device has no clock.
    #[serde(default)]
    pub(super) kernel_on_device: Option<Figure>,
    /// Candidate pairs per second: their number divided by the median of the time.
    pub(super) pairs_per_second: f64,
    /// The answer, which must be equal to the answer of the join.
    pub(super) answer: Answer,
    /// Whether every run gave the right answer, in the order of the candidates.
    pub(super) is_right: bool,
}

impl Row {
    pub(super) fn stage(&self, name: &str) -> Option<Figure> {
        self.stages.iter().find(|stage| stage.name == name).map(|stage| stage.time)
    }

    /// Returns whether the answer of the join and the answer of the hits are right. A missing answer of the hits counts as right.
    pub(super) fn all_right(&self) -> bool {
        self.is_right && self.to_hits.as_ref().is_none_or(|hits| hits.is_right)
    }

    /// Returns the kernel's time in milliseconds: by the device's clock if known, and otherwise by the host's clock. Returns
    /// `None` if the time is 0 or unknown.
    pub(super) fn kernel_ms(&self) -> Option<f64> {
        let kernel = self.kernel_on_device.or_else(|| self.stage("kernel"))?.median_ms;
        (kernel > 0.0).then_some(kernel)
    }

    /// Returns a lower bound of the bytes per second that the kernel moves. Returns `None` if the bytes or the time are unknown.
    pub(super) fn kernel_bytes_per_second(&self) -> Option<f64> {
        Some(self.kernel_least_bytes? / (self.kernel_ms()? / 1e3))
    }

    /// Returns the share of the candidate pairs that are uncertain, from 0 to 1.
    pub(super) fn uncertain_share(&self) -> f64 {
        self.uncertain as f64 / self.answer.candidates.max(1) as f64
    }
}

/// The time of one stage, in milliseconds.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Stage {
    /// Name of the stage: `set`, `pack`, `broad phase`, `upload`, `kernel`, `readback`, `exact` or `collect`.
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) time: Figure,
}

/// The size from which an adapter is faster than all threads of the CPU, in one scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct BreakEven {
    /// Name of the scene.
    pub(super) scene: String,
    /// Name of the contender in `rows`, such as `gpu-0`.
    pub(super) contender: String,
    /// Number of polygons of the smallest measured size.
    pub(super) smallest: usize,
    /// Number of polygons of the largest measured size.
    pub(super) largest: usize,
    /// The faster contender at each size.
    pub(super) verdict: Verdict,
}

/// The faster contender at each size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    /// The adapter is not faster at the largest measured size.
    Cpu,
    /// The adapter is faster at every measured size.
    Adapter,
    /// The adapter is faster from about this number of polygons up to the largest measured size.
    AdapterFrom(f64),
}

/// The relation kernel compared with the plain kernel, each with and without run-time checks of indices and loops, on
/// the same pairs in turn. Only dispatches are measured.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct KernelRow {
    /// Name of the scene.
    pub(super) scene: String,
    /// Number of polygons.
    pub(super) count: usize,
    /// Name of the contender in `rows`, such as `gpu-0`.
    pub(super) contender: String,
    /// Number of candidate pairs in a dispatch.
    pub(super) pairs: u64,
    /// Whether the times are from the device's clock. Otherwise, the host measured them from submission to completion.
    pub(super) by_device_clock: bool,
    /// Number of distinct bytes that the relation kernel moves. No cache can avoid them.
    pub(super) least_bytes: u64,
    /// Number of bytes of all loads and stores of the relation kernel, from whichever cache.
    pub(super) moved_bytes: u64,
    /// Least number of f32 operations of the relation kernel: additions, multiplications, minima, maxima and
    /// comparisons.
    #[serde(default)]
    pub(super) operations: u64,
    /// The times of the kernels.
    pub(super) kernels: Vec<KernelTime>,
}

/// The time and the answers of one kernel.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct KernelTime {
    /// Name of the kernel: `relation` is the kernel of joins, and `plain` is a simple kernel for comparison. If joins use
    /// subgroups, `relation-workgroup` is the kernel of joins without subgroups. `area` is the kernel of joins of pairs with an
    /// intersection over union of at least 0.5.
    pub(super) kernel: String,
    /// Whether the kernel checks indices and loops at run time.
    pub(super) run_time_checks: bool,
    /// The time of a dispatch of all pairs.
    pub(super) time: Figure,
    /// Number of answers that contradict exact arithmetic.
    pub(super) wrong: u64,
    /// Number of uncertain answers.
    pub(super) uncertain: u64,
}

impl KernelTime {
    /// Returns the median in seconds, or `None` if nothing was measured.
    fn seconds(&self) -> Option<f64> {
        (self.time.median_ms > 0.0).then_some(self.time.median_ms / 1e3)
    }
}

/// The name of the kernel of joins.
pub(super) const RELATION: &str = "relation";
/// The name of the kernel of joins with a least intersection over union.
pub(super) const AREA: &str = "area";
/// The name of the plain kernel. It has one thread per pair and two nested loops, and stops at the first separating axis. It
/// computes in f32 without an error bound.
pub(super) const PLAIN: &str = "plain";

impl KernelRow {
    pub(super) fn find(&self, kernel: &str, run_time_checks: bool) -> Option<&KernelTime> {
        self.kernels.iter().find(|time| (&*time.kernel, time.run_time_checks) == (kernel, run_time_checks))
    }

    /// Returns the relation kernel with run-time checks, as joins run it. Returns `None` if it was not measured.
    pub(super) fn relation(&self) -> Option<&KernelTime> {
        self.find(RELATION, true)
    }

    /// Returns a lower bound of the relation kernel's operations per second. Returns `None` if nothing was measured.
    pub(super) fn operations_per_second(&self) -> Option<f64> {
        let rate = self.operations as f64 / self.relation()?.seconds()?;
        (rate > 0.0).then_some(rate)
    }

    /// Returns a lower bound of the relation kernel's bytes per second. Returns `None` if nothing was measured.
    pub(super) fn bytes_per_second(&self) -> Option<f64> {
        Some(self.least_bytes as f64 / self.relation()?.seconds()?)
    }

    /// Returns the candidate pairs per second of a kernel, or `None` if nothing was measured.
    pub(super) fn pairs_per_second(&self, kernel: &KernelTime) -> Option<f64> {
        Some(self.pairs as f64 / kernel.seconds()?)
    }

    /// Returns the ratio of a kernel's time to the time of the plain kernel without run-time checks. Returns `None` if one of the
    /// two was not measured.
    pub(super) fn ratio_to_plain(&self, kernel: &KernelTime) -> Option<f64> {
        Some(kernel.seconds()? / self.find(PLAIN, false)?.seconds()?)
    }
}

/// The stages of the chunks of one join.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Timeline {
    /// Name of the scene.
    pub(super) scene: String,
    /// Number of polygons.
    pub(super) count: usize,
    /// Name of the contender in `rows`, such as `gpu-0`.
    pub(super) contender: String,
    /// The beginning and the end of each stage of each chunk.
    pub(super) spans: Vec<Span>,
}

/// The beginning and the end of a stage of one chunk of pairs.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Span {
    /// Index of the chunk, from 0. Each stage numbers its own chunks.
    pub(super) chunk: usize,
    /// Name of the stage.
    pub(super) stage: String,
    /// Milliseconds from the start of the join to the beginning of the stage.
    pub(super) start_ms: f64,
    /// Milliseconds from the start of the join to the end of the stage.
    pub(super) end_ms: f64,
}

impl Report {
    /// Adds a line to [`Report::left_out`], unless the list already has the line.
    pub(super) fn leave_out(&mut self, line: String) {
        if !self.left_out.contains(&line) {
            self.left_out.push(line);
        }
    }

    /// Reads the report of an earlier run. Returns an error if the file cannot be read, is not a report, or has another format.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::read(path, source))?;
        let wrong = |line, column, problem: String| Error::syntax(path, line, column, problem);
        let report: Self = serde_json::from_str(&text).map_err(|error| {
            let text = error.to_string();
            let what = text.rsplit_once(" at line ").map_or(&*text, |(what, _)| what);
            let problem = format!("is not a report of `sat2d bench --json`: {what}");
            wrong(error.line(), error.column(), problem)
        })?;
        if report.format != FORMAT {
            let problem = format!(
                "has format {}, but this program reads format {FORMAT}; measure again",
                report.format
            );
            return Err(wrong(1, 1, problem));
        }
        Ok(report)
    }

    pub(super) fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// Returns the names of the scenes in the order of the report's rows, each name once.
    pub(super) fn scenes(&self) -> Vec<&str> {
        distinct(self.rows.iter().map(|row| row.scene.as_str()))
    }

    /// Returns the names of the contenders in the order of the report's rows, each name once.
    pub(super) fn contenders(&self) -> Vec<&str> {
        distinct(self.rows.iter().map(|row| row.contender.as_str()))
    }

    pub(super) fn find(&self, scene: &str, count: usize, contender: &str) -> Option<&Row> {
        self.rows.iter().find(|r| (&*r.scene, r.count, &*r.contender) == (scene, count, contender))
    }

    /// Returns the kernels of a contender in a scene at the largest size, or `None` if there are none.
    pub(super) fn largest_kernels(&self, scene: &str, contender: &str) -> Option<&KernelRow> {
        let timed = self.kernels.iter().filter(|row| row.scene == scene && row.contender == contender);
        timed.max_by_key(|row| row.count)
    }

    /// Returns the bytes per second that a contender can copy, or `None` if unknown.
    pub(super) fn copy_bytes_per_second(&self, contender: &str) -> Option<f64> {
        match self.adapters.iter().find(|adapter| adapter.contender == contender) {
            Some(adapter) => adapter.copy_bytes_per_second,
            // The rate of the host was measured with all threads, and fewer threads cannot reach it.
            None => self.host_copy_bytes_per_second.filter(|_| contender == super::contender::ALL_THREADS),
        }
    }
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        let figure = |ms: &[u64]| Figure::of(ms.iter().map(|&ms| Duration::from_millis(ms)));
        assert_eq!(figure(&[5, 1, 9]), Figure { median_ms: 5.0, least_ms: 1.0 });
        assert_eq!(figure(&[4, 2]), Figure { median_ms: 3.0, least_ms: 2.0 });
    }

    #[test]
    fn of_a_time_that_is_not_known_there_is_no_figure() {
        let time = |ms| Some(Duration::from_millis(ms));
        assert_eq!(Figure::of_known([time(4), time(2)]), Some(Figure { median_ms: 3.0, least_ms: 2.0 }));
        for times in [vec![], vec![time(4), None], vec![time(4), time(0)]] {
            assert_eq!(Figure::of_known(times), None);
        }
    }
}
