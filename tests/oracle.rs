//! Compares the oracle that other tests use with hand-worked results.

use crate::support::cases::{Case, cases};
use crate::support::oracle::{posed_relation, relation};
use crate::support::strategies::{exact_turn, lattice_pair, pair};
use proptest::prelude::*;
use sat2d::{ConvexPolygon, Relation};

fn same(a: &[[f64; 2]], b: &[[f64; 2]], expected: Relation, case: &Case, how: &str) {
    assert_eq!(relation(a, b), expected, "{}, {how}: {a:?} and {b:?}", case.name);
}

/// Returns the ring with each coordinate mapped by `there`, or `None` if the mapping rounds a coordinate. The mapping
/// rounds a coordinate if `back` does not map the result to the original coordinate.
fn mapped(ring: &[[f64; 2]], there: impl Fn(f64) -> f64, back: impl Fn(f64) -> f64) -> Option<Vec<[f64; 2]>> {
    ring.iter()
        .map(|p| {
            let image = p.map(&there);
            (image.map(&back) == *p && image.iter().all(|x| x.is_finite())).then_some(image)
        })
        .collect()
}

#[test]
fn every_case_is_as_worked_out_by_hand() {
    for case in cases() {
        same(&case.a, &case.b, case.expected, &case, "as given");
    }
}

#[test]
fn the_table_is_rich_and_every_ring_is_accepted() {
    let cases = cases();
    assert!(cases.len() >= 40, "{} cases", cases.len());
    for relation in [Relation::Disjoint, Relation::Touching, Relation::Overlapping] {
        assert!(cases.iter().filter(|case| case.expected == relation).count() >= 10, "few are {relation}");
    }
    for (i, case) in cases.iter().enumerate() {
        assert!(cases[..i].iter().all(|other| other.name != case.name), "{} is there twice", case.name);
        for ring in [&case.a, &case.b] {
            ConvexPolygon::new(ring).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        }
    }
}

#[test]
fn swapping_reversing_and_turning_the_ring_change_nothing() {
    for case in cases() {
        same(&case.b, &case.a, case.expected, &case, "swapped");
        let reversed: Vec<[f64; 2]> = case.a.iter().rev().copied().collect();
        same(&reversed, &case.b, case.expected, &case, "reversed");
        for first in 1..case.a.len().min(6) {
            let mut turned = case.a.clone();
            turned.rotate_left(first);
            same(&turned, &case.b, case.expected, &case, "another first vertex");
        }
    }
}

#[test]
fn exact_scaling_translation_and_quarter_turns_change_nothing() {
    let mut moved_cases = 0;
    for case in cases() {
        for power in [-300, -1, 1, 300] {
            let factor = 2f64.powi(power);
            let scale = |ring| mapped(ring, |x| x * factor, |x| x / factor);
            if let (Some(a), Some(b)) = (scale(&case.a), scale(&case.b)) {
                same(&a, &b, case.expected, &case, "scaled");
            }
        }
        for offset in [1.0, -3.0, 1024.0] {
            let translate = |ring| mapped(ring, |x| x + offset, |x| x - offset);
            if let (Some(a), Some(b)) = (translate(&case.a), translate(&case.b)) {
                moved_cases += 1;
                same(&a, &b, case.expected, &case, "moved");
            }
        }
        let quarter = |ring: &[[f64; 2]]| ring.iter().map(|p| [-p[1], p[0]]).collect::<Vec<_>>();
        same(&quarter(&case.a), &quarter(&case.b), case.expected, &case, "turned");
        let mirrored = |ring: &[[f64; 2]]| ring.iter().map(|p| [-p[0], p[1]]).collect::<Vec<_>>();
        same(&mirrored(&case.a), &mirrored(&case.b), case.expected, &case, "mirrored");
    }
    assert!(moved_cases > 100, "few cases can be moved exactly: {moved_cases}");
}

#[test]
fn a_common_pose_changes_nothing_and_a_move_of_one_does() {
    // The numbers 0.6 and 0.8 are rounded in f64, so the matrix is only close to a rotation. The relations stay the
    // same, because every invertible matrix keeps them.
    let pose = [0.6, 0.8, 1e6, -0.1];
    for case in cases() {
        assert_eq!(posed_relation(&case.a, pose, &case.b, pose), case.expected, "{}", case.name);
    }
    let unit = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let still = [1.0, 0.0, 0.0, 0.0];
    // The square is moved by x, or turned by a quarter (to -1..0 along x) and moved by x + 1.
    for (x, turned_x, expected) in [
        (0.0, 1.0, Relation::Overlapping),
        (1f64.next_down(), 2f64.next_down(), Relation::Overlapping),
        (1.0, 2.0, Relation::Touching),
        (1f64.next_up(), 2f64.next_up(), Relation::Disjoint),
    ] {
        assert_eq!(posed_relation(&unit, still, &unit, [1.0, 0.0, x, 0.0]), expected, "moved by {x}");
        let turned = [0.0, 1.0, turned_x, 0.0];
        assert_eq!(posed_relation(&unit, still, &unit, turned), expected, "turned, moved by {turned_x}");
    }
}

/// A second oracle for lattice polygons. It clips A by every edge of B, in rational arithmetic.
mod clip {
    use num_bigint::BigInt;
    use sat2d::Relation;

    /// The point (x / w, y / w) as [x, y, w], with w > 0.
    type Point = [BigInt; 3];

    /// Returns a number that is positive if the point `r` is to the left of the edge from `p` to `q`. The ends of the
    /// edge have integer coordinates. The number is the exact cross product, times the denominator w of `r`.
    fn side(p: [i64; 2], q: [i64; 2], r: &Point) -> BigInt {
        let [dx, dy] = [q[0] - p[0], q[1] - p[1]].map(BigInt::from);
        dx * (&r[1] - &r[2] * p[1]) - dy * (&r[0] - &r[2] * p[0])
    }

    fn area_sign(ring: &[Point]) -> bool {
        // A convex ring has an area if its first corner and some two neighbouring corners are not on one line.
        ring.windows(2).any(|edge| {
            let ([ax, ay, aw], [bx, by, bw], [ox, oy, ow]) = (&edge[0], &edge[1], &ring[0]);
            let determinant = ax * (by * ow - bw * oy) - ay * (bx * ow - bw * ox) + aw * (bx * oy - by * ox);
            determinant != BigInt::ZERO
        })
    }

    /// Returns the relation of two counter-clockwise polygons.
    pub(super) fn relation(a: &[[i64; 2]], b: &[[i64; 2]]) -> Relation {
        let mut ring: Vec<Point> = a.iter().map(|p| [p[0].into(), p[1].into(), BigInt::from(1)]).collect();
        for (i, &p) in b.iter().enumerate() {
            let q = b[(i + 1) % b.len()];
            let mut kept = Vec::new();
            for (j, here) in ring.iter().enumerate() {
                let next = &ring[(j + 1) % ring.len()];
                let (s, t) = (side(p, q, here), side(p, q, next));
                if s >= BigInt::ZERO {
                    kept.push(here.clone());
                }
                if (s > BigInt::ZERO && t < BigInt::ZERO) || (s < BigInt::ZERO && t > BigInt::ZERO) {
                    // In homogeneous coordinates, the point at which the side changes its sign is
                    // `t * here - s * next`.
                    let mut cut: Point = [0, 1, 2].map(|k| &here[k] * &t - &next[k] * &s);
                    if cut[2] < BigInt::ZERO {
                        cut = cut.map(|x| -x);
                    }
                    kept.push(cut);
                }
            }
            ring = kept;
        }
        match ring.is_empty() {
            true => Relation::Disjoint,
            false if area_sign(&ring) => Relation::Overlapping,
            false => Relation::Touching,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn clipping_gives_the_same((a, b) in lattice_pair()) {
        let whole = |ring: &[[f64; 2]]| ring.iter().map(|p| p.map(|x| x as i64)).collect::<Vec<_>>();
        prop_assert_eq!(relation(&a, &b), clip::relation(&whole(&a), &whole(&b)));
    }

    #[test]
    fn symmetric_and_the_same_in_a_common_turn((a, b) in pair(), turn in exact_turn()) {
        let expected = relation(&a, &b);
        prop_assert_eq!(relation(&b, &a), expected);
        prop_assert_eq!(posed_relation(&a, turn, &b, turn), expected);
    }
}

/// Tests that the pairs of each strategy have every relation. Tests with pairs of one relation would prove little.
#[test]
fn strategies_give_every_relation() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    for (name, strategy) in [("lattice_pair", lattice_pair().boxed()), ("pair", pair().boxed())] {
        let mut runner = TestRunner::deterministic();
        let mut counts = [0; 3];
        for _ in 0..1000 {
            let (a, b) = strategy.new_tree(&mut runner).expect("the strategy gives a value").current();
            counts[relation(&a, &b) as usize] += 1;
        }
        assert!(
            counts.iter().all(|&count| count >= 50),
            "{name}: disjoint, touching, overlapping {counts:?}"
        );
    }
}
