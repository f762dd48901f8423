//! Pairs for the tests of the filter, and their exact relations.

use std::sync::LazyLock;

use glam::DVec2;

use super::cpu::filter::{Arithmetic, relation};
use super::cpu::reference;
use crate::answers::results::Relation;
use crate::base::parallel::prelude::*;
use crate::geometry::{Aabb, ConvexPolygon, Pieces, PolygonObject, PolygonSet, Pose};
use crate::packed::grid::Grid;
use crate::packed::layout::{DISJOINT, OVERLAPPING, UNCERTAIN};
use crate::packed::pack::Packed;
use crate::packed::records::{Buffers, LANES, Records, most_vertices};
use crate::scenes::{Scene, near_touching_pairs};

/// Two sets of equal length with their packed records. Pair i consists of polygon i of each set, and has its exact
/// relation.
pub(crate) struct Pairs {
    pub(crate) a: PolygonSet,
    pub(crate) b: PolygonSet,
    pub(crate) packed: Packed,
    pub(crate) truth: Vec<Relation>,
}

impl Pairs {
    pub(crate) fn new(a: PolygonSet, b: PolygonSet) -> Self {
        assert_eq!(a.piece_count(), b.piece_count());
        let truth = (0..a.piece_count())
            .into_par_iter()
            .map(|i| reference::relation(a.piece(i), b.piece(i)))
            .collect();
        Self::with_truth(a, b, truth)
    }

    /// Returns pairs whose relations are known.
    pub(crate) fn with_truth(a: PolygonSet, b: PolygonSet, truth: Vec<Relation>) -> Self {
        assert_eq!([a.piece_count(), b.piece_count()], [truth.len(); 2]);
        let extent = a.piece_aabbs().into_iter().chain(b.piece_aabbs()).fold(Aabb::EMPTY, Aabb::union);
        let packed = Packed::new(Pieces::of(&a), Some(Pieces::of(&b)), Grid::over(extent));
        Self { a, b, packed, truth }
    }

    /// Begins a session on a device with the polygons of the pairs. Returns the errors of `GpuNarrowPhase::session`.
    #[cfg(feature = "gpu")]
    pub(crate) async fn session<'a>(
        &self,
        gpu: &'a super::gpu::GpuNarrowPhase,
        timings: &mut crate::answers::results::Timings,
    ) -> crate::base::error::Result<super::gpu::Session<'a>> {
        gpu.session(Pieces::of(&self.a), Some(Pieces::of(&self.b)), self.packed.grid, timings).await
    }

    /// Returns the records of both sides for kernels on the CPU. If `large` is set, the records have the layout for any
    /// number of vertices. Otherwise, they have the layout for the number of vertices of the polygons.
    pub(crate) fn records(&self, large: bool) -> [Records; 2] {
        let large = large || most_vertices(&self.a).max(most_vertices(&self.b)) > LANES;
        [&self.a, &self.b].map(|set| {
            let boxes = set.piece_aabbs();
            Records::new(Pieces::of(set), &boxes, self.packed.grid, large, Buffers::default()).expect("few")
        })
    }

    pub(crate) fn indices(&self) -> Vec<[u32; 2]> {
        (0..self.a.piece_count() as u32).map(|i| [i, i]).collect()
    }

    /// Returns the filter's codes of the pairs, computed with the arithmetic `F`.
    pub(crate) fn codes<F: Arithmetic>(&self) -> Vec<u8> {
        let Packed { records, b_offset, .. } = &self.packed;
        let code = |i: usize| relation::<F>(records, i as u32, i as u32 + b_offset) as u8;
        (0..self.a.piece_count()).into_par_iter().map(code).collect()
    }

    /// Counts the codes that contradict the reference, and the uncertain codes.
    pub(crate) fn verdict_of(&self, codes: &[u8]) -> Verdict {
        assert_eq!(codes.len(), self.truth.len());
        let mut verdict = Verdict { pairs: codes.len(), ..Verdict::default() };
        for (&code, &truth) in codes.iter().zip(&self.truth) {
            match u32::from(code) {
                UNCERTAIN => verdict.uncertain += 1,
                DISJOINT => verdict.wrong += usize::from(truth != Relation::Disjoint),
                OVERLAPPING => verdict.wrong += usize::from(truth != Relation::Overlapping),
                other => panic!("the filter never says {other}"),
            }
        }
        verdict
    }
}

/// The random scenes. A filter is uncertain about very few of their pairs.
const RANDOM_SCENES: [Scene; 5] =
    [Scene::Boxes, Scene::Ngons, Scene::BigNgons, Scene::Crowd, Scene::Clustered];

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) pairs: usize,
    pub(crate) wrong: usize,
    pub(crate) uncertain: usize,
}

/// The test scenes for filters. Each scene has a name and its pairs. Tests share the scenes, because the exact relations of all
/// pairs take a long time.
static SCENES: LazyLock<Vec<(&'static str, Pairs)>> = LazyLock::new(|| {
    vec![
        ("near-touching", near_touching(20_000)),
        ("adversarial", adversarial(20_000, 8.0)),
        ("posed", posed(5_000, 1.5)),
        ("posed adversarial", posed_adversarial(4_000)),
        ("boxes", candidates(Scene::Boxes, 2_000)),
        ("ngons", candidates(Scene::Ngons, 2_000)),
        ("big-ngons", candidates(Scene::BigNgons, 2_000)),
        ("clustered", candidates(Scene::Clustered, 2_000)),
    ]
});

/// Returns [`SCENES`].
pub(crate) fn scenes() -> &'static [(&'static str, Pairs)] {
    &SCENES
}

/// The candidate pairs of the random scenes. Tests share them.
static RANDOM_PAIRS: LazyLock<Vec<(Scene, Pairs)>> =
    LazyLock::new(|| RANDOM_SCENES.map(|scene| (scene, candidates(scene, 20_000))).into());

/// Returns [`RANDOM_PAIRS`].
pub(crate) fn random_pairs() -> &'static [(Scene, Pairs)] {
    &RANDOM_PAIRS
}

fn set(rings: &[Vec<[f64; 2]>]) -> PolygonSet {
    PolygonSet::from_convex_rings(rings).expect("scenes are convex")
}

/// Returns hard pairs for the filter: pairs that touch, or have gaps as small as one ulp, at all scales.
pub(crate) fn near_touching(count: usize) -> Pairs {
    let pairs = near_touching_pairs(count, 7);
    let side = |k: usize| set(&pairs.iter().map(|p| p[k].clone()).collect::<Vec<_>>());
    Pairs::new(side(0), side(1))
}

/// Returns pairs whose gap or depth is a few f32 roundings. f32 cannot represent their vertices. A bound that is too
/// small gives wrong answers for such pairs. In each pair, the tip of a triangle is near a point of an edge of the
/// other polygon. The distance of the tip from this point, along the normal of the edge, is a multiple of 2^-24 times
/// the size of the other polygon.
pub(crate) fn adversarial(count: usize, spread: f64) -> Pairs {
    pairs_of(adversarial_polygons(count, spread, false))
}

/// Returns the pairs of [`adversarial`], with a fourth vertex added to each triangle. This vertex is the farthest from
/// the other polygon.
pub(crate) fn adversarial_with_four(count: usize, spread: f64) -> Pairs {
    pairs_of(adversarial_polygons(count, spread, true))
}

/// Pairs of polygons.
pub(crate) type Polygons = Vec<(ConvexPolygon, ConvexPolygon)>;

/// Returns pairs of polygons without poses.
pub(crate) fn pairs_of(polygons: Polygons) -> Pairs {
    let (a, b): (Vec<_>, Vec<_>) = polygons.into_iter().unzip();
    let set = |polygons: &[ConvexPolygon]| PolygonSet::from_convex(polygons).expect("few");
    Pairs::new(set(&a), set(&b))
}

/// Returns the pairs of `polygons` with poses. First, the first of three `poses` moves both polygons of a pair. Each
/// polygon then becomes a shape with a pose of its own, which puts the shape at the polygon's new place, up to rounding.
/// Leaves out pairs with a shape that rounding made concave.
pub(crate) fn with_poses(polygons: Polygons, mut poses: impl FnMut() -> [Pose; 3]) -> Pairs {
    type Side = (Vec<PolygonObject>, Vec<(usize, Pose)>);
    let mut sides: [Side; 2] = Default::default();
    for (a, b) in polygons {
        let [world, own_a, own_b] = poses();
        let pulled_back = [(a, own_a), (b, own_b)].map(|(polygon, own)| {
            let inverse = |p: DVec2| {
                let q = p - own.translation();
                DVec2::new(own.cos() * q.x + own.sin() * q.y, own.cos() * q.y - own.sin() * q.x)
            };
            let ring: Vec<DVec2> = polygon.vertices().iter().map(|&v| inverse(world.apply(v))).collect();
            ConvexPolygon::new(&ring).map(|polygon| (polygon, own))
        });
        if let [Ok(a), Ok(b)] = pulled_back {
            for ((shapes, places), (polygon, pose)) in sides.iter_mut().zip([a, b]) {
                places.push((shapes.len(), pose));
                shapes.push(polygon.into());
            }
        }
    }
    let [a, b] = sides.map(|(shapes, places)| PolygonSet::from_instances(&shapes, &places).expect("few"));
    Pairs::new(a, b)
}

/// Returns the pairs of [`adversarial`] with wider gaps and with random poses.
fn posed_adversarial(count: usize) -> Pairs {
    let mut random = Random(0x0dd_ba11);
    let mut pose = || {
        let place = DVec2::new(random.unit() - 0.5, random.unit() - 0.5) * 1e3;
        Pose::new(random.unit() * 6.3, place).expect("finite")
    };
    with_poses(adversarial_polygons(count, 64.0, false), || [pose(), pose(), pose()])
}

fn adversarial_polygons(count: usize, spread: f64, fourth: bool) -> Polygons {
    let polygons = Scene::Ngons.generate(2 * count, 3);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut found = Vec::new();
    for pair in polygons.chunks_exact(2) {
        // Each pair lies near the origin. The random scale makes the coordinates differ from f32 values.
        let jitter = |v: &[f64; 2], random: &mut Random| DVec2::from(*v) * (1.0 + 0.125 * random.unit());
        let centre = DVec2::from(pair[0][0]);
        let scale = jitter(&[1.0, 1.0], &mut random);
        let ring: Vec<DVec2> = pair[0].iter().map(|v| (DVec2::from(*v) - centre) * scale.x).collect();
        let Ok(polygon) = ConvexPolygon::new(&ring) else { continue };
        let vertices = polygon.vertices();
        let edge = (random.unit() * vertices.len() as f64) as usize % vertices.len();
        let (p, q) = (vertices[edge], vertices[(edge + 1) % vertices.len()]);
        let outward = DVec2::new(q.y - p.y, p.x - q.x).normalize();
        let along = (q - p).normalize();
        let size = polygon.aabb().max.abs().max(polygon.aabb().min.abs()).max_element();
        let gap = size * 2f64.powi(-24) * (random.unit() - 0.5) * spread;
        let tip = p + (q - p) * random.unit() + outward * gap;
        let reach = size * if random.unit() < 0.5 { 1.0 } else { 1e-3 };
        let spread = 0.2 + random.unit();
        let mut ring =
            vec![tip, tip + (outward - along * spread) * reach, tip + (outward + along * spread) * reach];
        if fourth {
            ring.insert(2, tip + 2.0 * outward * reach);
        }
        let Ok(other) = ConvexPolygon::new(&ring) else { continue };
        found.push(if random.unit() < 0.5 { (polygon, other) } else { (other, polygon) });
    }
    found
}

/// Returns random pairs of rotated and moved polygons that are near each other.
pub(crate) fn posed(count: usize, spread: f64) -> Pairs {
    let shapes = Scene::Ngons.generate(64, 5);
    let mut random = Random(0x1234_5678_9abc_def1);
    let objects: Vec<_> = shapes
        .iter()
        .map(|ring| {
            let centre = DVec2::from(ring[0]);
            let ring: Vec<DVec2> = ring.iter().map(|v| DVec2::from(*v) - centre).collect();
            ConvexPolygon::new(&ring).expect("scenes are convex").into()
        })
        .collect();
    let mut instance = |at: DVec2| {
        let shape = (random.unit() * 64.0) as usize % 64;
        let place = at + DVec2::new(random.unit(), random.unit()) * spread;
        (shape, Pose::new(random.unit() * 6.3, place).expect("finite"))
    };
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for i in 0..count {
        let cell = DVec2::new((i % 100) as f64, (i / 100) as f64) * 16.0;
        a.push(instance(cell));
        b.push(instance(cell));
    }
    let set = |instances: &[(usize, Pose)]| PolygonSet::from_instances(&objects, instances).expect("few");
    Pairs::new(set(&a), set(&b))
}

/// Returns the candidate pairs of a scene. Polygon i of each set belongs to candidate pair i.
pub(crate) fn candidates(scene: Scene, count: usize) -> Pairs {
    let rings = scene.generate(count, 11);
    let all = set(&rings);
    let boxes = all.piece_aabbs();
    let pairs = crate::broad_phase::self_join(&boxes, None).expect("few").sorted();
    let side = |k: usize| set(&pairs.iter().map(|p| rings[p[k] as usize].clone()).collect::<Vec<_>>());
    Pairs::new(side(0), side(1))
}

/// A generator of test inputs (xorshift64*, Vigna 2016).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }
}
