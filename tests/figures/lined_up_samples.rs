//! Pairs whose results are known by hand.

use sat2d::glam::DVec2;
use sat2d::{
    Distance, Distances, Manifold, Manifolds, Penetration, Penetrations, Relation, RoundedSet, RoundedShape,
};

use super::lined_up::sets;
use super::lined_up_checks::{self as checks, Truth};
use super::lined_up_scenes::Drawn;
use super::{Ring, engines, set};

/// A pair with two lists of distances. A join within a distance of the first list must find the pair. A join within a
/// distance of the second list must not.
struct Limits {
    name: &'static str,
    a: Ring,
    b: Ring,
    within: Vec<f64>,
    beyond: Vec<f64>,
}

#[test]
fn samples_are_kept_up_to_their_distance_and_no_farther() {
    let (long, far) = ([276_087_348_378_828.0, 368_116_464_505_104.0], 276_087_348_378_828.0);
    let (x, y) = (48_595_152_718_706.0, 64_793_536_958_283.0);
    let samples = [
        Limits {
            name: "a corner 5 before the long side of a triangle of 69, 92 and 115",
            a: vec![[0.0, 0.0], [69.0, 92.0], [69.0, 0.0]],
            b: vec![[2.0, 11.0], [2.0, 12.0], [1.0, 12.0]],
            within: vec![5.0, 5.000_000_000_000_003, 5.1],
            beyond: vec![0.0, 5f64.next_down(), 4.9],
        },
        Limits {
            name: "a corner 5 before a side of 4.6e14",
            a: vec![[0.0, 0.0], long, [far, 0.0]],
            b: vec![[x, y], [x, y + 1.0], [x - 1.0, y + 1.0]],
            within: vec![5.0, 5.004_999_999_999_999, 6.0],
            beyond: vec![5f64.next_down(), 4.995, 4.0],
        },
        Limits {
            name: "corners the root of 18 apart, which is no f64",
            a: vec![[0.0, 0.0], [-1.0, 0.0], [-1.0, -1.0]],
            b: vec![[3.0, 3.0], [4.0, 3.0], [4.0, 4.0]],
            within: vec![4.242_640_687_119_286],
            beyond: vec![4.242_640_687_119_285, 4.242_640_687_119_284],
        },
        Limits {
            name: "boxes that touch at a corner",
            a: vec![[0.5, 0.4], [0.6, 0.4], [0.6, 0.5], [0.5, 0.5]],
            b: vec![[0.3, 0.3], [0.5, 0.3], [0.5, 0.4], [0.3, 0.4]],
            within: vec![0.0, 1e-300],
            beyond: vec![],
        },
        Limits {
            name: "boxes an ulp apart",
            a: vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
            b: vec![[1f64.next_up(), 0.0], [2.0, 0.0], [2.0, 1.0], [1f64.next_up(), 1.0]],
            within: vec![f64::EPSILON, 1.0],
            beyond: vec![0.0, f64::EPSILON.next_down()],
        },
    ];
    for Limits { name, a, b, within, beyond } in &samples {
        let [a, b] = [a, b].map(|ring| set(std::slice::from_ref(ring)));
        for (backend, engine) in engines() {
            for (limits, count) in [(within, 1), (beyond, 0)] {
                for &limit in limits {
                    let found = engine.join(&a, &b).within(limit).query(Distances).unwrap().items.len();
                    assert_eq!(found, count, "{backend}, {name}, {limit:?}");
                    let found = engine.join(&a, &b).query(Manifolds { margin: limit }).unwrap().items.len();
                    assert_eq!(found, count, "{backend}, {name}, manifolds, {limit:?}");
                }
            }
        }
    }
}

/// Asserts that a manifold has exactly the expected contacts, in any order.
fn assert_contacts(found: &Manifold, expected: &[[f64; 2]], name: &str) {
    assert_eq!(found.points().len(), expected.len(), "{name}: {found:?}");
    for &place in expected {
        let near = |contact: &sat2d::Contact| contact.position.distance(DVec2::from(place)) < 1e-15;
        assert!(found.points().iter().any(near), "{name}: {place:?}, {found:?}");
    }
}

#[test]
fn rectangles_whose_facing_edges_meet_at_a_corner_only_have_their_contact_there() {
    let rectangle =
        |x: f64, y: f64, right: f64, top: f64| -> Ring { vec![[x, y], [right, y], [right, top], [x, top]] };
    let cases = [
        // The lower edge of A starts at x = 0.5, where the upper edge of B ends.
        (rectangle(0.5, 0.4, 0.6, 0.5), rectangle(0.3, 0.1, 0.5, 0.2), 0.3, [[0.5, 0.3]].to_vec()),
        // The polygons touch at the corner (0.5, 0.4).
        (rectangle(0.5, 0.4, 0.6, 0.5), rectangle(0.3, 0.3, 0.5, 0.4), 0.0, vec![[0.5, 0.4]]),
        // The edges face each other along a length of 0.1.
        (rectangle(0.4, 0.4, 0.6, 0.5), rectangle(0.3, 0.1, 0.5, 0.2), 0.3, vec![[0.4, 0.3], [0.5, 0.3]]),
    ];
    for (backend, engine) in engines() {
        for (a, b, margin, expected) in &cases {
            let sets = [set(std::slice::from_ref(a)), set(std::slice::from_ref(b))];
            for (first, second) in [(0, 1), (1, 0)] {
                let found = engine
                    .piece_pairs(&sets[first], &sets[second], &[[0, 0]])
                    .query(Manifolds { margin: *margin })
                    .unwrap();
                assert_contacts(&found.items[0], expected, &format!("{backend}, {first}"));
            }
        }
    }
}

/// Returns pairs that overlap only because of rounding.
fn overlapping_by_rounding() -> Vec<Drawn> {
    let drawn = |a: &[[f64; 2]], b: &[[f64; 2]]| Drawn { a: a.to_vec(), b: b.to_vec(), poses: None };
    vec![
        drawn(
            &[
                [-681_755_686.874_203_9, 4_419_865_290.188_682],
                [134_041_802.476_111_9, 4_998_202_956.582_391],
                [-1_260_093_353.267_913, 5_235_662_779.538_998],
            ],
            &[
                [134_041_802.476_111_89, 4_998_202_956.582_391],
                [3_500_649_780.357_871, 3_707_485_821.318_861],
                [4_316_447_269.708_186, 4_285_823_487.712_569_7],
                [1_765_636_781.176_744, 6_154_878_289.369_808],
            ],
        ),
        drawn(&[[1.8, 2.1], [1.0, 1.1], [2.8, 1.3]], &[[2.3, 1.7], [3.6, 2.3], [2.6, 3.1]]),
    ]
}

#[test]
fn pairs_that_overlap_by_rounding_have_a_depth_and_a_contact_where_they_do() {
    for pair in overlapping_by_rounding() {
        let truth = Truth::of(&pair);
        assert_eq!(truth.exact.relation, Relation::Overlapping);
        let [a, b] = [&pair.a, &pair.b].map(|ring| set(std::slice::from_ref(ring)));
        for (backend, engine) in engines() {
            let name = format!("{backend}, {:?}", pair.a);
            let found =
                engine.piece_pairs(&a, &b, &[[0, 0]]).query(Manifolds { margin: 0.0 }).unwrap().items[0];
            assert_eq!(checks::manifold(&found, 0.0, &truth), [], "{name}: {found:?}");
            let deepest = found.deepest().unwrap();
            assert!(deepest.position.distance(DVec2::from(pair.b[0])) < 1e-5, "{name}: {found:?}");
            let found = engine.piece_pairs(&a, &b, &[[0, 0]]).query(Penetrations).unwrap().items[0];
            assert!(found.depth() > 0.0, "{name}: {found:?}");
            assert_eq!(checks::penetration(&found, &truth), [], "{name}: {found:?}");
            let found = engine.piece_pairs(&a, &b, &[[0, 0]]).query(Distances).unwrap().items[0];
            assert_eq!(checks::distance(&found, &truth), [], "{name}: {found:?}");
        }
        assert!(Penetration::of_pieces(&a, 0, &b, 0).unwrap().depth() > 0.0);
        assert_eq!(Distance::of_pieces(&a, 0, &b, 0).unwrap().distance, 0.0);
    }
}

#[test]
fn what_is_decimal_is_measured_as_a_person_would_write_it() {
    let box_at = |x: f64| -> Ring { vec![[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]] };
    let a: Ring = vec![[-1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [-1.0, 1.0]];
    for (backend, engine) in engines() {
        for gap in [0.2, 0.1, 0.3, 1e-9, 123.4] {
            let [a, b] = [&a, &box_at(gap)].map(|ring| set(std::slice::from_ref(ring)));
            let found = engine.piece_pairs(&a, &b, &[[0, 0]]).query(Distances).unwrap().items[0];
            assert_eq!((found.distance, found.separation), (gap, gap), "{backend}");
            let found = engine.piece_pairs(&a, &b, &[[0, 0]]).query(Penetrations).unwrap().items[0];
            assert_eq!((found.separation, found.normal), (gap, DVec2::X), "{backend}");
            let found =
                engine.piece_pairs(&a, &b, &[[0, 0]]).query(Manifolds { margin: gap }).unwrap().items[0];
            assert_eq!((found.separation, found.points().len()), (gap, 2), "{backend}: {found:?}");
            assert!(found.points().iter().all(|contact| contact.separation == gap), "{backend}: {found:?}");
        }
    }
}

/// Returns pairs in which f64 cannot distinguish the features that determine the result, and a margin for each.
fn pairs_of_alike_features() -> Vec<(&'static str, Drawn, f64)> {
    let about_a_far_pivot =
        [0.776_552_766_883_298_9, 0.630_052_220_253_125_5, 630_052.220_253_125_4, -776_552.766_883_298_9];
    let turned = [-0.384_615_384_615_384_64, 0.923_076_923_076_923_1, 10.1, -0.7];
    vec![
        (
            "edges whose normals differ, but not the gaps over them",
            Drawn {
                a: vec![[1.0, 999_999.7], [4.1, 1_000_000.3], [5.5, 1_000_001.1], [5.6, 1_000_005.0]],
                b: vec![[3.9, 999_994.7], [6.8, 999_996.4], [6.3, 999_999.7], [4.2, 999_998.5]],
                poses: Some([about_a_far_pivot; 2]),
            },
            1.795_286_383_433_499,
        ),
        (
            "parallel edges just as far apart as the margin",
            Drawn {
                a: vec![[2126.0, 3413.0], [2199.0, 3478.0], [22650.0, 36398.0]],
                b: vec![[-80205.0, 108_747.0], [0.0, 0.0], [45276.0, 72765.0]],
                poses: Some([turned; 2]),
            },
            2f64.next_up(),
        ),
        (
            "a sliver whose third vertex is as near as those of the parallel edge, but for rounding",
            Drawn {
                a: vec![
                    [-52_484_601_785_792.0, 48_669_755_538_400.0],
                    [-28.0, -33.0],
                    [16_083_239_787_612.0, 30_156_074_601_792.0],
                ],
                b: vec![
                    [3_752_970_206_064.0, 7_036_819_136_387.0],
                    [13_011_511_118_179.0, 24_396_583_346_603.0],
                    [3_752_970_206_091.0, 7_036_819_136_438.0],
                ],
                poses: None,
            },
            3f64.next_down(),
        ),
        (
            "a sliver that touches along an edge, and nearly so with the others",
            Drawn {
                a: vec![[0.3, 2.3], [0.4, 2.2], [2.4, 1.3], [3.7, 1.5]],
                b: vec![[0.35, 2.25], [0.4, 2.2], [0.3, 2.3]],
                poses: None,
            },
            0.0,
        ),
        (
            "the tip of a sliver right before a corner",
            Drawn {
                a: vec![[-999_999.6, 1e6], [-999_999.2, 1e6], [-999_999.56, 1_000_000.000_000_001]],
                b: vec![
                    [-999_997.899_999_999, 1_000_000.000_000_001],
                    [-999_998.899_999_999, 1_000_000.000_000_001],
                    [-999_998.899_999_999, 1e6],
                ],
                poses: Some([[0.6, 0.8, 1_400_000.0, 200_000.0]; 2]),
            },
            0.543_726_751_704_057_3,
        ),
        (
            "a sliver whose far edge is as near as the near one",
            Drawn {
                a: vec![[1.4, 0.0], [3.7, 0.0], [3.01, 1e-8]],
                b: vec![
                    [3.7, 0.099_999_999_999_999_98],
                    [3.700_000_01, 0.099_999_999_999_999_98],
                    [3.7, 1.1],
                ],
                poses: Some([[-0.384_615_384_615_384_64, 0.923_076_923_076_923_1, 1e6, -1.3]; 2]),
            },
            0.607_960_544_770_585_8,
        ),
    ]
}

#[test]
fn pairs_of_alike_features_have_their_contacts() {
    for (name, pair, margin) in pairs_of_alike_features() {
        let truth = Truth::of(&pair);
        let [a, b] = sets(std::slice::from_ref(&pair));
        for (backend, engine) in engines() {
            let found = engine.piece_pairs(&a, &b, &[[0, 0]]).query(Manifolds { margin }).unwrap().items[0];
            assert_eq!(checks::manifold(&found, margin, &truth), [], "{backend}, {name}: {found:?}");
        }
    }
}

#[test]
fn radii_whose_sum_is_no_f64_are_summed_exactly() {
    // The cores are about 1.1 apart, a little more than the sum of the radii, 1 and 0.1.
    let apart = RoundedShape::capsule([5.6, 1.5], [2.0, 1.5], 0.1).unwrap();
    let tip = RoundedShape::capsule([2.6, 3.8], [4.6, 2.6], 1.0).unwrap();
    let set = RoundedSet::new(&[apart, tip]).unwrap();
    for (backend, engine) in engines() {
        for (limit, count) in [(0.0, 0), (1e-20, 0), (1e-16, 1)] {
            let found = engine.self_join(&set).within(limit).query(Distances).unwrap().items.len();
            assert_eq!(found, count, "{backend}, {limit:?}");
        }
        let found = engine.piece_pairs(&set, &set, &[[0, 1]]).query(Distances).unwrap().items[0];
        assert!(found.distance > 0.0 && found.closest.is_some(), "{backend}, {found:?}");
    }
}
