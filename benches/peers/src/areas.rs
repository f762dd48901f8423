//! Compares the areas that pairs of convex polygons have in common. All contenders run in turn on one thread, over the same pairs.

use geo::{Area, BooleanOps, Polygon};
use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::float::single::SingleFloatOverlay;
use sat2d::scenes::Scene;
use sat2d::{Aabb, Backend, Engine, IntersectionArea, PolygonSet, broad_phase};
use serde::Serialize;

use crate::bars::{self, Bar, Verdict};
use crate::machine::{self, Machine, version};
use crate::measure::{Times, timed};
use crate::narrow::geo::polygon;
use crate::{APART, AnyError, Arguments, Rings};

/// The least accepted ratio of the fastest other library's time to the time of sat2d.
const RATIO: f64 = 5.0;
/// The greatest difference between an area of sat2d and the area that the benchmark clips itself, as a fraction of the area of the
/// smaller bounding box. The bound of sat2d is 2^-44; the rest is for the rounding errors of the benchmark.
const OURS: f64 = 1.0 / (1u64 << 40) as f64;
/// The greatest accepted difference of other contenders. geo and i_overlay round coordinates to integers of 32 bits.
const THEIRS: f64 = 1e-6;

/// A way to measure the areas of all pairs.
struct Contender<'a> {
    name: &'static str,
    areas: Box<dyn Fn() -> Result<Vec<f64>, AnyError> + 'a>,
}

#[derive(Debug, Serialize)]
struct Report {
    stage: &'static str,
    #[serde(flatten)]
    machine: Machine,
    seed: u64,
    repeats: u32,
    rows: Vec<Row>,
    bars: Vec<Bar>,
}

/// The result of one contender in one scene.
#[derive(Debug, Serialize)]
struct Row {
    scene: String,
    pairs: usize,
    contender: &'static str,
    /// The median wall time per pair, in nanoseconds.
    median: f64,
    /// The greatest difference from the benchmark's own clipping, as a fraction of the area of the smaller bounding box.
    worst: f64,
    /// The number of pairs whose difference is beyond the accepted one.
    wrong: usize,
}

/// Measures every scene. The answers of sat2d are right if no area differs from the benchmark's own clipping by more than [`OURS`].
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict, AnyError> {
    let machine = Machine::here();
    println!("{machine}");
    println!(
        "1 thread; ns per pair; sat2d {}, geo {}, i_overlay {}; `clip` is Sutherland-Hodgman in f64, written for this benchmark\n",
        env!("CARGO_PKG_VERSION"),
        version("geo"),
        version("i_overlay")
    );
    println!("{:<10} {:>8} {:<10} {:>9} {:>10} {:>8}", "scene", "pairs", "contender", "ns", "worst", "wrong");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let count = arguments.count.as_ref().and_then(|counts| counts.first()).copied().unwrap_or(20_000);
    let (mut rows, mut all) = (Vec::new(), Vec::new());
    for scene in arguments.scenes(APART) {
        let rings = scene.generate(count, arguments.seed);
        let of_scene = pool.install(|| measure(scene, &rings, arguments.repeats))?;
        all.push(bar(scene, &of_scene));
        rows.extend(of_scene);
    }
    bars::print(&all);
    let is_right = rows.iter().all(|row| row.contender != "sat2d" || row.wrong == 0);
    let verdict = Verdict::new(is_right, &all);
    let report =
        Report { stage: "areas", machine, seed: arguments.seed, repeats: arguments.repeats, rows, bars: all };
    machine::write_json(arguments.json.as_deref(), &report)?;
    Ok(verdict)
}

/// Returns the bar of a scene: the time of the fastest other library with right answers, as a multiple of the time of sat2d.
fn bar(scene: Scene, rows: &[Row]) -> Bar {
    let time = |row: &Row| row.median;
    let ours = rows.iter().find(|row| row.contender == "sat2d").map_or(f64::NAN, time);
    let others = rows.iter().filter(|row| !["sat2d", "clip"].contains(&row.contender) && row.wrong == 0);
    let fastest = others.map(time).fold(f64::INFINITY, f64::min);
    Bar::at_least(format!("{scene}: times as fast as the fastest other library"), fastest / ours, RATIO)
}

fn measure(scene: Scene, rings: &Rings, repeats: u32) -> Result<Vec<Row>, AnyError> {
    let set = PolygonSet::from_convex_rings(rings)?;
    let boxes = set.piece_aabbs();
    let mut pairs = Vec::new();
    broad_phase::self_join(&boxes, None)?.next_chunk(usize::MAX, &mut pairs);
    let engine = Engine::new(Backend::Cpu)?;
    let polygons: Vec<Polygon<f64>> = rings.iter().map(|ring| polygon(ring)).collect();
    let each = |area: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
        pairs.iter().map(|&[a, b]| area(a as usize, b as usize)).collect()
    };
    let contenders = [
        Contender {
            name: "sat2d",
            areas: Box::new(|| {
                Ok(engine.object_pairs(&set, &set, &pairs).query(IntersectionArea::default())?.items)
            }),
        },
        Contender {
            name: "geo",
            areas: Box::new(|| Ok(each(&|a, b| polygons[a].intersection(&polygons[b]).unsigned_area()))),
        },
        Contender {
            name: "i_overlay",
            areas: Box::new(|| Ok(each(&|a, b| overlay_area(&rings[a], &rings[b])))),
        },
        Contender { name: "clip", areas: Box::new(|| Ok(each(&|a, b| clipped_area(&rings[a], &rings[b])))) },
    ];
    let mut times = vec![Times::default(); contenders.len()];
    let mut found = Vec::new();
    for run in 0..=repeats {
        found.clear();
        for (contender, times) in contenders.iter().zip(&mut times) {
            // The first run is not timed.
            let mut of_first = Times::default();
            found.push(timed(if run == 0 { &mut of_first } else { times }, || (contender.areas)())?);
        }
    }
    let truth = found.last().cloned().unwrap_or_default();
    let mut rows = Vec::new();
    for ((contender, times), areas) in contenders.iter().zip(&times).zip(&found) {
        let accepted = if contender.name == "sat2d" { OURS } else { THEIRS };
        let off: Vec<f64> = pairs
            .iter()
            .zip(areas.iter().zip(&truth))
            .map(|(&[a, b], (area, truth))| {
                (area - truth).abs() / box_area(&boxes[a as usize]).min(box_area(&boxes[b as usize]))
            })
            .collect();
        let row = Row {
            scene: scene.to_string(),
            pairs: pairs.len(),
            contender: contender.name,
            median: times.median() * 1e9 / pairs.len() as f64,
            worst: off.iter().copied().fold(0.0, f64::max),
            // A difference that is no number is wrong, too.
            wrong: off.iter().filter(|&&off| off.is_nan() || off > accepted).count(),
        };
        println!(
            "{:<10} {:>8} {:<10} {:>9.0} {:>10.1e} {:>8}",
            row.scene, row.pairs, row.contender, row.median, row.worst, row.wrong
        );
        rows.push(row);
    }
    Ok(rows)
}

fn box_area(aabb: &Aabb) -> f64 {
    (aabb.max - aabb.min).element_product()
}

#[allow(clippy::ptr_arg, reason = "i_overlay takes no slices")]
fn overlay_area(a: &Vec<[f64; 2]>, b: &Vec<[f64; 2]>) -> f64 {
    let shapes = a.overlay(b, OverlayRule::Intersect, FillRule::NonZero);
    shapes.iter().flatten().map(|ring| signed_area(ring)).sum::<f64>().abs()
}

/// Returns the common area of two convex rings, both counter-clockwise. Clips `a` by each edge of `b` (Sutherland and Hodgman,
/// "Reentrant Polygon Clipping", 1974). The coordinates are relative to the first vertex of `b`, so that they lose no digits
/// far from the origin.
fn clipped_area(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
    let relative = |ring: &[[f64; 2]]| -> Vec<[f64; 2]> {
        ring.iter().map(|v| [v[0] - b[0][0], v[1] - b[0][1]]).collect()
    };
    let (mut rest, clip) = (relative(a), relative(b));
    let mut clipped = Vec::with_capacity(rest.len() + clip.len());
    for (k, &[x, y]) in clip.iter().enumerate() {
        let [end_x, end_y] = clip[(k + 1) % clip.len()];
        let side = |v: [f64; 2]| (end_x - x) * (v[1] - y) - (end_y - y) * (v[0] - x);
        clipped.clear();
        for (k, &v) in rest.iter().enumerate() {
            let next = rest[(k + 1) % rest.len()];
            let (here, there) = (side(v), side(next));
            if here >= 0.0 {
                clipped.push(v);
            }
            if (here > 0.0 && there < 0.0) || (here < 0.0 && there > 0.0) {
                let part = here / (here - there);
                clipped.push([v[0] + part * (next[0] - v[0]), v[1] + part * (next[1] - v[1])]);
            }
        }
        std::mem::swap(&mut rest, &mut clipped);
        if rest.is_empty() {
            return 0.0;
        }
    }
    signed_area(&rest).max(0.0)
}

/// Returns the area of a ring by the shoelace formula. It is positive if the ring is counter-clockwise.
fn signed_area(ring: &[[f64; 2]]) -> f64 {
    let Some(&[x, y]) = ring.first() else { return 0.0 };
    let edges = ring.iter().zip(ring.iter().skip(1));
    0.5 * edges.map(|(v, w)| (v[0] - x) * (w[1] - y) - (w[0] - x) * (v[1] - y)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_gives_the_areas_of_lined_up_rings() {
        let square =
            |x: f64, y: f64, side: f64| vec![[x, y], [x + side, y], [x + side, y + side], [x, y + side]];
        let diamond = vec![[2.0, 0.0], [4.0, 2.0], [2.0, 4.0], [0.0, 2.0]];
        let far = 1e6;
        for (a, b, area) in [
            (square(0.0, 0.0, 4.0), square(3.0, 1.0, 2.0), 2.0),
            (square(0.0, 0.0, 4.0), diamond.clone(), 8.0),
            (diamond, square(0.0, 0.0, 2.0), 2.0),
            (square(0.0, 0.0, 1.0), square(1.0, 0.0, 1.0), 0.0),
            (square(0.0, 0.0, 1.0), square(5.0, 0.0, 1.0), 0.0),
            (square(far, far, 1.0), square(far + 0.5, far + 0.75, 1.0), 0.125),
        ] {
            assert_eq!([clipped_area(&a, &b), clipped_area(&b, &a)], [area; 2], "{a:?}, {b:?}");
            assert!((overlay_area(&a, &b) - area).abs() < 1e-6, "{a:?}, {b:?}");
        }
    }

    #[test]
    fn every_contender_is_right() -> Result<(), AnyError> {
        for scene in [Scene::Boxes, Scene::Ngons, Scene::Clustered] {
            let rows = measure(scene, &scene.generate(400, 3), 1)?;
            assert_eq!(rows.len(), 4);
            for row in rows {
                assert!(row.wrong == 0 && row.pairs > 400, "{row:?}");
            }
        }
        Ok(())
    }
}
