//! Random polygons of several kinds, whose boundaries meet in many ways.

use proptest::prelude::*;

use super::arrangement::Polygon;
use super::{compare, compare_exactly, valid};
use crate::decomposition::random::{config, star_shaped, untangled};
use crate::support::in_soak;

fn grid_ring(size: i64, most: usize) -> impl Strategy<Value = Vec<[i64; 2]>> {
    prop::collection::vec([0..size, 0..size], 3..=most).prop_map(untangled)
}

/// Generates objects on a small grid: one ring, a ring with a hole, or two polygons. Most objects are valid.
fn grid_object(size: i64, most: usize) -> impl Strategy<Value = Vec<Polygon>> {
    prop_oneof![
        4 => grid_ring(size, most).prop_map(|ring| vec![vec![ring]]),
        1 => (grid_ring(size, most), grid_ring(size, 5)).prop_map(|(ring, hole)| vec![vec![ring, hole]]),
        1 => (grid_ring(size, most), grid_ring(size, most)).prop_map(|(p, q)| vec![vec![p], vec![q]]),
    ]
}

/// Generates the cells of a map, `side` in each row. Vertices are moved at random. Borders have further vertices, which
/// neighbours share.
pub(super) fn map(side: i64) -> impl Strategy<Value = Vec<Vec<Polygon>>> {
    let moves = prop::collection::vec([-9i64..9, -9i64..9], (8 * side * side) as usize);
    moves.prop_map(move |moves| {
        let moved = |x: i64, y: i64| {
            let [dx, dy] = moves[((x * 31 + y * 17) % moves.len() as i64) as usize];
            [40 * x + dx, 40 * y + dy]
        };
        let cell = |x: i64, y: i64| {
            let (x, y) = (2 * x, 2 * y);
            let around = [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1)];
            around.map(|(i, j)| moved(x + i, y + j)).to_vec()
        };
        (0..side * side).map(|k| vec![vec![cell(k % side, k / side)]]).collect()
    })
}

/// Generates land with lakes, and small squares. Some lakes touch other lakes at corners. The squares lie on the land, in lakes
/// and across borders.
fn lakes(side: i64) -> impl Strategy<Value = Vec<Vec<Polygon>>> {
    let square =
        |[x, y]: [i64; 2], size: i64| vec![[x, y], [x + size, y], [x + size, y + size], [x, y + size]];
    let sizes = prop::collection::vec(1i64..5, (side * side) as usize);
    let size = 4 * side + 1;
    let squares = prop::collection::vec(([0..size, 0..size], 1i64..4), 12);
    (sizes, squares).prop_map(move |(sizes, squares)| {
        let lake = |(k, &size): (usize, &i64)| {
            square([4 * (k as i64 % side) + 1, 4 * (k as i64 / side) + 1], size.min(4))
        };
        // Two lakes of size 4 would share an edge, so such lakes are on one colour of a chessboard.
        let is_white = |k: usize| (k as i64 % side + k as i64 / side) % 2 == 0;
        let lakes = sizes.iter().enumerate().map(|(k, &size)| if is_white(k) { size } else { size.min(3) });
        let lakes: Vec<i64> = lakes.collect();
        let mut land = vec![square([0, 0], 4 * side + 2)];
        land.extend(lakes.iter().enumerate().map(lake));
        let squares = squares.iter().map(|&(at, size)| vec![vec![square(at, size)]]);
        std::iter::once(vec![land]).chain(squares).collect()
    })
}

/// Generates land with lakes, and small squares. The ring of the land goes to some lakes and back, so it traces edges
/// twice. Other lakes are holes. Lakes may share parts of their borders. The squares lie on the land, in lakes and
/// across borders.
fn bridged() -> impl Strategy<Value = Vec<Vec<Polygon>>> {
    let square =
        |[x, y]: [i64; 2], size: i64| vec![[x, y], [x, y + size], [x + size, y + size], [x + size, y]];
    let lake = (prop::option::of(1i64..4), prop::option::of(1i64..4));
    let squares = prop::collection::vec(([-1i64..15, -1i64..13], 1i64..5), 2..7);
    (prop::collection::vec(lake, 6), squares).prop_map(move |(lakes, squares)| {
        let (mut shell, mut holes) = (vec![[0, 0]], Vec::new());
        for (k, &(bridged, hole)) in (0..).zip(&lakes) {
            let x = 2 * k + 1;
            if let Some(size) = bridged {
                shell.push([x, 0]);
                shell.extend(square([x, 2], size));
                shell.extend([[x, 2], [x, 0]]);
            }
            holes.extend(hole.map(|size| square([x, 5 + k % 2], size)));
        }
        shell.extend([[15, 0], [15, 10], [0, 10]]);
        let land = std::iter::once(shell).chain(holes).collect();
        let squares = squares.iter().map(|&(at, size)| vec![vec![square(at, size)]]);
        std::iter::once(vec![land]).chain(squares).collect()
    })
}

/// Generates combs at various positions.
pub(super) fn comb() -> impl Strategy<Value = Vec<Polygon>> {
    let comb = (2i64..20, 1i64..40).prop_map(|(teeth, height)| {
        let tooth = |k: i64| [[4 * k, 0], [4 * k + 2, 0], [4 * k + 2, height], [4 * k + 4, height]];
        let top = std::iter::once([4 * teeth, height + 3]).chain([[0, height + 3]]);
        (0..teeth).flat_map(tooth).chain(top).collect::<Vec<_>>()
    });
    moved(comb)
}

/// Generates spirals at various positions.
pub(super) fn spiral() -> impl Strategy<Value = Vec<Polygon>> {
    moved((1i64..8).prop_map(|turns| {
        let arm = |shift: i64| {
            (0..4 * turns).map(move |k| {
                let reach = 4 * (k / 4 + 1) + shift + 2 * i64::from(k % 4 == 3);
                [[reach, -reach], [reach, reach], [-reach, reach], [-reach, -reach - 2]][k as usize % 4]
            })
        };
        arm(1).chain(arm(0).rev()).collect::<Vec<_>>()
    }))
}

/// Moves rings to various positions, and makes each ring a polygon.
fn moved(ring: impl Strategy<Value = Vec<[i64; 2]>>) -> impl Strategy<Value = Vec<Polygon>> {
    (ring, [-40i64..40, -40i64..40])
        .prop_map(|(ring, [dx, dy])| vec![vec![ring.iter().map(|[x, y]| [x + dx, y + dy]).collect()]])
}

/// Generates combs, spirals and stars at various positions.
fn large_object() -> impl Strategy<Value = Vec<Polygon>> {
    let star = prop::collection::vec([-60i64..60, -60i64..60], 3..40).prop_map(|points| {
        let ring = star_shaped(points);
        ring.iter().map(|v| v.map(|x| x as i64)).collect::<Vec<_>>()
    });
    prop_oneof![comb(), spiral(), moved(star)]
}

proptest! {
    #![proptest_config(config(in_soak(5_000, 100)))]

    #[test]
    fn with_lakes(objects in lakes(6)) {
        prop_assert_eq!(valid(objects.clone()).len(), objects.len());
        compare_exactly(&objects);
    }
}

proptest! {
    #![proptest_config(config(in_soak(5_000, 250)))]

    #[test]
    fn on_small_grids(objects in prop::collection::vec(grid_object(5, 9), 2..9)) {
        compare_exactly(&valid(objects));
    }

    #[test]
    fn invalid_objects_are_told_the_same(objects in prop::collection::vec(
        prop::collection::vec(prop::collection::vec(
            prop::collection::vec([0i64..5, 0i64..5], 0..8), 1..3), 0..3), 1..6)) {
        compare(&super::in_f64(&objects));
    }

    #[test]
    fn on_maps(objects in map(3)) {
        let counts = compare_exactly(&valid(objects));
        prop_assert!(counts.iter().sum::<usize>() > 0);
    }

    #[test]
    fn with_bridges_that_are_traced_twice(objects in bridged()) {
        compare_exactly(&valid(objects));
    }

    #[test]
    fn of_combs_spirals_and_stars(objects in prop::collection::vec(large_object(), 2..5)) {
        compare_exactly(&valid(objects));
    }

    /// Tests objects whose coordinates differ by a few units in the last place, so that vertices are beside edges and not on them.
    #[test]
    fn nearly_on_each_other(
        objects in prop::collection::vec(grid_object(5, 9), 2..6),
        moves in prop::collection::vec([-2i64..3, -2i64..3], 32),
        far in prop::sample::select(vec![0.0, 0.1, 1e6]),
    ) {
        let mut next = 0;
        let moved = |v: &[i64; 2], next: &mut usize| {
            let [dx, dy] = moves[*next % moves.len()];
            *next += 1;
            let at = |x: i64, d: i64| {
                let x = x as f64 * 0.1 + far;
                (0..d.abs()).fold(x, |x, _| if d > 0 { x.next_up() } else { x.next_down() })
            };
            [at(v[0], dx), at(v[1], dy)]
        };
        let objects: Vec<_> = valid(objects);
        let moved: Vec<Vec<Vec<Vec<[f64; 2]>>>> = objects.iter().map(|object| {
            object.iter().map(|polygon| polygon.iter().map(|ring| {
                ring.iter().map(|v| moved(v, &mut next)).collect()
            }).collect()).collect()
        }).collect();
        compare(&moved);
    }
}
