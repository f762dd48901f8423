//! `sat2d bench --worlds`: measures how many steps per second simulated worlds take on the CPU and on the adapter, and
//! checks the state of the worlds.

mod report;
mod scenes;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::bars::Bar as Target;
use super::machine::{self, Machine};
use super::plan::with_commas;
use super::{Arguments, Backends, Print, print_beside};
use crate::error::{Error, Result};
use crate::progress::Bar;
use crate::sim::MOST_BODIES;
use crate::{Threads, use_threads};
pub(super) use report::Report;
use report::{FORMAT, Row, STAGES};
use sat2d::Backend;
use sat2d::sim::{StepTimes, WorldStatistics};
use scenes::{Kind, Scene};

/// The numbers of bodies that are measured by default.
const COUNTS: [usize; 3] = [10_000, 100_000, 1_000_000];
/// The largest number of bodies that is measured on a software adapter, unless the caller names the numbers.
const SOFTWARE_LIMIT: usize = 10_000;
/// The seed of all measured worlds.
const SEED: u64 = 1;
/// The duration of a step, in seconds.
const DT: f64 = 1.0 / 60.0;
/// The default number of untimed steps, in which a world comes to rest.
const FIRST: u64 = 120;
/// The number of timed runs.
const RUNS: u64 = 5;
/// The default number of steps in a timed run.
const RUN: u64 = 20;
/// The greatest mean depth of overlap of resting bodies, in length units. A length unit is about the size of a body.
const MOST_MEAN_PENETRATION: f64 = 0.01;
/// The greatest distance by which the middle of a body may be outside the room, in length units. Bodies can sink a
/// little into the walls.
const YIELD: f64 = 0.1;

/// A backend that the benchmark measures, and the number of its CPU threads.
struct Contender {
    name: String,
    threads: usize,
    backend: Backend,
    is_software: bool,
}

/// The number of steps before the timed steps, and the number of steps of each timed run.
#[derive(Clone, Copy)]
struct Steps {
    first: u64,
    run: u64,
}

/// The time budget of the benchmark, and the times of the measurements so far.
struct Plan {
    start: Instant,
    budget: Duration,
    counts_are_named: bool,
    /// For each world and contender, the last measured number of bodies, and the total time of its measurement.
    seen: HashMap<(&'static str, String), (usize, Duration)>,
}

impl Plan {
    /// Returns the reason why a contender is not measured on a world of `count` bodies, or `None` if it is measured.
    fn refusal(&self, kind: Kind, count: usize, contender: &Contender) -> Option<String> {
        if contender.is_software && !self.counts_are_named && count > SOFTWARE_LIMIT {
            let most = with_commas(SOFTWARE_LIMIT as u64);
            return Some(format!(
                "a software adapter is measured up to {most}; name the size with --count to measure it"
            ));
        }
        let left = self.budget.saturating_sub(self.start.elapsed());
        let seen = self.seen.get(&(kind.name(), contender.name.clone()));
        let needed =
            seen.map_or(Duration::ZERO, |&(before, took)| took.mul_f64(count as f64 / before as f64));
        (needed > left || left.is_zero()).then(|| {
            format!(
                "would take {:.0} s, but {:.0} s of {:.0} are left; raise --budget",
                needed.as_secs_f64().ceil(),
                left.as_secs_f64(),
                self.budget.as_secs_f64()
            )
        })
    }
}

pub(super) fn measure(arguments: &Arguments, print: Print<'_>) -> Result<Report> {
    check_counts(&arguments.count)?;
    use_threads(None)?;
    let start = Instant::now();
    let budget = Duration::from_secs(arguments.budget.unwrap_or(480).into());
    let steps = Steps {
        first: arguments.settle.map_or(FIRST, u64::from),
        run: arguments.run_steps.map_or(RUN, u64::from),
    };
    let bar = Bar::new();
    let mut left_out = Vec::new();
    let contenders = contenders(arguments, &mut left_out)?;
    let mut report = Report {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").into(),
        commit: machine::commit(),
        optimised: !cfg!(debug_assertions),
        machine: Machine::this(),
        seed: SEED,
        first_steps: steps.first,
        timed_steps: RUNS * steps.run,
        rows: Vec::new(),
        bars: Vec::new(),
        left_out,
        failures: Vec::new(),
        seconds: 0.0,
    };
    print_beside(&bar, print, &report.head(), &|_| false)?;
    let mut plan =
        Plan { start, budget, counts_are_named: !arguments.count.is_empty(), seen: HashMap::new() };
    let mut counts: Vec<usize> = arguments.count.iter().map(|&count| count as usize).collect();
    counts.sort_unstable();
    counts.dedup();
    let counts = if counts.is_empty() { COUNTS.to_vec() } else { counts };
    // Both worlds of one size are measured before the next size. If the budget runs out, the largest sizes are left
    // out.
    let rounds = counts.into_iter().flat_map(|count| Kind::ALL.map(|kind| (count, kind)));
    for (count, kind) in rounds {
        for contender in &contenders {
            let what = format!("{}, {} of {}", contender.name, with_commas(count as u64), kind.name());
            if let Some(reason) = plan.refusal(kind, count, contender) {
                report.left_out.push(format!("{what}: {reason}"));
                continue;
            }
            bar.message(what.clone());
            match row(kind, count, contender, steps) {
                Ok((row, took)) => {
                    plan.seen.insert((kind.name(), contender.name.clone()), (count, took));
                    if let Some(wrong) = &row.wrong {
                        report.failures.push(format!("{what}: {wrong}"));
                    }
                    print_beside(&bar, print, &[row.line()], &|_| row.wrong.is_some())?;
                    if steps.first >= FIRST {
                        report.bars.extend(bars(kind, &row, contender));
                    }
                    report.rows.push(row);
                }
                Err(error) => report.failures.push(format!("{what}: {error}")),
            }
        }
    }
    drop(bar);
    report.seconds = start.elapsed().as_secs_f64();
    Ok(report)
}

/// Returns an error if a requested number of bodies exceeds the limit of a world. The limit on the polygons of joins is higher.
fn check_counts(counts: &[u32]) -> Result<()> {
    let problem = "is not in 1..=10000000 with --worlds; give fewer bodies";
    let value = counts.iter().find(|count| !(1..=MOST_BODIES).contains(*count));
    value.map_or(Ok(()), |value| Err(Error::Option { option: "--count", value: value.to_string(), problem }))
}

fn contenders(arguments: &Arguments, left_out: &mut Vec<String>) -> Result<Vec<Contender>> {
    let all = rayon::current_num_threads();
    let mut found = Vec::new();
    if arguments.backend != Backends::Gpu {
        let mut counts: Vec<usize> =
            arguments.threads.iter().map(|&t| if t == 0 { all } else { t as usize }).collect();
        counts.sort_unstable();
        counts.dedup();
        found.extend(counts.into_iter().map(|threads| Contender {
            name: if threads == all {
                super::contender::ALL_THREADS.into()
            } else {
                format!("cpu-{threads}")
            },
            threads,
            backend: Backend::Cpu,
            is_software: false,
        }));
    }
    if arguments.backend != Backends::Cpu {
        let adapter = adapter();
        if adapter.is_none() {
            let reason = String::from("no adapter was found");
            if arguments.backend == Backends::Gpu {
                return Err(sat2d::Error::NoAdapter { reason }.into());
            }
            left_out.push(reason);
        }
        found.extend(adapter.map(|is_software| Contender {
            name: "gpu".into(),
            threads: all,
            backend: Backend::Gpu,
            is_software,
        }));
    }
    Ok(found)
}

/// Returns whether the adapter on which a world is simulated is a software adapter, or `None` if there is no adapter.
#[cfg(feature = "gpu")]
fn adapter() -> Option<bool> {
    use sat2d::internal::device;
    let is_hardware = pollster::block_on(device::hardware()).is_some();
    let any = pollster::block_on(device::any()).is_ok();
    any.then_some(!is_hardware)
}

#[cfg(not(feature = "gpu"))]
fn adapter() -> Option<bool> {
    None
}

/// Measures a world. Returns its row, and the time of the measurement without the compilation of kernels. Returns an error if
/// the world cannot be created or a step fails.
fn row(kind: Kind, count: usize, contender: &Contender, steps: Steps) -> Result<(Row, Duration)> {
    Threads::new(contender.threads)?.run(|| {
        let start = Instant::now();
        let Scene { mut world, bodies, room } = kind.make(count, SEED, contender.backend)?;
        // The first step compiles the kernels.
        let (first, compilation) = (steps.first.min(1), Instant::now());
        world.steps(first, DT)?;
        let compilation = compilation.elapsed();
        world.steps(steps.first - first, DT)?;
        let (mut seconds, mut times, mut last) = (Vec::new(), StepTimes::default(), None);
        for _ in 0..RUNS {
            let start = Instant::now();
            let report = world.steps(steps.run, DT)?;
            seconds.push(start.elapsed().as_secs_f64() / steps.run as f64);
            times += report.times;
            last = Some(report);
        }
        seconds.sort_by(f64::total_cmp);
        let found = world.statistics()?;
        let mut outside = 0;
        for &body in &bodies {
            let at = world.pose(body)?.translation();
            let is_inside = at.cmpge(room.min - YIELD).all() && at.cmple(room.max + YIELD).all();
            outside += usize::from(!is_inside);
        }
        let (candidates, contacts) = last.map_or((0, 0), |report| (report.candidates, report.contacts));
        let stage = |time: Duration| 1e3 * time.as_secs_f64() / (RUNS * steps.run) as f64;
        let stages =
            [times.broad_phase, times.narrow_phase, times.prepare, times.solve, times.finish].map(stage);
        let row = Row {
            world: kind.name().into(),
            bodies: found.dynamic_bodies,
            contender: contender.name.clone(),
            threads: contender.threads,
            adapter: world.choice().adapter.clone(),
            is_software: contender.is_software,
            steps_per_second: 1.0 / seconds[seconds.len() / 2],
            run_ms: seconds.iter().map(|seconds| 1e3 * seconds).collect(),
            stages: STAGES.into_iter().map(String::from).zip(stages).collect(),
            candidates,
            contacts,
            device_bytes: device_bytes(&world),
            mean_penetration: found.mean_penetration,
            greatest_penetration: found.greatest_penetration,
            wrong: wrong(&found, count, outside, steps.first >= FIRST),
        };
        Ok((row, start.elapsed().saturating_sub(compilation)))
    })
}

#[cfg(feature = "gpu")]
fn device_bytes(world: &sat2d::sim::World) -> u64 {
    world.device_bytes()
}

#[cfg(not(feature = "gpu"))]
fn device_bytes(_: &sat2d::sim::World) -> u64 {
    0
}

/// Returns the fault of a world, or `None` if the world has no fault. Deep overlaps are allowed until the world is at rest.
fn wrong(found: &WorldStatistics, count: usize, outside: usize, is_at_rest: bool) -> Option<String> {
    if found.dynamic_bodies != count {
        return Some(format!("{} bodies are left of {count}", found.dynamic_bodies));
    }
    if outside > 0 {
        return Some(format!("{outside} bodies are outside the room or have no finite position"));
    }
    let mean = found.mean_penetration;
    let is_shallow = mean <= MOST_MEAN_PENETRATION || (mean.is_finite() && !is_at_rest);
    (!is_shallow).then(|| format!("a mean penetration of {mean}, more than {MOST_MEAN_PENETRATION}"))
}

/// Returns the bars of a contender. Only a hardware adapter with at least a million bodies has bars.
fn bars(kind: Kind, row: &Row, contender: &Contender) -> Vec<Target> {
    if contender.backend != Backend::Gpu || contender.is_software || row.bodies < 1_000_000 {
        return Vec::new();
    }
    let name = kind.name();
    let count = with_commas(row.bodies as u64);
    let bytes = row.device_bytes as f64 / row.bodies as f64;
    vec![
        Target::at_least(
            format!("steps a second of {count} bodies, {name}"),
            row.steps_per_second,
            kind.bar(),
        ),
        Target::at_most(format!("bytes of device memory a body, {name}"), bytes, 1023.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_bodies_than_a_world_has_are_refused() {
        check_counts(&[1, MOST_BODIES]).unwrap();
        let error = check_counts(&[5, MOST_BODIES + 1]).unwrap_err();
        assert!(matches!(error, Error::Option { option: "--count", .. }), "{error}");
        let message =
            format!("--count = 10000001: is not in 1..={MOST_BODIES} with --worlds; give fewer bodies");
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let with = |mean_penetration| {
            let mut statistics = WorldStatistics::default();
            (statistics.dynamic_bodies, statistics.mean_penetration) = (5, mean_penetration);
            statistics
        };
        let fine = with(0.001);
        assert_eq!(wrong(&fine, 5, 0, true), None);
        assert!(wrong(&fine, 6, 0, true).unwrap().contains("5 bodies are left of 6"));
        assert!(wrong(&fine, 5, 1, true).unwrap().contains("1 bodies are outside"));
        let deep = with(0.02);
        assert!(wrong(&deep, 5, 0, true).unwrap().contains("0.02"));
        assert_eq!(wrong(&deep, 5, 0, false), None);
        let nowhere = with(f64::NAN);
        assert!(wrong(&nowhere, 5, 0, true).is_some() && wrong(&nowhere, 5, 0, false).is_some());
    }
}
