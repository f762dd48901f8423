//! Runs of the contenders on one scene of one size, in turn, and what they come to.

use std::time::Duration;

use super::contender::{Contender, Run};
use super::expected::Answer;
use super::plan::{Plan, with_commas};
use super::report::{Figure, KernelRow, RELATION, Report, Row, STAGES, Stage};
use crate::error::Error;
use crate::scenes::Scene;

/// A vertex as the kernel reads it, two f32.
const VERTEX_BYTES: f64 = 8.0;
/// Two indices read, two bits written.
const PAIR_BYTES: f64 = 8.25;

/// A scene of one size, and its right answer.
#[derive(Debug)]
pub(super) struct Round {
    pub(super) scene: Scene,
    pub(super) count: usize,
    pub(super) rings: Vec<Vec<[f64; 2]>>,
    pub(super) expected: Answer,
    pub(super) expected_was_stored: bool,
}

/// What a round came to.
#[derive(Debug, Default)]
pub(super) struct Measured {
    pub(super) rows: Vec<Row>,
    /// A line each.
    pub(super) left_out: Vec<String>,
    /// A line each.
    pub(super) failures: Vec<String>,
}

/// Runs every contender that there is time for once untimed, then all in turn.
pub(super) fn alternate(round: &Round, contenders: &[Contender], plan: &mut Plan) -> Measured {
    let mut measured = Measured::default();
    let mut trials: Vec<(&Contender, Vec<Run>)> = Vec::new();
    let mut each = Duration::ZERO;
    for contender in contenders {
        if let Some(line) = plan.refusal(round.scene, round.count, contender) {
            measured.left_out.push(line);
            continue;
        }
        match contender.join(&round.rings) {
            Err(error) => measured.failures.push(failure(round, contender, &error)),
            Ok(run) => {
                plan.saw(round.scene, round.count, contender, run.total);
                each += run.total;
                trials.push((contender, Vec::new()));
            }
        }
    }
    for _ in 0..plan.repeats(each) {
        trials.retain_mut(|(contender, runs)| match contender.join(&round.rings) {
            Err(error) => {
                measured.failures.push(failure(round, contender, &error));
                false
            }
            Ok(run) => {
                runs.push(run);
                true
            }
        });
    }
    for (contender, runs) in &trials {
        let Some(row) = row(round, contender, runs) else { continue };
        if !row.is_right {
            let (answer, expected) = (&row.answer, &row.expected);
            let what = place(round, contender);
            measured.failures.push(format!("{what}: the answer is {answer:?}, but exactly {expected:?}"));
        }
        measured.rows.push(row);
    }
    measured
}

/// The least size at which kernels are timed alone: below it a dispatch is mostly its own overhead.
const KERNEL_COUNT: usize = 10_000;

/// What the adapters that took part in a round tell beside its joins: kernels alone, and what ran when.
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
                // The plain kernel may be wrong, and its row says how often.
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
            // The largest size shows most.
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

/// None without a run.
fn row(round: &Round, contender: &Contender, runs: &[Run]) -> Option<Row> {
    let wrong = runs.iter().find(|run| run.answer != round.expected);
    let shown = wrong.or(runs.first())?;
    let total = Figure::of(runs.iter().map(|run| run.total));
    let cpu_times: Option<Vec<Duration>> = runs.iter().map(|run| run.cpu_time).collect();
    let stages: Vec<Stage> = STAGES
        .iter()
        .enumerate()
        .map(|(index, &name)| Stage {
            name: name.into(),
            time: Figure::of(runs.iter().map(|run| run.stages[index])),
        })
        .collect();
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
        stages,
        rest: Figure::of(runs.iter().map(rest)),
        pairs_per_second: a_second(total.median_ms.max(1e-6)),
        kernel_pairs_per_second: None,
        kernel_least_bytes: VERTEX_BYTES * vertices as f64 + PAIR_BYTES * candidates,
        uncertain: shown.uncertain,
        answer: shown.answer.clone(),
        expected: round.expected.clone(),
        expected_was_stored: round.expected_was_stored,
        is_right: wrong.is_none(),
    };
    let kernel = row.stage("kernel").map(|time| time.median_ms).filter(|&ms| ms > 0.0);
    row.kernel_pairs_per_second = kernel.map(a_second);
    Some(row)
}
