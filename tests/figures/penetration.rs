use glam::DVec2;
use proptest::prelude::*;
use sat2d::{
    ConvexPolygon, Distances, Error, MEASUREMENT_BOUND, PairEdge, PairSide, Penetration, Penetrations,
    PolygonSet, Pose, Relation, Relations, glam,
};

use super::lined_up_checks::{self as checks, Truth};
use super::lined_up_scenes::Drawn;
use super::textbook::{self, along, local};
use super::{CPU, GPU, Ring, candidates, engines, random_scenes, set};
use crate::support::{in_soak, strategies};

/// Asserts that a penetration equals the penetration of the oracle. Returns the error of the depth as a fraction of the pair's
/// size.
fn assert_right(found: &Penetration, a: &Ring, b: &Ring, name: &str) -> f64 {
    let (a, b) = local(a, b);
    let size = textbook::size(&a, &b);
    let expected = textbook::separation(&a, &b);
    let off = (found.separation - expected).abs() / size;
    assert!(off <= MEASUREMENT_BOUND, "{name}: {found:?}, but {expected}; {a:?} {b:?}");
    assert!((found.normal.length() - 1.0).abs() < 1e-12, "{name}: {found:?}");
    // The gap along the normal must equal the separation.
    let gap = along(found.normal, &a, &b);
    assert!((gap - found.separation).abs() <= 2.0 * MEASUREMENT_BOUND * size, "{name}: {found:?}, gap {gap}");
    off
}

#[test]
fn penetrations_of_random_scenes_are_right_near_and_far() {
    for (scene, rings) in random_scenes() {
        let set = set(&rings);
        let pairs = candidates(&set);
        for (backend, engine) in engines() {
            let found = engine.piece_pairs(&set, &set, &pairs).query(Penetrations).unwrap();
            assert_eq!(found.items.len(), pairs.len());
            let mut worst = 0.0f64;
            for (&[i, j], figure) in pairs.iter().zip(&found.items) {
                let name = format!("{backend}, {scene}, {i} and {j}");
                worst = worst.max(assert_right(figure, &rings[i as usize], &rings[j as usize], &name));
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
fn an_edge_is_named_by_its_polygon_and_its_first_vertex() {
    let a: Ring = vec![[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
    let right: Ring = vec![[1.75, 0.5], [4.0, 0.0], [4.0, 2.0]];
    let below: Ring = vec![[0.5, -3.0], [1.5, -3.0], [1.0, 0.25]];
    let ramp: Ring = vec![[-1.0, -1.0], [3.0, -1.0], [3.0, 0.75], [-1.0, 0.25]];
    for (name, engine) in engines() {
        let one = |b: &Ring| {
            engine
                .piece_pairs(&set(std::slice::from_ref(&a)), &set(std::slice::from_ref(b)), &[[0, 0]])
                .query(Penetrations)
                .unwrap()
                .items[0]
        };
        let found = one(&right);
        assert_eq!(found.edge, Some(PairEdge { side: PairSide::A, index: 1 }), "{name}");
        assert_eq!(found.normal, DVec2::X);
        assert_eq!((found.separation, found.depth()), (-0.25, 0.25));
        assert_eq!(found.minimum_translation_of_a(), DVec2::new(-0.25, 0.0));
        assert_eq!(found.minimum_translation_of_b(), DVec2::new(0.25, 0.0));
        assert_eq!(one(&below).edge, Some(PairEdge { side: PairSide::A, index: 0 }), "{name}");
        assert_eq!(one(&below).normal, -DVec2::Y);
        // B's highest vertex is 0.75 above A's lower edge. A's corner (2, 0) is 0.625 below B's upper edge.
        let found = one(&ramp);
        assert_eq!(found.edge, Some(PairEdge { side: PairSide::B, index: 2 }), "{name}");
        let up = DVec2::new(-0.125, 1.0).normalize();
        assert!(
            (found.normal + up).length() < 1e-6 && (found.depth() - 0.625 * up.y).abs() < 1e-6,
            "{found:?}"
        );
        // If the gaps over several edges are equal, A's edge with the least index decides.
        assert_eq!(one(&a).edge, Some(PairEdge { side: PairSide::A, index: 0 }), "{name}");
        assert_eq!(one(&a).depth(), 2.0);
    }
}

#[test]
fn the_way_out_of_a_containing_polygon_is_the_least_one() {
    let outer: Ring = vec![[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]];
    let inner: Ring = vec![[7.0, 4.0], [8.0, 4.0], [8.0, 5.0], [7.0, 5.0]];
    for (_, engine) in engines() {
        let (outer, inner) = (set(std::slice::from_ref(&outer)), set(std::slice::from_ref(&inner)));
        let found = engine.piece_pairs(&outer, &inner, &[[0, 0]]).query(Penetrations).unwrap().items[0];
        assert_eq!((found.depth(), found.normal), (3.0, DVec2::X));
        let found = engine.piece_pairs(&inner, &outer, &[[0, 0]]).query(Penetrations).unwrap().items[0];
        assert_eq!((found.depth(), found.normal), (3.0, -DVec2::X));
    }
}

/// Returns pairs of slivers, of polygons with short edges, and of polygons of very different sizes.
fn hard_pairs() -> Vec<(Ring, Ring)> {
    let needle =
        |x: f64, y: f64, width: f64| vec![[x, y], [x + 1.0, y], [x + 1.0, y + width], [x, y + width]];
    let cut = |by: f64| vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0 - by], [1.0 - by, 1.0], [0.0, 1.0]];
    let mut pairs = Vec::new();
    for width in [1e-3, 1e-5, 1e-7, 1e-9] {
        pairs.push((needle(0.0, 0.0, width), needle(0.5, 0.0, width)));
        pairs.push((needle(0.0, 0.0, width), needle(1.25, 1e-3, width)));
        pairs.push((needle(0.0, 0.0, width), needle(0.3, width / 2.0, width)));
        pairs.push((needle(0.0, 0.0, width), vec![[0.5, -0.5], [0.7, 0.5], [0.4, 0.5]]));
        pairs.push((cut(width), needle(0.9, 0.9, 0.5)));
        pairs.push((cut(width), needle(1.0 + width, 1.0 + width, 0.5)));
        pairs.push((needle(0.0, 0.0, 0.5), vec![[0.2, 0.2], [0.2 + width, 0.2], [0.2, 0.2 + width]]));
    }
    pairs
}

#[test]
fn slivers_and_short_edges_are_right() {
    // The pairs are turned. Their coordinates, and the directions of their short edges, are then not f32 numbers.
    let turned = |(a, b): (Ring, Ring)| {
        let turn = |ring: Ring| ring.iter().map(|[x, y]| [0.6 * x - 0.8 * y, 0.8 * x + 0.6 * y]).collect();
        (turn(a), turn(b))
    };
    for offset in [[0.0, 0.0], [1e6, 1e6], [-3e9, 7.0]] {
        let pairs: Vec<(Ring, Ring)> = hard_pairs()
            .into_iter()
            .chain(hard_pairs().into_iter().map(turned))
            .map(|(a, b)| {
                let both = super::moved(&[a, b], offset);
                (both[0].clone(), both[1].clone())
            })
            .filter(|(a, b)| [a, b].iter().all(|ring| ConvexPolygon::new(ring).is_ok()))
            .map(|(a, b)| {
                let tidied = |ring: &Ring| {
                    ConvexPolygon::new(ring).unwrap().vertices().iter().map(|v| v.to_array()).collect()
                };
                (tidied(&a), tidied(&b))
            })
            .collect();
        assert!(pairs.len() > 6, "{offset:?}");
        let both = |side: fn(&(Ring, Ring)) -> &Ring| {
            set(&pairs.iter().map(|pair| side(pair).clone()).collect::<Vec<_>>())
        };
        let (a, b) = (both(|p| &p.0), both(|p| &p.1));
        let named: Vec<[u32; 2]> = (0..pairs.len() as u32).map(|i| [i, i]).collect();
        for (backend, engine) in engines() {
            for (found, (a, b)) in
                engine.piece_pairs(&a, &b, &named).query(Penetrations).unwrap().items.iter().zip(&pairs)
            {
                assert_right(found, a, b, backend);
            }
        }
    }
}

#[test]
fn polygons_of_many_vertices_and_scenes_of_unlike_scales_are_right() {
    let round = |count: usize, x: f64, y: f64, radius: f64| -> Ring {
        let turn = |k: usize| std::f64::consts::TAU * k as f64 / count as f64;
        (0..count).map(|k| [x + radius * turn(k).cos(), y + radius * turn(k).sin()]).collect()
    };
    let rings = [
        round(1000, 0.0, 0.0, 1.0),
        round(300, 1.5, 0.75, 1.0),
        round(61, -1.25, 0.0, 0.5),
        round(5000, 0.0, 3.0, 1.5),
        round(17, 0.125, 0.0, 0.25),
        // These polygons are far away, so that the others are small compared to the scene.
        round(5, 1e11, -1e11, 1.0),
        round(9, 1e11 + 1.0, -1e11, 1.0),
    ];
    let set = set(&rings);
    let mut pairs: Vec<[u32; 2]> = (0..7).flat_map(|i| (0..7).map(move |j| [i, j])).collect();
    // The largest polygon is compared with itself only in a soak run, because this takes longer than all other pairs.
    pairs.retain(|&pair| in_soak(true, pair != [3, 3]));
    let truth = |[i, j]: [u32; 2]| {
        let [a, b] = [i, j].map(|k| rings[k as usize].clone());
        ((i < 5) != (j < 5)).then(|| Truth::of(&Drawn { a, b, poses: None }))
    };
    let truths: Vec<Option<Truth>> = pairs.iter().copied().map(truth).collect();
    for (name, engine) in engines() {
        let found = engine.piece_pairs(&set, &set, &pairs).query(Penetrations).unwrap().items;
        let distances = engine.piece_pairs(&set, &set, &pairs).query(Distances).unwrap().items;
        for (((&[i, j], found), distance), truth) in pairs.iter().zip(&found).zip(&distances).zip(&truths) {
            let (a, b) = (&rings[i as usize], &rings[j as usize]);
            if let Some(truth) = truth {
                // If f64 coordinates are taken relative to a vertex of one polygon, the edges of the other are rounded.
                // Rational numbers are therefore the reference.
                assert_eq!(checks::penetration(found, truth), [], "{name}: {i} {j} {found:?}");
                assert_eq!(checks::distance(distance, truth), [], "{name}: {i} {j} {distance:?}");
                continue;
            }
            assert_right(found, a, b, name);
            let (a, b) = local(a, b);
            let expected = if found.separation > 0.0 { textbook::distance(&a, &b) } else { 0.0 };
            let within = MEASUREMENT_BOUND * textbook::size(&a, &b);
            assert!((distance.distance - expected).abs() <= within, "{name}: {i} {j} {distance:?}");
        }
    }
}

#[test]
fn poses_move_what_is_measured() {
    let square = ConvexPolygon::new(&[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]).unwrap();
    let eighth = Pose::new(std::f64::consts::FRAC_PI_4, [1e6 + 2.0, 5.0]).unwrap();
    let places = [(0, Pose::from_translation([1e6, 5.0]).unwrap()), (0, eighth)];
    let set = PolygonSet::from_instances(&[square.into()], &places).unwrap();
    for (name, engine) in engines() {
        let found = engine.piece_pairs(&set, &set, &[[0, 1], [1, 0]]).query(Penetrations).unwrap().items;
        let depth = 2f64.sqrt() - 1.0;
        assert!((found[0].depth() - depth).abs() < 1e-5, "{name}: {found:?}");
        assert!((found[0].normal - DVec2::X).length() < 1e-6, "{name}: {found:?}");
        assert!((found[1].normal + DVec2::X).length() < 1e-6, "{name}: {found:?}");
        assert_eq!(found[1].edge.unwrap().side, PairSide::B, "{name}");
    }
}

#[test]
fn a_pair_of_an_unknown_piece_is_an_error() {
    let set = set(&[vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]]);
    for (_, engine) in engines() {
        let error = engine.piece_pairs(&set, &set, &[[0, 0], [0, 3]]).query(Penetrations).unwrap_err();
        assert!(matches!(error, Error::UnknownPolygon { pair: 1, index: 3, count: 1 }), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn moved_by_its_minimum_translation_a_pair_does_not_overlap((a, b) in strategies::pair()) {
        let (set_a, set_b) = (set(std::slice::from_ref(&a)), set(std::slice::from_ref(&b)));
        for engine in [&*CPU, &*GPU] {
            let found = engine.piece_pairs(&set_a, &set_b, &[[0, 0]]).query(Penetrations).unwrap().items[0];
            assert_right(&found, &a, &b, "random");
            let (local_a, local_b) = local(&a, &b);
            // The tolerance is the bound of measurements, and the rounding of the moved vertices.
            let far = a.iter().chain(&b).flatten().fold(0.0f64, |far, x| far.max(x.abs()));
            let tolerance = MEASUREMENT_BOUND * textbook::size(&local_a, &local_b) + far * f64::EPSILON;
            for (moved, still, by) in [
                (&a, &set_b, found.minimum_translation_of_a() - found.normal * tolerance),
                (&b, &set_a, found.minimum_translation_of_b() + found.normal * tolerance),
            ] {
                let ring: Ring = moved.iter().map(|v| [v[0] + by.x, v[1] + by.y]).collect();
                // Rounding may have made the ring concave. Skip it.
                let Ok(polygon) = ConvexPolygon::new(&ring) else { continue };
                let out = PolygonSet::from_convex(&[polygon]).unwrap();
                let relation = engine.piece_pairs(&out, still, &[[0, 0]]).query(Relations).unwrap().items[0];
                prop_assert_ne!(relation, Relation::Overlapping, "{:?} {:?} {:?}", found, a, b);
            }
        }
    }

    #[test]
    fn swapping_the_polygons_turns_the_normal((a, b) in strategies::pair()) {
        let (set_a, set_b) = (set(std::slice::from_ref(&a)), set(std::slice::from_ref(&b)));
        let (local_a, local_b) = local(&a, &b);
        let within = 2.0 * MEASUREMENT_BOUND * textbook::size(&local_a, &local_b);
        for engine in [&*CPU, &*GPU] {
            let found = engine.piece_pairs(&set_a, &set_b, &[[0, 0]]).query(Penetrations).unwrap().items[0];
            let back = engine.piece_pairs(&set_b, &set_a, &[[0, 0]]).query(Penetrations).unwrap().items[0];
            prop_assert!((found.separation - back.separation).abs() <= within);
            prop_assert!((along(-back.normal, &local_a, &local_b) - found.separation).abs() <= within);
        }
    }
}
