//! Tests that the filter's bound holds under every rounding that WGSL allows, and that fault injection is detected.

use glam::{IVec2, Vec2};

use super::filter::{Arithmetic, Native};
use super::{exact, reference};
use crate::answers::results::Relation;
use crate::geometry::{ConvexPolygon, Pieces, PolygonSet, Pose};
use crate::kernels::test_scenes::{Pairs, random_pairs, scenes};
use crate::packed::layout::{OVERLAPPING, UNCERTAIN};

/// Arithmetic with fused multiply-add operations.
#[derive(Clone, Copy)]
pub(crate) struct Fused;
impl Arithmetic for Fused {
    fn dot(a: Vec2, b: Vec2) -> f32 {
        a.x.mul_add(b.x, a.y * b.y)
    }
}

/// Arithmetic that replaces results below 2^-126 in magnitude by zero.
#[derive(Clone, Copy)]
pub(crate) struct FlushToZero;
impl FlushToZero {
    fn flush(x: f32) -> f32 {
        if x.abs() < f32::MIN_POSITIVE { 0.0 } else { x }
    }
}
impl Arithmetic for FlushToZero {
    fn add(a: f32, b: f32) -> f32 {
        Self::flush(Self::flush(a) + Self::flush(b))
    }
    fn sub(a: f32, b: f32) -> f32 {
        Self::flush(Self::flush(a) - Self::flush(b))
    }
    fn mul(a: f32, b: f32) -> f32 {
        Self::flush(Self::flush(a) * Self::flush(b))
    }
}

/// Chooses which of the two neighbouring f32 numbers replaces a result that f32 cannot represent.
pub(crate) trait Neighbour: Copy {
    fn is_above(exact: f64) -> bool;
}

/// Arithmetic that rounds every result to the neighbour that `N` chooses. WGSL allows either neighbour.
#[derive(Clone, Copy)]
pub(crate) struct Rounded<N>(std::marker::PhantomData<N>);
impl<N: Neighbour> Rounded<N> {
    /// Rounds a result to f32. `exact` is the result in f64. It is exact for a product, and its error is far below an
    /// f32 ulp for a sum.
    fn pick(exact: f64) -> f32 {
        let nearest = exact as f32;
        if f64::from(nearest) == exact {
            return nearest;
        }
        let (below, above) = if f64::from(nearest) < exact {
            (nearest, nearest.next_up())
        } else {
            (nearest.next_down(), nearest)
        };
        if N::is_above(exact) { above } else { below }
    }
}
impl<N: Neighbour> Arithmetic for Rounded<N> {
    fn add(a: f32, b: f32) -> f32 {
        Self::pick(f64::from(a) + f64::from(b))
    }
    fn sub(a: f32, b: f32) -> f32 {
        Self::pick(f64::from(a) - f64::from(b))
    }
    fn mul(a: f32, b: f32) -> f32 {
        Self::pick(f64::from(a) * f64::from(b))
    }
    fn from_integer(a: IVec2) -> Vec2 {
        Vec2::new(Self::pick(a.x.into()), Self::pick(a.y.into()))
    }
}

/// Chooses one of the two neighbours by a hash of the result.
#[derive(Clone, Copy)]
pub(crate) struct EitherNeighbour;
impl Neighbour for EitherNeighbour {
    fn is_above(exact: f64) -> bool {
        exact.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 1
    }
}

/// Chooses the neighbour that is farther from zero, so that errors add up.
#[derive(Clone, Copy)]
pub(crate) struct AwayFromZero;
impl Neighbour for AwayFromZero {
    fn is_above(exact: f64) -> bool {
        exact > 0.0
    }
}

macro_rules! broken {
    ($name:ident, $doc:literal, $($body:tt)*) => {
        #[doc = $doc]
        #[derive(Clone, Copy)]
        pub(crate) struct $name;
        impl Arithmetic for $name { $($body)* }
    };
}
broken!(
    FlippedSign,
    "Projections with the wrong sign.",
    fn dot(a: Vec2, b: Vec2) -> f32 {
        -(a.x * b.x + a.y * b.y)
    }
);
broken!(
    NoLastAxis,
    "The last edge is never tried.",
    fn edge_count(count: u32) -> u32 {
        count - 1
    }
);
broken!(
    TenthOfTheBound,
    "A bound that is too small.",
    fn bound(bound: f32) -> f32 {
        0.1 * bound
    }
);
broken!(
    NoBound,
    "No bound at all.",
    fn bound(_: f32) -> f32 {
        0.0
    }
);

fn assert_never_wrong<F: Arithmetic>(name: &str) {
    for (scene, pairs) in scenes() {
        let verdict = pairs.verdict_of(&pairs.codes::<F>());
        assert_eq!(verdict.wrong, 0, "{name} on {scene}: {verdict:?}");
        assert!(verdict.uncertain < verdict.pairs, "{name} on {scene} decides nothing: {verdict:?}");
    }
}

#[test]
fn the_filter_is_never_wrong_under_any_rounding_that_wgsl_allows() {
    assert_never_wrong::<Native>("native");
    assert_never_wrong::<Fused>("fused");
    assert_never_wrong::<FlushToZero>("flush to zero");
    assert_never_wrong::<Rounded<EitherNeighbour>>("either neighbour");
    assert_never_wrong::<Rounded<AwayFromZero>>("away from zero");
}

#[test]
fn under_one_pair_in_10_000_is_uncertain_on_random_scenes() {
    for (scene, pairs) in random_pairs() {
        let verdict = pairs.verdict_of(&pairs.codes::<Native>());
        assert!(verdict.uncertain * 10_000 < verdict.pairs, "{}: {verdict:?}", scene.name());
    }
}

fn assert_caught<F: Arithmetic>(name: &str) {
    let is_wrong = |pairs: &Pairs| pairs.verdict_of(&pairs.codes::<F>()).wrong > 0;
    assert!(scenes().iter().any(|(_, pairs)| is_wrong(pairs)), "{name} was not caught");
}

#[test]
fn broken_filters_are_caught() {
    assert_caught::<FlippedSign>("a flipped sign");
    assert_caught::<NoLastAxis>("a dropped last axis");
    assert_caught::<TenthOfTheBound>("a bound cut to a tenth");
    assert_caught::<NoBound>("no bound");
}

#[test]
fn exact_re_decision_equals_the_reference() {
    for (scene, pairs) in scenes() {
        for (i, &truth) in pairs.truth.iter().enumerate() {
            assert_eq!(exact::relation(pairs.a.piece(i), pairs.b.piece(i)), truth, "{scene}, pair {i}");
            assert_eq!(
                reference::relation(pairs.b.piece(i), pairs.a.piece(i)),
                truth,
                "{scene}, pair {i} swapped"
            );
        }
        // One call decides all uncertain pairs, and leaves the relations of the other pairs unchanged.
        let pieces = (Pieces::of(&pairs.a), Pieces::of(&pairs.b));
        for (names, is_swapped) in [(pieces, false), ((pieces.1, pieces.0), true)] {
            let uncertain = |i: usize| i % 5 != 1;
            let codes: Vec<u8> = (0..pairs.truth.len())
                .map(|i| if uncertain(i) { UNCERTAIN as u8 } else { OVERLAPPING as u8 })
                .collect();
            let other = |i: usize| {
                if pairs.truth[i] == Relation::Touching { Relation::Disjoint } else { Relation::Touching }
            };
            let mut found: Vec<Relation> = (0..codes.len()).map(other).collect();
            exact::decide_uncertain(names, &pairs.indices(), &codes, &mut found);
            for (i, &relation) in found.iter().enumerate() {
                let expected = if uncertain(i) { pairs.truth[i] } else { other(i) };
                assert_eq!(relation, expected, "{scene}, pair {i}, swapped: {is_swapped}");
            }
        }
    }
}

/// Tests a pair in which an edge of A is short relative to the error of A's vertices, and the vector from the edge to
/// B is as long as the scene. Products of errors are therefore not negligible.
#[test]
fn a_short_edge_of_a_polygon_as_large_as_the_scene_is_uncertain_rather_than_wrong() {
    let a = [
        [-268435520.0, 1024.0000598142412],
        [-268435551.99994445, 1023.9999401853349],
        [-268436480.0, -2830.294655105408],
        [268436480.0, 2826.239999999415],
    ];
    let b = [
        [-1.0702758572733728e-6, -1.1344522753132242e-6],
        [1.0128402140244943e-6, -8.305687312143315e-7],
        [-1.2514465252829396e-6, 7.608236787262194e-7],
    ];
    let place = Pose::from_translation([-268435457.396259, 1024.0002465677605]).expect("in range");
    let a = PolygonSet::from_convex_rings(&[a]).expect("convex");
    let b = ConvexPolygon::new(&b).expect("convex");
    let b = PolygonSet::from_instances(&[b.into()], &[(0, place)]).expect("one");
    let pairs = Pairs::new(a, b);
    assert_eq!(pairs.truth, [Relation::Overlapping]);
    for codes in [
        pairs.codes::<Native>(),
        pairs.codes::<Rounded<EitherNeighbour>>(),
        pairs.codes::<Rounded<AwayFromZero>>(),
    ] {
        assert_eq!(pairs.verdict_of(&codes).wrong, 0);
    }
}
