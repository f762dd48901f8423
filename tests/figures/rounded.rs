use glam::DVec2;
use sat2d::scenes::Scene;
use sat2d::{
    Containment, Containments, ConvexPolygon, Distances, Error, FIGURE_BOUND, Manifolds, PairFeature,
    Penetrations, PolygonSet, Pose, Relation, Relations, RoundedSet, RoundedShape, glam,
};

use super::textbook::{self, along, local};
use super::{CPU, Ring, engines};

fn circle(x: f64, y: f64, radius: f64) -> RoundedShape {
    RoundedShape::circle([x, y], radius).unwrap()
}

fn capsule(from: [f64; 2], to: [f64; 2], radius: f64) -> RoundedShape {
    RoundedShape::capsule(from, to, radius).unwrap()
}

fn rounded_box(least: [f64; 2], greatest: [f64; 2], radius: f64) -> RoundedShape {
    let ring = [least, [greatest[0], least[1]], greatest, [least[0], greatest[1]]];
    RoundedShape::polygon(&ConvexPolygon::new(&ring).unwrap(), radius).unwrap()
}

/// Returns pairs of shapes, with their hand-worked signed distances and normals from the first to the second.
fn closed_forms() -> Vec<(&'static str, RoundedShape, RoundedShape, f64, [f64; 2])> {
    vec![
        ("circles apart", circle(0.0, 0.0, 1.0), circle(3.0, 4.0, 2.0), 2.0, [0.6, 0.8]),
        ("circles that overlap", circle(0.0, 0.0, 3.0), circle(3.0, 4.0, 3.0), -1.0, [0.6, 0.8]),
        ("a circle in a circle", circle(0.0, 0.0, 9.0), circle(0.0, 1.0, 0.5), -8.5, [0.0, 1.0]),
        ("points", circle(0.0, 0.0, 0.0), circle(0.0, -2.0, 0.0), 2.0, [0.0, -1.0]),
        (
            "a circle and a face",
            circle(0.0, 5.0, 1.0),
            rounded_box([-2.0, 0.0], [2.0, 3.0], 0.5),
            0.5,
            [0.0, -1.0],
        ),
        (
            "a circle and a corner",
            circle(5.0, 7.0, 1.0),
            rounded_box([-2.0, 0.0], [2.0, 3.0], 0.5),
            3.5,
            [-0.6, -0.8],
        ),
        (
            "a centre in a box",
            circle(1.5, 1.0, 1.0),
            rounded_box([-2.0, 0.0], [2.0, 3.0], 0.25),
            -0.5 - 1.25,
            [-1.0, 0.0],
        ),
        (
            "capsules side by side",
            capsule([0.0, 0.0], [4.0, 0.0], 0.5),
            capsule([1.0, 2.0], [9.0, 2.0], 0.25),
            1.25,
            [0.0, 1.0],
        ),
        (
            "capsules end to end",
            capsule([0.0, 0.0], [4.0, 0.0], 0.5),
            capsule([6.0, 0.0], [9.0, 0.0], 0.25),
            1.25,
            [1.0, 0.0],
        ),
        (
            "capsules that cross",
            capsule([-2.0, 0.0], [3.0, 0.0], 0.5),
            capsule([0.0, -1.0], [0.0, 4.0], 0.5),
            -2.0,
            [0.0, 1.0],
        ),
        (
            "a point and a segment",
            circle(1.0, 1.0, 0.0),
            capsule([0.0, 0.0], [4.0, 0.0], 0.0),
            1.0,
            [0.0, -1.0],
        ),
        (
            "a point and a triangle",
            circle(3.0, 3.0, 0.0),
            RoundedShape::polygon(&ConvexPolygon::new(&[[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]]).unwrap(), 0.0)
                .unwrap(),
            2.0 * 2f64.sqrt(),
            [-(0.5f64.sqrt()), -(0.5f64.sqrt())],
        ),
        (
            "boxes corner to corner",
            rounded_box([0.0, 0.0], [1.0, 1.0], 0.25),
            rounded_box([4.0, 5.0], [6.0, 6.0], 0.25),
            4.5,
            [0.6, 0.8],
        ),
        (
            "boxes face to face",
            rounded_box([0.0, 0.0], [1.0, 1.0], 0.25),
            rounded_box([1.25, 0.0], [2.0, 1.0], 0.25),
            -0.25,
            [1.0, 0.0],
        ),
    ]
}

#[test]
fn closed_forms_come_out_near_and_far() {
    for far in [[0.0, 0.0], [1e6, -1e6]] {
        let pose = Pose::from_translation(far).unwrap();
        for (name, a, b, signed, normal) in closed_forms() {
            let placed = |shape: &RoundedShape| {
                RoundedSet::from_instances(std::slice::from_ref(shape), &[(0, pose)]).unwrap()
            };
            let (set_a, set_b) = (placed(&a), placed(&b));
            let within = 20.0 * FIGURE_BOUND;
            for (backend, engine) in engines() {
                let name = format!("{backend}, {name}, {far:?}");
                let found =
                    engine.piece_pairs(&set_a, &set_b, &[[0, 0]]).query(Penetrations).unwrap().items[0];
                assert!((found.separation - signed).abs() < within, "{name}: {found:?}");
                assert!(found.normal.distance(DVec2::from(normal)) < within, "{name}: {found:?}");
                let back =
                    engine.piece_pairs(&set_b, &set_a, &[[0, 0]]).query(Penetrations).unwrap().items[0];
                assert!((back.separation - signed).abs() < within, "{name}: {back:?}");

                let distance =
                    engine.piece_pairs(&set_a, &set_b, &[[0, 0]]).query(Distances).unwrap().items[0];
                assert!((distance.distance - signed.max(0.0)).abs() < within, "{name}: {distance:?}");
                assert_eq!(distance.closest.is_some(), signed > 0.0, "{name}: {distance:?}");
                if let Some(closest) = distance.closest {
                    let way = closest.point_b - closest.point_a;
                    assert!((way - DVec2::from(normal) * signed).length() < within, "{name}: {distance:?}");
                }

                let relation =
                    engine.piece_pairs(&set_a, &set_b, &[[0, 0]]).query(Relations).unwrap().items[0];
                let expected = if signed > 0.0 { Relation::Disjoint } else { Relation::Overlapping };
                assert_eq!(relation, expected, "{name}");

                for margin in [0.0, signed.max(0.0) + 0.5] {
                    let manifold = engine
                        .piece_pairs(&set_a, &set_b, &[[0, 0]])
                        .query(Manifolds { margin })
                        .unwrap()
                        .items[0];
                    assert_eq!(manifold.points().is_empty(), signed > margin, "{name}: {manifold:?}");
                    let Some(deepest) = manifold.deepest() else { continue };
                    assert!((deepest.separation - signed).abs() < within, "{name}: {manifold:?}");
                    assert!(manifold.normal.distance(DVec2::from(normal)) < within, "{name}: {manifold:?}");
                }
            }
        }
    }
}

/// Tests pairs of cores on one line. No edge normal separates such cores. Rounding must not turn a gap of 0 into an
/// overlap.
#[test]
fn cores_on_one_line_are_as_far_apart_as_their_ends() {
    for (a, b, way, radii) in [
        (capsule([1.8, 2.6], [14.0, 9.6], 0.5), circle(56.699999999999996, 34.1, 0.5), [42.7, 24.5], 1.0),
        (capsule([2.9, 7.5], [29.6, 30.6], 0.0), capsule([38.5, 38.3], [65.2, 61.4], 0.0), [8.9, 7.7], 0.0),
        (capsule([7.9, 8.9], [10.8, 15.4], 0.25), circle(31.1, 60.9, 0.0), [20.3, 45.5], 0.25),
    ] {
        let way = DVec2::from(way);
        let apart = way.length() - radii;
        let (set_a, set_b) = (RoundedSet::new(&[a]).unwrap(), RoundedSet::new(&[b]).unwrap());
        for (backend, engine) in engines() {
            for (a, b, way) in [(&set_a, &set_b, way), (&set_b, &set_a, -way)] {
                let relation = engine.piece_pairs(a, b, &[[0, 0]]).query(Relations).unwrap().items[0];
                assert_eq!(relation, Relation::Disjoint, "{backend}, {apart}");
                let found = engine.piece_pairs(a, b, &[[0, 0]]).query(Penetrations).unwrap().items[0];
                assert!((found.separation - apart).abs() < 1e-3, "{backend}, {apart}: {found:?}");
                assert!(found.normal.distance(way.normalize()) < 1e-3, "{backend}, {apart}: {found:?}");
                let found = engine.piece_pairs(a, b, &[[0, 0]]).query(Distances).unwrap().items[0];
                assert!((found.distance - apart).abs() < 1e-3, "{backend}, {apart}: {found:?}");
                let found = engine
                    .piece_pairs(a, b, &[[0, 0]])
                    .query(Manifolds { margin: apart + 1.0 })
                    .unwrap()
                    .items[0];
                let deepest = found.deepest().unwrap();
                assert!((deepest.separation - apart).abs() < 1e-3, "{backend}, {apart}: {found:?}");
            }
        }
    }
}

#[test]
fn a_contact_lies_half_way_between_the_round_borders() {
    let ground = RoundedSet::new(&[rounded_box([-5.0, -2.0], [5.0, 0.0], 0.5)]).unwrap();
    let shapes = RoundedSet::new(&[circle(1.0, 1.25, 1.0), capsule([-1.0, 1.25], [1.0, 1.25], 1.0)]).unwrap();
    for (name, engine) in engines() {
        let found = engine
            .piece_pairs(&ground, &shapes, &[[0, 0], [0, 1]])
            .query(Manifolds { margin: 0.0 })
            .unwrap()
            .items;
        // The ground ends at y = 0.5, and the circle starts at y = 0.25.
        let one = found[0].points();
        assert_eq!(one.len(), 1, "{name}");
        assert!(one[0].position.distance(DVec2::new(1.0, 0.375)) < 1e-4, "{name}: {one:?}");
        assert!((one[0].separation + 0.25).abs() < 1e-4, "{name}: {one:?}");
        assert_eq!(one[0].features.a, PairFeature::Edge(2), "{name}");
        let two = found[1].points();
        assert_eq!(two.len(), 2, "{name}: {two:?}");
        for contact in two {
            assert!((contact.position.y - 0.375).abs() < 1e-4, "{name}: {two:?}");
            assert!((contact.position.x.abs() - 1.0).abs() < 1e-4, "{name}: {two:?}");
        }
    }
}

/// Returns circles, capsules and rounded polygons on the vertices of random polygons.
fn random_shapes(scene: Scene, count: usize) -> (Vec<Ring>, Vec<f64>, RoundedSet) {
    let (mut cores, mut radii, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
    for (k, ring) in scene.generate(count, 17).into_iter().enumerate() {
        let radius = if k % 5 == 4 { 0.0 } else { 0.05 * (k % 7) as f64 };
        let core: Ring = match k % 3 {
            0 => vec![ring[0]],
            1 => vec![ring[0], ring[2]],
            _ => ring,
        };
        shapes.push(match core.len() {
            1 => RoundedShape::circle(core[0], radius).unwrap(),
            2 => RoundedShape::capsule(core[0], core[1], radius).unwrap(),
            _ => RoundedShape::polygon(&ConvexPolygon::new(&core).unwrap(), radius).unwrap(),
        });
        cores.push(core);
        radii.push(radius);
    }
    (cores, radii, RoundedSet::new(&shapes).unwrap())
}

#[test]
fn random_shapes_are_measured_as_their_cores_less_the_radii() {
    for scene in [Scene::Ngons, Scene::BigNgons] {
        let (cores, radii, set) = random_shapes(scene, 240);
        let pairs: Vec<[u32; 2]> = (0..240).flat_map(|i| (i + 1..240).map(move |j| [i, j])).collect();
        for (name, engine) in engines() {
            let found = engine.piece_pairs(&set, &set, &pairs).query(Penetrations).unwrap();
            let distances = engine.piece_pairs(&set, &set, &pairs).query(Distances).unwrap().items;
            let mut overlapping = 0;
            for ((&[i, j], found), distance) in pairs.iter().zip(&found.items).zip(distances) {
                let (a, b) = local(&cores[i as usize], &cores[j as usize]);
                let radii = radii[i as usize] + radii[j as usize];
                let gap = textbook::separation(&a, &b);
                let signed =
                    if gap < 0.0 && gap.is_finite() { gap } else { textbook::distance(&a, &b) } - radii;
                let within = FIGURE_BOUND * (textbook::size(&a, &b) + radii);
                let name = format!("{name}, {scene}, {i} and {j}: {found:?} {distance:?} {signed}");
                assert!((found.separation - signed).abs() <= within, "{name}");
                assert!((distance.distance - signed.max(0.0)).abs() <= within, "{name}");
                assert!((found.normal.length() - 1.0).abs() < 1e-12, "{name}");
                let gap = along(found.normal, &a, &b) - radii;
                assert!((gap - signed).abs() <= 4.0 * within, "{name}: {gap}");
                overlapping += u32::from(signed < 0.0);
            }
            assert!(overlapping > 100, "{overlapping}");
            println!("{name}, {scene}: {} of {} refined", found.counts.refined, pairs.len());
            assert!(found.counts.refined * 10 < pairs.len() as u64, "{name}: {}", found.counts.refined);
        }
    }
}

#[test]
fn joins_of_shapes_find_what_all_pairs_find() {
    let (cores, radii, set) = random_shapes(Scene::Ngons, 300);
    for within in [0.0, 0.3] {
        let mut expected = Vec::new();
        for i in 0..300 {
            for j in i + 1..300 {
                let (a, b) = local(&cores[i], &cores[j]);
                let gap = textbook::separation(&a, &b);
                let core = if gap < 0.0 && gap.is_finite() { 0.0 } else { textbook::distance(&a, &b) };
                if core - radii[i] - radii[j] <= within {
                    expected.push((i as u32, j as u32));
                }
            }
        }
        assert!(expected.len() > 100);
        for (name, engine) in engines() {
            let found = engine.self_join(&set).within(within).query(Distances).unwrap();
            let pairs: Vec<_> = found.items.iter().map(|pair| (pair.a, pair.b)).collect();
            assert_eq!(pairs, expected, "{name}, {within}");
            if within == 0.0 {
                let found = engine.self_join(&set).query(Penetrations).unwrap();
                let pairs: Vec<_> = found.items.iter().map(|pair| (pair.a, pair.b)).collect();
                assert_eq!(pairs, expected, "{name}");
                assert_eq!(
                    engine.self_join(&set).query(Manifolds { margin: 0.0 }).unwrap().items.len(),
                    pairs.len(),
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn shapes_and_polygons_are_measured_against_each_other() {
    let wall = PolygonSet::from_convex_rings(&[[[2.0, -5.0], [3.0, -5.0], [3.0, 5.0], [2.0, 5.0]]]).unwrap();
    let ball =
        RoundedSet::new(&[circle(0.0, 0.0, 2.25), circle(0.0, 0.0, 2.0), circle(2.5, 0.0, 0.0)]).unwrap();
    for (name, engine) in engines() {
        let pairs = [[0, 0], [1, 0], [2, 0]];
        let found = engine.piece_pairs(&ball, &wall, &pairs).query(Penetrations).unwrap().items;
        assert!((found[0].depth() - 0.25).abs() < 1e-4, "{name}: {found:?}");
        assert!(found[1].separation.abs() < 1e-12, "{name}: {found:?}");
        let relations = engine.piece_pairs(&ball, &wall, &pairs).query(Relations).unwrap().items;
        // A point has no interior.
        assert_eq!(relations, [Relation::Overlapping, Relation::Touching, Relation::Touching], "{name}");
        let near = engine.join(&wall, &ball).within(0.0).query(Distances).unwrap().items;
        assert_eq!(near.len(), 3, "{name}: {near:?}");
    }
}

/// Tests an edge from a point p, which is nearly 0, to a point q. The point q / 2 is on the left or the right of the
/// edge, at a distance far below the precision of f64.
#[test]
fn a_point_is_in_a_polygon_by_however_little() {
    let q = [9_007_199_254_740_991.0, 4_503_599_627_370_497.0].map(|x| x * 2f64.powi(-53));
    let point = RoundedSet::new(&[circle(0.5 * q[0], 0.5 * q[1], 0.0)]).unwrap();
    for (sign, is_inside) in [(-1.0, true), (1.0, false)] {
        let p = [6_004_799_503_160_660.0, 3_002_399_751_580_331.0].map(|x| sign * x * 2f64.powi(-113));
        let triangle = PolygonSet::from_convex_rings(&[[p, q, [0.0, 1.0]]]).unwrap();
        for (name, engine) in engines() {
            let distance =
                engine.piece_pairs(&point, &triangle, &[[0, 0]]).query(Distances).unwrap().items[0];
            assert_eq!(distance.distance == 0.0, is_inside, "{name}: {distance:?}");
            let depth = engine.piece_pairs(&triangle, &point, &[[0, 0]]).query(Penetrations).unwrap().items
                [0]
            .separation;
            assert_eq!(depth < 0.0, is_inside, "{name}: {depth}");
            for (within, found) in [(0.0, is_inside), (1e-60, is_inside), (1e-40, true)] {
                let pairs = engine.join(&point, &triangle).within(within).query(Distances).unwrap().items;
                assert_eq!(pairs.len(), usize::from(found), "{name}: {within}");
            }
        }
    }
}

#[test]
fn round_shapes_cover_what_lies_in_them() {
    let shapes = [
        circle(0.0, 0.0, 5.0),
        capsule([-3.0, 0.0], [3.0, 0.0], 2.0),
        capsule([-3.0, 0.0], [3.0, 0.0], 2.5),
        // The corners are 5 from the middle.
        rounded_box([-4.0, -3.0], [4.0, 3.0], 0.0),
        rounded_box([-4.0, -3.0], [4.0, 3.0], 0.25),
        circle(1.0, 0.0, 3.0),
        circle(1.0, 0.25, 3.0),
        circle(3.0, 0.0, 0.0),
        circle(0.0, 0.0, 5.0),
    ];
    let set = RoundedSet::new(&shapes).unwrap();
    let pairs: Vec<[u32; 2]> = (0..9).flat_map(|i| (0..9).map(move |j| [i, j])).collect();
    let found = CPU.piece_pairs(&set, &set, &pairs).query(Containments).unwrap().items;
    let covered_by = |i: usize| -> Vec<usize> {
        let covers = |j: &usize| matches!(found[9 * i + j], Containment::Covers | Containment::Equal);
        (0..9).filter(covers).collect()
    };
    assert_eq!(covered_by(0), [0, 1, 3, 5, 6, 7, 8]);
    assert_eq!(covered_by(1), [1, 7]);
    assert_eq!(covered_by(2), [1, 2, 7]);
    assert_eq!(covered_by(3), [3, 5, 7]);
    assert_eq!(covered_by(4), [3, 4, 5, 6, 7]);
    assert_eq!(covered_by(5), [5, 7]);
    assert_eq!(covered_by(7), [7]);
    assert_eq!(found[8], Containment::Equal);
    for i in 0..9 {
        for j in 0..9 {
            let swapped = match found[9 * j + i] {
                Containment::Covers => Containment::CoveredBy,
                Containment::CoveredBy => Containment::Covers,
                other => other,
            };
            assert_eq!(found[9 * i + j], swapped, "{i} {j}");
        }
    }
    assert!(matches!(
        CPU.piece_pairs(&set, &set, &[[0, 9]]).query(Containments),
        Err(Error::UnknownPolygon { pair: 0, index: 9, count: 9 })
    ));
}

#[test]
fn concentric_and_equal_shapes_have_a_normal() {
    let shapes = [
        circle(1.0, 2.0, 1.0),
        circle(1.0, 2.0, 0.0),
        capsule([0.0, 0.0], [1.0, 0.0], 0.5),
        capsule([0.25, 0.0], [0.5, 0.0], 0.0),
        capsule([0.0, 0.0], [1e-7, 0.0], 0.25),
        rounded_box([0.0, 0.0], [1.0, 1e-7], 0.0),
        rounded_box([0.0, 0.0], [1.0, 1.0], 0.5),
    ];
    let set = RoundedSet::new(&shapes).unwrap();
    let pairs: Vec<[u32; 2]> = (0..7).flat_map(|i| (0..7).map(move |j| [i, j])).collect();
    for (name, engine) in engines() {
        for found in engine.piece_pairs(&set, &set, &pairs).query(Penetrations).unwrap().items {
            assert!(
                (found.normal.length() - 1.0).abs() < 1e-12 && found.separation.is_finite(),
                "{name}: {found:?}"
            );
        }
        for found in engine.piece_pairs(&set, &set, &pairs).query(Manifolds { margin: 1.0 }).unwrap().items {
            assert!(
                (found.normal.length() - 1.0).abs() < 1e-12 && found.separation.is_finite(),
                "{name}: {found:?}"
            );
            for contact in found.points() {
                assert!(contact.position.is_finite() && contact.separation.is_finite(), "{name}: {found:?}");
            }
        }
        for found in engine.piece_pairs(&set, &set, &pairs).query(Distances).unwrap().items {
            assert!(found.distance.is_finite() && found.separation.is_finite(), "{name}: {found:?}");
        }
    }
}

#[test]
fn a_radius_that_is_none_is_an_error() {
    for radius in [-1.0, f64::NAN, f64::INFINITY, 1e-50] {
        assert!(matches!(RoundedShape::circle([0.0, 0.0], radius), Err(Error::Radius { .. })), "{radius}");
    }
    assert!(matches!(RoundedShape::circle([f64::NAN, 0.0], 1.0), Err(Error::NotFinite { .. })));
    assert!(matches!(
        RoundedShape::capsule([0.0, 0.0], [1e70, 0.0], 1.0),
        Err(Error::OutOfRange { vertex: 1, .. })
    ));
    let one = [circle(0.0, 0.0, 1.0)];
    assert!(matches!(
        RoundedSet::from_instances(&one, &[(1, Pose::IDENTITY)]),
        Err(Error::UnknownShape { instance: 0, shape: 1, count: 1 })
    ));
    assert!(
        CPU.self_join(&RoundedSet::new(&[]).unwrap()).within(1.0).query(Distances).unwrap().items.is_empty()
    );
}
