//! Tests that the work on objects with many polygons is proportional to their number.

use super::*;
use crate::answers::containment::Containment;
use crate::geometry::outline::{LeafPairs, steps};
use crate::geometry::{Coordinates, Fill, PolygonColumns, Pose};
use crate::kernels::edges::{Region, containment};
use crate::queries::outline_join::EdgePairs;

/// Returns a set of objects. Each polygon has one ring.
fn set_of(objects: &[Vec<Vec<[f64; 2]>>], fill: Option<Fill>) -> PolygonSet {
    let (mut xy, mut rings, mut offsets) = (Vec::new(), vec![0i64], vec![0i64]);
    for object in objects {
        for ring in object {
            xy.extend_from_slice(ring);
            rings.push(xy.len() as i64);
        }
        offsets.push(rings.len() as i64 - 1);
    }
    let polygons: Vec<i64> = (0..rings.len() as i64).collect();
    let columns = PolygonColumns::new(Coordinates::Interleaved(&xy), &rings[..]);
    let mut columns = columns.polygons(&polygons[..]).objects(&offsets[..]);
    if let Some(fill) = fill {
        columns = columns.fill(fill);
    }
    PolygonSet::from_columns(&columns).unwrap()
}

/// Returns polygons of one shape on a square grid. Consecutive polygons are far apart.
fn islands(side: usize, shape: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
    let at = |k: usize| [4.0 * (k % side) as f64, 4.0 * (k / side) as f64];
    let moved = |[dx, dy]: [f64; 2]| shape.iter().map(|[x, y]| [x + dx, y + dy]).collect();
    (0..side * side).map(|k| moved(at(k * 7919 % (side * side)))).collect()
}

const NOTCHED: [[f64; 2]; 5] = [[0.0, 0.0], [3.0, 0.0], [3.0, 3.0], [1.5, 1.0], [0.0, 3.0]];
const BOW: [[f64; 2]; 4] = [[0.0, 0.0], [3.0, 3.0], [3.0, 0.0], [0.0, 3.0]];
const SMALL: [[f64; 2]; 4] = [[0.5, 0.25], [1.0, 0.25], [1.0, 0.5], [0.5, 0.5]];
const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [3.0, 0.0], [3.0, 3.0], [0.0, 3.0]];

/// Compares pairs of objects, which must all have the containment `expected`. Returns the number of steps.
fn compare(a: Polygons<'_>, b: Polygons<'_>, pairs: &[[u32; 2]], expected: Containment) -> u64 {
    let [a, b] = [a, b].map(Searched::of);
    let (mut leaf_pairs, [mut singles_a, mut singles_b]) = (LeafPairs::default(), [const { Vec::new() }; 2]);
    steps::during(|| {
        for &[i, j] in pairs {
            let [of_a, of_b] = [a.bounds_of(i), b.bounds_of(j)];
            let (near_a, others_a) = a.outlines_near(i, of_b, &mut singles_a);
            let (near_b, others_b) = b.outlines_near(j, of_a, &mut singles_b);
            let a = Region { near: &near_a, has_others: others_a, bounds: of_a };
            let b = Region { near: &near_b, has_others: others_b, bounds: of_b };
            assert_eq!(containment(a, b, &mut leaf_pairs), expected, "{i} and {j}");
        }
    })
}

/// Asserts that four times as many islands need about four times as many steps.
fn assert_near_linear(name: &str, steps_of: impl Fn(usize) -> u64) {
    let (small, large) = (steps_of(24), steps_of(48));
    assert!(small > 0 && large < 6 * small, "{name}: {small} steps, and {large} for four times the islands");
}

#[test]
fn an_archipelago_and_itself() {
    for (name, shape, fill) in [("notched", &NOTCHED[..], None), ("bow ties", &BOW[..], Some(Fill::EvenOdd))]
    {
        assert_near_linear(name, |side| {
            let set = set_of(&[islands(side, shape)], fill);
            assert!(set.outlined().is_some());
            compare(Polygons::of(&set), Polygons::of(&set), &[[0, 0]], Containment::Equal)
        });
    }
}

#[test]
fn an_archipelago_and_many_small_objects() {
    let shapes = [("notched", &NOTCHED[..], None), ("bow ties", &BOW[..], Some(Fill::NonZero))];
    for (name, shape, fill) in shapes {
        assert_near_linear(name, |side| {
            let sea = set_of(&[islands(side, shape)], fill);
            let small: Vec<_> = islands(side, &SMALL).into_iter().map(|ring| vec![ring]).collect();
            let small = set_of(&small, None);
            assert!(sea.outlined().is_some() && small.outlined().is_none());
            let pairs: Vec<[u32; 2]> = (0..small.object_count() as u32).map(|j| [0, j]).collect();
            let expected = if fill.is_none() { Containment::Covers } else { Containment::Neither };
            compare(Polygons::of(&sea), Polygons::of(&small), &pairs, expected)
        });
    }
}

#[test]
fn convex_islands_and_many_concave_objects() {
    assert_near_linear("squares", |side| {
        let squares = set_of(&[islands(side, &SQUARE)], None);
        let notched: Vec<_> = islands(side, &NOTCHED).into_iter().map(|ring| vec![ring]).collect();
        let notched = set_of(&notched, None);
        let pairs: Vec<[u32; 2]> = (0..notched.object_count() as u32).map(|j| [0, j]).collect();
        compare(Polygons::Pieces(squares.made()), Polygons::of(&notched), &pairs, Containment::Covers)
    });
}

#[test]
fn the_trees_over_pieces_are_made_once() {
    // Very many convex islands are one object, and a few concave islands are another.
    let squares = set_of(&[islands(24, &SQUARE)], None);
    let squares = squares.made();
    let notched = set_of(&[islands(2, &NOTCHED)], None);
    let prepare = |sides: [&PolygonSet; 2]| {
        steps::during(|| {
            let pairs = EdgePairs::of(sides).expect("one side has outlines");
            assert_eq!(pairs.sides()[0].bounds_of(0).max.x, 4.0 * 23.0 + 3.0);
        })
    };
    let first = prepare([squares, &notched]);
    assert!(first >= 24 * 24, "{first}");
    assert_eq!(prepare([squares, &notched]), 0);
    // Other threads and clones use the same trees. The edges of a set with poses cannot be compared.
    let mut clone = squares.clone();
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(prepare([squares, &notched]), 0));
    });
    assert_eq!(prepare([&clone, &notched]), 0);
    clone.set_poses(&[Pose::from_translation([1.0, 0.0]).unwrap()]).unwrap();
    assert!(EdgePairs::of([&clone, &notched]).is_none());
}
