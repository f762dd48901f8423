//! Rings that cross: compares their relations by both rules with an arrangement in rational arithmetic.

use proptest::prelude::*;
use sat2d::glam::DVec2;
use sat2d::{
    Backend, Containment, Containments, CoveringPair, EdgeExplanation, Engine, Error, Fill, PointOptions,
    PointPair, PointRelation, PolygonSet, Relation, Relations,
};

use super::arrangement::{self, Comparison, Polygon};
use super::drawn::map;
use super::{Columns, in_f64};
use crate::decomposition::random::config;
use crate::support::in_soak;

pub(super) const RULES: [Fill; 2] = [Fill::EvenOdd, Fill::NonZero];

/// Compares all pairs of objects by a rule. Skips objects without a region. Returns the numbers of
/// disjoint, touching and overlapping pairs.
pub(super) fn compare_filled(objects: &[Vec<Polygon>], fill: Fill) -> [usize; 3] {
    let columns = Columns::of(&in_f64(objects));
    let built = PolygonSet::from_valid_columns(&columns.columns().fill(fill)).unwrap();
    for (_, error) in &built.invalid {
        let Error::Object { source, .. } = error else { panic!("{error:?}") };
        assert!(
            matches!(
                **source,
                Error::EmptyRegion { .. } | Error::ZeroArea { .. } | Error::TooFewVertices { .. }
            ),
            "{error:?}: {objects:?}"
        );
    }
    let is_valid = |index: usize| built.invalid.iter().all(|(invalid, _)| *invalid != index);
    let engine = Engine::new(Backend::Cpu).unwrap();
    let found = engine.self_join(&built.set).query(Relations).unwrap().items;
    assert_eq!(built.set.made_piece_count(), None, "a join on edges has split the polygons");
    let of_two = engine.join(&built.set, &built.set).query(Relations).unwrap().items;
    let covering = engine.join(&built.set, &built.set).query(Containments).unwrap().items;
    assert_eq!(built.set.made_piece_count(), None, "containment on edges has split the polygons");
    let mut counts = [0; 3];
    let mut comparisons = std::collections::HashMap::new();
    for a in (0..objects.len()).filter(|&a| is_valid(a)) {
        for b in (0..objects.len()).filter(|&b| is_valid(b)) {
            let relation_in = |pairs: &[sat2d::RelatedPair], a: usize, b: usize| {
                let pair = pairs.iter().find(|pair| (pair.a as usize, pair.b as usize) == (a, b));
                pair.map_or(Relation::Disjoint, |pair| pair.relation)
            };
            let [low, high] = [a.min(b), a.max(b)];
            let comparison = comparisons
                .entry([low, high])
                .or_insert_with(|| arrangement::compare(&objects[low], &objects[high], fill));
            let Comparison { relation: expected, containment } = *comparison;
            let containment = if a <= b { containment } else { containment.swapped() };
            assert_eq!(
                containment_in(&covering, a, b),
                containment,
                "{fill:?}: {:?} and {:?}",
                objects[a],
                objects[b]
            );
            assert_eq!(
                relation_in(&of_two, a, b),
                expected,
                "{fill:?}: {:?} and {:?}",
                objects[a],
                objects[b]
            );
            if a < b {
                assert_eq!(
                    relation_in(&found, a, b),
                    expected,
                    "{fill:?}: {:?} and {:?}",
                    objects[a],
                    objects[b]
                );
                check_explanation(&built.set, [a, b], expected);
                counts[expected as usize] += 1;
            }
        }
    }
    counts
}

/// Asserts that the explanation has the expected relation, and that its edges really have the common points that it
/// names.
fn check_explanation(set: &PolygonSet, [a, b]: [usize; 2], expected: Relation) {
    let found = EdgeExplanation::new(set, a, set, b).unwrap().expect("the set keeps edges");
    assert_eq!(found.relation, expected);
    assert_eq!(found.points.is_empty(), expected == Relation::Disjoint, "{found:?}");
    assert!(found.edges.is_none() || expected != Relation::Disjoint, "{found:?}");
    let is_new = |(k, point): (usize, &DVec2)| !found.points[..k].contains(point);
    assert!(found.points.iter().enumerate().all(is_new), "{found:?}");
    for edge @ [p, q] in found.edges.into_iter().flatten() {
        let length = (q - p).length();
        let is_near = |point: &DVec2| {
            let along = (*point - p).dot(q - p) / length;
            let beside = (*point - p).perp_dot(q - p) / length;
            beside.abs() < 1e-9 && (-1e-9..=length + 1e-9).contains(&along)
        };
        assert!(found.points.iter().all(is_near), "{edge:?}: {found:?}");
    }
}

fn containment_in(pairs: &[CoveringPair], a: usize, b: usize) -> Containment {
    let pair = pairs.iter().find(|pair| (pair.a as usize, pair.b as usize) == (a, b));
    pair.map_or(Containment::Neither, |pair| pair.containment)
}

/// Compares the relation of each grid point to each object with the arrangement. The grid has all integer coordinates
/// from `low` to `high`.
fn compare_points(objects: &[Vec<Polygon>], [low, high]: [i64; 2], fill: Fill) {
    let columns = Columns::of(&in_f64(objects));
    let built = PolygonSet::from_valid_columns(&columns.columns().fill(fill)).unwrap();
    let places: Vec<[i64; 2]> = (low..=high).flat_map(|x| (low..=high).map(move |y| [x, y])).collect();
    let is_valid = |index: u32| built.invalid.iter().all(|(invalid, _)| *invalid != index as usize);
    let relations = |&place: &[i64; 2]| -> Vec<(u32, PointRelation)> {
        let located = (0..).zip(objects).map(|(o, polygons)| (o, arrangement::locate(polygons, place, fill)));
        located.filter(|&(o, relation)| relation != PointRelation::Outside && is_valid(o)).collect()
    };
    let relations: Vec<_> = places.iter().map(relations).collect();
    // Many points are looked up in the grid, which has all objects that are not crossed.
    let vertices: usize = objects.iter().flatten().flatten().map(Vec::len).sum();
    for count in [places.len(), 64 * vertices] {
        let of_point = |point: u32| point as usize % places.len();
        let points: Vec<[f64; 2]> =
            (0..count as u32).map(|point| places[of_point(point)].map(|x| x as f64)).collect();
        let engine = Engine::new(Backend::Cpu).unwrap();
        let options = PointOptions { pairs: true, counts: true, first: true, ..PointOptions::default() };
        let found = engine.points(&points, &built.set).query(&options).unwrap();
        let pair = |point, &(object, relation): &(u32, PointRelation)| PointPair { point, object, relation };
        let pairs = |point| relations[of_point(point)].iter().map(move |hit| pair(point, hit));
        let expected: Vec<PointPair> = (0..count as u32).flat_map(pairs).collect();
        assert!(found.pairs.unwrap() == expected, "{count} points, {fill:?}: {objects:?}");
        let inside = expected.iter().filter(|pair| pair.relation == PointRelation::Inside).count();
        let counted = found.counts.unwrap().iter().map(|count| count.inside as usize).sum::<usize>();
        assert_eq!(counted, inside);
        let first = found.first.unwrap();
        for (point, first) in (0..).zip(first.iter()) {
            assert_eq!(first, relations[of_point(point)].first().map(|hit| hit.0), "{point}");
        }
    }
}

/// Asserts that the pieces have the area of the region, up to the rounding of crossings.
fn compare_areas(polygon: &Polygon, fill: Fill) {
    let columns = Columns::of(&in_f64(&[vec![polygon.clone()]]));
    let built = PolygonSet::from_valid_columns(&columns.columns().fill(fill)).unwrap();
    if let Some((_, Error::Object { source, .. })) = built.invalid.first()
        && matches!(**source, Error::ZeroArea { .. } | Error::TooFewVertices { .. })
    {
        // A shell without an area is an error by every rule.
        return;
    }
    let set = &built.set;
    let length: f64 = polygon.iter().map(|ring| perimeter(ring)).sum();
    let displacement = set.piece_displacement();
    assert!(displacement < 1e-12, "{displacement}: {polygon:?}");
    let found: f64 = (0..set.piece_count()).map(|piece| area_of(set.piece_vertices(piece))).sum();
    let expected = arrangement::area(polygon, fill);
    let bound = 2.0 * displacement * length + 1e-9;
    assert!((found - expected).abs() <= bound, "{fill:?}: {found} {expected}: {polygon:?}");
    assert_eq!(built.invalid.is_empty(), expected > 0.0, "{fill:?}: {:?}: {polygon:?}", built.invalid);
}

fn perimeter(ring: &[[i64; 2]]) -> f64 {
    let way = |[p, q]: [[i64; 2]; 2]| ((p[0] - q[0]) as f64).hypot((p[1] - q[1]) as f64);
    (0..ring.len()).map(|i| way([ring[i], ring[(i + 1) % ring.len()]])).sum()
}

fn area_of(ring: &[sat2d::glam::DVec2]) -> f64 {
    let next = |i: usize| ring[(i + 1) % ring.len()];
    0.5 * ring.iter().enumerate().map(|(i, &p)| (p - ring[0]).perp_dot(next(i) - ring[0])).sum::<f64>()
}

#[test]
fn hand_worked_pairs() {
    let ring = |vertices: &[[i64; 2]]| vec![vec![vertices.to_vec()]];
    let square = |x: i64, y: i64, size: i64| vec![[x, y], [x + size, y], [x + size, y + size], [x, y + size]];
    let one = |ring: Vec<[i64; 2]>| vec![vec![ring]];
    // The centre of a pentagram has the winding number 2.
    let pentagram = ring(&[[0, 100], [59, -81], [-95, 31], [95, 31], [-59, -81]]);
    let bow_tie = ring(&[[0, 0], [4, 4], [4, 0], [0, 4]]);
    // This ring crosses itself at the same point as the bow tie, in other sectors.
    let other_tie = ring(&[[0, -2], [4, 6], [0, 6], [4, -2]]);
    let thin_tie = ring(&[[0, 4], [4, 0], [6, -2], [6, -3], [-2, 7], [-1, 7]]);
    // Two squares that overlap in a square of size 4, as the rings of one polygon.
    let two_rings = |second: Vec<[i64; 2]>| vec![vec![square(0, 0, 8), second]];
    let backward = |mut ring: Vec<[i64; 2]>| {
        ring.reverse();
        ring
    };
    use Relation::{Disjoint, Overlapping, Touching};
    let cases = [
        ("the centre of a pentagram", pentagram.clone(), one(square(-5, -5, 10)), [Disjoint, Overlapping]),
        ("its arm", pentagram.clone(), one(square(-2, 80, 4)), [Overlapping; 2]),
        ("beside a bow tie", bow_tie.clone(), one(square(1, 3, 1)), [Touching; 2]),
        ("in the notch", bow_tie.clone(), ring(&[[2, 2], [3, 4], [1, 4]]), [Touching; 2]),
        ("over the notch", bow_tie.clone(), ring(&[[2, 1], [4, 5], [0, 5]]), [Overlapping; 2]),
        ("two ties crossed at one point", bow_tie.clone(), other_tie, [Touching; 2]),
        ("the same tie", bow_tie.clone(), bow_tie.clone(), [Overlapping; 2]),
        ("a thin tie in the notches", bow_tie.clone(), thin_tie, [Touching; 2]),
        ("an edge through the crossing", bow_tie, ring(&[[0, 2], [4, 2], [2, 1]]), [Overlapping; 2]),
        ("in both rings", two_rings(square(4, 4, 8)), one(square(5, 5, 2)), [Disjoint, Overlapping]),
        ("fills both rings", two_rings(square(4, 4, 8)), one(square(4, 4, 4)), [Touching, Overlapping]),
        (
            "in both rings, of which one is backward",
            two_rings(backward(square(4, 4, 8))),
            one(square(5, 5, 2)),
            [Disjoint; 2],
        ),
        (
            "in a hole in the direction of its shell",
            two_rings(square(1, 1, 2)),
            one(square(1, 1, 1)),
            [Touching, Overlapping],
        ),
        ("in a hole", two_rings(backward(square(1, 1, 2))), one(square(1, 1, 1)), [Touching; 2]),
        ("a hole outside", two_rings(square(10, 10, 4)), one(square(11, 11, 1)), [Overlapping; 2]),
    ];
    for (name, a, b, expected) in cases {
        for (fill, expected) in RULES.into_iter().zip(expected) {
            assert_eq!(arrangement::relation(&a, &b, fill), expected, "{name}, {fill:?}, in rationals");
            let mut counts = [0; 3];
            counts[expected as usize] = 1;
            assert_eq!(compare_filled(&[a.clone(), b.clone()], fill), counts, "{name}, {fill:?}");
        }
    }
}

#[test]
fn covers_in_spite_of_crossings() {
    let square = |x: i64, y: i64, size: i64| vec![[x, y], [x + size, y], [x + size, y + size], [x, y + size]];
    // Each strip covers one side of a triangle. The corners of the triangle are crossings of the strips' edges.
    let strips = || {
        vec![
            vec![[-40, 0], [40, 0], [40, 4], [-40, 4]],
            vec![[25, -10], [30, -10], [-5, 60], [-10, 60]],
            vec![[-30, -10], [-25, -10], [10, 60], [5, 60]],
        ]
    };
    let patch = vec![[-20, 2], [20, 2], [0, 43]];
    let over_hole = vec![vec![vec![[-20, 1], [20, 1], [0, 42]]]];
    let with_patch = || [strips(), vec![patch.clone()]].concat();
    let apart = |rings: Vec<Vec<[i64; 2]>>| rings.into_iter().map(|ring| vec![ring]).collect();
    let bow_tie = vec![vec![vec![[0, 0], [8, 8], [8, 0], [0, 8]]]];
    let two_squares = vec![vec![square(0, 0, 4)], vec![square(4, 0, 4)]];
    use Containment::{CoveredBy, Covers, Equal, Neither};
    type Case = (&'static str, Vec<Polygon>, Vec<Polygon>, Fill, Containment);
    let cases: [Case; 11] = [
        ("over a hole between strips", vec![strips()], over_hole.clone(), Fill::NonZero, Neither),
        ("the hole is filled", vec![with_patch()], over_hole.clone(), Fill::NonZero, Covers),
        ("three polygons around a hole", apart(strips()), over_hole.clone(), Fill::EvenOdd, Neither),
        ("four polygons", apart(with_patch()), over_hole.clone(), Fill::EvenOdd, Covers),
        ("in a wing", bow_tie.clone(), vec![vec![vec![[0, 1], [3, 4], [0, 7]]]], Fill::EvenOdd, Covers),
        (
            "in both wings",
            bow_tie.clone(),
            vec![vec![vec![[0, 1], [8, 7], [8, 1], [0, 7]]]],
            Fill::EvenOdd,
            Covers,
        ),
        ("over the centre", bow_tie.clone(), vec![vec![square(3, 3, 2)]], Fill::EvenOdd, Neither),
        ("around", bow_tie.clone(), vec![vec![square(0, 0, 8)]], Fill::EvenOdd, CoveredBy),
        ("itself", bow_tie.clone(), bow_tie.clone(), Fill::NonZero, Equal),
        ("in two squares", two_squares.clone(), vec![vec![square(2, 1, 3)]], Fill::EvenOdd, Covers),
        (
            "as two triangles",
            bow_tie,
            vec![vec![vec![[0, 0], [4, 4], [0, 8]]], vec![vec![[8, 0], [8, 8], [4, 4]]]],
            Fill::EvenOdd,
            Equal,
        ),
    ];
    for (name, a, b, fill, expected) in cases {
        assert_eq!(arrangement::compare(&a, &b, fill).containment, expected, "{name}, in rationals");
        compare_filled(&[a, b], fill);
    }
}

#[test]
fn edges_that_are_traced_back_do_not_hinder_containment() {
    // The ring goes up to (4, 9) and back.
    let spike = vec![vec![vec![[0, 0], [4, 0], [4, 9], [4, 4], [2, 4], [0, 2], [0, 4], [2, 2]]]];
    let square = vec![vec![vec![[0, 0], [5, 0], [5, 5], [0, 5]]]];
    let columns = Columns::of(&in_f64(&[spike, square]));
    let set = PolygonSet::from_columns(&columns.columns().fill(Fill::EvenOdd)).unwrap();
    let engine = Engine::new(Backend::Cpu).unwrap();
    let found = engine.self_join(&set).query(Containments).unwrap();
    let found: Vec<_> = found.iter().map(|pair| (pair.a, pair.b, pair.containment)).collect();
    assert_eq!(found, [(0, 1, Containment::CoveredBy)]);
}

/// Generates arbitrary rings on a small grid. Their edges overlap, cross at vertices, and run back over each other.
pub(super) fn scribble(size: i64, most: usize) -> impl Strategy<Value = Vec<Polygon>> {
    let ring = prop::collection::vec([0..size, 0..size], 3..most);
    let polygon = prop::collection::vec(ring, 1..3);
    prop::collection::vec(polygon, 1..3)
}

/// Generates star polygons {n/k} with integer vertices. If n and k have no common factor, a star crosses itself about n (k - 1)
/// times.
pub(super) fn star() -> impl Strategy<Value = Vec<Polygon>> {
    (5i64..14, 2i64..5, [-60i64..60, -60i64..60], 20f64..90.0).prop_map(|(n, k, [dx, dy], reach)| {
        let vertex = |i: i64| {
            let angle = std::f64::consts::TAU * (i * k % n) as f64 / n as f64;
            [(reach * angle.cos()) as i64 + dx, (reach * angle.sin()) as i64 + dy]
        };
        vec![vec![(0..n).map(vertex).collect()]]
    })
}

/// Generates bow ties, many of which cross at the same point.
pub(super) fn tie() -> impl Strategy<Value = Vec<Polygon>> {
    let way = || [-3i64..4, 1i64..4];
    (way(), way(), [0i64..2, 0i64..2], 1i64..4).prop_map(|([a, b], [c, d], [x, y], reach)| {
        let at = |i: i64, j: i64| [x + i * reach, y + j * reach];
        vec![vec![vec![at(a, b), at(-a, -b), at(c, d), at(-c, -d)]]]
    })
}

/// Generates the cells of a map. Some cells cross themselves in one place and share the rest of their border with their
/// neighbours. Some run clockwise.
pub(super) fn crossed_cells() -> impl Strategy<Value = Vec<Vec<Polygon>>> {
    let changes = prop::collection::vec((0usize..12, prop::bool::ANY), 9);
    (map(3), changes).prop_map(|(mut cells, changes)| {
        for (cell, (at, is_reversed)) in cells.iter_mut().zip(changes) {
            let ring = &mut cell[0][0];
            if at + 1 < ring.len() {
                ring.swap(at, at + 1);
            }
            if is_reversed {
                ring.reverse();
            }
        }
        cells
    })
}

proptest! {
    #![proptest_config(config(in_soak(5_000, 150)))]

    #[test]
    fn scribbles(objects in prop::collection::vec(scribble(5, 8), 2..6)) {
        for fill in RULES {
            compare_filled(&objects, fill);
            compare_points(&objects, [-1, 5], fill);
        }
    }

    #[test]
    fn pieces_have_the_area_of_the_region(
        small in scribble(5, 9), long in scribble(200, 30), star in star(),
    ) {
        for polygon in small.iter().chain(&long).chain(&star) {
            for fill in RULES {
                compare_areas(polygon, fill);
            }
        }
    }

    #[test]
    fn cells_that_share_borders(objects in crossed_cells()) {
        for fill in RULES {
            let counts = compare_filled(&objects, fill);
            prop_assert!(counts.iter().sum::<usize>() > 0);
        }
    }

    #[test]
    fn stars(objects in prop::collection::vec(star(), 2..5)) {
        for fill in RULES {
            compare_filled(&objects, fill);
        }
    }

    #[test]
    fn ties_that_cross_at_one_point(objects in prop::collection::vec(tie(), 2..7)) {
        for fill in RULES {
            compare_filled(&objects, fill);
            compare_points(&objects, [-5, 6], fill);
        }
    }
}

proptest! {
    // Each object has hundreds of crossings. A case takes half a second without optimisation.
    #![proptest_config(config(in_soak(5_000, 10)))]

    #[test]
    fn long_scribbles(objects in prop::collection::vec(scribble(200, 30), 2..4)) {
        for fill in RULES {
            compare_filled(&objects, fill);
        }
    }
}
