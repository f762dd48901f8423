//! How the time of sat2d's whole self-join grows with the number of polygons, and with uneven places and sizes.

use sat2d::scenes::Scene;
use serde::Serialize;

use crate::bars::{self, Bar, Verdict, threads};
use crate::machine::{self, Machine, available_bytes};
use crate::measure::{Stages, Times, stage_medians, timed};
use crate::whole_join::ours;
use crate::{AnyError, Arguments, Rings, unequal};

/// Sizes, at constant density.
const COUNTS: [usize; 7] = [10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000];
/// What a polygon may take, input and output included, for a size to be tried.
const BYTES_A_POLYGON: u64 = 1500;
/// The largest exponent of time over size.
pub(crate) const EXPONENT: f64 = 1.15;
/// Sizes at which scenes are compared.
const UNEVEN_COUNTS: [usize; 2] = [100_000, 1_000_000];
/// What a candidate pair may cost beside one of the uniform scene.
const UNEVEN: f64 = 3.0;

#[derive(Debug, Serialize)]
struct Report {
    stage: &'static str,
    #[serde(flatten)]
    machine: Machine,
    seed: u64,
    growth: Vec<Growth>,
    uneven: Vec<Uneven>,
    bars: Vec<Bar>,
}

/// One scene with one number of threads at all sizes.
#[derive(Debug, Serialize)]
struct Growth {
    scene: &'static str,
    threads: usize,
    rows: Vec<Row>,
    /// Of time over size, by least squares of their logarithms.
    exponent: Option<f64>,
    /// The same of CPU time of all threads, which others on the machine do not disturb as much.
    cpu_exponent: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Row {
    count: usize,
    candidates: u64,
    runs: usize,
    /// Milliseconds.
    median: f64,
    least: f64,
    cpu: f64,
    /// Medians, in milliseconds.
    stages: Vec<(&'static str, f64)>,
}

/// One scene beside the uniform one.
#[derive(Debug, Serialize)]
struct Uneven {
    scene: &'static str,
    count: usize,
    threads: usize,
    candidates: u64,
    nanoseconds_a_candidate: f64,
    ratio: f64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict, AnyError> {
    let mut report = Report {
        stage: "scaling",
        machine: Machine::here(),
        seed: arguments.seed,
        growth: Vec::new(),
        uneven: Vec::new(),
        bars: Vec::new(),
    };
    println!("{}", report.machine);
    println!(
        "sat2d {}: the whole self-join, rings in memory to sorted pairs in memory",
        machine::version("sat2d")
    );
    println!("seed {}; medians; cpu: of all threads", arguments.seed);
    let counts = arguments.count.clone().unwrap_or_else(|| COUNTS.to_vec());
    for scene in [Scene::Boxes, Scene::Ngons] {
        report.growth.extend(grow(arguments, scene, &counts)?);
    }
    let growing = report.growth.iter().filter_map(|growth| {
        let what = format!("{}, {}: exponent of time over size", growth.scene, threads(growth.threads));
        Some(Bar::at_most(what, growth.exponent?, EXPONENT))
    });
    report.bars.extend(growing);
    for count in UNEVEN_COUNTS {
        report.uneven.extend(compare(arguments, count)?);
    }
    let costing = report.uneven.iter().filter(|row| row.scene != Scene::Ngons.name()).map(|row| {
        let what = format!("{} {}, {}: time a pair over ngons", row.scene, row.count, threads(row.threads));
        Bar::at_most(what, row.ratio, UNEVEN)
    });
    report.bars.extend(costing);
    bars::print(&report.bars);
    machine::write_json(arguments.json.as_deref(), &report)?;
    Ok(Verdict::new(true, &report.bars))
}

/// Times a scene at every size that fits the memory, for each number of threads.
fn grow(arguments: &Arguments, scene: Scene, counts: &[usize]) -> Result<Vec<Growth>, AnyError> {
    let mut growths: Vec<Growth> = arguments
        .thread_counts()
        .into_iter()
        .map(|threads| Growth {
            scene: scene.name(),
            threads,
            rows: Vec::new(),
            exponent: None,
            cpu_exponent: None,
        })
        .collect();
    let mut left_out = Vec::new();
    for &count in counts {
        let needed = count as u64 * BYTES_A_POLYGON;
        if available_bytes().is_some_and(|available| available < needed) {
            left_out.push(format!("{count} polygons left out: they may need {} MB", needed / 1_000_000));
            continue;
        }
        let rings = scene.generate(count, arguments.seed);
        // Small sizes are soon done, and their noise is large.
        let repeats = (3_000_000 / count.max(1)).clamp(3, 3 * arguments.repeats as usize);
        for growth in &mut growths {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(growth.threads).build()?;
            let mut times = Times::default();
            let (mut candidates, mut stages) = (0, Vec::new());
            pool.install(|| {
                // One that is not timed.
                (candidates, _) = join(&mut Times::default(), &rings)?;
                for _ in 0..repeats {
                    stages.push(join(&mut times, &rings)?.1);
                }
                Ok::<(), AnyError>(())
            })?;
            let runs = times.wall.len();
            let [median, least, cpu] = [times.median(), times.least(), times.cpu_median()].map(|t| t * 1e3);
            let stages = stage_medians(&stages);
            growth.rows.push(Row { count, candidates, runs, median, least, cpu, stages });
        }
    }
    for growth in &mut growths {
        growth.exponent = exponent(&growth.rows, |row| row.median);
        growth.cpu_exponent = exponent(&growth.rows, |row| row.cpu);
        growth.print();
        left_out.iter().for_each(|line| println!("  {line}"));
    }
    Ok(growths)
}

/// Times the uniform scene and the uneven ones in turn.
fn compare(arguments: &Arguments, count: usize) -> Result<Vec<Uneven>, AnyError> {
    let scenes = [
        (Scene::Ngons.name(), Scene::Ngons.generate(count, arguments.seed)),
        (Scene::Clustered.name(), Scene::Clustered.generate(count, arguments.seed)),
        ("unequal", unequal::generate(count, arguments.seed)),
    ];
    let mut rows: Vec<Uneven> = Vec::new();
    for threads in arguments.thread_counts() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut all: Vec<(u64, Times)> = vec![(0, Times::default()); scenes.len()];
        pool.install(|| {
            for ((candidates, times), (_, rings)) in all.iter_mut().zip(&scenes) {
                (*candidates, _) = join(times, rings)?;
                *times = Times::default();
            }
            for _ in 0..arguments.repeats {
                for ((_, times), (_, rings)) in all.iter_mut().zip(&scenes) {
                    join(times, rings)?;
                }
            }
            Ok::<(), AnyError>(())
        })?;
        println!("\nuneven places and sizes, {count} polygons, {}", bars::threads(threads));
        println!("  {:<10} {:>11} {:>10} {:>8} {:>6}", "", "candidates", "median ms", "ns/pair", "ratio");
        let cost = |(candidates, times): &(u64, Times)| times.median() * 1e9 / (*candidates).max(1) as f64;
        let uniform = cost(&all[0]);
        for (one, (scene, _)) in all.iter().zip(&scenes) {
            let (nanoseconds_a_candidate, candidates) = (cost(one), one.0);
            let ratio = nanoseconds_a_candidate / uniform;
            let milliseconds = one.1.median() * 1e3;
            println!(
                "  {scene:<10} {candidates:>11} {milliseconds:>10.2} {nanoseconds_a_candidate:>8.1} {ratio:>6.2}"
            );
            rows.push(Uneven { scene, count, threads, candidates, nanoseconds_a_candidate, ratio });
        }
    }
    Ok(rows)
}

/// The candidate pairs of a self-join, and its stages.
fn join(times: &mut Times, rings: &Rings) -> Result<(u64, Stages), AnyError> {
    let answer = timed(times, || ours::join(rings))?;
    Ok((answer.candidates, answer.stages))
}

fn exponent(rows: &[Row], time: impl Fn(&Row) -> f64) -> Option<f64> {
    exponent_of(&rows.iter().map(|row| (row.count as f64, time(row))).collect::<Vec<_>>())
}

/// The slope of the line through the logarithms of sizes and times, by least squares; none of fewer than 2 sizes.
pub(crate) fn exponent_of(sizes_and_times: &[(f64, f64)]) -> Option<f64> {
    let points: Vec<[f64; 2]> = sizes_and_times.iter().map(|(size, time)| [size.ln(), time.ln()]).collect();
    let mean = |axis: usize| points.iter().map(|p| p[axis]).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(0), mean(1));
    let covariance: f64 = points.iter().map(|p| (p[0] - x) * (p[1] - y)).sum();
    let variance: f64 = points.iter().map(|p| (p[0] - x) * (p[0] - x)).sum();
    (variance > 0.0).then(|| covariance / variance)
}

impl Growth {
    fn print(&self) {
        println!("\n{}, {}", self.scene, threads(self.threads));
        println!(
            "  {:>10} {:>11} {:>5} {:>10} {:>10} {:>10} {:>11} {:>8}",
            "polygons", "candidates", "runs", "median ms", "least", "cpu", "ns/polygon", "ns/pair"
        );
        for Row { count, candidates, runs, median, least, cpu, .. } in &self.rows {
            let a_polygon = median * 1e6 / *count as f64;
            let a_pair = median * 1e6 / (*candidates).max(1) as f64;
            println!(
                "  {count:>10} {candidates:>11} {runs:>5} {median:>10.2} {least:>10.2} {cpu:>10.2} {a_polygon:>11.1} {a_pair:>8.1}"
            );
        }
        if let (Some(exponent), Some(cpu)) = (self.exponent, self.cpu_exponent) {
            println!("  exponent {exponent:.3}; of CPU time {cpu:.3}");
        }
        let Some(first) = self.rows.first() else { return };
        println!("  ns a polygon by stage");
        print!("  {:>10}", "polygons");
        first.stages.iter().for_each(|(name, _)| print!(" {name:>11}"));
        println!();
        for row in &self.rows {
            print!("  {:>10}", row.count);
            row.stages.iter().for_each(|(_, time)| print!(" {:>11.1}", time * 1e6 / row.count as f64));
            println!();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponent_of_a_power() {
        let row = |count: usize| Row {
            count,
            candidates: 0,
            runs: 1,
            median: 3.0 * (count as f64).powf(1.1),
            least: 0.0,
            cpu: 0.0,
            stages: Vec::new(),
        };
        let found = exponent(&[row(10), row(1000), row(5000)], |row| row.median);
        assert!(found.is_some_and(|e| (e - 1.1).abs() < 1e-12), "{found:?}");
        assert_eq!(exponent(&[row(10)], |row| row.median), None);
    }
}
