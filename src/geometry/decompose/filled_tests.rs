use glam::DVec2;
use proptest::prelude::*;

use super::filled::filled;
use crate::geometry::outline::{LeafPairs, Loops};
use crate::geometry::{Fill, MAX_COORDINATE, MIN_COORDINATE};

fn ring_of(coordinate: impl Strategy<Value = f64> + Clone, most: usize) -> impl Strategy<Value = Vec<DVec2>> {
    let vertex = [coordinate.clone(), coordinate].prop_map(DVec2::from);
    prop::collection::vec(vertex, 3..most)
}

/// Few different coordinates, moved by a few units of the last place: edges that nearly overlap, and cross at tiny angles.
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
    let (mut rounded, moved) = loops.rounded(&[ring.clone()], &mut leaf_pairs);
    assert!(moved <= 1e-15 * extent, "{moved} of {extent}");
    rounded[0].dedup();
    assert_eq!(loops.cuts(&rounded, &mut leaf_pairs), [], "after one round on a grid: {ring:?}");
}

/// Two edges with nearly the same direction: cut at rounded crossings alone, they cross again and again.
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

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if std::env::var_os("SAT2D_SOAK").is_some() { 5_000 } else { 100 },
        rng_seed: proptest::test_runner::RngSeed::Fixed(0x5a72d),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn edges_do_not_cross_after_few_rounds(
        near in ring_of(nearly_aligned(), 14), far in ring_of(of_all_magnitudes(), 10),
    ) {
        check(&near);
        check(&far);
    }
}
