//! Tests the search for the nearest pieces.

use std::f64::consts::TAU;

use super::super::measuring_join::Measuring;
use super::super::walk::Walk;
use super::*;
use crate::answers::backend::Backend;
use crate::answers::distance::Distance;
use crate::answers::measured::MeasuredPair;
use crate::queries::block_on::block_on;
use crate::{Engine, PolygonObject, Pose, RoundedSet, RoundedShape};

/// A generator of random numbers from 0 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Returns a ring around a point. Each vertex has its own random distance from the point.
fn star(random: &mut Random, at: [f64; 2], radius: f64, vertices: usize) -> Vec<[f64; 2]> {
    let vertex = |k| {
        let (sin, cos) = (TAU * k as f64 / vertices as f64).sin_cos();
        let radius = radius * (0.6 + 0.4 * random.next());
        [at[0] + radius * cos, at[1] + radius * sin]
    };
    (0..vertices).map(vertex).collect()
}

/// Generates stars around a point: some overlap, some are disjoint, and some are in the hole of another star.
fn stars(seed: u64, count: usize, at: [f64; 2]) -> Vec<PolygonObject> {
    let mut random = Random(seed);
    let star_of = |k: usize| {
        let at = [at[0] + 12.0 * random.next(), at[1] + 12.0 * random.next()];
        let vertices = [3, 24, 50, 90][k % 4];
        let radius = 0.5 + random.next();
        let outer = star(&mut random, at, radius, vertices);
        if k.is_multiple_of(3) && vertices > 3 {
            let hole = star(&mut random, at, 0.5 * radius, vertices);
            let inner = star(&mut random, at, 0.2 * radius, vertices);
            return PolygonObject::from_multi_polygon(&[vec![outer, hole], vec![inner]]).unwrap();
        }
        PolygonObject::from_polygon(&[outer]).unwrap()
    };
    (0..count).map(star_of).collect()
}

/// Returns a strip along the x axis with teeth on one side. The teeth reach up to `height`, or down to `height` if
/// `upward` is false.
fn saw(teeth: usize, height: f64, upward: bool) -> PolygonObject {
    let sign = if upward { 1.0 } else { -1.0 };
    let mut ring = vec![[0.0, height - 2.0 * sign], [teeth as f64, height - 2.0 * sign]];
    for k in (0..teeth).rev() {
        ring.push([k as f64 + 1.0, height - sign]);
        ring.push([k as f64 + 0.5, height]);
    }
    ring.push([0.0, height - sign]);
    PolygonObject::from_polygon(&[ring]).unwrap()
}

type Found = Vec<MeasuredPair<Distance>>;

/// Finds the pairs of objects within a distance in two ways: by a walk over all pairs of pieces, and by a walk over the
/// pairs that may be the nearest. Runs on 1 thread and on 2 threads. Returns the pairs, and the number of pairs of
/// pieces that each way measured.
fn both_ways(a: Rounded<'_>, other: Option<Rounded<'_>>, distance: f64) -> (Found, [u64; 2]) {
    let engine = Engine::new(Backend::Cpu).unwrap();
    let join = |many_pairs, threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut walk = Walk::new(a, other);
            (walk.reach, walk.many_pairs) = (distance, many_pairs);
            let mut query = Measuring::new(&walk, PieceDistances { within: distance }, false);
            let mut walked = block_on(engine.backends.measure(&walk, &mut query)).unwrap();
            query.finish(&mut walked).unwrap()
        })
    };
    let all = join(usize::MAX, 1);
    let nearest = [join(0, 1), join(0, 2)];
    for found in &nearest {
        assert_eq!(found.items, all.items, "within {distance}");
        assert_eq!(found.counts.candidate_pairs, nearest[0].counts.candidate_pairs);
    }
    (all.items, [all.counts.candidate_pairs, nearest[0].counts.candidate_pairs])
}

#[test]
fn the_least_of_all_pieces_is_found() {
    for at in [[0.0, 0.0], [3e6, -5e6]] {
        let sets = [
            PolygonSet::from_objects(&stars(1, 40, at)).unwrap(),
            PolygonSet::from_objects(&stars(2, 40, at)).unwrap(),
        ];
        let [a, b] = sets.each_ref().map(Rounded::of);
        for distance in [0.0, 1e-3, 0.3, 3.0] {
            for other in [None, Some(b)] {
                let (found, [all, nearest]) = both_ways(a, other, distance);
                assert!(found.iter().any(|pair| pair.measurement.distance == 0.0));
                assert!(distance < 0.3 || found.iter().any(|pair| pair.measurement.distance > 0.1));
                assert!(distance < 3.0 || 10 * nearest < all, "{nearest} of {all}");
            }
        }
    }
}

#[test]
fn posed_objects_are_where_their_poses_say() {
    let shapes = stars(3, 12, [0.0, 0.0]);
    let mut random = Random(4);
    let mut pose =
        || Pose::new(TAU * random.next(), [20.0 * random.next(), 1e5 + 20.0 * random.next()]).unwrap();
    let instances: Vec<(usize, Pose)> = (0..40).map(|k| (k % 12, pose())).collect();
    let set = PolygonSet::from_instances(&shapes, &instances).unwrap();
    for distance in [0.0, 1.0, 9.0] {
        both_ways(Rounded::of(&set), None, distance);
    }
}

#[test]
fn rounded_shapes_are_as_near_as_their_radii_say() {
    let polygons = PolygonSet::from_objects(&stars(5, 40, [0.0, 0.0])).unwrap();
    let mut random = Random(6);
    let mut shape = |k: usize| {
        let mut at = || [12.0 * random.next(), 12.0 * random.next()];
        let (from, to) = (at(), at());
        let radius = [0.0, 0.05, 1.0][k % 3];
        if k.is_multiple_of(2) {
            RoundedShape::circle(from, radius)
        } else {
            RoundedShape::capsule(from, to, radius)
        }
    };
    let shapes: Vec<_> = (0..60).map(|k| shape(k).unwrap()).collect();
    let rounded = RoundedSet::new(&shapes).unwrap();
    for distance in [0.0, 0.2, 5.0] {
        let (a, b) = (Rounded::of(&polygons), Rounded::of(&rounded));
        for (a, b) in [(a, b), (b, a)] {
            let (found, _) = both_ways(a, Some(b), distance);
            assert!(found.len() > 100);
        }
    }
}

#[test]
fn of_equally_near_pieces_the_first_are_named() {
    // The tips of the two saws touch, or are half a unit apart, or reach into each other, or are 3 units apart.
    for (height, expected) in [(0.0, 0.0), (0.5, 0.5), (-0.25, 0.0), (3.0, 3.0)] {
        let saws = [saw(100, 0.0, true), saw(100, height, false)];
        let set = PolygonSet::from_objects(&saws).unwrap();
        let (found, [_, nearest]) = both_ways(Rounded::of(&set), None, 3.0);
        assert_eq!((found.len(), found[0].measurement.distance), (1, expected));
        // If the two saws are apart, all tips are equally near and are measured. If they meet, the first pair of pieces
        // that meets is enough.
        assert_eq!(nearest >= 100, expected > 0.0, "{nearest}");
    }
}

#[test]
fn of_objects_that_overlap_a_single_pair_of_pieces_is_measured() {
    // Almost round stars are split into slivers across the whole star, and nearly all boxes of these slivers meet.
    let mut random = Random(8);
    let mut circle = |at: f64| {
        let vertex = |k: usize| {
            let (sin, cos) = (TAU * k as f64 / 400.0).sin_cos();
            let radius = 1.0 + 1e-3 * random.next();
            [at + radius * cos, radius * sin]
        };
        PolygonObject::from_polygon(&[(0..400).map(vertex).collect::<Vec<_>>()]).unwrap()
    };
    let shapes = [circle(0.0), circle(1.5)];
    let turned = |angle| Pose::new(angle, [0.0, 0.0]).unwrap();
    for angles in [[0.0, 0.0], [0.7, 0.7], [0.3, -0.2]] {
        let instances = [(0, turned(angles[0])), (1, turned(angles[1]))];
        let set = PolygonSet::from_instances(&shapes, &instances).unwrap();
        let (found, [all, nearest]) = both_ways(Rounded::of(&set), None, 0.5);
        assert_eq!((found.len(), found[0].measurement.distance), (1, 0.0));
        // A few pairs of pieces with lower indices are also measured.
        assert!(all > 300 && nearest <= 20, "{nearest} of {all}");
    }
}

#[test]
fn short_chunks_give_the_same_pairs() {
    let set = PolygonSet::from_objects(&stars(7, 30, [0.0, 0.0])).unwrap();
    let pairs = |limit| {
        let boxes = set.piece_boxes();
        let mut source = NearestPieces::new((Rounded::of(&set), boxes), None, 3.0).unwrap();
        let (mut all, mut chunk) = (Vec::new(), Vec::new());
        while source.next_chunk(limit, &mut chunk) {
            all.append(&mut chunk);
        }
        all.sort_unstable();
        all
    };
    let all = pairs(usize::MAX);
    assert!(all.len() > 1000);
    assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
    assert_eq!(pairs(10), all);
}
