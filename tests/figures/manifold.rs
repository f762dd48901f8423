use glam::DVec2;
use proptest::prelude::*;
use sat2d::{
    Contact, Error, MEASUREMENT_BOUND, Manifold, Manifolds, Motion, PairFeature, PairFeatures, glam,
};

use super::textbook::{self, along, local};
use super::{Ring, candidates, engines, random_scenes, set};
use crate::support::strategies;

/// Asserts all promises that the library makes about a manifold and its points.
fn assert_right(found: &Manifold, margin: f64, a: &Ring, b: &Ring, name: &str) {
    let origin = DVec2::from(a[0]);
    let (a, b) = local(a, b);
    let size = textbook::size(&a, &b);
    let within = MEASUREMENT_BOUND * size + origin.abs().max_element() * f64::EPSILON;
    let name = format!("{name}, margin {margin}: {found:?} {a:?} {b:?}");
    let separation = textbook::separation(&a, &b);
    assert!((found.normal.length() - 1.0).abs() < 1e-12, "{name}");
    assert!((along(found.normal, &a, &b) - found.separation).abs() <= 2.0 * within, "{name}");
    assert!(found.separation >= separation - within, "{name}");
    let Some(deepest) = found.deepest() else {
        assert!(found.separation > margin - within, "{name}");
        return;
    };
    assert!(separation <= margin + within, "{name}");
    assert!((deepest.separation - found.separation).abs() <= 2.0 * within, "{name}");
    for contact in found.points() {
        assert!(contact.separation <= margin, "{name}");
        assert_point(contact, found.normal, origin, (&a, &b), 4.0 * within, &name);
    }
}

/// Asserts that a contact point lies halfway between the two features that the contact names.
fn assert_point(
    contact: &Contact,
    normal: DVec2,
    origin: DVec2,
    (a, b): (&[DVec2], &[DVec2]),
    within: f64,
    name: &str,
) {
    let middle = contact.position - origin;
    let on_a = middle - normal * (0.5 * contact.separation);
    let on_b = middle + normal * (0.5 * contact.separation);
    for (point, feature, polygon) in [(on_a, contact.features.a, a), (on_b, contact.features.b, b)] {
        match feature {
            PairFeature::Vertex(k) => assert!(point.distance(polygon[k as usize]) <= within, "{name}"),
            PairFeature::Edge(k) => {
                let (p, q) = (polygon[k as usize], polygon[(k as usize + 1) % polygon.len()]);
                // The point must be on the line of the edge.
                let off = (q - p).normalize().perp_dot(point - p).abs();
                assert!(off <= within, "{name}: {off}");
            }
        }
    }
}

#[test]
fn manifolds_of_random_scenes_are_right_near_and_far() {
    for (scene, rings) in random_scenes() {
        let set = set(&rings);
        let pairs = candidates(&set);
        for (backend, engine) in engines() {
            for margin in [0.0, 0.2] {
                let found = engine.piece_pairs(&set, &set, &pairs).query(Manifolds { margin }).unwrap();
                let mut with_points = [0; 3];
                for (&[i, j], figure) in pairs.iter().zip(&found.items) {
                    let name = format!("{backend}, {scene}, {i} and {j}");
                    assert_right(figure, margin, &rings[i as usize], &rings[j as usize], &name);
                    with_points[figure.points().len()] += 1;
                }
                println!("{backend}, {scene}: points {with_points:?}, {} refined", found.counts.refined);
                assert!(with_points.iter().all(|&count| count > 0), "{backend}, {scene}: {with_points:?}");
                assert!(
                    found.counts.refined * 10 < pairs.len() as u64,
                    "{backend}, {scene}: {}",
                    found.counts.refined
                );
            }
        }
    }
}

fn one(engine: &sat2d::Engine, a: &Ring, b: &Ring, margin: f64) -> Manifold {
    let sets = [set(std::slice::from_ref(a)), set(std::slice::from_ref(b))];
    engine.piece_pairs(&sets[0], &sets[1], &[[0, 0]]).query(Manifolds { margin }).unwrap().items[0]
}

#[test]
fn hand_worked_contacts() {
    let a: Ring = vec![[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [0.0, 1.0]];
    let (vertex, edge) = (PairFeature::Vertex, PairFeature::Edge);
    type Expected = Vec<([f64; 2], f64, PairFeatures)>;
    let cases: Vec<(&str, Ring, f64, [f64; 2], Expected)> = vec![
        (
            "a box on a box",
            vec![[1.0, 0.75], [2.0, 0.75], [2.0, 2.0], [1.0, 2.0]],
            0.0,
            [0.0, 1.0],
            vec![
                ([2.0, 0.875], -0.25, PairFeatures { a: edge(2), b: vertex(1) }),
                ([1.0, 0.875], -0.25, PairFeatures { a: edge(2), b: vertex(0) }),
            ],
        ),
        (
            "a box over the end of a box",
            vec![[3.0, 0.75], [5.0, 0.75], [5.0, 2.0], [3.0, 2.0]],
            0.0,
            [0.0, 1.0],
            vec![
                ([4.0, 0.875], -0.25, PairFeatures { a: vertex(2), b: edge(0) }),
                ([3.0, 0.875], -0.25, PairFeatures { a: edge(2), b: vertex(0) }),
            ],
        ),
        (
            "a corner in an edge",
            vec![[2.0, 0.5], [3.0, 1.5], [2.0, 2.5], [1.0, 1.5]],
            0.0,
            [0.0, 1.0],
            vec![([2.0, 0.75], -0.5, PairFeatures { a: edge(2), b: vertex(0) })],
        ),
        (
            "corners apart, 3 and 4",
            vec![[7.0, 5.0], [8.0, 5.0], [8.0, 6.0], [7.0, 6.0]],
            5.0,
            [0.6, 0.8],
            vec![([5.5, 3.0], 5.0, PairFeatures { a: vertex(2), b: vertex(0) })],
        ),
        (
            "corners farther apart",
            vec![[7.0, 5.0], [8.0, 5.0], [8.0, 6.0], [7.0, 6.0]],
            4.875,
            [0.6, 0.8],
            vec![],
        ),
        (
            "edges apart",
            vec![[1.0, 1.25], [2.0, 1.25], [2.0, 2.0], [1.0, 2.0]],
            0.5,
            [0.0, 1.0],
            vec![
                ([2.0, 1.125], 0.25, PairFeatures { a: edge(2), b: vertex(1) }),
                ([1.0, 1.125], 0.25, PairFeatures { a: edge(2), b: vertex(0) }),
            ],
        ),
    ];
    for (backend, engine) in engines() {
        for (name, b, margin, normal, expected) in &cases {
            let found = one(engine, &a, b, *margin);
            assert!((found.normal - DVec2::from(*normal)).length() < 1e-6, "{backend}, {name}: {found:?}");
            assert_eq!(found.points().len(), expected.len(), "{backend}, {name}: {found:?}");
            for (contact, (position, separation, features)) in found.points().iter().zip(expected) {
                assert!(
                    contact.position.distance(DVec2::from(*position)) < 1e-6,
                    "{backend}, {name}: {found:?}"
                );
                assert!((contact.separation - separation).abs() < 1e-6, "{backend}, {name}: {found:?}");
                assert_eq!(contact.features, *features, "{backend}, {name}");
            }
            // The pair in the opposite order has the same contact points, with the features of A and B exchanged.
            let back = one(engine, b, &a, *margin);
            assert!((back.normal + found.normal).length() < 1e-6, "{backend}, {name}: {back:?}");
            assert_eq!(back.points().len(), expected.len(), "{backend}, {name}: {back:?}");
            for contact in back.points() {
                let same = found.points().iter().any(|p| p.position.distance(contact.position) < 1e-6);
                assert!(same, "{backend}, {name}: {back:?}");
            }
        }
    }
}

#[test]
fn features_stay_the_same_while_a_box_slides() {
    let ground: Ring = vec![[-10.0, -1.0], [10.0, -1.0], [10.0, 0.0], [-10.0, 0.0]];
    for (name, engine) in engines() {
        let mut seen: Option<Vec<PairFeatures>> = None;
        for step in 0..40 {
            let (x, y) = (0.1 * f64::from(step), -0.01 - 1e-3 * f64::from(step % 7));
            let falling: Ring = vec![[x, y], [x + 1.0, y + 1e-4], [x + 1.0, y + 1.0], [x, y + 1.0]];
            let found = one(engine, &ground, &falling, 0.05);
            let features: Vec<_> = found.points().iter().map(|contact| contact.features).collect();
            assert_eq!(features.len(), 2, "{name}, {step}: {found:?}");
            assert_eq!(seen.get_or_insert_with(|| features.clone()), &features, "{name}, {step}");
        }
    }
}

#[test]
fn turning_bodies_have_different_velocities_at_either_end() {
    let a: Ring = vec![[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [0.0, 1.0]];
    let b: Ring = vec![[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [1.0, 3.0]];
    let still = Motion { linear: DVec2::new(0.5, 0.25), ..Motion::REST };
    let turning = Motion { linear: DVec2::ZERO, angular: 2.0, centre: DVec2::new(2.0, 2.0) };
    for (_, engine) in engines() {
        let found = one(engine, &a, &b, 0.0);
        let at = |x: f64| {
            let contact = found.points().iter().find(|p| (p.position.x - x).abs() < 1e-6).unwrap();
            found.relative_velocity(contact, &still, &turning)
        };
        // One unit below the centre of `turning`, its velocity is (2, 2) one unit to the right, and (2, -2) one unit to
        // the left. A's velocity is subtracted from it.
        assert!((at(3.0).normal - 1.75).abs() < 1e-5 && (at(3.0).tangent + 1.5).abs() < 1e-5);
        assert!((at(1.0).normal + 2.25).abs() < 1e-5 && (at(1.0).tangent + 1.5).abs() < 1e-5);
    }
}

#[test]
fn a_margin_that_is_no_distance_is_an_error() {
    let set = set(&[vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]]);
    for (_, engine) in engines() {
        for margin in [-1.0, f64::NAN, f64::INFINITY] {
            let error = engine.piece_pairs(&set, &set, &[[0, 0]]).query(Manifolds { margin }).unwrap_err();
            assert!(matches!(error, Error::Option { option: "margin", .. }), "{error}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn manifolds_of_random_pairs_are_right((a, b) in strategies::pair(), part in 0.0..0.5f64) {
        let (set_a, set_b) = (set(std::slice::from_ref(&a)), set(std::slice::from_ref(&b)));
        let (local_a, local_b) = local(&a, &b);
        for (name, engine) in engines() {
            for margin in [0.0, part * textbook::size(&local_a, &local_b)] {
                let found = engine.piece_pairs(&set_a, &set_b, &[[0, 0]]).query(Manifolds { margin }).unwrap().items[0];
                assert_right(&found, margin, &a, &b, name);
            }
        }
    }
}
