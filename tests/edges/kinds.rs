//! Compares the relations of pairs of each kind with other methods. For both fill rules, the other method is an arrangement in
//! rational arithmetic. If both objects are also valid without a rule, the relations are also compared with the relations of
//! their convex pieces. `SAT2D_PAIRS` is the number of pairs of each kind under `scripts/soak`.

use proptest::prelude::*;

use super::arrangement::Polygon;
use super::drawn::{comb, spiral};
use super::filled::{RULES, compare_filled, crossed_cells, scribble, star, tie};
use super::{compare_exactly, valid};
use crate::decomposition::random::config;
use crate::support::in_soak;

/// Returns the number of pairs of each kind that a test compares.
fn pairs() -> u32 {
    let given = std::env::var("SAT2D_PAIRS").ok().map(|count| count.parse().expect("a number of pairs"));
    in_soak(given.unwrap_or(100_000), 64)
}

fn check(a: &[Polygon], b: &[Polygon]) {
    let objects = [a.to_vec(), b.to_vec()];
    for fill in RULES {
        compare_filled(&objects, fill);
    }
    if valid(objects.to_vec()).len() == objects.len() {
        compare_exactly(&objects);
    }
}

type Pair = (Vec<Polygon>, Vec<Polygon>);

fn two<S: Strategy<Value = Vec<Polygon>>>(object: impl Fn() -> S) -> impl Strategy<Value = Pair> {
    (object(), object())
}

/// Generates two triangles. The second triangle has a vertex on an edge of the first triangle or next to it.
fn near_degenerate() -> impl Strategy<Value = Pair> {
    let vertex = || [-1900i64..1900, -1900i64..1900];
    let first = (vertex(), vertex(), vertex());
    (first, (vertex(), vertex()), (0i64..=64, [-1i64..2, -1i64..2])).prop_map(
        |((p, q, r), (s, t), (part, moved))| {
            let on = |axis: usize| p[axis] + (q[axis] - p[axis]) * part / 64 + moved[axis];
            (vec![vec![vec![p, q, r]]], vec![vec![vec![[on(0), on(1)], s, t]]])
        },
    )
}

/// Generates nested squares as the rings of a polygon. By the even-odd rule, they alternate between inside and outside. Some
/// run clockwise.
fn nested() -> impl Strategy<Value = Vec<Polygon>> {
    let rings = prop::collection::vec((1i64..6, prop::bool::ANY), 1..6);
    (rings, [-8i64..8, -8i64..8]).prop_map(|(rings, [x, y])| {
        let mut reach = 0;
        let mut polygon: Polygon = Vec::new();
        for (step, is_reversed) in rings {
            reach += step;
            let mut ring = vec![
                [x - reach, y - reach],
                [x + reach, y - reach],
                [x + reach, y + reach],
                [x - reach, y + reach],
            ];
            if is_reversed {
                ring.reverse();
            }
            // The ring becomes the first ring of the polygon, which is its shell.
            polygon.insert(0, ring);
        }
        vec![polygon]
    })
}

/// Generates rings with spikes. A spike goes out to a point and back.
fn spikes() -> impl Strategy<Value = Vec<Polygon>> {
    let spike = prop::option::of([-9i64..18, -9i64..18]);
    prop::collection::vec(([0i64..9, 0i64..9], spike), 3..8).prop_map(|corners| {
        let around = |(at, spike): ([i64; 2], Option<[i64; 2]>)| match spike {
            Some(tip) => vec![at, tip, at],
            None => vec![at],
        };
        vec![vec![corners.into_iter().flat_map(around).collect()]]
    })
}

/// Generates two neighbours on a map.
fn neighbours() -> impl Strategy<Value = Pair> {
    (crossed_cells(), 0usize..3, 0usize..2, prop::bool::ANY).prop_map(|(cells, row, column, is_turned)| {
        let at = |row: usize, column: usize| if is_turned { 3 * column + row } else { 3 * row + column };
        (cells[at(row, column)].clone(), cells[at(row, column + 1)].clone())
    })
}

proptest! {
    #![proptest_config(config(pairs()))]

    #[test]
    fn grids((a, b) in two(|| scribble(5, 8))) {
        check(&a, &b);
    }

    #[test]
    fn near_degenerate_pairs((a, b) in near_degenerate()) {
        check(&a, &b);
    }

    #[test]
    fn combs((a, b) in two(comb)) {
        check(&a, &b);
    }

    #[test]
    fn spirals((a, b) in two(spiral)) {
        check(&a, &b);
    }

    #[test]
    fn nested_rings((a, b) in two(nested)) {
        check(&a, &b);
    }

    #[test]
    fn stars((a, b) in two(star)) {
        check(&a, &b);
    }

    #[test]
    fn bow_ties((a, b) in two(tie)) {
        check(&a, &b);
    }

    #[test]
    fn spiked_rings((a, b) in two(spikes)) {
        check(&a, &b);
    }

    #[test]
    fn shared_borders((a, b) in neighbours()) {
        check(&a, &b);
    }
}
