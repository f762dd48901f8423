//! Measures the building of sets from convex rings in memory: from slices of rings, from columns, and from objects.
//! Every set is compared with the set from slices of rings.

use sat2d::scenes::Scene;
use sat2d::{Coordinates, PolygonColumns, PolygonObject, PolygonSet};
use serde::Serialize;

use crate::bars::{self, Bar, Verdict, threads};
use crate::machine::{self, Machine};
use crate::measure::{Times, timed};
use crate::{AnyError, Arguments, Rings};

const COUNT: usize = 1_000_000;
const SCENES: [Scene; 3] = [Scene::Boxes, Scene::Ngons, Scene::Clustered];
/// The longest accepted time for building a set from columns, in nanoseconds per polygon. The polygons have 3 to 8
/// vertices. The set is built on one thread, with all checks.
const NANOSECONDS: f64 = 100.0;

#[derive(Debug, Serialize)]
struct Report {
    stage: &'static str,
    #[serde(flatten)]
    machine: Machine,
    seed: u64,
    rows: Vec<Row>,
    bars: Vec<Bar>,
}

#[derive(Debug, Serialize)]
struct Row {
    scene: &'static str,
    count: usize,
    threads: usize,
    way: &'static str,
    /// Whether the set equals the expected one.
    is_right: bool,
    /// The median time per polygon, in nanoseconds.
    median: f64,
    least: f64,
}

/// The rings of a scene in columns. Each ring ends with its first vertex, as in GeoArrow and WKB.
struct Columns {
    counter_clockwise: Vec<[f64; 2]>,
    clockwise: Vec<[f64; 2]>,
    x: Vec<f64>,
    y: Vec<f64>,
    offsets: Vec<i32>,
}

impl Columns {
    fn of(rings: &Rings) -> Self {
        let closed =
            |ring: &Vec<[f64; 2]>| ring.iter().copied().chain(ring.first().copied()).collect::<Vec<_>>();
        let counter_clockwise: Vec<[f64; 2]> = rings.iter().flat_map(closed).collect();
        let reversed = |ring: &Vec<[f64; 2]>| closed(ring).into_iter().rev().collect::<Vec<_>>();
        let ends = rings.iter().scan(0, |end, ring| {
            *end += ring.len() as i32 + 1;
            Some(*end)
        });
        Self {
            clockwise: rings.iter().flat_map(reversed).collect(),
            x: counter_clockwise.iter().map(|point| point[0]).collect(),
            y: counter_clockwise.iter().map(|point| point[1]).collect(),
            offsets: std::iter::once(0).chain(ends).collect(),
            counter_clockwise,
        }
    }

    fn set(&self, coordinates: Coordinates<'_>) -> sat2d::Result<PolygonSet> {
        PolygonSet::from_columns(&PolygonColumns::new(coordinates, self.offsets.as_slice()))
    }
}

/// A function that builds a set in one way.
type Build<'a> = Box<dyn Fn() -> sat2d::Result<PolygonSet> + Sync + 'a>;

fn ways<'a>(rings: &'a Rings, columns: &'a Columns) -> Vec<(&'static str, Build<'a>)> {
    let objects = || rings.iter().map(|ring| PolygonObject::from_polygon(std::slice::from_ref(ring)));
    vec![
        ("columns", Box::new(|| columns.set(Coordinates::Interleaved(&columns.counter_clockwise)))),
        ("columns, clockwise", Box::new(|| columns.set(Coordinates::Interleaved(&columns.clockwise)))),
        (
            "columns, separate",
            Box::new(|| columns.set(Coordinates::Separate { x: &columns.x, y: &columns.y })),
        ),
        ("slices of rings", Box::new(|| PolygonSet::from_convex_rings(rings))),
        (
            "objects",
            Box::new(move || PolygonSet::from_objects(&objects().collect::<sat2d::Result<Vec<_>>>()?)),
        ),
    ]
}

/// Returns whether two sets have equal objects: each object is one piece, and the pieces of both sets have the same
/// vertices. The vertices of a piece may start at another vertex.
fn are_alike(found: &PolygonSet, expected: &PolygonSet) -> bool {
    let is_alike = |piece: usize| {
        let (found, expected) = (found.piece_vertices(piece), expected.piece_vertices(piece));
        let first = found.iter().position(|&vertex| vertex == expected[0]).unwrap_or(0);
        found.len() == expected.len() && found[first..].iter().chain(&found[..first]).eq(expected)
    };
    let counts = |set: &PolygonSet| (set.object_count(), set.piece_count(), set.vertex_count());
    counts(found) == counts(expected) && (0..expected.piece_count()).all(is_alike)
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict, AnyError> {
    let mut report = Report {
        stage: "sets",
        machine: Machine::here(),
        seed: arguments.seed,
        rows: Vec::new(),
        bars: Vec::new(),
    };
    println!("{}", report.machine);
    println!("sat2d {}: rings in memory to a set, checked and cleaned up", machine::version("sat2d"));
    println!("seed {}; nanoseconds for each polygon; medians of {}", arguments.seed, arguments.repeats);
    for scene in arguments.scenes(&SCENES) {
        for count in arguments.count.clone().unwrap_or_else(|| vec![COUNT]) {
            let rings = scene.generate(count, arguments.seed);
            for threads in arguments.thread_counts() {
                report.rows.extend(measure(arguments, scene, &rings, threads)?);
            }
        }
    }
    let of_columns = report.rows.iter().filter(|row| row.threads == 1 && row.way.starts_with("columns"));
    report.bars = of_columns
        .map(|row| {
            let what = format!("{} {}, {}: {}", row.scene, row.count, threads(1), row.way);
            Bar::at_most(what, row.median, NANOSECONDS).only_if(row.is_right)
        })
        .collect();
    bars::print(&report.bars);
    machine::write_json(arguments.json.as_deref(), &report)?;
    Ok(Verdict::new(report.rows.iter().all(|row| row.is_right), &report.bars))
}

/// Measures all methods of building a set in turn. Returns one row for each method.
fn measure(arguments: &Arguments, scene: Scene, rings: &Rings, count: usize) -> Result<Vec<Row>, AnyError> {
    let columns = Columns::of(rings);
    let expected = PolygonSet::from_convex_rings(rings)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build()?;
    let ways = ways(rings, &columns);
    let mut times = vec![Times::default(); ways.len()];
    let mut right = vec![true; ways.len()];
    for repeat in 0..=arguments.repeats {
        for (way, (_, build)) in ways.iter().enumerate() {
            let mut untimed = Times::default();
            let of_way = if repeat == 0 { &mut untimed } else { &mut times[way] };
            let set = timed(of_way, || pool.install(build))?;
            right[way] &= are_alike(&set, &expected);
        }
    }
    println!("\n{} {}, {}", scene.name(), rings.len(), threads(count));
    let nanoseconds = |seconds: f64| seconds * 1e9 / rings.len() as f64;
    let rows = ways.iter().zip(times).zip(right).map(|(((way, _), times), is_right)| Row {
        scene: scene.name(),
        count: rings.len(),
        threads: count,
        way,
        is_right,
        median: nanoseconds(times.median()),
        least: nanoseconds(times.least()),
    });
    let rows: Vec<Row> = rows.collect();
    for row in &rows {
        let answer = if row.is_right { "right" } else { "WRONG" };
        println!("  {:<20} {:>7.1}  least {:>7.1}  {answer}", row.way, row.median, row.least);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_builds_the_same_set() {
        let rings = Scene::Ngons.generate(500, 3);
        let columns = Columns::of(&rings);
        let expected = PolygonSet::from_convex_rings(&rings).expect("convex rings");
        for (way, build) in ways(&rings, &columns) {
            assert!(are_alike(&build().expect("convex rings"), &expected), "{way}");
        }
        let fewer = PolygonSet::from_convex_rings(&rings[1..]).expect("convex rings");
        assert!(!are_alike(&fewer, &expected));
    }
}
