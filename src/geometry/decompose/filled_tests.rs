use glam::DVec2;
use proptest::prelude::*;

use super::filled::{filled, filled_within};
use super::lines_of_edges::Lines;
use crate::base::error::Error;
use crate::base::soak::in_soak;
use crate::geometry::outline::{CutLimits, LeafPairs, Loops, steps};
use crate::geometry::{Fill, MAX_COORDINATE, MIN_COORDINATE};

fn ring_of(coordinate: impl Strategy<Value = f64> + Clone, most: usize) -> impl Strategy<Value = Vec<DVec2>> {
    let vertex = [coordinate.clone(), coordinate].prop_map(DVec2::from);
    prop::collection::vec(vertex, 3..most)
}

/// Returns a strategy for coordinates: a few different values, moved by a few units of the last place. Edges between
/// such points nearly overlap, and cross at tiny angles.
fn nearly_aligned() -> impl Strategy<Value = f64> + Clone {
    (0i32..5, -3i32..4).prop_map(|(x, ulps)| {
        let x = 0.1 + f64::from(x) * 0.7;
        (0..ulps.abs()).fold(x, |x, _| if ulps > 0 { x.next_up() } else { x.next_down() })
    })
}

fn of_all_magnitudes() -> impl Strategy<Value = f64> + Clone {
    (1.0f64..2.0, -140i32..200, prop::bool::ANY).prop_map(|(x, exponent, is_negative)| {
        let x = (x * 2f64.powi(exponent)).clamp(MIN_COORDINATE, MAX_COORDINATE);
        if is_negative { -x } else { x }
    })
}

fn check(ring: &[DVec2]) {
    let extent = ring.iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
    for fill in [Fill::EvenOdd, Fill::NonZero] {
        let (_, displacement) =
            filled(&[ring.to_vec()], fill).unwrap_or_else(|error| panic!("{error}: {ring:?}"));
        assert!(displacement <= 1e-14 * extent, "{displacement} of {extent}: {ring:?}");
    }
    let mut ring = ring.to_vec();
    ring.dedup();
    let (mut loops, mut leaf_pairs) = (Loops::default(), LeafPairs::default());
    let (rounded, moved) = loops.rounded(&[ring.clone()], usize::MAX, &mut leaf_pairs).unwrap();
    assert!(moved <= 1e-15 * extent, "{moved} of {extent}");
    let mut rounded: Vec<DVec2> = rounded.iter().map(|vertex| vertex.at).collect();
    rounded.dedup();
    let limits = CutLimits { cuts: usize::MAX, has_overlaps: false };
    let cuts = loops.cuts(&[rounded], limits, &mut leaf_pairs);
    assert_eq!(cuts, Ok(vec![]), "after one round on a grid: {ring:?}");
}

/// Tests two edges with nearly the same direction. Without a grid, they would cross again after each round of cuts.
#[test]
fn edges_that_nearly_coincide() {
    let rings: [&[[f64; 2]]; 2] = [
        &[
            [2.199_999_999_999_999_7, 2.199_999_999_999_999_7],
            [0.1, 0.800_000_000_000_000_2],
            [2.199_999_999_999_999_7, 1.5],
            [0.099_999_999_999_999_99, 0.800_000_000_000_000_2],
        ],
        &[
            [1.499_999_999_999_999_8, 0.1],
            [2.2, 2.899_999_999_999_999_5],
            [0.799_999_999_999_999_8, 0.1],
            [2.200_000_000_000_001, 2.199_999_999_999_998_4],
            [1.499_999_999_999_999_6, 0.1],
            [2.200_000_000_000_000_6, 2.9],
            [0.1, 0.1],
        ],
    ];
    for ring in rings {
        check(&ring.iter().map(|&v| v.into()).collect::<Vec<DVec2>>());
    }
}

fn area(ring: &[DVec2]) -> f64 {
    let next = |i: usize| ring[(i + 1) % ring.len()];
    0.5 * ring.iter().enumerate().map(|(i, &p)| (p - ring[0]).perp_dot(next(i) - ring[0])).sum::<f64>()
}

/// Returns the area of the region that a ring encloses under a fill rule.
fn filled_area(ring: &[DVec2], fill: Fill) -> f64 {
    let (pieces, _) = filled(&[ring.to_vec()], fill).unwrap();
    pieces.iter().map(|piece| area(piece.vertices())).sum()
}

/// Returns a ring that goes back and forth on one line, and then around a triangle. The line cuts off the tip of the
/// triangle.
fn folded(count: usize) -> Vec<DVec2> {
    let x = |k: usize| ((k * 7919) % count) as f64 + if k.is_multiple_of(2) { 0.0 } else { count as f64 };
    let line = (0..count).map(|k| DVec2::new(x(k), 0.0));
    let size = count as f64;
    let around = [[2.0 * size, size], [0.0, size], [0.0, 0.0], [size, -size], [size, 1.0]];
    line.chain(around.map(DVec2::from)).collect()
}

#[test]
fn very_many_edges_on_one_line_are_cut_in_near_linear_work() {
    let steps_of = |count: usize| {
        steps::during(|| {
            let found = [Fill::EvenOdd, Fill::NonZero].map(|fill| filled_area(&folded(count), fill));
            assert!(found.iter().all(|&found| found > 0.5 * (count * count) as f64), "{found:?}");
        })
    };
    let (few, many) = (steps_of(1 << 10), steps_of(1 << 13));
    assert!(many < 12 * few, "{few} steps, and {many} for 8 times the edges");
}

#[test]
fn edges_on_one_line_that_are_joined_have_the_same_region() {
    for count in 3..40 {
        let ring = folded(count);
        for fill in [Fill::EvenOdd, Fill::NonZero] {
            let lines = Lines::of_rings(std::slice::from_ref(&ring));
            let joined = lines.without_overlaps(fill);
            assert!(joined.loops().len() < 3 * ring.len());
            let (pieces, _) = super::filled::pieces_of(joined, fill, usize::MAX).unwrap();
            let found: f64 = pieces.iter().map(|piece| area(piece.vertices())).sum();
            let expected = filled_area(&ring, fill);
            assert!(expected > 0.0 && (found - expected).abs() <= 1e-9 * expected, "{found} {expected}");
        }
    }
}

#[test]
fn too_many_crossings_are_an_error() {
    let count = 101;
    let vertex = |k: usize| {
        1000.0 * DVec2::from_angle((k * (count / 2) % count) as f64 / count as f64 * std::f64::consts::TAU)
    };
    let star: Vec<DVec2> = (0..count).map(vertex).collect();
    let crossings = count * (count / 2 - 1);
    assert!(filled_within(std::slice::from_ref(&star), Fill::NonZero, 2 * crossings + 200).is_ok());
    let error = filled_within(&[star], Fill::NonZero, crossings).unwrap_err();
    assert!(
        matches!(error, Error::TooMany { count, limit, .. } if limit == crossings && count > limit),
        "{error}"
    );
    // Many edges through one point need few cuts.
    let ties: Vec<Vec<DVec2>> = (0..400)
        .map(|k| {
            let at =
                |part: f64| 1000.0 * DVec2::from_angle((f64::from(k) + part) / 400.0 * std::f64::consts::PI);
            let [p, q] = [at(0.0), at(0.5)].map(|v| v.round());
            vec![p, -p, -q, q]
        })
        .collect();
    assert!(filled_within(&ties, Fill::NonZero, 1 << 14).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: in_soak(5_000, 100),
        rng_seed: proptest::test_runner::RngSeed::Fixed(0x5a72d),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn joined_edges_have_the_same_region(ring in ring_of((0i32..5).prop_map(f64::from), 14)) {
        for fill in [Fill::EvenOdd, Fill::NonZero] {
            let joined = Lines::of_rings(std::slice::from_ref(&ring)).without_overlaps(fill);
            let (pieces, _) = super::filled::pieces_of(joined, fill, usize::MAX).unwrap();
            let found: f64 = pieces.iter().map(|piece| area(piece.vertices())).sum();
            prop_assert!((found - filled_area(&ring, fill)).abs() < 1e-9, "{found}: {ring:?}");
        }
    }

    #[test]
    fn edges_do_not_cross_after_few_rounds(
        near in ring_of(nearly_aligned(), 14), far in ring_of(of_all_magnitudes(), 10),
    ) {
        check(&near);
        check(&far);
    }
}
