use glam::DVec2;
use proptest::prelude::*;
use sat2d::{
    Closest, ConvexPolygon, Distance, Distances, MEASUREMENT_BOUND, PairFeature, PairFeatures, PolygonSet,
    Pose, Relation, Relations, RoundedSet, glam,
};

use super::textbook::{self, local};
use super::{Ring, candidates, engines, random_scenes, set};
use crate::support::strategies;

/// Asserts that the distance equals the distance of the oracle, up to the bound. Also asserts that the closest points
/// lie on their features and are this distance apart. Returns the error of the distance as a fraction of the pair's
/// size.
fn assert_right(found: &Distance, relation: Relation, a: &Ring, b: &Ring, name: &str) -> f64 {
    let origin = DVec2::from(a[0]);
    let (a, b) = local(a, b);
    let size = textbook::size(&a, &b);
    let within = MEASUREMENT_BOUND * size;
    let name = format!("{name}: {found:?} {a:?} {b:?}");
    assert!((found.separation - textbook::separation(&a, &b)).abs() <= within, "{name}");
    assert_eq!(found.distance == 0.0, relation != Relation::Disjoint, "{name}");
    let Some(Closest { point_a, point_b, features }) = found.closest else {
        assert_eq!(found.distance, 0.0, "{name}");
        return 0.0;
    };
    // World coordinates are rounded to f64, so the bound for points is larger than the bound for distances.
    let within_in_world = within + origin.abs().max_element() * f64::EPSILON;
    let (point_a, point_b) = (point_a - origin, point_b - origin);
    assert!(on_feature(point_a, features.a, &a) <= within_in_world, "{name}");
    assert!(on_feature(point_b, features.b, &b) <= within_in_world, "{name}");
    let apart = (point_b - point_a).length();
    assert!((apart - found.distance).abs() <= 2.0 * within_in_world, "{name}");
    let expected = textbook::distance(&a, &b);
    assert!((found.distance - expected).abs() <= within, "{name}: {expected}");
    (found.distance - expected).abs() / size
}

/// Returns the distance of a point from a vertex or an edge.
fn on_feature(point: DVec2, feature: PairFeature, polygon: &[DVec2]) -> f64 {
    match feature {
        PairFeature::Vertex(k) => point.distance(polygon[k as usize]),
        PairFeature::Edge(k) => {
            let (p, q) = (polygon[k as usize], polygon[(k as usize + 1) % polygon.len()]);
            let part = ((point - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0);
            point.distance(p + (q - p) * part)
        }
    }
}

#[test]
fn distances_of_random_scenes_are_right_near_and_far() {
    for (scene, rings) in random_scenes() {
        let set = set(&rings);
        let mut pairs = candidates(&set);
        // Add pairs that are far apart.
        pairs.extend((0..300).map(|i| [i, 699 - i]));
        for (backend, engine) in engines() {
            let found = engine.piece_pairs(&set, &set, &pairs).query(Distances).unwrap();
            let relations = engine.piece_pairs(&set, &set, &pairs).query(Relations).unwrap().items;
            let mut worst = 0.0f64;
            for ((&[i, j], figure), relation) in pairs.iter().zip(&found.items).zip(relations) {
                let name = format!("{backend}, {scene}, {i} and {j}");
                let (a, b) = (&rings[i as usize], &rings[j as usize]);
                worst = worst.max(assert_right(figure, relation, a, b, &name));
            }
            println!(
                "{backend}, {scene}: worst {worst:e}, {} of {} refined",
                found.counts.refined,
                pairs.len()
            );
            assert!(
                found.counts.refined * 20 < pairs.len() as u64,
                "{backend}, {scene}: {} refined",
                found.counts.refined
            );
        }
    }
}

#[test]
fn hand_worked_distances() {
    let a: Ring = vec![[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
    let vertex = PairFeature::Vertex;
    let edge = PairFeature::Edge;
    type Case = (Ring, f64, [f64; 2], [f64; 2], PairFeatures);
    let cases: [Case; 3] = [
        // A corner faces an edge.
        (
            vec![[3.0, 1.0], [4.0, 0.5], [4.0, 1.5]],
            1.0,
            [2.0, 1.0],
            [3.0, 1.0],
            PairFeatures { a: edge(1), b: vertex(0) },
        ),
        // The nearest corners are 3 apart along x and 4 along y.
        (
            vec![[5.0, 6.0], [7.0, 6.0], [6.0, 7.0]],
            5.0,
            [2.0, 2.0],
            [5.0, 6.0],
            PairFeatures { a: vertex(2), b: vertex(0) },
        ),
        // An edge faces a corner.
        (
            vec![[3.0, -2.0], [0.0, -2.0], [0.0, -5.0]].into_iter().rev().collect(),
            2.0,
            [0.0, 0.0],
            [0.0, -2.0],
            PairFeatures { a: vertex(0), b: vertex(1) },
        ),
    ];
    for (name, engine) in engines() {
        for (b, distance, point_a, point_b, features) in &cases {
            let sets = [set(std::slice::from_ref(&a)), set(std::slice::from_ref(b))];
            let found = engine.piece_pairs(&sets[0], &sets[1], &[[0, 0]]).query(Distances).unwrap().items[0];
            assert!((found.distance - distance).abs() < 1e-6, "{name}: {found:?}");
            let closest = found.closest.unwrap();
            assert!(closest.point_a.distance(DVec2::from(*point_a)) < 1e-6, "{name}: {found:?}");
            assert!(closest.point_b.distance(DVec2::from(*point_b)) < 1e-6, "{name}: {found:?}");
            assert_eq!(closest.features, *features, "{name}");
        }
    }
}

#[test]
fn what_touches_has_no_distance_and_what_is_an_ulp_apart_has_one() {
    let left: Ring = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let right = |x: f64| -> Ring { vec![[x, 0.5], [2.0, 0.0], [2.0, 1.0]] };
    for (name, engine) in engines() {
        for (x, distance) in [(1.0, 0.0), (1f64.next_up(), f64::EPSILON), (1f64.next_down(), 0.0)] {
            let sets = [set(std::slice::from_ref(&left)), set(&[right(x)])];
            let found = engine.piece_pairs(&sets[0], &sets[1], &[[0, 0]]).query(Distances).unwrap();
            assert_eq!(found.items[0].distance, distance, "{name}");
            assert_eq!(found.items[0].closest.is_some(), distance > 0.0, "{name}");
        }
    }
}

#[test]
fn poses_move_what_is_measured() {
    let square = ConvexPolygon::new(&[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]).unwrap();
    let eighth = Pose::new(std::f64::consts::FRAC_PI_4, [1e6 + 5.0, 5.0]).unwrap();
    let places = [(0, Pose::from_translation([1e6, 5.0]).unwrap()), (0, eighth)];
    let set = PolygonSet::from_instances(&[square.into()], &places).unwrap();
    for (name, engine) in engines() {
        let found = engine.piece_pairs(&set, &set, &[[0, 1]]).query(Distances).unwrap().items[0];
        assert!((found.distance - (4.0 - 2f64.sqrt())).abs() < 1e-5, "{name}: {found:?}");
        let closest = found.closest.unwrap();
        assert!(closest.point_a.distance(DVec2::new(1e6 + 1.0, 5.0)) < 1e-5, "{name}: {found:?}");
        assert_eq!(closest.features.a, PairFeature::Edge(1), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn distances_of_random_pairs_are_right((a, b) in strategies::pair()) {
        let (set_a, set_b) = (set(std::slice::from_ref(&a)), set(std::slice::from_ref(&b)));
        for (name, engine) in engines() {
            let relation = engine.piece_pairs(&set_a, &set_b, &[[0, 0]]).query(Relations).unwrap().items[0];
            let found = engine.piece_pairs(&set_a, &set_b, &[[0, 0]]).query(Distances).unwrap().items[0];
            assert_right(&found, relation, &a, &b, name);
        }
    }
}

/// Returns the square of the distance of a point from a segment, as numerator and denominator.
fn square_to_segment(p: [i64; 2], [from, to]: [[i64; 2]; 2]) -> [i64; 2] {
    let [edge, way, rest] = [(from, to), (from, p), (to, p)].map(|(a, b)| [b[0] - a[0], b[1] - a[1]]);
    let dot = |a: [i64; 2], b: [i64; 2]| a[0] * b[0] + a[1] * b[1];
    if dot(edge, way) <= 0 {
        return [dot(way, way), 1];
    }
    if dot(edge, rest) >= 0 {
        return [dot(rest, rest), 1];
    }
    let cross = edge[0] * way[1] - edge[1] * way[0];
    [cross * cross, dot(edge, edge)]
}

/// Returns the square of the distance of two disjoint polygons, as numerator and denominator.
fn square_of_distance(a: &[[i64; 2]], b: &[[i64; 2]]) -> [i64; 2] {
    let to = |vertices: &[[i64; 2]], ring: &[[i64; 2]]| {
        let edges = (0..ring.len()).map(|k| [ring[k], ring[(k + 1) % ring.len()]]);
        let squares: Vec<[i64; 2]> =
            edges.flat_map(|edge| vertices.iter().map(move |&p| square_to_segment(p, edge))).collect();
        squares.into_iter().min_by(|[n, d], [m, e]| (n * e).cmp(&(m * d))).unwrap()
    };
    let [[n, d], [m, e]] = [to(a, b), to(b, a)];
    if n * e < m * d { [n, d] } else { [m, e] }
}

/// Tests that distances on a grid of integers are rounded square roots of rounded quotients. Equal distances are then equal
/// numbers, whether the nearest features are edges or vertices.
#[test]
fn equal_distances_on_a_grid_are_equal_numbers() {
    let at = |k: i64| [k % 12, k / 12 % 12];
    let triangles = (0..300i64).filter_map(|k| {
        let [a, b, c] = [at(k * 7 + 3), at(k * 31 + k / 9), at(k * 53 + 5)];
        let turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        (turn != 0).then_some([a, b, c])
    });
    let triangles: Vec<[[i64; 2]; 3]> = triangles.collect();
    let points: Vec<[[i64; 2]; 1]> = (0..50).map(|k| [[(k * 13) % 23 - 5, (k * 7) % 23 - 5]]).collect();
    let place = |p: [i64; 2]| p.map(|coordinate| coordinate as f64);
    let rings: Vec<Ring> = triangles.iter().map(|ring| ring.map(place).to_vec()).collect();
    let positions: Vec<DVec2> = points.iter().map(|&[p]| place(p).into()).collect();
    let (set, circles) = (set(&rings), RoundedSet::of_points(&positions).unwrap());
    for (name, engine) in engines() {
        let mut roots = 0;
        let mut check = |found: &Distance, a: &[[i64; 2]], b: &[[i64; 2]]| {
            let [square, divisor] = square_of_distance(a, b);
            if found.distance > 0.0 {
                let expected = (square as f64 / divisor as f64).sqrt();
                assert_eq!(found.distance, expected, "{name}: {a:?} {b:?}");
                roots += usize::from(divisor > 1);
            }
        };
        for pair in &engine.self_join(&set).within(50.0).query(Distances).unwrap() {
            check(&pair.measurement, &triangles[pair.a as usize], &triangles[pair.b as usize]);
        }
        for pair in &engine.join(&circles, &set).within(50.0).query(Distances).unwrap() {
            check(&pair.measurement, &points[pair.a as usize], &triangles[pair.b as usize]);
        }
        assert!(roots > 1_000, "{roots}");
    }
}
