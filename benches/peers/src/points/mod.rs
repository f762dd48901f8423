//! Measures points in polygons: from slices of points and rings in memory to the points of each polygon. The time
//! includes building the index.

mod rstar_geo;
mod truth;

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use rayon::prelude::*;
use sat2d::scenes::Scene;
use sat2d::{Backend, Engine, KeepPoints, PointOptions, PolygonObject, PolygonSet};
use serde::Serialize;

use crate::bars::{self, Bar, Verdict, threads};
use crate::machine::{self, Machine, version};
use crate::measure::{Times, timed};
use crate::unequal::Units;
use crate::{AnyError, Arguments, Rings, chosen};

/// The smallest accepted ratio of the speed of sat2d's counts to the speed of another contender.
const BAR: f64 = 5.0;
/// The limit on the total time of a contender's runs on one scene with one number of threads. After this time, the contender
/// gets no further runs, but it gets at least [`FEWEST`] runs, if so many are requested.
const ENOUGH: Duration = Duration::from_secs(20);
/// The smallest number of runs of a contender on one scene with one number of threads.
const FEWEST: usize = 3;

/// A method of finding the points in polygons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contender {
    /// sat2d: the number of points in the interior of each polygon.
    Counts,
    /// sat2d: for each point, the first polygon that has the point in its interior.
    First,
    /// sat2d: every pair of a point and a polygon that has the point in its interior.
    Pairs,
    /// rstar's tree over the boxes with one query per point, and geo's `Contains` for each polygon found.
    RstarGeo,
}

const ALL: [Contender; 4] = [Contender::Counts, Contender::First, Contender::Pairs, Contender::RstarGeo];

impl Contender {
    fn name(self) -> &'static str {
        match self {
            Self::Counts => "sat2d",
            Self::First => "sat2d-first",
            Self::Pairs => "sat2d-pairs",
            Self::RstarGeo => "rstar+geo",
        }
    }

    fn run(self, points: &[[f64; 2]], rings: &Rings) -> Result<Answer, AnyError> {
        if self == Self::RstarGeo {
            return Ok(Answer::Counts(rstar_geo::counts(points, rings)));
        }
        let objects: Result<Vec<_>, _> =
            rings.par_iter().map(|ring| PolygonObject::from_polygon(&[ring])).collect();
        let set = PolygonSet::from_objects(&objects?)?;
        // Points on a boundary do not count as inside, as in geo's `Contains`.
        let options = PointOptions {
            keep: KeepPoints::Inside,
            counts: self == Self::Counts,
            first: self == Self::First,
            pairs: self == Self::Pairs,
            ..PointOptions::default()
        };
        let join = Engine::new(Backend::Cpu)?.points(points, &set).query(&options)?;
        Ok(match self {
            Self::First => Answer::First(join.first.iter().flat_map(|first| first.iter()).collect()),
            Self::Pairs => Answer::Pairs(join.pairs.iter().flatten().map(|p| [p.point, p.object]).collect()),
            _ => Answer::Counts(join.counts.iter().flatten().map(|count| count.inside).collect()),
        })
    }
}

/// The answer of a contender.
#[derive(Debug)]
enum Answer {
    /// The number of points inside each polygon.
    Counts(Vec<u32>),
    /// For each point, the first polygon that contains it.
    First(Vec<Option<u32>>),
    /// Every pair of a point and a polygon that contains it.
    Pairs(Vec<[u32; 2]>),
}

impl Answer {
    /// Returns the number of polygons, points or pairs for which the answer differs from the exact answer.
    fn errors(&self, exact: &truth::Exact) -> usize {
        match self {
            Self::Counts(counts) => differences(counts, &exact.counts),
            Self::First(first) => differences(first, &exact.first),
            Self::Pairs(pairs) => differences(pairs, &exact.pairs),
        }
    }
}

fn differences<T: PartialEq>(found: &[T], exact: &[T]) -> usize {
    found.iter().zip(exact).filter(|(a, b)| a != b).count() + found.len().abs_diff(exact.len())
}

#[derive(Debug, Serialize)]
struct Row {
    scene: String,
    contender: &'static str,
    threads: usize,
    milliseconds: f64,
    cpu_milliseconds: f64,
    nanoseconds_a_point: f64,
    /// The ratio of this contender's time to the time of the first contender. By default, the first contender is sat2d's
    /// counts.
    ratio: f64,
    /// The ratio of this contender's CPU time to the CPU time of the first contender, on all threads. It is the better measure
    /// if other programs use the machine.
    cpu_ratio: f64,
    errors: usize,
    runs: Vec<f64>,
}

#[derive(Debug, Serialize)]
struct Report {
    machine: Machine,
    points: usize,
    polygons: usize,
    rows: Vec<Row>,
    bars: Vec<Bar>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict, AnyError> {
    let contenders = chosen(&arguments.contender, &ALL, Contender::name)?;
    let polygons = arguments.count.as_ref().and_then(|counts| counts.first().copied()).unwrap_or(10_000);
    let mut report = Report {
        machine: Machine::here(),
        points: arguments.points,
        polygons,
        rows: Vec::new(),
        bars: Vec::new(),
    };
    println!("{}", report.machine);
    println!(
        "rstar {}, geo {}; {} points, {polygons} polygons; from slices of both to the points of each polygon\n",
        version("rstar"),
        version("geo"),
        arguments.points
    );
    let mut right = true;
    for (scene, rings) in scenes(polygons, arguments.seed) {
        let points = scatter(&rings, arguments.points, arguments.seed);
        if let Some(folder) = &arguments.dump {
            dump(folder, scene, &points, &rings)?;
        }
        let exact = truth::exact(&points, &rings);
        println!(
            "{scene}: {} vertices a polygon, {} pairs of a point and a polygon that it is inside of",
            rings.iter().map(Vec::len).sum::<usize>() / rings.len().max(1),
            exact.pairs.len()
        );
        println!(
            "  {:<12} {:>7} {:>10} {:>10} {:>9} {:>7} {:>9} {:>7}",
            "contender", "threads", "ms", "cpu ms", "ns/point", "ratio", "cpu ratio", "errors"
        );
        for count in arguments.thread_counts() {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build()?;
            let trials =
                pool.install(|| alternate(arguments.repeats, &contenders, &points, &rings, &exact))?;
            let ours = trials.first().map_or(f64::NAN, |trial| trial.0.median());
            let ours_cpu = trials.first().map_or(f64::NAN, |trial| trial.0.cpu_median());
            for (&contender, (times, errors)) in contenders.iter().zip(&trials) {
                let row = Row {
                    scene: scene.into(),
                    contender: contender.name(),
                    threads: count,
                    milliseconds: times.median() * 1e3,
                    cpu_milliseconds: times.cpu_median() * 1e3,
                    nanoseconds_a_point: times.median() * 1e9 / points.len().max(1) as f64,
                    ratio: times.median() / ours,
                    cpu_ratio: times.cpu_median() / ours_cpu,
                    errors: *errors,
                    runs: times.wall_milliseconds(),
                };
                println!(
                    "  {:<12} {:>7} {:>10.1} {:>10.1} {:>9.1} {:>7.2} {:>9.2} {:>7}",
                    row.contender,
                    row.threads,
                    row.milliseconds,
                    row.cpu_milliseconds,
                    row.nanoseconds_a_point,
                    row.ratio,
                    row.cpu_ratio,
                    row.errors
                );
                right &= contender == Contender::RstarGeo || row.errors == 0;
                if contender == Contender::RstarGeo && contenders[0] == Contender::Counts {
                    let what = format!("{scene}, {}: times as fast as {}", threads(count), contender.name());
                    report.bars.push(Bar::at_least(what, row.ratio, BAR));
                }
                report.rows.push(row);
            }
        }
    }
    bars::print(&report.bars);
    machine::write_json(arguments.json.as_deref(), &report)?;
    Ok(Verdict::new(right, &report.bars))
}

/// Runs each contender once untimed, then all contenders in turn. Returns their times and the numbers of their wrong
/// answers.
fn alternate(
    repeats: u32,
    contenders: &[Contender],
    points: &[[f64; 2]],
    rings: &Rings,
    exact: &truth::Exact,
) -> Result<Vec<(Times, usize)>, AnyError> {
    let mut trials = Vec::new();
    for contender in contenders {
        trials.push((Times::default(), contender.run(points, rings)?.errors(exact)));
    }
    for _ in 0..repeats {
        for (contender, (times, _)) in contenders.iter().zip(&mut trials) {
            if times.wall.len() >= FEWEST && times.wall.iter().sum::<Duration>() > ENOUGH {
                continue;
            }
            timed(times, || contender.run(points, rings))?;
        }
    }
    Ok(trials)
}

/// Returns two scenes: convex polygons, and concave polygons that are made from them. In a concave polygon, the middle of each
/// edge is moved halfway to the middle of the polygon.
fn scenes(count: usize, seed: u64) -> [(&'static str, Vec<Vec<[f64; 2]>>); 2] {
    let convex = Scene::Ngons.generate(count, seed);
    let concave = convex
        .iter()
        .map(|ring| {
            let sum = ring.iter().fold([0.0; 2], |sum, v| [sum[0] + v[0], sum[1] + v[1]]);
            let middle = sum.map(|x| x / ring.len() as f64);
            let dent = |p: [f64; 2], q: [f64; 2]| [0, 1].map(|i| 0.5 * middle[i] + 0.25 * (p[i] + q[i]));
            (0..ring.len()).flat_map(|i| [ring[i], dent(ring[i], ring[(i + 1) % ring.len()])]).collect()
        })
        .collect();
    [("ngons", convex), ("stars", concave)]
}

/// Returns points that are uniform in the box around all rings.
fn scatter(rings: &Rings, count: usize, seed: u64) -> Vec<[f64; 2]> {
    let bound = |axis: usize, pick: fn(f64, f64) -> f64| {
        rings.iter().flatten().map(|v| v[axis]).reduce(pick).unwrap_or(0.0)
    };
    let low = [bound(0, f64::min), bound(1, f64::min)];
    let high = [bound(0, f64::max), bound(1, f64::max)];
    let mut units = Units(seed ^ 0x706f_696e_7473);
    (0..count).map(|_| [0, 1].map(|i| low[i] + units.next() * (high[i] - low[i]))).collect()
}

/// Writes points and rings for contenders in other languages, as numbers of 8 bytes in little-endian order.
fn dump(folder: &Path, scene: &str, points: &[[f64; 2]], rings: &Rings) -> Result<(), AnyError> {
    std::fs::create_dir_all(folder)?;
    let write = |name: &str, numbers: &mut dyn Iterator<Item = [u8; 8]>| -> Result<(), AnyError> {
        let file = std::fs::File::create(folder.join(format!("{scene}.{name}")))?;
        let mut file = std::io::BufWriter::new(file);
        for number in numbers {
            file.write_all(&number)?;
        }
        Ok(file.flush()?)
    };
    write("points", &mut points.iter().flatten().map(|x| x.to_le_bytes()))?;
    write("vertices", &mut rings.iter().flatten().flatten().map(|x| x.to_le_bytes()))?;
    write("lengths", &mut rings.iter().map(|ring| (ring.len() as u64).to_le_bytes()))
}
