//! Measures how the time of sat2d's whole self-join grows with the number of polygons, and with uneven positions and sizes.
//! The answer of every run is compared with the stored answer, or with the answer of exact arithmetic.

use sat2d::scenes::Scene;
use serde::Serialize;

use crate::bars::{self, Bar, Verdict, threads};
use crate::expected::{Expected, Standard};
use crate::machine::{self, Machine, available_bytes};
use crate::measure::{Stages, Times, stage_medians, timed};
use crate::whole_join::ours;
use crate::{AnyError, Arguments, Rings, unequal};

/// The measured numbers of polygons. The density of the polygons is the same for all numbers.
const COUNTS: [usize; 7] = [10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000];
/// The number of bytes per polygon that must be available for a size to be measured, with input and output.
const BYTES_A_POLYGON: u64 = 1500;
/// The largest accepted exponent `p` if the time grows as `count^p`, where `count` is the number of polygons.
pub(crate) const EXPONENT: f64 = 1.15;
/// The numbers of polygons at which uneven scenes are compared with the uniform scene.
const UNEVEN_COUNTS: [usize; 2] = [100_000, 1_000_000];
/// The largest accepted ratio of the time per candidate pair in an uneven scene to the time per candidate pair in the uniform
/// scene.
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

/// The results of one scene with one number of threads, at all measured numbers of polygons.
#[derive(Debug, Serialize)]
struct Growth {
    scene: &'static str,
    threads: usize,
    rows: Vec<Row>,
    left_out: Vec<LeftOut>,
    /// The exponent of the time as a power of the size, by least squares of the logarithms. `None` if there are fewer
    /// than 2 sizes.
    exponent: Option<f64>,
    /// The exponent of the CPU time of all threads as a power of the size. Other programs on the machine disturb this time
    /// less. `None` if there are fewer than 2 sizes.
    cpu_exponent: Option<f64>,
}

/// A number of polygons that was not measured, and the reason.
#[derive(Clone, Debug, Serialize)]
struct LeftOut {
    count: usize,
    needed_bytes: u64,
    available_bytes: u64,
}

#[derive(Debug, Serialize)]
struct Row {
    count: usize,
    candidates: u64,
    /// Whether every run gave the expected answer.
    is_right: bool,
    /// The word that the table shows for `is_right`.
    answers: &'static str,
    runs: usize,
    /// The median of the time, in milliseconds.
    median: f64,
    least: f64,
    cpu: f64,
    /// The median of each stage, in milliseconds.
    stages: Vec<(&'static str, f64)>,
}

/// The comparison of one uneven scene with the uniform scene.
#[derive(Debug, Serialize)]
struct Uneven {
    scene: &'static str,
    count: usize,
    threads: usize,
    candidates: u64,
    is_right: bool,
    answers: &'static str,
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
    for scene in [Scene::Boxes, Scene::Ngons, Scene::Crowd] {
        report.growth.extend(grow(arguments, scene, &counts)?);
    }
    let growing = report.growth.iter().filter_map(|growth| {
        let what = format!("{}: exponent of time over size", growth.title());
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
    let mut right = report.growth.iter().flat_map(|growth| &growth.rows).map(|row| row.is_right);
    let is_right = right.all(|is_right| is_right) && report.uneven.iter().all(|row| row.is_right);
    Ok(Verdict::new(is_right, &report.bars))
}

/// Measures a scene at every size that fits the memory, for each number of threads.
fn grow(arguments: &Arguments, scene: Scene, counts: &[usize]) -> Result<Vec<Growth>, AnyError> {
    let mut growths: Vec<Growth> = arguments
        .thread_counts()
        .into_iter()
        .map(|threads| Growth {
            scene: scene.name(),
            threads,
            rows: Vec::new(),
            left_out: Vec::new(),
            exponent: None,
            cpu_exponent: None,
        })
        .collect();
    for &count in counts {
        let needed_bytes = count as u64 * BYTES_A_POLYGON;
        if let Some(available_bytes) = available_bytes().filter(|&available| available < needed_bytes) {
            let one = LeftOut { count, needed_bytes, available_bytes };
            growths.iter_mut().for_each(|growth| growth.left_out.push(one.clone()));
            continue;
        }
        let rings = scene.generate(count, arguments.seed);
        let standard = Standard::new(Some(scene), arguments.seed, &rings)?;
        // Small sizes take little time and have much noise, so they get more runs.
        let repeats = (3_000_000 / count.max(1)).clamp(3, 3 * arguments.repeats as usize);
        for growth in &mut growths {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(growth.threads).build()?;
            let mut times = Times::default();
            let mut stages = Vec::new();
            let is_right = pool.install(|| {
                // The first run is not timed.
                let mut is_right = join(&mut Times::default(), &rings)?.0 == standard.expected;
                for _ in 0..repeats {
                    let (found, of_run) = join(&mut times, &rings)?;
                    is_right &= found == standard.expected;
                    stages.push(of_run);
                }
                Ok::<_, AnyError>(is_right)
            })?;
            let (candidates, answers) = (standard.expected.candidates, standard.says(is_right));
            let runs = times.wall.len();
            let [median, least, cpu] = [times.median(), times.least(), times.cpu_median()].map(|t| t * 1e3);
            let stages = stage_medians(&stages);
            let row = Row { count, candidates, is_right, answers, runs, median, least, cpu, stages };
            growth.rows.push(row);
        }
    }
    for growth in &mut growths {
        growth.exponent = exponent(&growth.rows, |row| row.median);
        growth.cpu_exponent = exponent(&growth.rows, |row| row.cpu);
        growth.print();
    }
    Ok(growths)
}

/// Measures the uniform scene and the uneven scenes in turn.
fn compare(arguments: &Arguments, count: usize) -> Result<Vec<Uneven>, AnyError> {
    let generated = |scene: Scene| (scene.name(), Some(scene), scene.generate(count, arguments.seed));
    let unequal = ("unequal", None, unequal::generate(count, arguments.seed));
    let scenes = [generated(Scene::Ngons), generated(Scene::Clustered), unequal]
        .into_iter()
        .map(|(name, scene, rings)| Ok((name, Standard::new(scene, arguments.seed, &rings)?, rings)))
        .collect::<Result<Vec<_>, AnyError>>()?;
    let mut rows: Vec<Uneven> = Vec::new();
    for threads in arguments.thread_counts() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut all: Vec<(bool, Times)> = vec![(true, Times::default()); scenes.len()];
        pool.install(|| {
            for ((is_right, _), (_, standard, rings)) in all.iter_mut().zip(&scenes) {
                *is_right &= join(&mut Times::default(), rings)?.0 == standard.expected;
            }
            for _ in 0..arguments.repeats {
                for ((is_right, times), (_, standard, rings)) in all.iter_mut().zip(&scenes) {
                    *is_right &= join(times, rings)?.0 == standard.expected;
                }
            }
            Ok::<(), AnyError>(())
        })?;
        println!("\nuneven places and sizes, {count} polygons, {}", bars::threads(threads));
        println!(
            "  {:<10} {:>11} {:>10} {:>8} {:>6}  answers",
            "", "candidates", "median ms", "ns/pair", "ratio"
        );
        let mut uniform = None;
        for ((is_right, times), (scene, standard, _)) in all.into_iter().zip(&scenes) {
            let candidates = standard.expected.candidates;
            let nanoseconds_a_candidate = times.median() * 1e9 / candidates.max(1) as f64;
            let ratio = nanoseconds_a_candidate / *uniform.get_or_insert(nanoseconds_a_candidate);
            let milliseconds = times.median() * 1e3;
            let answers = standard.says(is_right);
            println!(
                "  {scene:<10} {candidates:>11} {milliseconds:>10.2} {nanoseconds_a_candidate:>8.1} {ratio:>6.2}  {answers}"
            );
            rows.push(Uneven {
                scene,
                count,
                threads,
                candidates,
                is_right,
                answers,
                nanoseconds_a_candidate,
                ratio,
            });
        }
    }
    Ok(rows)
}

/// Returns the result of a self-join and the times of its stages.
fn join(times: &mut Times, rings: &Rings) -> Result<(Expected, Stages), AnyError> {
    let answer = timed(times, || ours::join(rings))?;
    Ok((Expected::of(answer.candidates, &answer.pairs), answer.stages))
}

fn exponent(rows: &[Row], time: impl Fn(&Row) -> f64) -> Option<f64> {
    exponent_of(&rows.iter().map(|row| (row.count as f64, time(row))).collect::<Vec<_>>())
}

/// Returns the slope of the line through the logarithms of sizes and times, by least squares. Returns `None` for fewer
/// than 2 sizes.
pub(crate) fn exponent_of(sizes_and_times: &[(f64, f64)]) -> Option<f64> {
    let points: Vec<[f64; 2]> = sizes_and_times.iter().map(|(size, time)| [size.ln(), time.ln()]).collect();
    let mean = |axis: usize| points.iter().map(|p| p[axis]).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(0), mean(1));
    let covariance: f64 = points.iter().map(|p| (p[0] - x) * (p[1] - y)).sum();
    let variance: f64 = points.iter().map(|p| (p[0] - x) * (p[0] - x)).sum();
    (variance > 0.0).then(|| covariance / variance)
}

impl Growth {
    /// Returns a title with the scene, the range of the measured sizes, the sizes that were left out, and the number of
    /// threads.
    fn title(&self) -> String {
        let sizes = || self.rows.iter().map(|row| row.count);
        let range = match (sizes().min(), sizes().max()) {
            (Some(least), Some(most)) => format!("{least}..{most}"),
            _ => "no sizes".into(),
        };
        let left_out: Vec<String> = self.left_out.iter().map(|one| one.count.to_string()).collect();
        let without =
            if left_out.is_empty() { String::new() } else { format!(" without {}", left_out.join(", ")) };
        format!("{} {range}{without}, {}", self.scene, threads(self.threads))
    }

    fn print(&self) {
        println!("\n{}, {}", self.scene, threads(self.threads));
        println!(
            "  {:>10} {:>11} {:>5} {:>10} {:>10} {:>10} {:>11} {:>8}  answers",
            "polygons", "candidates", "runs", "median ms", "least", "cpu", "ns/polygon", "ns/pair"
        );
        for Row { count, candidates, answers, runs, median, least, cpu, .. } in &self.rows {
            let a_polygon = median * 1e6 / *count as f64;
            let a_pair = median * 1e6 / (*candidates).max(1) as f64;
            println!(
                "  {count:>10} {candidates:>11} {runs:>5} {median:>10.2} {least:>10.2} {cpu:>10.2} {a_polygon:>11.1} {a_pair:>8.1}  {answers}"
            );
        }
        for LeftOut { count, needed_bytes, available_bytes } in &self.left_out {
            let [needed, available] = [needed_bytes, available_bytes].map(|bytes| bytes / 1_000_000);
            println!("  {count:>10} left out: may need {needed} MB, {available} available");
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

    fn row(count: usize, median: f64) -> Row {
        let (candidates, stages) = (0, Vec::new());
        Row {
            count,
            candidates,
            is_right: true,
            answers: "exact",
            runs: 1,
            median,
            least: 0.0,
            cpu: 0.0,
            stages,
        }
    }

    #[test]
    fn titles_name_the_sizes_that_ran_and_those_left_out() {
        let mut growth = Growth {
            scene: "boxes",
            threads: 1,
            rows: vec![row(10, 1.0), row(100, 1.0)],
            left_out: vec![LeftOut { count: 300, needed_bytes: 2, available_bytes: 1 }],
            exponent: None,
            cpu_exponent: None,
        };
        assert_eq!(growth.title(), "boxes 10..100 without 300, 1 thread");
        growth.left_out.clear();
        assert_eq!(growth.title(), "boxes 10..100, 1 thread");
    }

    #[test]
    fn exponent_of_a_power() {
        let rows = [10, 1000, 5000].map(|count| row(count, 3.0 * (count as f64).powf(1.1)));
        let found = exponent(&rows, |row| row.median);
        assert!(found.is_some_and(|e| (e - 1.1).abs() < 1e-12), "{found:?}");
        assert_eq!(exponent(&rows[..1], |row| row.median), None);
    }
}
