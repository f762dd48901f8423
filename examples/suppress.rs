//! Suppresses rotated boxes, as after an object detector (non-maximum suppression). Of boxes whose intersection over union
//! reaches a threshold, only the box with the greatest score stays.
//!
//! `cargo run --release --example suppress` creates 100,000 boxes, suppresses boxes with one join of [`Iou`], and compares the
//! result with a plain loop over all pairs of boxes. `-- cpu` or `-- gpu` chooses the backend. A number after it sets the number
//! of boxes for each thing.

use std::time::Instant;

use sat2d::glam::DVec2;
use sat2d::{Backend, ConvexPolygon, Engine, Iou, PolygonObject, PolygonSet, Pose, Result};

/// The number of boxes.
const COUNT: usize = 100_000;
/// A box is suppressed if its intersection over union with a better box is at least this value.
const THRESHOLD: f64 = 0.3;
/// The sides of the boxes.
const SIDES: [[f64; 2]; 3] = [[4.0, 2.0], [3.0, 3.0], [8.0, 2.5]];

/// A detection.
struct Detection {
    shape: usize,
    pose: Pose,
    score: f64,
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let backend = match arguments.next().as_deref() {
        Some("cpu") => Backend::Cpu,
        Some("gpu") => Backend::Gpu,
        _ => Backend::Auto,
    };
    let boxes_of_a_thing = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(10);
    let detections = draw(boxes_of_a_thing)?;
    let engine = Engine::new(backend)?;
    // The first join compiles the kernels of a GPU.
    suppress(&engine, &detections)?;
    let start = Instant::now();
    let kept = suppress(&engine, &detections)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{} of {} boxes stay, {seconds:.3} s", kept.len(), detections.len());

    let start = Instant::now();
    let plain = plain_loop(&detections);
    println!("a plain loop: {:.3} s", start.elapsed().as_secs_f64());
    assert!(kept == plain, "the plain loop keeps other boxes");
    Ok(())
}

/// Suppresses boxes with a join, which finds candidate pairs, areas and pairs above the threshold in one pass on all threads.
fn suppress(engine: &Engine, detections: &[Detection]) -> Result<Vec<usize>> {
    let shapes: Vec<PolygonObject> = SIDES
        .iter()
        .map(|&sides| ConvexPolygon::new(&corners(sides)).map(Into::into))
        .collect::<Result<_>>()?;
    let instances: Vec<(usize, Pose)> = detections.iter().map(|d| (d.shape, d.pose)).collect();
    let set = PolygonSet::from_instances(&shapes, &instances)?;
    let similar = engine.self_join(&set).query(Iou { least: THRESHOLD, ..Iou::default() })?;
    let mut neighbours = vec![Vec::new(); detections.len()];
    for pair in &similar {
        neighbours[pair.a as usize].push(pair.b as usize);
        neighbours[pair.b as usize].push(pair.a as usize);
    }
    let mut is_suppressed = vec![false; detections.len()];
    let mut kept = Vec::new();
    for k in by_score(detections) {
        if !is_suppressed[k] {
            kept.push(k);
            neighbours[k].iter().for_each(|&other| is_suppressed[other] = true);
        }
    }
    Ok(kept)
}

/// Compares each box with all better boxes that stay.
fn plain_loop(detections: &[Detection]) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    for k in by_score(detections) {
        let box_k = &detections[k];
        let is_similar = |&other: &usize| {
            let way = detections[other].pose.translation() - box_k.pose.translation();
            // Boxes cannot overlap if they are 10 or more apart, because this exceeds the sum of half of their diagonals.
            way.length_squared() < 100.0 && iou(&detections[other], box_k) >= THRESHOLD
        };
        if !kept.iter().any(is_similar) {
            kept.push(k);
        }
    }
    kept
}

/// Returns the indices of the detections, sorted by score with the greatest first.
fn by_score(detections: &[Detection]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..detections.len()).collect();
    order.sort_by(|&i, &j| detections[j].score.total_cmp(&detections[i].score));
    order
}

/// Returns the corners of a box around the origin.
fn corners([width, height]: [f64; 2]) -> [DVec2; 4] {
    let (x, y) = (0.5 * width, 0.5 * height);
    [[-x, -y], [x, -y], [x, y], [-x, y]].map(DVec2::from)
}

/// Returns the intersection over union. It clips one box by the edges of the other box.
fn iou(a: &Detection, b: &Detection) -> f64 {
    let [ring, clip] = [a, b].map(|d| corners(SIDES[d.shape]).map(|v| d.pose.apply(v)));
    let mut ring = ring.to_vec();
    for k in 0..4 {
        let (p, edge) = (clip[k], clip[(k + 1) % 4] - clip[k]);
        let mut kept = Vec::new();
        for (k, &to) in ring.iter().enumerate() {
            let from = ring[(k + ring.len() - 1) % ring.len()];
            let (side_from, side_to) = (edge.perp_dot(from - p), edge.perp_dot(to - p));
            if (side_from >= 0.0) != (side_to >= 0.0) {
                kept.push(from + (to - from) * (side_from / (side_from - side_to)));
            }
            if side_to >= 0.0 {
                kept.push(to);
            }
        }
        ring = kept;
    }
    let next = |k: usize| ring[(k + 1) % ring.len()];
    let common = 0.5 * ring.iter().enumerate().map(|(k, v)| v.perp_dot(next(k))).sum::<f64>();
    let [area_a, area_b] = [a, b].map(|d| SIDES[d.shape][0] * SIDES[d.shape][1]);
    common / (area_a + area_b - common)
}

/// Creates boxes in clusters: several detections of each of many things.
fn draw(boxes_of_a_thing: usize) -> Result<Vec<Detection>> {
    let mut state = 1u64;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut detections = Vec::with_capacity(COUNT);
    while detections.len() < COUNT {
        let centre = DVec2::new(unit(), unit()) * 1500.0;
        let (shape, angle) = (detections.len() % SIDES.len(), unit() * std::f64::consts::TAU);
        for _ in 0..boxes_of_a_thing.max(1) {
            let way = DVec2::new(unit() - 0.5, unit() - 0.5);
            let pose = Pose::new(angle + 0.2 * (unit() - 0.5), centre + way)?;
            detections.push(Detection { shape, pose, score: unit() });
        }
    }
    Ok(detections)
}
