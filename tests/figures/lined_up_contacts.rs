//! Hand-worked contacts of pairs in which one polygon is huge: far larger than the other polygon, or than the features that
//! determine the result.

use sat2d::glam::DVec2;
use sat2d::{Contact, Engine, Manifold, Manifolds, Relation};

use super::lined_up::sets;
use super::lined_up_checks::{self as checks, Truth};
use super::lined_up_scenes::Drawn;
use super::{Ring, engines};

fn drawn(a: &[[f64; 2]], b: &[[f64; 2]]) -> Drawn {
    Drawn { a: a.to_vec(), b: b.to_vec(), poses: None }
}

fn swapped(pair: &Drawn) -> Drawn {
    Drawn { a: pair.b.clone(), b: pair.a.clone(), poses: pair.poses.map(|[of_a, of_b]| [of_b, of_a]) }
}

/// Calls `check` with the manifolds of a pair and of the same pair in the opposite order. Each manifold is measured by
/// each backend, and also as a single pair of pieces.
fn for_each_manifold(pair: &Drawn, margin: f64, name: &str, mut check: impl FnMut(&Manifold, &Truth, &str)) {
    for (order, pair) in [("as given", pair.clone()), ("swapped", swapped(pair))] {
        let truth = Truth::of(&pair);
        let [a, b] = sets(std::slice::from_ref(&pair));
        let of_engine = |engine: &Engine| {
            engine.piece_pairs(&a, &b, &[[0, 0]]).query(Manifolds { margin }).unwrap().items[0]
        };
        let mut all: Vec<_> =
            engines().map(|(backend, engine)| (backend, of_engine(engine))).into_iter().collect();
        all.push(("pieces", Manifold::of_pieces(&a, 0, &b, 0, margin).unwrap()));
        for (source, found) in all {
            let name = format!("{source}, {name}, {order}: {found:?}");
            assert_eq!(checks::manifold(&found, margin, &truth), [], "{name}");
            check(&found, &truth, &name);
        }
    }
}

/// Returns pairs that touch, and the ends of their common points.
fn touching_pairs() -> Vec<(&'static str, Drawn, Vec<[f64; 2]>)> {
    let huge_box: Ring = vec![
        [0.0, 0.0],
        [1.407_374_883_553_28e55, 0.0],
        [1.407_374_883_553_28e55, 1.759_218_604_441_6e55],
        [0.0, 1.759_218_604_441_6e55],
    ];
    vec![
        (
            "the edge of a triangle beyond the corner of a box 2^44 times as large",
            drawn(&huge_box, &[[-4e41, 0.0], [4e41, -8e41], [9e41, 0.0]]),
            vec![[0.0, 0.0], [9e41, 0.0]],
        ),
        (
            "the edge of a triangle that ends at the corner of a box 2^44 times as large",
            drawn(&huge_box, &[[-4e41, 0.0], [-1e41, -8e41], [0.0, 0.0]]),
            vec![[0.0, 0.0]],
        ),
        (
            "the edge of a small polygon that ends beyond the corner of a large box",
            drawn(
                &[
                    [-28_587_302_322_176.0, -26_388_279_066_624.0],
                    [0.0, -26_388_279_066_624.0],
                    [0.0, 0.0],
                    [-28_587_302_322_176.0, 0.0],
                ],
                &[[0.0, -1.0], [4.0, -3.0], [7.0, -4.0], [8.0, 9.0], [0.0, 2.0]],
            ),
            vec![[0.0, -1.0], [0.0, 0.0]],
        ),
        (
            "a short edge on the long edge of a box",
            drawn(
                &[
                    [-3_298_533_883_328.2, 6_597_069_890_113.5],
                    [-3_298_533_883_327.7, 6_597_069_890_112.7],
                    [-3_298_533_883_327.4, 6_597_069_890_112.7],
                ],
                &[
                    [-3_298_533_883_328.0, -1_099_511_504_319.3],
                    [7_696_582_394_432.0, -1_099_511_504_319.3],
                    [7_696_582_394_432.0, 6_597_069_890_112.7],
                    [-3_298_533_883_328.0, 6_597_069_890_112.7],
                ],
            ),
            vec![[-3_298_533_883_327.7, 6_597_069_890_112.7], [-3_298_533_883_327.4, 6_597_069_890_112.7]],
        ),
        (
            "upright edges that have 1.5e-13 in common",
            drawn(
                &[
                    [1.3, -1.200_000_000_000_099_9],
                    [2.5, -1.200_000_000_000_099_9],
                    [2.5, 1.5e-13],
                    [1.3, 3e-14],
                ],
                &[[2.5, 0.0], [3.4, 0.0], [3.4, 1.9], [2.5, 1.9]],
            ),
            vec![[2.5, 0.0], [2.5, 1.5e-13]],
        ),
    ]
}

#[test]
fn polygons_that_touch_have_contacts_at_the_ends_of_what_they_have_in_common() {
    for (name, pair, ends) in touching_pairs() {
        assert_eq!(Truth::of(&pair).exact.relation, Relation::Touching, "{name}");
        for_each_manifold(&pair, 0.0, name, |found, _, name| {
            assert_eq!(found.points().len(), ends.len(), "{name}");
            for &end in &ends {
                let is_there = |contact: &Contact| contact.position == DVec2::from(end);
                assert!(found.points().iter().any(is_there), "{name}");
            }
            assert!(found.points().iter().all(|contact| contact.separation == 0.0), "{name}");
        });
    }
}

/// Returns pairs in which two edges have gaps that f64 cannot distinguish. Each pair has a name, a margin for its contacts,
/// and its gap over one of the two edges.
fn pairs_of_alike_edges() -> Vec<(&'static str, Drawn, f64, f64)> {
    let small_box = [[999.7, 123_456.5], [1_000.6, 123_456.5], [1_000.6, 123_457.4], [999.7, 123_457.4]];
    let huge_triangle = [
        [-240_518_167_576.0, 206_158_553_664.7],
        [274_877_907_944.0, -240_518_045_119.3],
        [1_000.0, 123_456.7],
    ];
    let small = [[-0.6, 0.0], [-0.3, -0.1], [0.1, -0.2], [0.5, 0.1]];
    let huge = [
        [-6_597_069_766_656.0, -7_146_825_580_544.0],
        [-2_199_023_255_552.0, -4_398_046_511_104.0],
        [0.0, 0.0],
    ];
    let turned =
        [-0.474_024_932_199_325_9, -0.880_511_421_648_478_4, 474.024_932_199_325_9, 880.511_421_648_478_4];
    let slivers = Drawn {
        a: vec![[1001.7, 0.0], [1002.7, 0.0], [1001.9, 1e-9]],
        b: vec![[1004.0, 0.1], [1001.9, 0.1], [1003.58, 0.099_999_999]],
        poses: Some([turned; 2]),
    };
    vec![
        (
            "a corner of a box under the blunt corner of a triangle",
            drawn(&small_box, &huge_triangle),
            0.0,
            -0.347,
        ),
        ("a corner of a triangle in a polygon", drawn(&small, &huge), 0.0, -0.17),
        (
            "a corner of a triangle in a polygon, with a margin",
            drawn(&small, &huge),
            295_924.360_344_286_83,
            -0.17,
        ),
        ("corners of slivers right before each other", slivers, 0.161_554_944_234_788_22, 0.099_999_999),
    ]
}

#[test]
fn the_deepest_contact_is_as_deep_as_the_manifold_where_two_edges_are_alike() {
    for (name, pair, margin, gap) in pairs_of_alike_edges() {
        for_each_manifold(&pair, margin, name, |found, truth, name| {
            // Two gaps count as equal if they differ by at most the bound of measurements.
            let bound = truth.exact.to_f64(&(truth.exact.size() >> 44));
            for separation in [found.separation, found.deepest().unwrap().separation] {
                assert!((separation - gap).abs() <= bound + 1e-3, "{name}");
            }
        });
    }
}
