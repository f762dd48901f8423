//! Measures the contenders on one scene of one size, in rounds of one run of each contender, and summarises the runs.

use std::time::Duration;

use super::candidates::Candidates;
use super::contender::{Contender, HitsRun, Run};
use super::expected::Answer;
use super::plan::{Plan, with_commas};
use super::report::{Figure, HITS_STAGES, KernelRow, RELATION, Report, Row, STAGES, Stage, ToHits};
use crate::error::{Error, Result};
use sat2d::Prepared;
use sat2d::scenes::Scene;

/// The number of bytes of a vertex that an adapter's kernel reads: two f32 coordinates.
const VERTEX_BYTES: f64 = 8.0;
/// The number of bytes of a candidate pair that an adapter's kernel moves: two indices of 32 bits that it reads, and two bits
/// that it writes.
const PAIR_BYTES: f64 = 8.25;

/// The input of a round: a scene of one size, and its right answer.
#[derive(Debug)]
pub(super) struct Round {
    pub(super) scene: Scene,
    pub(super) count: usize,
    pub(super) rings: Vec<Vec<[f64; 2]>>,
    pub(super) candidates: Candidates,
    pub(super) expected: Answer,
    pub(super) expected_was_stored: bool,
}

/// The rows, the omissions and the failures of a round.
#[derive(Debug, Default)]
pub(super) struct Measured {
    pub(super) rows: Vec<Row>,
    /// The measurements that were left out, one line for each.
    pub(super) left_out: Vec<String>,
    /// The failed runs and the wrong answers, one line for each.
    pub(super) failures: Vec<String>,
}

/// Runs each contender for which there is time. One untimed run of each contender comes first. Rounds of timed runs follow, in
/// which each contender runs once.
pub(super) fn alternate(round: &Round, contenders: &[Contender], plan: &mut Plan) -> Measured {
    let mut measured = Measured::default();
    let mut trials: Vec<Trial<'_>> = Vec::new();
    let mut each = Duration::ZERO;
    for contender in contenders {
        if let Some(line) = plan.refusal(round.scene, round.count, contender) {
            measured.left_out.push(line);
            continue;
        }
        match Trial::begin(contender, round) {
            Err(error) => measured.failures.push(failure(round, contender, &error)),
            Ok((trial, total)) => {
                plan.saw(round.scene, round.count, contender, total);
                each += total;
                trials.push(trial);
            }
        }
    }
    for _ in 0..plan.repeats(each) {
        trials.retain_mut(|trial| match trial.run(round) {
            Err(error) => {
                measured.failures.push(failure(round, trial.contender, &error));
                false
            }
            Ok(()) => true,
        });
    }
    for trial in &trials {
        let Some(row) = row(round, trial) else { continue };
        let (what, expected) = (place(round, trial.contender), &row.expected);
        let mut wrong = |is_right: bool, of: &str, answer: &Answer| {
            if !is_right {
                let problem = format!("the answer{of} is {answer:?}, but exact arithmetic says {expected:?}");
                measured.failures.push(format!("{what}: {problem}"));
            }
        };
        wrong(row.is_right, "", &row.answer);
        if let Some(hits) = &row.to_hits {
            wrong(hits.is_right, " from pairs to hits", &hits.answer);
        }
        measured.rows.push(row);
    }
    measured
}

/// The runs of one contender in a round.
struct Trial<'a> {
    contender: &'a Contender,
    runs: Vec<Run>,
    prepared: Prepared<'a>,
    hits: Vec<HitsRun>,
}

impl<'a> Trial<'a> {
    /// Prepares the set, and runs each kind of run once, without counting the runs. Returns the total time of these runs, or the
    /// error of a run that fails. The set is prepared first, so that joins reuse the memory of the engine.
    fn begin(contender: &'a Contender, round: &'a Round) -> Result<(Self, Duration)> {
        let mut prepared = contender.prepare(&round.candidates)?;
        let hits = contender.hits(&mut prepared, &round.candidates)?;
        let total = hits.total + contender.join(&round.rings)?.total;
        Ok((Self { contender, runs: Vec::new(), prepared, hits: Vec::new() }, total))
    }

    fn run(&mut self, round: &Round) -> Result<()> {
        self.runs.push(self.contender.join(&round.rings)?);
        self.hits.push(self.contender.hits(&mut self.prepared, &round.candidates)?);
        Ok(())
    }
}

/// The least number of polygons at which kernels are measured alone. With fewer polygons, most of the time of a dispatch is
/// overhead.
const KERNEL_COUNT: usize = 10_000;

/// Measures the kernels alone and the timelines of the adapters, for the scene of a round. Adds the measurements to the report.
pub(super) fn beside(round: &Round, contenders: &[Contender], report: &mut Report) {
    for contender in contenders {
        if round.count < KERNEL_COUNT
            || report.find(round.scene.name(), round.count, &contender.name).is_none()
        {
            continue;
        }
        match contender.kernels(round) {
            Err(error) => report.failures.push(failure(round, contender, &error)),
            Ok(kernels) => {
                // The plain kernel has no error bound, so its wrong answers are counted, but are not a failure.
                let is_wrong =
                    |row: &&KernelRow| row.kernels.iter().any(|k| k.kernel == RELATION && k.wrong > 0);
                if kernels.as_ref().filter(is_wrong).is_some() {
                    let what = place(round, contender);
                    report.failures.push(format!("{what}: the relation kernel contradicts exact arithmetic"));
                }
                report.kernels.extend(kernels);
            }
        }
        match contender.timeline(round) {
            Err(error) => report.failures.push(failure(round, contender, &error)),
            // Only the timeline of the largest size is kept, because it shows the most chunks.
            Ok(Some(timeline)) => {
                report
                    .timelines
                    .retain(|old| (&old.scene, &old.contender) != (&timeline.scene, &timeline.contender));
                report.timelines.push(timeline);
            }
            Ok(None) => {}
        }
    }
}

fn place(round: &Round, contender: &Contender) -> String {
    format!("{}, {}, {} polygons", contender.name, round.scene, with_commas(round.count as u64))
}

fn failure(round: &Round, contender: &Contender, error: &Error) -> String {
    format!("{}: {error}", place(round, contender))
}

/// Returns the report's row for a trial, or `None` if the trial has no runs.
fn row(round: &Round, trial: &Trial<'_>) -> Option<Row> {
    let Trial { contender, runs, .. } = trial;
    let wrong = runs.iter().find(|run| run.answer != round.expected);
    let shown = wrong.or(runs.first())?;
    let total = Figure::of(runs.iter().map(|run| run.total));
    let cpu_times: Option<Vec<Duration>> = runs.iter().map(|run| run.cpu_time).collect();
    let rest = |run: &Run| run.total.saturating_sub(run.stages.iter().sum());
    let candidates = shown.answer.candidates as f64;
    let a_second = |ms: f64| candidates / (ms / 1e3);
    let vertices: usize = round.rings.iter().map(Vec::len).sum();
    let mut row = Row {
        scene: round.scene.name().into(),
        count: round.count,
        vertices,
        contender: contender.name.clone(),
        threads: contender.threads,
        adapter: contender.adapter.as_ref().map(|adapter| adapter.name.clone()),
        is_software: contender.is_software(),
        repeats: runs.len(),
        total,
        runs_ms: runs.iter().map(|run| run.total.as_secs_f64() * 1e3).collect(),
        cpu_time: cpu_times.map(Figure::of),
        stages: stages(&STAGES, runs.iter().map(|run| &run.stages[..])),
        kernel_on_device: Figure::of_known(runs.iter().map(|run| run.kernel_on_device)),
        rest: Figure::of(runs.iter().map(rest)),
        pairs_per_second: a_second(total.median_ms.max(1e-6)),
        kernel_pairs_per_second: None,
        kernel_least_bytes: (contender.adapter.is_some())
            .then_some(VERTEX_BYTES * vertices as f64 + PAIR_BYTES * candidates),
        uncertain: shown.uncertain,
        answer: shown.answer.clone(),
        expected: round.expected.clone(),
        expected_was_stored: round.expected_was_stored,
        is_right: wrong.is_none(),
        to_hits: to_hits(round, &trial.hits),
    };
    row.kernel_pairs_per_second = row.kernel_ms().map(a_second);
    Some(row)
}

/// Summarises the time of each stage over all runs. `names` are the names of the stages.
fn stages<'a>(names: &[&str], runs: impl Iterator<Item = &'a [Duration]> + Clone) -> Vec<Stage> {
    let stage = |(index, name): (usize, &&str)| Stage {
        name: (*name).into(),
        time: Figure::of(runs.clone().map(|times| times[index])),
    };
    names.iter().enumerate().map(stage).collect()
}

/// Summarises the runs on the path from candidate pairs to hits. Returns `None` if there are no runs.
fn to_hits(round: &Round, runs: &[HitsRun]) -> Option<ToHits> {
    let wrong = runs.iter().find(|run| run.answer != round.expected);
    let time = Figure::of(runs.iter().map(|run| run.total));
    Some(ToHits {
        answer: wrong.or(runs.first())?.answer.clone(),
        time,
        stages: stages(&HITS_STAGES, runs.iter().map(|run| &run.stages[..])),
        kernel_on_device: Figure::of_known(runs.iter().map(|run| run.kernel_on_device)),
        runs_ms: runs.iter().map(|run| run.total.as_secs_f64() * 1e3).collect(),
        pairs_per_second: round.candidates.pairs.len() as f64 / (time.median_ms.max(1e-6) / 1e3),
        is_right: wrong.is_none(),
    })
}
