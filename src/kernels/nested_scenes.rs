//! Pairs for the tests of containment. In each pair, one polygon lies inside the other, or crosses the border of the
//! other by a few rounding errors.

use std::sync::LazyLock;

use glam::DVec2;

use super::containment;
use super::test_scenes::{Pairs, Polygons, Random, candidates, near_touching, pairs_of, with_poses};
use crate::answers::containment::Containment;
use crate::geometry::{ConvexPolygon, Pose};
use crate::scenes::Scene;

/// A test scene for containment.
pub(crate) struct Nested {
    pub(crate) name: &'static str,
    pub(crate) pairs: Pairs,
    /// The exact answer for each pair.
    pub(crate) truth: Vec<Containment>,
    /// If this flag is set, the tests expect few uncertain pairs, and many pairs of each kind of containment. In the other
    /// scenes, many pairs are close to a change of the answer.
    pub(crate) is_random: bool,
}

/// The test scenes for containment. Tests share them, because the exact answers take a long time.
static NESTED: LazyLock<Vec<Nested>> = LazyLock::new(|| {
    let scenes = vec![
        ("shrunk and moved", pairs_of(shrunk(Scene::Ngons, 20_000)), true),
        ("shrunk and moved, many vertices", pairs_of(shrunk(Scene::BigNgons, 5_000)), true),
        ("a vertex near an edge", pairs_of(near_edges(Scene::Ngons, 20_000, 8.0)), false),
        ("a vertex near an edge, boxes", pairs_of(near_edges(Scene::Boxes, 10_000, 8.0)), false),
        ("a vertex near an edge, many vertices", pairs_of(near_edges(Scene::BigNgons, 5_000, 8.0)), false),
        ("shrunk and moved, posed", posed(shrunk(Scene::Ngons, 4_000)), false),
        ("a vertex near an edge, posed", posed(near_edges(Scene::Ngons, 4_000, 64.0)), false),
        ("clustered", candidates(Scene::Clustered, 2_000), false),
        ("near-touching", near_touching(4_000), false),
    ];
    let with_truth = |(name, pairs, is_random): (_, Pairs, _)| {
        let of = |k: usize| containment::decide(&pairs.a, k, &pairs.b, k).expect("few");
        let truth = (0..pairs.truth.len()).map(of).collect();
        Nested { name, pairs, truth, is_random }
    };
    scenes.into_iter().map(with_truth).collect()
});

/// Returns [`NESTED`].
pub(crate) fn nested() -> &'static [Nested] {
    &NESTED
}

/// Returns polygons relative to their first vertices, with coordinates that f32 cannot represent.
fn polygons(scene: Scene, count: usize, random: &mut Random) -> Vec<ConvexPolygon> {
    let about_first = |ring: &Vec<[f64; 2]>, scale: f64| -> Vec<DVec2> {
        ring.iter().map(|v| (DVec2::from(*v) - DVec2::from(ring[0])) * scale).collect()
    };
    let rings = scene.generate(count, 5);
    rings
        .iter()
        .filter_map(|ring| ConvexPolygon::new(&about_first(ring, 1.0 + 0.125 * random.unit())).ok())
        .collect()
}

fn middle(polygon: &ConvexPolygon) -> DVec2 {
    polygon.vertices().iter().sum::<DVec2>() / polygon.vertices().len() as f64
}

fn in_either_order(
    a: ConvexPolygon,
    b: ConvexPolygon,
    random: &mut Random,
) -> (ConvexPolygon, ConvexPolygon) {
    if random.unit() < 0.5 { (a, b) } else { (b, a) }
}

/// Returns pairs of a polygon and a scaled and displaced copy of it. About one copy in ten is equal to its polygon.
fn shrunk(scene: Scene, count: usize) -> Polygons {
    let mut random = Random(0x5eed_0001);
    let polygons = polygons(scene, count, &mut random);
    let mut pairs = Polygons::new();
    for polygon in polygons {
        let centre = middle(&polygon);
        let is_equal = random.unit() < 0.1;
        let scale = if is_equal { 1.0 } else { 0.2 + random.unit() };
        let shift = DVec2::new(random.unit() - 0.5, random.unit() - 0.5) * if is_equal { 0.0 } else { 0.4 };
        let place = |v: &DVec2| if is_equal { *v } else { centre + (*v - centre) * scale + shift };
        let ring: Vec<DVec2> = polygon.vertices().iter().map(place).collect();
        if let Ok(other) = ConvexPolygon::new(&ring) {
            pairs.push(in_either_order(polygon, other, &mut random));
        }
    }
    pairs
}

/// Returns pairs of a polygon and a triangle. Two vertices of the triangle lie inside the polygon. The third vertex is
/// a few f32 roundings away from a point of an edge.
fn near_edges(scene: Scene, count: usize, spread: f64) -> Polygons {
    let mut random = Random(0x5eed_0002);
    let polygons = polygons(scene, count, &mut random);
    let mut pairs = Polygons::new();
    for polygon in polygons {
        let vertices = polygon.vertices();
        let edge = (random.unit() * vertices.len() as f64) as usize % vertices.len();
        let (p, q) = (vertices[edge], vertices[(edge + 1) % vertices.len()]);
        let outward = DVec2::new(q.y - p.y, p.x - q.x).normalize();
        let size = polygon.aabb().max.abs().max(polygon.aabb().min.abs()).max_element();
        let gap = size * 2f64.powi(-24) * (random.unit() - 0.5) * spread;
        let tip = p + (q - p) * (0.1 + 0.8 * random.unit()) + outward * gap;
        let centre = middle(&polygon);
        let ring = [tip, centre + (p - centre) * 0.3, centre + (q - centre) * 0.3];
        if let Ok(triangle) = ConvexPolygon::new(&ring) {
            pairs.push(in_either_order(polygon, triangle, &mut random));
        }
    }
    pairs
}

/// Returns the pairs of `polygons` with random poses.
fn posed(polygons: Polygons) -> Pairs {
    let mut random = Random(0x5eed_0003);
    let mut pose = |reach: f64| {
        Pose::new(random.unit() * 6.3, [random.unit() * reach, random.unit() * reach]).expect("finite")
    };
    with_poses(polygons, || [pose(1.0), pose(9.0), pose(9.0)])
}
