//! Compares the area kernel with areas in f64, with and without broken shaders.

use glam::DVec2;

use super::GpuNarrowPhase;
use super::areas::{shader, thresholds};
use super::tests::{codes_without, gpu_on, gpu_with};
use crate::answers::area::LeastAreas;
use crate::answers::results::Relation;
use crate::geometry::{ConvexPolygon, PolygonObject, PolygonSet, Pose};
use crate::gpu::lanes::Lanes;
use crate::kernels::area::{Boxed, Clipper, piece_area};
use crate::kernels::test_scenes::{Pairs, Random, candidates, near_touching, posed};
use crate::packed::layout::{DISJOINT, OVERLAPPING, UNCERTAIN};
use crate::scenes::Scene;

/// The bound on the relative error of the areas that the tests compute in f64.
const TRUTH_BOUND: f64 = 1.0 / (1u64 << 40) as f64;
const IOU: f64 = 0.3;
const BY_IOU: LeastAreas = LeastAreas { area: 0.0, iou: IOU };
const BY_AREA: LeastAreas = LeastAreas { area: 1.0, iou: 0.0 };

fn codes(gpu: &GpuNarrowPhase, pairs: &Pairs, least: LeastAreas) -> Vec<u32> {
    codes_without(gpu, pairs, Some(least)).0.into_iter().map(u32::from).collect()
}

/// The true areas of a pair of pieces: their common area, and the area of each of the two pieces.
struct Truth {
    common: f64,
    both: [f64; 2],
}

impl Truth {
    fn of(a: &PolygonSet, b: &PolygonSet, k: usize, relation: Relation) -> Self {
        let is_overlapping = relation == Relation::Overlapping;
        let common = if is_overlapping {
            Clipper::default().overlap(Boxed::of(a, k), Boxed::of(b, k), 1.0)
        } else {
            0.0
        };
        Self { common, both: [piece_area(a.piece(k)), piece_area(b.piece(k))] }
    }

    /// Returns the areas of all pairs.
    fn of_all(pairs: &Pairs) -> Vec<Self> {
        (pairs.truth.iter().enumerate())
            .map(|(k, &relation)| Self::of(&pairs.a, &pairs.b, k, relation))
            .collect()
    }

    fn threshold(&self, least: LeastAreas) -> f64 {
        let [a, b] = self.both;
        least.area.max(least.iou / (1.0 + least.iou) * (a + b))
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Verdict {
    /// The number of pairs with a wrong code. A code is wrong if the kernel leaves out a pair above the threshold, or
    /// if the kernel says that pieces overlap although their interiors do not meet.
    wrong: usize,
    /// The number of pairs that are clearly below the threshold, but that the kernel does not leave out.
    kept: usize,
    /// The number of pairs that are clearly below the threshold.
    below: usize,
    left_out: usize,
}

fn verdict(relations: &[Relation], truths: &[Truth], codes: &[u32], least: LeastAreas) -> Verdict {
    let mut verdict = Verdict::default();
    assert_eq!([relations.len(), truths.len()], [codes.len(); 2]);
    for ((&code, &relation), truth) in codes.iter().zip(relations).zip(truths) {
        let threshold = truth.threshold(least);
        let is_above = truth.common >= threshold * (1.0 + TRUTH_BOUND);
        let is_wrong = match code {
            DISJOINT => is_above,
            OVERLAPPING => relation != Relation::Overlapping,
            UNCERTAIN => false,
            other => panic!("the kernel never says {other}"),
        };
        let is_below = truth.common < 0.9 * threshold;
        verdict.wrong += usize::from(is_wrong);
        verdict.below += usize::from(is_below);
        verdict.kept += usize::from(is_below && code != DISJOINT);
        verdict.left_out += usize::from(code == DISJOINT && relation == Relation::Overlapping);
    }
    verdict
}

/// Returns pairs whose common area differs from 1 by at most 2^-12. For most pairs, the difference is much less. Each
/// pair lies within `spread` of the origin. The last pair lies at a distance of about `outlier` from it, so the quantum
/// of the grid is about `2^-30 outlier`.
fn near_an_area(spread: f64, outlier: f64) -> Pairs {
    let mut random = Random(0xa4ea);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for scene in [Scene::Boxes, Scene::Ngons, Scene::BigNgons, Scene::Clustered] {
        let pairs = candidates(scene, 600);
        for k in 0..pairs.truth.len() {
            let common = Truth::of(&pairs.a, &pairs.b, k, pairs.truth[k]).common;
            let origin = pairs.a.piece_vertices(k)[0];
            let jitter = 1.0 + (random.unit() - 0.5) * 2f64.powi(-11 - (k % 16) as i32);
            let scale = (jitter / common).sqrt();
            // Scaled slivers would be much larger than the other polygons.
            if !(1e-3..1e3).contains(&scale) {
                continue;
            }
            let place = DVec2::new(random.unit(), random.unit()) * spread;
            let moved = |set: &PolygonSet| -> Vec<DVec2> {
                set.piece_vertices(k).iter().map(|&v| (v - origin) * scale + place).collect()
            };
            let rings = [&pairs.a, &pairs.b].map(moved);
            if let [Ok(one), Ok(other)] = rings.map(|ring| ConvexPolygon::new(&ring)) {
                a.push(one);
                b.push(other);
            }
        }
    }
    let far = [[0.5, 0.0], [1.0, 0.5], [0.5, 1.0]].map(|[x, y]| [x * outlier, y * outlier]);
    let sets = [a, b].map(|mut polygons| {
        polygons.push(ConvexPolygon::new(&far).expect("a triangle"));
        PolygonSet::from_convex(&polygons).expect("few")
    });
    let [a, b] = sets;
    Pairs::new(a, b)
}

/// Returns pairs of rotated polygons whose intersection over union is near [`IOU`].
fn near_an_iou() -> Pairs {
    let mut random = Random(0x10c);
    let shapes: Vec<PolygonObject> = [Scene::Boxes, Scene::Ngons, Scene::BigNgons]
        .into_iter()
        .flat_map(|scene| scene.generate(40, 9))
        .map(|ring| {
            let centre = ring.iter().map(|v| DVec2::from(*v)).sum::<DVec2>() / ring.len() as f64;
            let ring: Vec<DVec2> = ring.iter().map(|v| DVec2::from(*v) - centre).collect();
            ConvexPolygon::new(&ring).expect("scenes are convex").into()
        })
        .collect();
    let set = |instances: &[(usize, Pose)]| PolygonSet::from_instances(&shapes, instances).expect("few");
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for k in 0..1500 {
        let mut shape = || (random.unit() * shapes.len() as f64) as usize % shapes.len();
        let (one, other) = (shape(), if k % 3 == 0 { shape() } else { a.len() % shapes.len() });
        let one = if k % 3 == 0 { one } else { other };
        let place = DVec2::new(random.unit(), random.unit()) * 1e3;
        let pose = Pose::new(random.unit() * 6.3, place).expect("finite");
        let (turn, way) = (random.unit() * 0.3, DVec2::from_angle(random.unit() * 6.3));
        let moved =
            |by: f64| Pose::new(turn + pose.sin().atan2(pose.cos()), place + way * by).expect("finite");
        let iou = |by: f64| {
            let sets = [set(&[(one, pose)]), set(&[(other, moved(by))])];
            let relation = crate::kernels::cpu::exact::relation(sets[0].piece(0), sets[1].piece(0));
            let Truth { common, both: [a, b] } = Truth::of(&sets[0], &sets[1], 0, relation);
            common / (a + b - common)
        };
        if iou(0.0) < IOU {
            continue;
        }
        // Bisects to a distance at which the intersection over union is just above or just below the threshold.
        let (mut near, mut far) = (0.0, 100.0);
        for _ in 0..12 + k % 40 {
            let middle = 0.5 * (near + far);
            if iou(middle) < IOU { far = middle } else { near = middle }
        }
        a.push((one, pose));
        b.push((other, moved(if k % 2 == 0 { near } else { far })));
    }
    Pairs::new(set(&a), set(&b))
}

#[test]
fn the_shader_is_never_wrong_and_leaves_out_nearly_all_pairs_below_the_threshold() {
    let scenes = [
        ("boxes", candidates(Scene::Boxes, 2_000), true),
        ("ngons", candidates(Scene::Ngons, 2_000), true),
        ("big-ngons", candidates(Scene::BigNgons, 1_000), true),
        ("clustered", candidates(Scene::Clustered, 2_000), true),
        ("posed", posed(3_000, 1.5), true),
        // The sizes of the two polygons of a pair differ greatly.
        ("near-touching", near_touching(5_000), false),
    ];
    let gpu = gpu_with(&shader(Lanes::Workgroup), None);
    for (scene, pairs, is_alike) in &scenes {
        let truths = Truth::of_all(pairs);
        for least in [0.01, 0.3, 0.9].map(|iou| LeastAreas { area: 0.0, iou }).into_iter().chain([BY_AREA]) {
            let found = verdict(&pairs.truth, &truths, &codes(&gpu, pairs, least), least);
            assert_eq!(found.wrong, 0, "{scene}, {least:?}: {found:?}");
            assert!(!is_alike || 50 * found.kept <= found.below, "{scene}, {least:?}: {found:?}");
        }
    }
}

#[test]
fn broken_shaders_are_caught_near_the_thresholds() {
    let by_area = near_an_area(1e3, 1e3);
    let by_iou = near_an_iou();
    // The polygons have a size of about 2^-38 quanta, so many edges count as vertical.
    let vertical = near_an_area(0.0, 2f64.powi(68));
    let truths = [&by_area, &by_iou, &vertical].map(Truth::of_all);
    let kinds =
        [(&by_area, &truths[0], BY_AREA), (&by_iou, &truths[1], BY_IOU), (&vertical, &truths[2], BY_AREA)];
    // The threshold is far enough above all areas of the first kind that the kernel must leave out most pairs.
    let above = LeastAreas { area: 1.01, iou: 0.0 };
    let whole = shader(Lanes::Workgroup);
    let device = gpu_with(&whole, None).device;
    let is_right = |source: &str| {
        let gpu = gpu_on(&device, source);
        let found = |pairs: &Pairs, truths: &[Truth], least| {
            verdict(&pairs.truth, truths, &codes(&gpu, pairs, least), least)
        };
        kinds.iter().all(|&(pairs, truths, least)| found(pairs, truths, least).wrong == 0)
            && 2 * found(&by_area, &truths[0], above).left_out > by_area.truth.len()
    };
    assert!(by_area.truth.len() > 2_000 && by_iou.truth.len() > 800);
    assert!(is_right(&whole));
    for (what, from, to) in [
        ("no bound", "+ common_bound(", "+ 0.0 * common_bound("),
        ("no bound of vertical edges", "+ LEAST_WIDTH * 16.0 * blocks * reach", ""),
        ("the mean of both lines", "- below * below /", "- 0.5 * below * below /"),
        ("the sides confused", "(f.side * g.side)", "(f.side)"),
        ("the last block left out", "at <= end; at++", "at < end || at == end && end < 2u; at++"),
        (
            "one area counted twice",
            "area_of(i, a) + area_of(j, b)",
            "2.0 * max(area_of(i, a), area_of(j, b))",
        ),
        ("B at the anchor of A", "moved_block(j, b.first_block, origin)", "placed_block(j, b.first_block)"),
    ] {
        assert!(whole.contains(from), "{what}");
        assert!(!is_right(&whole.replace(from, to)), "{what} goes unnoticed");
    }
}

#[test]
fn thresholds_are_rounded_down() {
    for (area, iou, quantum) in
        [(0.3, 0.7, 0.25), (1e-300, 1e-300, 1e-3), (f64::MAX, 1.0, 0.5), (0.0, 0.0, 4.0)]
    {
        let [least_area, least_part] = thresholds(LeastAreas { area, iou }, quantum).map(f64::from);
        assert!(least_area * quantum * quantum <= area && least_part <= iou / (1.0 + iou));
        let is_near = |found: f64, exact: f64| found >= exact * (1.0 - 1e-5) || found >= f64::from(f32::MAX);
        assert!(is_near(least_part, iou / (1.0 + iou)) || iou < 1e-30);
        assert!(is_near(least_area, area / quantum / quantum) || area < 1e-30);
    }
}
