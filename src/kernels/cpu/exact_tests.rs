//! Tests of the two exact paths for small polygons, [`super::exact_lanes`] and [`super::exact_doubles`], against
//! integer arithmetic.

use glam::DVec2;
use num_bigint::BigInt;

use super::exact_doubles;
use super::exact_lanes::{Verdict, side};
use crate::answers::results::Relation;
use crate::base::draw::Draw;
use crate::simd::{DoubleInstructions, OnDoubles, Plain, on_doubles_or_plain};

/// Returns `x * 2^60`. The conversion is exact for the numbers of these tests.
fn scaled(x: f64) -> BigInt {
    let (mut x, mut shift) = (x, 60);
    while x != x.trunc() {
        x *= 2.0;
        shift -= 1;
    }
    BigInt::from(x as i64) << shift
}

/// Returns the relation of `b` to each edge of `a`, computed with integers: overlapping if a vertex is inside the edge,
/// otherwise touching if a vertex is on its line, otherwise disjoint.
fn allowed(a: &[DVec2], b: &[DVec2]) -> Vec<Relation> {
    let zero = BigInt::from(0);
    let of_edge = |k: usize| {
        let [p, q] = [a[k], a[(k + 1) % a.len()]].map(|v| [scaled(v.x), scaled(v.y)]);
        let value = |r: &DVec2| {
            let r = [scaled(r.x), scaled(r.y)];
            (&p[0] - &r[0]) * (&q[1] - &r[1]) - (&p[1] - &r[1]) * (&q[0] - &r[0])
        };
        match b.iter().map(value).max() {
            Some(most) if most > zero => Relation::Overlapping,
            Some(most) if most == zero => Relation::Touching,
            _ => Relation::Disjoint,
        }
    };
    (0..a.len()).map(of_edge).collect()
}

/// Asserts that each decided edge has the right relation. Returns the result of [`exact_lanes`](super::exact_lanes).
fn assert_true(a: &[DVec2], b: &[DVec2]) -> Verdict {
    let verdict = side(a, b);
    let allowed = allowed(a, b);
    assert!(verdict.unknown < 1 << a.len());
    let known = allowed.iter().enumerate().filter(|(k, _)| verdict.unknown >> k & 1 == 0);
    let weakest = known.map(|(_, &relation)| relation).min().unwrap_or(Relation::Overlapping);
    assert_eq!(verdict.relation, weakest, "{a:?} and {b:?}: {verdict:?}, {allowed:?}");
    verdict
}

/// Returns the relation that the machine's vector instructions compute, or `None` if they cannot decide. Asserts that
/// scalar code gives the same result.
fn by_doubles(a: &[DVec2], b: &[DVec2]) -> Option<Relation> {
    struct Pair<'a>([(&'a [DVec2], usize); 2]);

    impl OnDoubles for Pair<'_> {
        type Output = Option<Relation>;

        #[inline(always)]
        fn run<I: DoubleInstructions>(self, i: I) -> Option<Relation> {
            exact_doubles::relation(i, self.0[0], self.0[1])
        }
    }

    let relation = on_doubles_or_plain(Pair([(a, a.len()), (b, b.len())]));
    // In a set, the vertices of other polygons follow in the slices.
    let followed = [[a, &[DVec2::new(0.3, -7.7); 8]].concat(), [b, &[DVec2::new(0.3, -7.7); 8]].concat()];
    let pair = [(&*followed[0], a.len()), (&*followed[1], b.len())];
    let others =
        [on_doubles_or_plain(Pair(pair)), Pair(pair).run(Plain::<false>), Pair(pair).run(Plain::<true>)];
    assert_eq!(others, [relation; 3], "{a:?} and {b:?}");
    relation
}

/// Returns the relation of two polygons, computed with integer arithmetic.
fn relation(a: &[DVec2], b: &[DVec2]) -> Relation {
    let all = [allowed(a, b), allowed(b, a)].concat();
    all.into_iter().min().unwrap_or(Relation::Overlapping)
}

/// Returns true if all differences between a coordinate of `a` and the same coordinate of `b` are exact in f64.
fn are_differences_exact(a: &[DVec2], b: &[DVec2]) -> bool {
    let is_exact = |a: f64, b: f64| scaled(a - b) == scaled(a) - scaled(b);
    a.iter().all(|p| b.iter().all(|r| is_exact(p.x, r.x) && is_exact(p.y, r.y)))
}

fn ring<const N: usize>(ring: [[f64; 2]; N]) -> Vec<DVec2> {
    ring.map(DVec2::from).to_vec()
}

#[test]
fn a_value_of_just_the_bound_is_no_zero() {
    // For the first edge and the first vertex, both the value and the bound are 4 * 2^-52.
    let a = ring([[1.3333333333333321, 1.333333333333333], [-1.0, -1.0], [1.0, -1.0]]);
    let b = ring([[0.0, 0.0], [-0.5, 1.0], [-1.0, 0.5]]);
    let known = assert_true(&a, &b).relation.min(assert_true(&b, &a).relation);
    assert_eq!(known, Relation::Overlapping);
}

#[test]
fn what_the_rounding_of_products_takes_decides() {
    let e = 2f64.powi(-30);
    let b = ring([[0.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]);
    // The origin lies inside the first edge by e^2, on the edge, or outside by e^2.
    for ([x, y], expected) in [
        ([1.0 + 2.0 * e, 1.0 + e], Relation::Overlapping),
        ([1.0 + e, 1.0], Relation::Touching),
        ([1.0, 1.0 - e], Relation::Disjoint),
    ] {
        let a = ring([[x, y], [-1.0 - e, -1.0], [1.0, -1.0]]);
        assert_eq!((relation(&a, &b), by_doubles(&a, &b)), (expected, Some(expected)));
        assert_eq!(by_doubles(&b, &a), Some(expected));
        // The same polygons at both limits of the accepted range.
        for scale in [2f64.powi(-141), 2f64.powi(200)] {
            let [a, b] = [&a, &b].map(|ring| ring.iter().map(|&v| v * scale).collect::<Vec<_>>());
            assert_eq!(by_doubles(&a, &b), Some(expected), "{scale:e}");
        }
    }
}

#[test]
fn what_f64_does_not_hold_is_left_to_others() {
    let b = ring([[0.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]);
    let a = |x: f64| ring([[x, 0.25], [2.0, -1.0], [3.0, 4.0]]);
    assert_eq!(by_doubles(&a(0.1), &b), None);
    assert_eq!(by_doubles(&b, &a(0.1)), None);
    assert_eq!(by_doubles(&a(0.125), &b), Some(Relation::Disjoint));
    // -0 must count as 0.
    let negated = ring([[-0.0, -0.0], [-0.0, 1.0], [-1.0, 0.0]]);
    assert_eq!(by_doubles(&a(0.0), &negated), Some(Relation::Touching));
    assert_eq!(by_doubles(&negated, &a(-0.0)), Some(Relation::Touching));
}

/// Tests polygons with 3 to 8 vertices at small integers. Some coordinates are one ulp off.
#[test]
fn small_polygons_an_ulp_off_are_decided_as_by_integers() {
    let mut draw = Draw(1);
    let mut next = |limit| draw.below(limit);
    let octagon =
        [[1, 0], [2, 0], [3, 1], [3, 2], [2, 3], [1, 3], [0, 2], [0, 1]].map(|v: [i32; 2]| v.map(f64::from));
    let (mut unknown, mut by_relation) = (0, [0; 3]);
    let (mut inexact, mut by_doubles_relation) = (0, [0; 3]);
    for _ in 0..20_000 {
        let mut polygon = || {
            let skip = next(256);
            let mut ring: Vec<DVec2> = octagon
                .iter()
                .enumerate()
                .filter(|(k, _)| skip >> k & 1 == 0)
                .map(|(_, v)| DVec2::from(*v))
                .collect();
            if ring.len() < 3 {
                ring = octagon.map(DVec2::from).to_vec();
            }
            let by = DVec2::new(next(7) as f64 - 3.0, next(7) as f64 - 3.0)
                * [1.0, 0.1, 1.0 / 3.0][next(3) as usize];
            for v in &mut ring {
                *v += by;
                match next(12) {
                    0 if v.x.abs() > 0.1 => v.x = v.x.next_up(),
                    1 if v.y.abs() > 0.1 => v.y = v.y.next_down(),
                    _ => {}
                }
            }
            ring
        };
        let (a, b) = (polygon(), polygon());
        let verdict = assert_true(&a, &b);
        unknown += u32::from(verdict.unknown != 0);
        by_relation[verdict.relation as usize] += 1;
        match by_doubles(&a, &b) {
            Some(found) => {
                assert_eq!(found, relation(&a, &b), "{a:?} and {b:?}");
                by_doubles_relation[found as usize] += 1;
            }
            None => inexact += 1,
        }
        assert_eq!(by_doubles(&a, &b).is_some(), are_differences_exact(&a, &b), "{a:?} and {b:?}");
    }
    assert!(
        inexact > 300 && by_doubles_relation.iter().all(|&count| count > 200),
        "{inexact}, {by_doubles_relation:?}"
    );
    assert!(unknown > 300 && by_relation.iter().all(|&count| count > 300), "{unknown}, {by_relation:?}");
}
