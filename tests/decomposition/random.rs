use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use sat2d::{Error, PolygonObject};

use super::exact::{Ring, assert_sound, piece_rings, twice_area, twice_area_of_pieces};
use super::slabs::{any_crossing, any_hole_outside, assert_covers, twice_even_odd_area};

pub(crate) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(0x5a72d),
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..ProptestConfig::default()
    }
}

fn cross(p: [i64; 2], q: [i64; 2], r: [i64; 2]) -> i64 {
    ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])).signum()
}

pub(crate) fn to_ring(vertices: &[[i64; 2]]) -> Ring {
    vertices.iter().map(|v| v.map(|x| x as f64)).collect()
}

/// Checks the decomposition of a simple ring without a hole. If the ring has r reflex vertices, the bound of Hertel and
/// Mehlhorn allows at most 2 r + 1 pieces.
fn check_simple(ring: &Ring) {
    let rings = std::slice::from_ref(ring);
    let object = PolygonObject::from_polygon(rings).unwrap();
    assert_sound(&object, rings);
    let area = twice_area(ring);
    assert_eq!(twice_area_of_pieces(&object).magnitude(), area.magnitude());
    let count = ring.len();
    let reflex = (0..count)
        .filter(|&i| {
            let corner = [ring[i], ring[(i + 1) % count], ring[(i + 2) % count]];
            (twice_area(&corner) * &area).sign() == num_bigint::Sign::Minus
        })
        .count();
    assert!(object.pieces().len() <= 2 * reflex + 1, "{} > 2 * {reflex} + 1", object.pieces().len());
}

/// Sorts points around the origin by angle, and adds points on the four half-axes, so that every gap is less than half
/// a turn.
pub(crate) fn star_shaped(mut points: Vec<[i64; 2]>) -> Ring {
    points.extend([[900, 0], [0, 700], [-500, 0], [0, -800]]);
    let half = |[x, y]: [i64; 2]| y < 0 || (y == 0 && x < 0);
    points.retain(|&p| p != [0, 0]);
    points.sort_by(|&p, &q| half(p).cmp(&half(q)).then(0.cmp(&cross([0, 0], p, q))).then(p.cmp(&q)));
    points.dedup_by(|&mut p, &mut q| half(p) == half(q) && cross([0, 0], p, q) == 0);
    to_ring(&points)
}

/// Removes crossings: wherever two segments cross, reverses the vertices between them. Each step makes the ring
/// shorter, so the loop ends.
pub(crate) fn untangled(mut points: Vec<[i64; 2]>) -> Vec<[i64; 2]> {
    let count = points.len();
    let crosses = |a, b, c, d| cross(a, b, c) * cross(a, b, d) < 0 && cross(c, d, a) * cross(c, d, b) < 0;
    'again: loop {
        for i in 0..count {
            for j in i + 2..count {
                if crosses(points[i], points[i + 1], points[j], points[(j + 1) % count]) {
                    points[i + 1..=j].reverse();
                    continue 'again;
                }
            }
        }
        return points;
    }
}

fn grid_ring(least: usize, most: usize) -> impl Strategy<Value = Ring> {
    prop::collection::vec([0i64..6, 0i64..6], least..=most).prop_map(|v| to_ring(&v))
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn star_shaped_rings(points in prop::collection::vec([-1000i64..1000, -1000i64..1000], 0..60)) {
        check_simple(&star_shaped(points));
    }

    #[test]
    fn untangled_rings(points in prop::collection::hash_set([0i64..1 << 20, 0i64..1 << 20], 4..40)) {
        let mut points: Vec<[i64; 2]> = points.into_iter().collect();
        points.sort_unstable();
        // The order of a hash set differs from run to run, so the points are sorted and then mixed.
        let count = points.len();
        let stirred = (0..count).map(|i| points[i * 7919 % count]).collect::<Vec<_>>();
        check_simple(&to_ring(&untangled(stirred)));
    }
}

proptest! {
    #![proptest_config(config(20_000))]

    /// Tests rings on a small grid. On this grid, nearly every ring retraces, touches or overlaps itself or another ring.
    #[test]
    fn tangled_rings_on_a_small_grid(
        shell in grid_ring(3, 9),
        holes in prop::collection::vec(grid_ring(0, 6), 0..3),
    ) {
        let mut rings = vec![shell];
        rings.extend(holes);
        match PolygonObject::from_polygon(&rings) {
            Ok(object) => {
                prop_assert!(!any_crossing(&rings) && !any_hole_outside(&rings));
                assert_sound(&object, &rings);
                assert_covers(&piece_rings(&object), &rings);
            }
            Err(Error::CrossingSegments { .. }) => prop_assert!(any_crossing(&rings)),
            Err(Error::HoleOutsideShell { .. }) => {
                prop_assert!(!any_crossing(&rings) && any_hole_outside(&rings));
            }
            Err(Error::EmptyRegion { .. }) => prop_assert_eq!(twice_even_odd_area(&rings), 0),
            Err(Error::TooFewVertices { .. } | Error::ZeroArea { .. }) => {
                prop_assert_eq!(twice_even_odd_area(&rings[..1]), 0);
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}
