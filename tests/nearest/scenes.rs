//! Compares nearest objects with the distances of all pairs, in several scenes.

use super::{CPU, check_one, check_two, square};
use crate::support::in_soak;
use crate::support::random::Random;
use sat2d::glam::DVec2;
use sat2d::scenes::Scene;
use sat2d::{ConvexPolygon, Nearest, PolygonObject, PolygonSet, Pose, RoundedSet, RoundedShape};

/// Returns squares on a small integer grid, whose distances are mostly equal.
fn on_a_grid(random: &mut Random, count: usize, side: u32, unit: f64) -> PolygonSet {
    let mut at = || f64::from(random.below(side)) * unit;
    let rings: Vec<_> = (0..count).map(|_| square(at(), at(), 0.5 * unit)).collect();
    PolygonSet::from_convex_rings(&rings).unwrap()
}

/// Returns L shapes, squares with a hole, pairs of squares, single squares and empty objects, on a grid.
fn objects(random: &mut Random, count: usize, side: u32) -> PolygonSet {
    let objects: Vec<PolygonObject> = (0..count)
        .map(|k| {
            let (x, y) = (f64::from(random.below(side)), f64::from(random.below(side)));
            let at = |ring: &[[f64; 2]]| ring.iter().map(|[u, v]| [x + u, y + v]).collect::<Vec<_>>();
            let l = [[0., 0.], [4., 0.], [4., 1.], [1., 1.], [1., 4.], [0., 4.]];
            match k % 5 {
                0 => PolygonObject::from_polygon(&[square(x, y, 6.0), square(x + 1.0, y + 1.0, 4.0)]),
                1 => PolygonObject::from_multi_polygon(&[[square(x, y, 1.0)], [square(x + 7.0, y, 1.0)]]),
                2 => PolygonObject::from_polygon(&[square(x + 2.0, y + 2.0, 1.0)]),
                3 => return PolygonObject::empty(),
                _ => PolygonObject::from_polygon(&[at(&l)]),
            }
            .unwrap()
        })
        .collect();
    PolygonSet::from_objects(&objects).unwrap()
}

#[test]
fn ties_on_grids() {
    let mut random = Random(1);
    for (count, side) in [(1, 1), (2, 1), (30, 4), (60, 9), (120, 40)] {
        for unit in [1.0, 0.1, 1e-30] {
            let a = on_a_grid(&mut random, count, side, unit);
            let b = on_a_grid(&mut random, 2 * count, side, unit);
            check_two(&a, &b, &format!("grid of {side}, unit {unit}"));
            check_one(&b, &format!("grid of {side}, unit {unit}"));
        }
    }
}

#[test]
fn objects_with_holes_and_parts() {
    let mut random = Random(2);
    for (count, side) in [(5, 3), (40, 20), (90, 60), (60, 300)] {
        let (a, b) = (objects(&mut random, count, side), objects(&mut random, count, side));
        let squares = on_a_grid(&mut random, 50, side, 1.0);
        check_two(&a, &b, "objects");
        check_two(&a, &squares, "objects and squares");
        check_two(&squares, &b, "squares and objects");
        check_one(&a, "objects");
    }
}

#[test]
fn generated_scenes() {
    for scene in Scene::ALL {
        let [a, b] = [3, 4].map(|seed| PolygonSet::from_convex_rings(&scene.generate(150, seed)).unwrap());
        check_two(&a, &b, scene.name());
        check_one(&a, scene.name());
    }
}

/// Tests a large concave object among small objects: a comb whose box contains most of the others.
#[test]
fn large_concave_objects() {
    let mut comb = vec![[0.0, 0.0], [100.0, 0.0], [100.0, 50.0]];
    for tooth in (0..50).rev() {
        let x = f64::from(tooth) * 2.0;
        comb.extend([[x + 1.0, 1.0], [x, 50.0 + f64::from(tooth % 3)]]);
    }
    let mut all = vec![PolygonObject::from_polygon(&[comb]).unwrap()];
    let mut random = Random(3);
    let small = (0..60).map(|_| square(100.0 * random.unit(), 60.0 * random.unit(), 0.25));
    all.extend(small.map(|ring| PolygonObject::from_polygon(&[ring]).unwrap()));
    let mixed = PolygonSet::from_objects(&all).unwrap();
    let [comb, small] = [&all[..1], &all[1..]].map(|part| PolygonSet::from_objects(part).unwrap());
    check_one(&mixed, "comb among squares");
    check_two(&comb, &small, "comb, squares");
    check_two(&small, &comb, "squares, comb");
}

#[test]
fn sets_that_are_far_from_each_other_and_from_the_origin() {
    let mut random = Random(4);
    for (distance, size) in [(1e3, 1.0), (1e9, 1e-3), (1e15, 4.0), (3e60, 1e55), (1.0, 1e-40)] {
        let mut set = |x: f64| {
            let mut at = || 20.0 * size * random.unit();
            let ring = |x: f64, y: f64| square(x, y, size);
            let rings: Vec<_> = (0..40).map(|_| ring(x + at(), at())).collect();
            PolygonSet::from_convex_rings(&rings)
        };
        let (Ok(near), Ok(far)) = (set(0.0), set(distance)) else { continue };
        check_two(&near, &far, &format!("{distance} apart"));
        check_one(&far, &format!("{distance} from the origin"));
    }
}

#[test]
fn poses_points_and_rounded_shapes() {
    let mut random = Random(5);
    let shape = ConvexPolygon::new(&[[0.0, 0.0], [2.0, 0.0], [1.0, 1.5]]).unwrap();
    let mut pose = || Pose::new(6.0 * random.unit(), [20.0 * random.unit(), 20.0 * random.unit()]).unwrap();
    let poses: Vec<_> = (0..80).map(|_| (0, pose())).collect();
    let posed = PolygonSet::from_instances(&[shape.clone().into()], &poses).unwrap();
    check_one(&posed, "posed");
    let mut at = || f64::from(random.below(12)) * 2.0;
    let shapes: Vec<_> = (0..70)
        .map(|k| {
            let (p, q) = ([at(), at()], [at(), at()]);
            match k % 3 {
                0 => RoundedShape::circle(p, at() * 0.1),
                1 => RoundedShape::capsule(p, q, 0.25),
                _ => RoundedShape::circle(p, 0.0),
            }
            .unwrap()
        })
        .collect();
    let rounded = RoundedSet::new(&shapes).unwrap();
    check_two(&rounded, &posed, "rounded, posed");
    check_two(&posed, &rounded, "posed, rounded");
    check_two(&rounded, &rounded, "rounded");
    check_two(&rounded, &objects(&mut random, 40, 20), "rounded, objects");
    check_two(&objects(&mut random, 40, 20), &rounded, "objects, rounded");
}

#[test]
fn points_and_polygons_of_one_piece() {
    let mut random = Random(8);
    let points = |random: &mut Random, side: u32, unit: f64| {
        let mut at = || 0.25 * unit * f64::from(random.below(4 * side));
        let circle = |_| RoundedShape::circle([at(), at()], 0.0).unwrap();
        let circles: Vec<_> = (0..in_soak(60, 25)).map(circle).collect();
        RoundedSet::new(&circles).unwrap()
    };
    // With 2 positions along a side, many squares are at the same distance from a point. They are more than the queue
    // of unmeasured objects holds.
    for (count, side) in [(1, 1), (700, 2), (60, 9), (300, 40)] {
        for unit in [1.0, 0.1, 1e-30] {
            let squares = on_a_grid(&mut random, count, side, unit);
            let context = format!("points, grid of {side}, unit {unit}");
            check_two(&points(&mut random, side, unit), &squares, &context);
        }
    }
    for scene in Scene::ALL {
        let polygons = PolygonSet::from_convex_rings(&scene.generate(150, 5)).unwrap();
        check_two(&points(&mut random, 30, 0.7), &polygons, &format!("points, {}", scene.name()));
    }
}

#[test]
fn empty_sets_have_no_rows() {
    let empty = PolygonSet::from_objects(&[]).unwrap();
    let nothing = PolygonSet::from_objects(&[PolygonObject::empty(), PolygonObject::empty()]).unwrap();
    let some = on_a_grid(&mut Random(6), 5, 5, 1.0);
    let query = Nearest { k: 3, ..Nearest::default() };
    for (a, b) in [(&empty, &some), (&some, &empty), (&nothing, &some), (&some, &nothing), (&empty, &empty)] {
        assert!(CPU.join(a, b).query(query).unwrap().is_empty());
    }
    assert!(CPU.self_join(&nothing).query(query).unwrap().is_empty());
}

#[test]
fn threads_and_backends_change_no_digit() {
    let mut random = Random(7);
    let of_objects = objects(&mut random, 600, 150);
    let ngons = PolygonSet::from_convex_rings(&Scene::Ngons.generate(3000, 9)).unwrap();
    let gpu = sat2d::Engine::new(sat2d::Backend::Gpu).unwrap_or_else(|error| panic!("{error}"));
    for set in [&of_objects, &ngons] {
        for k in [1, 6] {
            let query = Nearest { k, ..Nearest::default() };
            let in_pool = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| CPU.self_join(set).query(query).unwrap())
            };
            let (one, many, device) = (in_pool(1), in_pool(5), gpu.self_join(set).query(query).unwrap());
            assert_eq!(one.items, many.items);
            assert_eq!(one.counts, many.counts);
            assert_eq!(one.items, device.items);
            assert_eq!(device.choice.backend, sat2d::Backend::Cpu);
            assert!(device.choice.reason.contains("host"));
            assert!(one.counts.candidate_pairs < 60 * (k * set.object_count()) as u64, "{:?}", one.counts);
        }
    }
}

/// Tests that the cost does not grow with the number of objects that meet. The neighbours of an object are those with the lowest
/// indices.
#[test]
fn objects_that_all_meet_cost_no_more_than_others() {
    let mut random = Random(17);
    let count = 2000;
    let nested = |i: usize| {
        square(
            -1.0 - i as f64 / count as f64,
            -1.0 - i as f64 / count as f64,
            2.0 + 2.0 * i as f64 / count as f64,
        )
    };
    let (growing, shrinking) = ((0..count).map(nested), (0..count).rev().map(nested));
    let shifted: Vec<_> = (0..count).map(|_| square(random.unit(), random.unit(), 2.0)).collect();
    for rings in [growing.collect(), shrinking.collect(), shifted] {
        let set = PolygonSet::from_convex_rings(&rings).unwrap();
        for k in [1, 5] {
            let query = Nearest { k, ..Nearest::default() };
            for (found, has_itself) in
                [(CPU.self_join(&set).query(query), false), (CPU.join(&set, &set).query(query), true)]
            {
                let found = found.unwrap();
                let neighbours = |a: u32| (0..).filter(move |&b| has_itself || a != b).take(k);
                let expected = (0..count as u32).flat_map(|a| neighbours(a).map(move |b| (a, b, 0.0)));
                assert!(found.iter().map(|pair| (pair.a, pair.b, pair.measurement.distance)).eq(expected));
                assert!(found.counts.candidate_pairs < (60 * k * count) as u64, "{:?}", found.counts);
            }
        }
    }
}

/// Tests points near the tips of slivers. Rounding hides on which side of an edge such a point is.
#[test]
fn points_beyond_the_tips_of_slivers() {
    let mut random = Random(11);
    for angle in [1e-6, 1e-9, 1e-12] {
        let (mut rings, mut points) = (vec![vec![[0.0, 0.0], [4.0, 3.0], [4.0, 3.0 + 1e-9]]], Vec::new());
        points.extend([DVec2::new(-1.0, -0.75) * 2f64.powi(-21); 2]);
        for _ in 0..40 {
            let tip = DVec2::new(8.0 * random.unit(), 8.0 * random.unit());
            let axis = DVec2::from_angle(std::f64::consts::TAU * random.unit());
            let ends = [tip + axis * 4.0, tip + axis.rotate(DVec2::from_angle(angle)) * 4.0];
            rings.push([tip, ends[0], ends[1]].map(|v| v.to_array()).to_vec());
            for _ in 0..6 {
                let beyond = 2f64.powi(-8 - random.below(26) as i32);
                points.push(tip - axis * beyond);
                // The set has another polygon, which is a little nearer to the point or a little farther away.
                let [x, y] = (tip - axis * beyond * (1.7 + 0.5 * random.unit())).to_array();
                rings.push(square(x - 1e-3 * beyond, y - 1e-3 * beyond, 2e-3 * beyond));
            }
        }
        let polygons = PolygonSet::from_convex_rings(&rings).unwrap();
        let points = RoundedSet::of_points(&points).unwrap();
        check_two(&points, &polygons, &format!("slivers with the angle {angle}"));
    }
}

/// Tests more objects of A than one part of the search takes.
#[test]
fn several_hundred_thousand_points() {
    let count = (1 << 18) + 777;
    let points: Vec<DVec2> =
        (0..count).map(|k| DVec2::new(f64::from(k * 7919 % 1000), f64::from(k % 13))).collect();
    let rings: Vec<_> = (0..20).map(|k| square(f64::from(50 * k), 0.0, 10.0)).collect();
    let points_of_a = RoundedSet::of_points(&points).unwrap();
    let polygons = PolygonSet::from_convex_rings(&rings).unwrap();
    let found = CPU.join(&points_of_a, &polygons).query(Nearest::default()).unwrap().items;
    assert_eq!(found.len(), points.len());
    for (k, (row, point)) in found.iter().zip(points).enumerate() {
        let gap = |square: &u32| {
            let least = f64::from(50 * square);
            (least - point.x).max(point.x - least - 10.0).max(0.0).hypot((point.y - 10.0).max(0.0))
        };
        let nearest = (0..20).min_by(|one, other| gap(one).total_cmp(&gap(other))).unwrap();
        assert_eq!((row.a as usize, row.b), (k, nearest));
        assert!((row.measurement.distance - gap(&nearest)).abs() < 1e-12, "{k}");
    }
}
