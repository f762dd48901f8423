//! Tests the point kernel and its CPU twin against the exact reference. The tests run the twin with several rounding
//! rules, run the kernel with very small device limits, and inject faults into both.
//!
//! These tests need an adapter, and fail without an adapter. A software adapter is sufficient (Debian:
//! mesa-vulkan-drivers).

#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use glam::{DVec2, Vec2};

use super::points_kernel::{PointKernel, shader};
use super::tests::{gpu_with, tiny_limits};
use super::{GpuNarrowPhase, relation_kernel};
use crate::PointOptions;
use crate::answers::backend::Backend;
use crate::answers::points::{KeepPoints, PointRelation};
use crate::base::parallel::prelude::*;
use crate::engine::Engine;
use crate::geometry::{Aabb, Pieces, PolygonObject, PolygonSet, Pose};
use crate::gpu::lanes::Lanes;
use crate::kernels::cpu::filter::{Arithmetic, Native, point_relation};
use crate::kernels::cpu::filter_tests::{AwayFromZero, EitherNeighbour, FlushToZero, Fused, Rounded};
use crate::kernels::cpu::filter_tests::{FlippedSign, NoBound, NoLastAxis, TenthOfTheBound};
use crate::kernels::point::reference;
use crate::kernels::test_scenes::Random;
use crate::packed::grid::Grid;
use crate::packed::layout::{DISJOINT, OVERLAPPING, PointCandidate, UNCERTAIN};
use crate::packed::pack::Packed;
use crate::points::device::record;
use crate::queries::kinds::Relations;
use crate::scenes::Scene;

/// Test points. Each point has one packed piece, and the exact relation of the point to this piece.
struct Points {
    set: PolygonSet,
    packed: Packed,
    places: Vec<DVec2>,
    candidates: Vec<PointCandidate>,
    truth: Vec<PointRelation>,
}

impl Points {
    /// Generates `count` points near the lines of edges: on the lines, and at distances of a few f32 roundings of the
    /// polygon's size.
    fn new(set: PolygonSet, count: usize) -> Self {
        let grid = Grid::over(set.piece_aabbs().into_iter().fold(Aabb::EMPTY, Aabb::union));
        let packed = Packed::new(Pieces::of(&set), None, grid);
        let mut random = Random(0xa0_1b5);
        let mut places = Vec::new();
        let mut pieces = Vec::new();
        for k in 0..count {
            let piece = (random.unit() * set.piece_count() as f64) as usize % set.piece_count();
            let (ring, pose) = (set.piece_vertices(piece), set.piece_pose(piece));
            let i = (random.unit() * ring.len() as f64) as usize % ring.len();
            let (p, q) = (pose.apply(ring[i]), pose.apply(ring[(i + 1) % ring.len()]));
            let on = p + (q - p) * (random.unit() * 1.2 - 0.1);
            let outward = DVec2::new(q.y - p.y, p.x - q.x).normalize_or_zero();
            let aabb = Aabb::around(&ring.iter().map(|&v| pose.apply(v)).collect::<Vec<_>>());
            let size = (aabb.max - aabb.min).max_element();
            let spread = [1.0, 8.0, 64.0, 1e6][k % 4];
            places.push(on + outward * size * 2f64.powi(-24) * (random.unit() - 0.5) * spread);
            pieces.push(piece as u32);
        }
        let of_pairs = places.par_iter().zip(&pieces);
        let truth = of_pairs
            .map(|(&at, &piece)| reference::relation_to_piece(at, set.piece(piece as usize)))
            .collect();
        let candidates = places
            .iter()
            .zip(&pieces)
            .map(|(&at, &piece)| record(grid, &packed.records.polygons, at, piece))
            .collect();
        Self { set, packed, places, candidates, truth }
    }

    /// Returns the number of codes that contradict the reference, and the number of uncertain codes.
    fn verdict_of(&self, codes: &[u8]) -> (usize, usize) {
        assert_eq!(codes.len(), self.truth.len());
        let (mut wrong, mut uncertain) = (0, 0);
        for (&code, &truth) in codes.iter().zip(&self.truth) {
            match u32::from(code) {
                UNCERTAIN => uncertain += 1,
                DISJOINT => wrong += usize::from(truth != PointRelation::Outside),
                OVERLAPPING => wrong += usize::from(truth != PointRelation::Inside),
                other => panic!("the filter never says {other}"),
            }
        }
        (wrong, uncertain)
    }

    fn on_host<F: Arithmetic>(&self) -> (usize, usize) {
        let code = |c: &PointCandidate| {
            point_relation::<F>(&self.packed.records, c.polygon, Vec2::from(c.offset), c.error) as u8
        };
        self.verdict_of(&self.candidates.iter().map(code).collect::<Vec<_>>())
    }

    fn codes_on(&self, gpu: &GpuNarrowPhase) -> (Vec<u8>, u64) {
        let (mut codes, mut oversized) = (Vec::new(), 0);
        pollster::block_on(async {
            let mut session =
                gpu.point_session(Pieces::of(&self.set), self.packed.grid).await.expect("polygons fit");
            session.codes(&self.candidates, &mut codes, &mut oversized).await.expect("the device answers");
        });
        (codes, oversized)
    }
}

fn scenes() -> Vec<(&'static str, Points)> {
    let set = |scene: Scene, count| PolygonSet::from_convex_rings(&scene.generate(count, 3)).unwrap();
    let moved = |by: f64| -> PolygonSet {
        let mut rings = Scene::BigNgons.generate(200, 8);
        rings.iter_mut().flatten().for_each(|v| *v = v.map(|x| x * 1.37 + by));
        PolygonSet::from_convex_rings(&rings).unwrap()
    };
    let shapes: Vec<PolygonObject> =
        (3..40).map(|n| PolygonObject::from_polygon(&[on_a_parabola(n)]).unwrap()).collect();
    let mut random = Random(4);
    let mut places = || [random.unit() * 900.0, random.unit() * 900.0];
    let instances: Vec<_> =
        (0..400).map(|k| (k % shapes.len(), Pose::new(0.37 * k as f64, places()).unwrap())).collect();
    vec![
        ("ngons", Points::new(set(Scene::Ngons, 500), 8000)),
        ("clustered", Points::new(set(Scene::Clustered, 500), 8000)),
        ("far out", Points::new(moved(1e6), 8000)),
        ("near the origin", Points::new(moved(0.0), 8000)),
        ("posed", Points::new(PolygonSet::from_instances(&shapes, &instances).unwrap(), 4000)),
    ]
}

fn on_a_parabola(count: usize) -> Vec<[f64; 2]> {
    (0..count).map(|k| k as f64 - 0.5 * count as f64).map(|t| [t, t * t * 0.11]).collect()
}

#[test]
fn the_twin_is_never_wrong_under_any_rounding_and_broken_ones_are_caught() {
    let scenes = scenes();
    let mut uncertain = 0;
    for (name, points) in &scenes {
        for (how, verdict) in [
            ("native", points.on_host::<Native>()),
            ("fused", points.on_host::<Fused>()),
            ("flush to zero", points.on_host::<FlushToZero>()),
            ("either neighbour", points.on_host::<Rounded<EitherNeighbour>>()),
            ("away from zero", points.on_host::<Rounded<AwayFromZero>>()),
        ] {
            assert_eq!(verdict.0, 0, "{how} on {name}");
            assert!(verdict.1 < points.truth.len(), "{how} on {name} decides nothing");
            uncertain += verdict.1;
        }
    }
    assert!(uncertain > 1000, "the places are not near enough");
    let caught =
        |wrong: fn(&Points) -> usize| scenes.iter().map(|(_, points)| wrong(points)).sum::<usize>() > 0;
    assert!(caught(|p| p.on_host::<FlippedSign>().0), "a flipped sign");
    assert!(caught(|p| p.on_host::<NoLastAxis>().0), "a dropped last axis");
    assert!(caught(|p| p.on_host::<TenthOfTheBound>().0), "a bound cut to a tenth");
    assert!(caught(|p| p.on_host::<NoBound>().0), "no bound");
}

#[test]
fn the_shader_is_never_wrong_and_broken_ones_are_caught() {
    let scenes = scenes();
    let mut gpu = gpu_with(&relation_kernel::shader(Lanes::Workgroup), None);
    for (name, points) in &scenes {
        let (wrong, uncertain) = points.verdict_of(&points.codes_on(&gpu).0);
        assert_eq!(wrong, 0, "{name}");
        // The shader's bounds are at most a quarter larger than the bounds of the twin.
        assert!(uncertain < 2 * points.on_host::<Native>().1 + 10, "{name}: {uncertain}");
    }
    for (fault, original, broken) in [
        ("a dropped block", "at < end &&", "at + 1u < end &&"),
        ("a wrong successor", "successors(p, next)", "successors(p, p)"),
        ("a dropped last edge", "+ first < vec4u(count)", "+ first + 1u < vec4u(count)"),
        ("a turn the wrong way", "(r.x * v.x - r.y * v.y)", "(r.x * v.x + r.y * v.y)"),
        ("a bound cut to a tenth", "return rounding + (", "return 0.1 * rounding + 0.1 * ("),
        ("a candidate off by one", "let record = candidates[k]", "let record = candidates[k ^ 1u]"),
        ("a code in its neighbour's bits", "<< (BITS_PER_CODE * i)", "<< (BITS_PER_CODE * (i ^ 1u))"),
    ] {
        let source = shader();
        assert_eq!(source.matches(original).count(), 1, "{fault}: the line to break is in the shader once");
        gpu.points = PointKernel::new(source.replace(original, broken));
        let wrong: usize =
            scenes.iter().map(|(_, points)| points.verdict_of(&points.codes_on(&gpu).0).0).sum();
        assert!(wrong > 0, "{fault} was not caught");
    }
}

#[test]
fn tiny_limits_change_no_code_and_what_is_too_large_is_counted() {
    let whole = gpu_with(&relation_kernel::shader(Lanes::Workgroup), None);
    let tiny = gpu_with(&relation_kernel::shader(Lanes::Workgroup), Some(tiny_limits()));
    let (_, points) = scenes().swap_remove(0);
    let points = Points::new(points.set, 600);
    assert_eq!(points.codes_on(&tiny), points.codes_on(&whole));
    let rings = vec![on_a_parabola(5000), on_a_parabola(400), on_a_parabola(7)];
    let large = Points::new(PolygonSet::from_convex_rings(&rings).unwrap(), 90);
    for gpu in [&whole, &tiny] {
        let (codes, oversized) = large.codes_on(gpu);
        assert_eq!(large.verdict_of(&codes).0, 0);
        assert!(oversized > 0);
    }
}

#[test]
fn both_backends_give_the_same_answers_in_the_same_order() {
    let gpu = Engine::with_gpu(gpu_with(&relation_kernel::shader(Lanes::Workgroup), None), "test");
    let cpu = Engine::new(Backend::Cpu).unwrap();
    for (name, points) in scenes() {
        let mut places = points.places;
        // Adds vertices of the polygons, and many points at one place.
        places.extend(
            (0..points.set.piece_count())
                .map(|i| points.set.piece_pose(i).apply(points.set.piece_vertices(i)[0])),
        );
        places.extend(vec![places[0]; 500]);
        for keep in [KeepPoints::Meeting, KeepPoints::Boundary, KeepPoints::Inside] {
            let options = PointOptions { keep, counts: true, first: true, pairs: true, progress: None };
            let [a, b] = [
                cpu.points(&places, &points.set).query(&options).unwrap(),
                gpu.points(&places, &points.set).query(&options).unwrap(),
            ];
            assert!(a.pairs == b.pairs && a.first == b.first && a.counts == b.counts, "{name}, {keep:?}");
            assert_eq!(a.candidate_pairs, b.candidate_pairs, "{name}");
            assert_eq!((a.choice.backend, b.choice.backend), (Backend::Cpu, Backend::Gpu));
            assert!(b.uncertain > 0, "{name}");
        }
        let pairs: Vec<[u32; 2]> = points.candidates.iter().zip(0..).map(|(c, k)| [k, c.polygon]).collect();
        let given = [
            cpu.point_pairs(&places, &points.set, &pairs).query(Relations).unwrap().items,
            gpu.point_pairs(&places, &points.set, &pairs).query(Relations).unwrap().items,
        ];
        assert!(given[0] == given[1] && given[0] == points.truth, "{name}");
    }
}

#[test]
fn an_engine_that_chooses_takes_the_cpu_and_says_so() {
    let engine = Engine::with_gpu(gpu_with(&relation_kernel::shader(Lanes::Workgroup), None), "test")
        .with_break_even(1000);
    let set = PolygonSet::from_convex_rings(&[on_a_parabola(5)]).unwrap();
    let options = PointOptions { counts: true, ..PointOptions::default() };
    let join = engine.points(&[[0.0, 0.2]], &set).query(&options).unwrap();
    assert_eq!((join.choice.backend, join.choice.adapter), (Backend::Cpu, None));
    assert!(join.choice.reason.contains("request the GPU"), "{}", join.choice.reason);
}
