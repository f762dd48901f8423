//! Tests the fast path against the exact reference, on scenes that stress the grid and the filter.

#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use crate::answers::points::{PointCount, PointPair, PointRelation};
use crate::base::error::Error;
use glam::DVec2;

use super::covered::Covered;
use super::filter::{EdgeError, Sided, side};
use super::index::PointIndex;
use super::search::Searched;
use super::*;
use crate::answers::backend::Backend;
use crate::base::clock::Instant;
use crate::base::parallel::prelude::*;
use crate::engine::Engine;
use crate::geometry::limits::check_points;
use crate::geometry::predicates::orientation;
use crate::geometry::{
    Aabb, ConvexPolygon, Coordinates, Piece, PolygonColumns, PolygonObject, PolygonSet, Pose, set_of_outlines,
};
use crate::geometry::{MAX_COORDINATE, MIN_COORDINATE};
use crate::kernels::faults::{Fault, Kernel, assert_caught};
use crate::kernels::point::reference;
use crate::kernels::test_scenes::Random;
use crate::queries::block_on::block_on;
use crate::queries::kinds::Relations;
use crate::scenes::Scene;

/// Returns points at which mistakes are likely: at vertices and on edges, exactly or off by a rounding error. A quarter of the
/// points are anywhere.
pub(crate) fn points_about(set: &PolygonSet, count: usize, seed: u64) -> Vec<DVec2> {
    let mut random = Random(seed | 1);
    let extent = set.piece_aabbs().into_iter().fold(Aabb::EMPTY, Aabb::union);
    let size = extent.max - extent.min;
    let pick = |random: &mut Random, n: usize| (random.unit() * n as f64) as usize % n;
    (0..count)
        .map(|k| {
            if k % 4 == 0 {
                return extent.min - 0.1 * size + 1.2 * size * DVec2::new(random.unit(), random.unit());
            }
            let piece = pick(&mut random, set.piece_count());
            let ring = set.piece_vertices(piece);
            let pose = set.piece_pose(piece);
            let i = pick(&mut random, ring.len());
            let (p, q) = (pose.apply(ring[i]), pose.apply(ring[(i + 1) % ring.len()]));
            let on = match k % 3 {
                0 => p,
                1 => p + (q - p) * random.unit(),
                _ => (p + q) * 0.5,
            };
            let step = |x: f64, by: usize| match by {
                0 => x.next_up(),
                1 => x.next_down(),
                2 => x + (random_sign(by, x) * x * 2f64.powi(-40)),
                _ => x,
            };
            DVec2::new(step(on.x, pick(&mut random, 5)), step(on.y, pick(&mut random, 5)))
        })
        .filter(|p| check_points(&[*p]).is_ok())
        .collect()
}

fn random_sign(by: usize, x: f64) -> f64 {
    if (x.to_bits() >> by) & 1 == 0 { 1.0 } else { -1.0 }
}

/// Returns the pairs that the reference finds, by comparing each point with each object.
fn judged(points: &[DVec2], set: &PolygonSet) -> Vec<PointPair> {
    let mut of_object = vec![Vec::new(); set.object_count()];
    for piece in 0..set.piece_count() {
        of_object[set.piece_object(piece)].push(piece);
    }
    let boxes = set.object_aabbs();
    let mut pairs: Vec<PointPair> = points
        .par_iter()
        .enumerate()
        .flat_map_iter(|(point, &at)| {
            let here = Aabb { min: at, max: at };
            let near: Vec<usize> = (0..boxes.len()).filter(|&o| boxes[o].meets(here)).collect();
            let of_object = &of_object;
            near.into_iter().filter_map(move |object| {
                let pieces: Vec<Piece<'_>> =
                    of_object[object].iter().map(|&piece| set.piece(piece)).collect();
                let relation = reference::relation_to_object(at, &pieces);
                let pair = PointPair { point: point as u32, object: object as u32, relation };
                (relation != PointRelation::Outside).then_some(pair)
            })
        })
        .collect();
    pairs.sort();
    pairs
}

const ALL: PointOptions<'_> =
    PointOptions { keep: KeepPoints::Meeting, counts: true, first: true, pairs: true, progress: None };

pub(super) fn assert_as_judged(name: &str, set: &PolygonSet, points: &[DVec2]) {
    let expected = judged(points, set);
    let engine = Engine::new(Backend::Cpu).unwrap();
    let join = engine.points(points, set).query(&ALL).unwrap();
    let found = join.pairs.unwrap();
    if let Some(k) = (0..expected.len().max(found.len())).find(|&k| expected.get(k) != found.get(k)) {
        let (expected, found) = (expected.get(k), found.get(k));
        panic!(
            "{name}: {expected:?} expected, {found:?} found; {:?}",
            found.or(expected).map(|p| points[p.point as usize])
        );
    }
    for keep in [KeepPoints::Meeting, KeepPoints::Boundary, KeepPoints::Inside] {
        let kept: Vec<PointPair> = expected.iter().copied().filter(|p| keep.keeps(p.relation)).collect();
        let only = |options: PointOptions<'_>| engine.points(points, set).query(&options).unwrap();
        let pairs = only(PointOptions { keep, pairs: true, ..PointOptions::default() });
        assert!(pairs.pairs.unwrap() == kept, "{name}, {keep:?}");
        assert!(pairs.counts.is_none() && pairs.first.is_none());
        let first = only(PointOptions { keep, first: true, ..PointOptions::default() }).first.unwrap();
        let mut expected_first = vec![None; points.len()];
        for pair in kept.iter().rev() {
            expected_first[pair.point as usize] = Some(pair.object);
        }
        assert!(first.iter().eq(expected_first), "{name}, {keep:?}");
    }
    let mut counts = vec![PointCount::default(); set.object_count()];
    for pair in &expected {
        let count = &mut counts[pair.object as usize];
        if pair.relation == PointRelation::Inside { count.inside += 1 } else { count.boundary += 1 }
    }
    assert_eq!(join.counts.unwrap(), counts, "{name}");
}

/// Returns objects of several shapes: an L, a square with a square hole, two squares that share an edge, two squares that
/// overlap, a comb, and an empty object.
pub(crate) fn concave(at: DVec2, scale: f64) -> Vec<PolygonObject> {
    let ring =
        |points: &[[f64; 2]]| -> Vec<DVec2> { points.iter().map(|&p| at + DVec2::from(p) * scale).collect() };
    let square = |x: f64, y: f64, s: f64| ring(&[[x, y], [x + s, y], [x + s, y + s], [x, y + s]]);
    let mut comb = vec![[0.0, -9.0], [10.0, -9.0]];
    for k in (0..10).rev() {
        comb.extend([[f64::from(k) + 0.5, -3.0], [f64::from(k), -8.0]]);
    }
    vec![
        PolygonObject::from_polygon(&[ring(&[[0., 0.], [2., 0.], [2., 1.], [1., 1.], [1., 2.], [0., 2.]])])
            .unwrap(),
        PolygonObject::from_polygon(&[square(3.0, 0.0, 6.0), square(5.0, 2.0, 2.0)]).unwrap(),
        PolygonObject::from_multi_polygon(&[[square(0.0, 4.0, 2.0)], [square(2.0, 4.0, 2.0)]]).unwrap(),
        PolygonObject::from_multi_polygon(&[[square(0.0, 8.0, 3.0)], [square(1.0, 9.0, 3.0)]]).unwrap(),
        PolygonObject::from_polygon(&[ring(&comb)]).unwrap(),
        PolygonObject::empty(),
    ]
}

pub(super) fn scenes() -> Vec<(&'static str, PolygonSet)> {
    let of = |scene: Scene, count| PolygonSet::from_convex_rings(&scene.generate(count, 3)).unwrap();
    let mut random = Random(77);
    let mut scenes = vec![
        ("ngons", of(Scene::Ngons, 500)),
        ("big-ngons", of(Scene::BigNgons, 300)),
        ("crowd", of(Scene::Crowd, 300)),
        ("clustered", of(Scene::Clustered, 1500)),
        ("boxes", of(Scene::Boxes, 300)),
        ("one", of(Scene::Ngons, 1)),
    ];
    let pairs = crate::scenes::near_touching_pairs(300, 5);
    let near: Vec<_> = pairs.iter().flatten().cloned().collect();
    scenes.push(("near-touching", PolygonSet::from_convex_rings(&near).unwrap()));
    let lattice = |k: usize| {
        let (x, y) = ((k % 20) as f64, (k / 20) as f64);
        [[x, y], [x + 1.0, y], [x + 1.0, y + 1.0], [x, y + 1.0]]
    };
    scenes.push((
        "lattice",
        PolygonSet::from_convex_rings(&(0..400).map(lattice).collect::<Vec<_>>()).unwrap(),
    ));
    // Polygons with many vertices, some of them in one cell.
    let parabola = |n: i32, x: f64| -> Vec<[f64; 2]> {
        (-n..=n).map(|t| [x + f64::from(t), f64::from(t * t)]).collect()
    };
    scenes.push((
        "many vertices",
        PolygonSet::from_convex_rings(&[parabola(300, 0.0), parabola(40, 9.0), parabola(2, 3.0)]).unwrap(),
    ));
    // Small polygons in one corner of a scene that two other polygons make large.
    let mut corner: Vec<Vec<[f64; 2]>> = Scene::Ngons.generate(600, 9);
    for v in corner.iter_mut().flatten() {
        *v = v.map(|x| x * 1e-7);
    }
    corner.push(vec![[1e6, 1e6], [1e6 + 1.0, 1e6], [1e6, 1e6 + 1.0]]);
    corner.push(vec![[-1e5, -1e5], [1e5, -1e5], [0.0, 1e5]]);
    scenes.push(("a crowd in a corner", PolygonSet::from_convex_rings(&corner).unwrap()));
    // The same polygon many times, and slivers through one point.
    let mut piled = vec![vec![[0.1, 0.2], [7.3, 0.4], [5.0, 6.1]]; 200];
    for k in 0..200 {
        let turn = f64::from(k) * 0.03;
        let (s, c) = turn.sin_cos();
        piled.push(vec![[3.0 - c, 2.0 - s], [3.0 + c, 2.0 + s], [3.0 + c - 1e-9 * s, 2.0 + s + 1e-9 * c]]);
    }
    scenes.push(("piled up", PolygonSet::from_convex_rings(&piled).unwrap()));
    let mut objects = concave(DVec2::ZERO, 1.0);
    objects.extend(concave(DVec2::new(1e6, -1e6), 1e-3));
    objects.extend(concave(DVec2::new(40.0, 3.0), 0.1));
    scenes.push(("concave", PolygonSet::from_objects(&objects).unwrap()));
    let shapes: Vec<PolygonObject> = concave(DVec2::new(0.3, -0.7), 0.37);
    for (name, reach) in [("posed", 50.0), ("posed far out", 1e9), ("posed out of sight", 1e16)] {
        let instances: Vec<(usize, Pose)> = (0..60)
            .map(|k| {
                let at = [reach * (random.unit() - 0.5), reach * (random.unit() - 0.5)];
                (k % 6, Pose::new(random.unit() * 6.3, at).unwrap())
            })
            .collect();
        scenes.push((name, PolygonSet::from_instances(&shapes, &instances).unwrap()));
    }
    let quarter = |at: [f64; 2]| Pose::from_cos_sin(0.0, 1.0, at).unwrap();
    let instances: Vec<_> = (0..12).map(|k| (k % 6, quarter([f64::from(k as u32) * 7.0, 1.0]))).collect();
    scenes.push((
        "turned by a quarter",
        PolygonSet::from_instances(&concave(DVec2::ZERO, 1.0), &instances).unwrap(),
    ));
    scenes
}

#[test]
fn every_answer_is_the_judges() {
    for (name, set) in scenes() {
        let count = if set.is_static() { 6000 } else { 1200 };
        assert_as_judged(name, &set, &points_about(&set, count, 5));
    }
}

#[test]
fn few_points_are_decided_without_the_grid() {
    for (name, set) in scenes() {
        let points = points_about(&set, 2000, 6);
        let count = (set.vertex_count() / 8).saturating_sub(1).min(points.len() / 4);
        for some in points.chunks_exact(count.max(1)).take(4) {
            let searched = Searched::for_points(&set, some).unwrap();
            assert_eq!(searched.is_some_and(|searched| searched.are_all()), count > 0, "{name}");
            assert_as_judged(name, &set, some);
        }
    }
}

#[test]
fn few_points_in_many_objects_are_in_order() {
    let square = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let set = PolygonSet::from_convex_rings(&vec![square; 9000]).unwrap();
    let points: Vec<[f64; 2]> = (0..90).map(|k| [f64::from(k) / 60.0, 0.5]).collect();
    let searched = Searched::for_points(&set, &points).unwrap().unwrap();
    let places: Vec<DVec2> = points.iter().map(|&point| point.into()).collect();
    assert_eq!(
        searched.near(&places, &mut Vec::new()),
        2,
        "the pairs of two points reach the limit of a list"
    );
    let join = Engine::new(Backend::Cpu).unwrap().points(&points, &set).query(&ALL).unwrap();
    let found = join.pairs.unwrap();
    assert_eq!(found.len(), 61 * 9000);
    assert!(found.iter().zip(0..).all(|(p, k): (_, u32)| (p.point, p.object) == (k / 9000, k % 9000)));
}

#[test]
fn relations_of_given_pairs_are_the_judges() {
    let engine = Engine::new(Backend::Cpu).unwrap();
    for (name, set) in scenes() {
        let points = points_about(&set, 300, 8);
        let pairs: Vec<[u32; 2]> = (0..2000)
            .map(|k| [k * 7919 % points.len() as u32, k * 104_729 % set.piece_count() as u32])
            .collect();
        let found = engine.point_pairs(&points, &set, &pairs).query(Relations).unwrap().items;
        for (&[point, piece], found) in pairs.iter().zip(found) {
            let expected = reference::relation_to_piece(points[point as usize], set.piece(piece as usize));
            assert_eq!(found, expected, "{name}: {:?}, piece {piece}", points[point as usize]);
        }
    }
}

#[test]
fn threads_and_the_number_of_points_change_nothing() {
    let set = PolygonSet::from_convex_rings(&Scene::Clustered.generate(3000, 2)).unwrap();
    let points = points_about(&set, 40_000, 3);
    let on = |threads: usize, points: &[DVec2]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Engine::new(Backend::Cpu).unwrap().points(points, &set).query(&ALL).unwrap())
    };
    let expected = on(1, &points);
    for threads in [2, 5] {
        let found = on(threads, &points);
        assert!(
            found.pairs == expected.pairs && found.first == expected.first && found.counts == expected.counts
        );
        assert_eq!((found.candidate_pairs, found.uncertain), (expected.candidate_pairs, expected.uncertain));
    }
    // The points are queried in parts, and each part has its own grid.
    let mut pairs = Vec::new();
    for (k, part) in points.chunks(777).enumerate() {
        let found = on(2, part).pairs.unwrap();
        pairs.extend(found.into_iter().map(|p| PointPair { point: p.point + (k * 777) as u32, ..p }));
    }
    assert!(Some(pairs) == expected.pairs);
}

/// Returns objects in the shape of an L, in a set that keeps their rings.
pub(super) fn outlined() -> PolygonSet {
    let corners = [[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
    let place = |k: usize| corners.map(|[x, y]| [x + 5.0 * (k % 30) as f64, y + 4.0 * (k / 30) as f64]);
    let coordinates: Vec<[f64; 2]> = (0..300).flat_map(place).collect();
    let rings: Vec<i64> = (0..=300).map(|k| 6 * k).collect();
    let columns = PolygonColumns::new(Coordinates::Interleaved(&coordinates), rings.as_slice());
    set_of_outlines(&columns).unwrap().set
}

/// Returns points about the polygons, and many more points far from them.
pub(super) fn points_beside(set: &PolygonSet) -> Vec<DVec2> {
    let extent = set.object_aabbs().into_iter().fold(Aabb::EMPTY, Aabb::union);
    let mut random = Random(31);
    let mut far =
        || extent.min + (extent.max - extent.min) * (20.0 * DVec2::new(random.unit(), random.unit()) - 10.0);
    let count = 20 * set.piece_count().max(100);
    let mut points: Vec<DVec2> = (0..count).map(|_| far()).collect();
    for (k, point) in points_about(set, count / 20, 8).into_iter().enumerate() {
        points[17 * k + 3] = point;
    }
    points
}

/// The numbers of points that a query has reported.
#[derive(Debug, Default)]
struct Decided(std::sync::Mutex<Vec<u64>>);

impl crate::queries::progress::Progress for Decided {
    fn decided(&self, points: u64) {
        self.0.lock().unwrap().push(points);
    }
}

#[test]
fn points_far_from_all_polygons_are_left_out_without_a_change_of_the_answers() {
    let backends = if cfg!(feature = "gpu") { &[Backend::Cpu, Backend::Gpu][..] } else { &[Backend::Cpu] };
    let engines: Vec<Engine> = backends.iter().map(|&backend| Engine::new(backend).unwrap()).collect();
    for (name, set) in scenes().into_iter().chain([("outlined", outlined())]) {
        let points = points_beside(&set);
        assert!(Covered::by_objects(&points, &set).is_some(), "{name}");
        let expected = block_on(engines[0].points(&points, &set).decide(&ALL, Instant::now())).unwrap();
        assert!(expected.pairs.as_ref().is_some_and(|pairs| pairs.len() > 10), "{name}");
        for engine in &engines {
            let decided = Decided::default();
            let options = PointOptions { progress: Some(&decided), ..ALL };
            let found = engine.points(&points, &set).query(&options).unwrap();
            assert!(found.pairs == expected.pairs && found.first == expected.first, "{name}");
            assert!(found.counts == expected.counts, "{name}");
            let decided = decided.0.into_inner().unwrap();
            assert!(decided.is_sorted() && decided.last() == Some(&(points.len() as u64)), "{name}");
        }
    }
}

#[test]
fn an_answer_far_larger_than_a_task_holds_is_whole_and_in_order() {
    let square = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let set = PolygonSet::from_convex_rings(&vec![square; 700]).unwrap();
    let points: Vec<[f64; 2]> = (0..3000).map(|k| [f64::from(k % 50) / 49.0, 0.5]).collect();
    let options = PointOptions { pairs: true, ..PointOptions::default() };
    let pairs =
        Engine::new(Backend::Cpu).unwrap().points(&points, &set).query(&options).unwrap().pairs.unwrap();
    assert_eq!(pairs.len(), 700 * 3000);
    assert!(pairs.iter().zip(0..).all(|(p, k): (_, u32)| (p.point, p.object) == (k / 700, k % 700)));
}

#[test]
fn a_grid_stays_small_whatever_the_polygons_are() {
    for (name, set) in scenes() {
        let index = PointIndex::new(&set, 10_000_000).unwrap();
        let pieces = set.piece_count();
        let bytes = index.bytes();
        // Many slivers, or a thousand vertices, need their share of the memory.
        let bound = 64 * 1024 + 4096 * pieces + 256 * set.vertex_count();
        assert!(bytes < bound, "{name}: {bytes} bytes for {pieces} pieces");
    }
}

/// Returns how often [`side`] contradicts exact arithmetic, and how often it is uncertain, for random edges without a pose. The
/// ends of these edges have no rounding error.
fn wrong_of_given() -> (usize, usize) {
    let mut random = Random(0x5eed);
    let (mut wrong, mut uncertain) = (0, 0);
    for k in 0..300_000 {
        let offset = if k % 2 == 0 { 0.0 } else { 1e6 };
        let mut place = || DVec2::new(random.unit() - 0.3, random.unit() - 0.6) + offset;
        let (p, q) = (place(), place());
        let on = p + (q - p) * (random.unit() * 3.0 - 1.0);
        let truth = orientation(p, q, on);
        match side(p, q, on, EdgeError::NONE) {
            Sided::Uncertain => uncertain += 1,
            found => wrong += usize::from((found == Sided::Left) != (truth > 0.0) || truth == 0.0),
        }
    }
    (wrong, uncertain)
}

/// Returns how often the filter contradicts exact arithmetic at edges that a pose has rotated and moved.
fn wrong_of_posed() -> usize {
    let mut random = Random(0xfeed);
    let mut wrong = 0;
    for k in 0..20_000 {
        let reach = [1.0, 1e3, 1e6][k % 3];
        let mut place = || DVec2::new(random.unit() - 0.5, random.unit() - 0.5);
        let (p, q, at) = (place() * reach, place() * reach, place() * reach);
        let pose = Pose::new(random.unit() * 6.3, at).unwrap();
        let (a, b) = (pose.apply(p), pose.apply(q));
        let on = a + (b - a) * random.unit();
        let ends = [p, q];
        let truth = reference::side_of_posed(on, Piece { vertices: &ends, pose });
        let error = ends.map(|v| v.abs().element_sum()).into_iter().fold(0.0, f64::max);
        let error = (error + at.abs().max_element()) * 2f64.powi(-50);
        match side(a, b, on, EdgeError(error)) {
            Sided::Uncertain => {}
            found => wrong += usize::from((found == Sided::Left) != (truth > 0.0) || truth == 0.0),
        }
    }
    wrong
}

#[test]
fn the_filter_is_never_wrong_and_a_smaller_bound_is_caught() {
    let (wrong, uncertain) = wrong_of_given();
    assert_eq!(wrong, 0);
    assert!(uncertain > 1000 && wrong_of_posed() == 0);
    let given = || wrong_of_given().0;
    assert_caught(Kernel::Points, Fault::TenthOfTheBound, "given edges", given);
    assert_caught(Kernel::Points, Fault::NoErrors, "given edges", given);
    assert_caught(Kernel::Points, Fault::NoErrors, "posed edges", wrong_of_posed);
}

#[test]
fn hardly_any_pair_is_uncertain_on_random_scenes() {
    for scene in [Scene::Ngons, Scene::BigNgons, Scene::Clustered] {
        let set = PolygonSet::from_convex_rings(&scene.generate(2000, 4)).unwrap();
        let extent = set.piece_aabbs().into_iter().fold(Aabb::EMPTY, Aabb::union);
        let mut random = Random(9);
        let points: Vec<DVec2> = (0..50_000)
            .map(|_| extent.min + (extent.max - extent.min) * DVec2::new(random.unit(), random.unit()))
            .collect();
        let join = Engine::new(Backend::Cpu).unwrap().points(&points, &set).query(&ALL).unwrap();
        assert!(
            join.uncertain * 10_000 <= join.candidate_pairs,
            "{}: {} uncertain",
            scene.name(),
            join.uncertain
        );
    }
}

#[test]
fn what_is_not_accepted_is_refused_by_its_index() {
    let set = PolygonSet::from_convex_rings(&[[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]]).unwrap();
    let engine = Engine::new(Backend::Cpu).unwrap();
    for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e61, -1e300, 1e-43, f64::MIN_POSITIVE, -5e-324] {
        let mut points = vec![[0.25, 0.25]; 40_000];
        points[39_000] = [0.5, bad];
        points[38_999] = [bad, 0.5];
        let error = engine.points(&points, &set).query(&ALL).unwrap_err();
        assert!(matches!(error, Error::Point { point: 38_999, .. }), "{error}");
        assert!(engine.point_pairs(&points, &set, &[]).query(Relations).is_err());
    }
    let points = [[0.25, 0.25]];
    let error = |pairs: &[[u32; 2]]| {
        engine.point_pairs(&points, &set, pairs).query(Relations).unwrap_err().to_string()
    };
    assert_eq!(error(&[[0, 0], [1, 0]]), "pair 1 names point 1, but there are 1; points count from 0");
    assert_eq!(error(&[[0, 1]]), "pair 0 names piece 1, but the set has 1; pieces count from 0");
    let none: [[f64; 2]; 0] = [];
    let join = engine.points(&none, &set).query(&ALL).unwrap();
    assert_eq!((join.pairs, join.counts), (Some(Vec::new()), Some(vec![PointCount::default()])));
    assert!(join.first.unwrap().is_empty());
    let nothing = PolygonSet::from_objects(&[PolygonObject::empty()]).unwrap();
    let join = engine.points(&points, &nothing).query(&ALL).unwrap();
    assert_eq!((join.pairs, join.first.unwrap().get(0)), (Some(Vec::new()), None));
    let asked_nothing = engine.points(&points, &set).query(&PointOptions::default()).unwrap();
    assert!(asked_nothing.pairs.is_none() && asked_nothing.counts.is_none() && asked_nothing.first.is_none());
}

#[test]
fn convex_polygons_of_the_accepted_extremes_have_an_inside() {
    for scale in [MIN_COORDINATE, MAX_COORDINATE * 0.25] {
        let triangle = ConvexPolygon::new(&[[0.0, 0.0], [4.0 * scale, 0.0], [0.0, 4.0 * scale]]).unwrap();
        let set = PolygonSet::from_convex(&[triangle]).unwrap();
        let points = [[scale, scale], [2.0 * scale, 2.0 * scale], [3.0 * scale, 2.0 * scale], [0.0, 0.0]];
        let points = points.map(DVec2::from);
        assert_as_judged("extremes", &set, &points);
    }
}
