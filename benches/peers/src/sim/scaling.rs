//! Measures how the time of sat2d's step grows with the number of bodies, at constant density.

use sat2d::sim::StepTimes;
use serde::Serialize;

use super::ours::Ours;
use super::scenes::Case;
use crate::bars::{self, Bar, Verdict, threads};
use crate::machine::{self, Machine, available_bytes};
use crate::measure::{Times, timed};
use crate::scaling::{EXPONENT, exponent_of};
use crate::{AnyError, Arguments};

const COUNTS: [usize; 5] = [10_000, 30_000, 100_000, 300_000, 1_000_000];
/// The number of untimed steps before the timed steps. The untimed steps push the initial overlaps apart. Their number is the
/// same for all sizes, because the number of contacts changes with time.
const FIRST: u64 = 20;
/// The number of timed steps.
const STEPS: usize = 20;
/// The least total number of bodies in the worlds of one size. A small size gets several worlds, because the times of small
/// worlds have much noise.
const BODIES: usize = 100_000;
/// The number of bytes per body that must be available for a size to be measured.
const BYTES_A_BODY: u64 = 3000;

#[derive(Debug, Serialize)]
struct Report {
    stage: &'static str,
    #[serde(flatten)]
    machine: Machine,
    seed: u64,
    rows: Vec<Row>,
    bars: Vec<Bar>,
}

#[derive(Clone, Debug, Serialize)]
struct Row {
    threads: usize,
    count: usize,
    contacts: u64,
    steps: usize,
    /// The median of the wall times of the steps, in milliseconds per step.
    median: f64,
    /// The median of the CPU times of all threads, in milliseconds per step.
    cpu: f64,
    /// The mean time of each stage over the steps, in nanoseconds per body.
    stages: [f64; STAGES.len()],
}

const STAGES: [&str; 5] = ["broad", "narrow", "prepare", "solve", "finish"];

fn stages(times: StepTimes) -> [f64; STAGES.len()] {
    [times.broad_phase, times.narrow_phase, times.prepare, times.solve, times.finish]
        .map(|time| time.as_secs_f64() * 1e9)
}

/// Times steps of a pile that falls, at every size that fits the memory, for each number of threads.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict, AnyError> {
    let machine = Machine::here();
    println!("{machine}");
    println!(
        "sat2d {}: the rigid solver, 4 sub-steps, polygons that begin to fall",
        machine::version("sat2d")
    );
    let mut report =
        Report { stage: "sim-scaling", machine, seed: arguments.seed, rows: Vec::new(), bars: Vec::new() };
    println!(
        "\n{:<9} {:>9} {:>9} {:>6} {:>10} {:>10} {:>9} {:>12}   of ns/body: {}",
        "threads",
        "bodies",
        "contacts",
        "steps",
        "ms/step",
        "cpu ms",
        "ns/body",
        "cpu ns/body",
        STAGES.map(|stage| format!("{stage:>8}")).join("")
    );
    let counts = arguments.count.clone().unwrap_or_else(|| COUNTS.to_vec());
    for threads in arguments.thread_counts() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut rows = Vec::new();
        for &count in &counts {
            let needed = count as u64 * BYTES_A_BODY;
            if available_bytes().is_some_and(|available| available < needed) {
                println!("{count} bodies left out: they may need {} MB", needed / 1_000_000);
                continue;
            }
            let row = pool.install(|| measure(arguments.seed, count, threads))?;
            println!(
                "{:<9} {:>9} {:>9} {:>6} {:>10.2} {:>10.2} {:>9.1} {:>12.1}               {}",
                row.threads,
                row.count,
                row.contacts,
                row.steps,
                row.median,
                row.cpu,
                1e6 * row.median / row.count as f64,
                1e6 * row.cpu / row.count as f64,
                row.stages.map(|stage| format!("{stage:>8.1}")).join("")
            );
            rows.push(row);
        }
        report.bars.extend(bars_of(&rows, threads));
        report.rows.extend(rows);
    }
    bars::print(&report.bars);
    machine::write_json(arguments.json.as_deref(), &report)?;
    Ok(Verdict::new(true, &report.bars))
}

fn measure(seed: u64, count: usize, threads: usize) -> Result<Row, AnyError> {
    let scene = Case::Pile.plain(count, seed)?;
    let mut times = Times::default();
    let (mut contacts, mut stage_times) = (0, [0.0; STAGES.len()]);
    for _ in 0..BODIES.div_ceil(count.max(1)) {
        let mut world = Ours::new(&scene)?;
        world.steps(FIRST)?;
        for _ in 0..STEPS {
            let report = timed(&mut times, || world.steps(1))?;
            contacts = report.contacts;
            stage_times.iter_mut().zip(stages(report.times)).for_each(|(sum, time)| *sum += time);
        }
    }
    let bodies = (times.wall.len() * count.max(1)) as f64;
    Ok(Row {
        stages: stage_times.map(|time| time / bodies),
        threads,
        count,
        contacts,
        steps: times.wall.len(),
        median: 1e3 * times.median(),
        cpu: 1e3 * times.cpu_median(),
    })
}

fn bars_of(rows: &[Row], thread_count: usize) -> Vec<Bar> {
    let of = |name: &str, pick: fn(&Row) -> f64| {
        let points: Vec<(f64, f64)> = rows.iter().map(|row| (row.count as f64, pick(row))).collect();
        let what = format!("{}: exponent of {name} of a step over bodies", threads(thread_count));
        Some(Bar::at_most(what, exponent_of(&points)?, EXPONENT))
    };
    [of("time", |row| row.median), of("CPU time", |row| row.cpu)].into_iter().flatten().collect()
}
