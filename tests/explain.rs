//! Explanations: axes, projections, signs and verdicts, in hand-worked cases and compared with rational arithmetic.

use crate::support::cases::{cases, rectangle};
use crate::support::oracle;
use crate::support::strategies::{exact_turn, lattice_polygon, pair};
use proptest::prelude::*;
use sat2d::glam::DVec2;
use sat2d::{
    ConvexPolygon, Error, Explanation, ObjectExplanation, PolygonObject, PolygonSet, Pose, Relation,
};

fn explained(a: &[[f64; 2]], b: &[[f64; 2]]) -> Explanation {
    Explanation::new(&ConvexPolygon::new(a).unwrap(), &ConvexPolygon::new(b).unwrap()).unwrap()
}

/// Asserts the properties that every explanation of a pair has. The signs of the overlaps agree with the relation.
/// Every edge belongs to one axis. The intervals equal the intervals of a plain projection, up to rounding.
fn check(explanation: &Explanation) {
    let least = explanation.deciding_axis().overlap;
    let expected = match explanation.relation {
        Relation::Disjoint => least < 0.0,
        Relation::Touching => least == 0.0,
        Relation::Overlapping => least > 0.0,
    };
    assert!(expected, "{} with {least}", explanation.relation);
    let mut edges_a: Vec<usize> = explanation.axes.iter().flat_map(|axis| axis.edges_a.clone()).collect();
    let mut edges_b: Vec<usize> = explanation.axes.iter().flat_map(|axis| axis.edges_b.clone()).collect();
    // The axes are in the order of the edges. An edge whose axis is also the axis of an earlier edge adds no axis.
    let firsts: Vec<usize> =
        explanation.axes.iter().filter_map(|axis| axis.edges_a.first().copied()).collect();
    assert!(firsts.is_sorted() && explanation.axes[0].edges_a[0] == 0);
    edges_a.sort_unstable();
    edges_b.sort_unstable();
    assert!(edges_a.into_iter().eq(0..explanation.vertices_a.len()));
    assert!(edges_b.into_iter().eq(0..explanation.vertices_b.len()));
    let size = explanation
        .vertices_a
        .iter()
        .chain(&explanation.vertices_b)
        .map(|v| (*v - explanation.origin).length())
        .fold(0.0, f64::max);
    for axis in &explanation.axes {
        assert!((axis.normal.length() - 1.0).abs() < 1e-15);
        assert!(axis.toward_b == axis.normal || axis.toward_b == -axis.normal);
        assert!(axis.overlap >= least - 1e-15 * least.abs());
        assert_eq!(axis.separates(), axis.overlap < 0.0);
        for (vertices, interval) in
            [(&explanation.vertices_a, axis.interval_a), (&explanation.vertices_b, axis.interval_b)]
        {
            let places = || vertices.iter().map(|v| axis.normal.dot(*v - explanation.origin));
            let plain = [places().fold(f64::INFINITY, f64::min), places().fold(f64::NEG_INFINITY, f64::max)];
            for (end, plain) in interval.into_iter().zip(plain) {
                assert!((end - plain).abs() <= 4e-15 * size, "{end} beside {plain}, of a size of {size}");
            }
        }
        let [a, b] = [axis.interval_a, axis.interval_b];
        let by_ends = (a[1] - b[0]).min(b[1] - a[0]);
        assert!((axis.overlap - by_ends).abs() <= 4e-15 * size, "{} beside {by_ends}", axis.overlap);
    }
}

#[test]
fn a_box_and_a_triangle_are_as_worked_out_by_hand() {
    let explanation = explained(&rectangle(0.0, 0.0, 4.0, 2.0), &[[3.0, 1.0], [7.0, 1.0], [7.0, 4.0]]);
    check(&explanation);
    assert_eq!(explanation.relation, Relation::Overlapping);
    let found: Vec<_> =
        explanation.axes.iter().map(|axis| (&axis.edges_a[..], &axis.edges_b[..], axis.overlap)).collect();
    // The third edge of the triangle runs from (7, 4) to (3, 1), and its normal is (-0.6, 0.8). On this axis, the
    // projections are [-2.4, 1.6] and [-3.4, -1].
    assert_eq!(found[..2], [(&[0, 2][..], &[0][..], 1.0), (&[1, 3][..], &[1][..], 1.0)]);
    assert_eq!((found.len(), found[2].0, found[2].1), (3, &[][..], &[2][..]));
    assert!((found[2].2 - 1.4).abs() < 1e-15, "{}", found[2].2);
    assert_eq!(explanation.deciding, 0, "the first of two that are alike");
    let axis = explanation.deciding_axis();
    assert_eq!((axis.normal, axis.toward_b), (DVec2::NEG_Y, DVec2::Y));
    assert_eq!((axis.interval_a, axis.interval_b), ([-2.0, 0.0], [-4.0, -1.0]));
}

#[test]
fn the_way_out_of_what_contains_is_the_shorter_of_the_two() {
    let outer = rectangle(0.0, 0.0, 10.0, 8.0);
    for (inner, overlap, toward_b) in [
        (rectangle(1.0, 3.0, 3.0, 5.0), 3.0, DVec2::NEG_X),
        (rectangle(7.0, 3.0, 9.0, 5.0), 3.0, DVec2::X),
        (rectangle(4.0, 0.0, 6.0, 1.0), 1.0, DVec2::NEG_Y),
    ] {
        let explanation = explained(&outer, &inner);
        check(&explanation);
        assert_eq!(
            (explanation.deciding_axis().overlap, explanation.deciding_axis().toward_b),
            (overlap, toward_b)
        );
        // If A and B are exchanged, the translation has the opposite direction.
        let swapped = explained(&inner, &outer);
        assert_eq!((swapped.deciding_axis().overlap, swapped.deciding_axis().toward_b), (overlap, -toward_b));
    }
}

#[test]
fn every_case_worked_out_by_hand_is_explained_by_its_relation() {
    for case in cases() {
        let explanation = explained(&case.a, &case.b);
        assert_eq!(explanation.relation, case.expected, "{}", case.name);
        check(&explanation);
    }
}

#[test]
fn equal_polygons_share_every_axis() {
    let hexagon = [[2.0, 0.0], [4.0, 1.0], [4.0, 3.0], [2.0, 4.0], [0.0, 3.0], [0.0, 1.0]];
    let explanation = explained(&hexagon, &hexagon);
    check(&explanation);
    assert_eq!(explanation.axes.len(), 3);
    for axis in &explanation.axes {
        assert_eq!((axis.edges_a.len(), &axis.edges_a), (2, &axis.edges_b));
        assert_eq!(axis.interval_a, axis.interval_b);
    }
}

#[test]
fn edges_one_ulp_from_parallel_have_axes_of_their_own() {
    let tilted = [[0.0, 2.0], [1.0, 2.0], [1.0, 3.0], [0.0, 3.0_f64.next_up()]];
    let explanation = explained(&rectangle(0.0, 0.0, 1.0, 1.0), &tilted);
    check(&explanation);
    assert_eq!(explanation.axes.len(), 3);
    assert_eq!(explanation.axes[0].edges_b, [0]);
    assert_eq!(explanation.axes[2].edges_b, [2]);
}

#[test]
fn a_gap_below_the_last_digit_of_every_coordinate_is_known_exactly() {
    // The f64 nearest to 1/3 is below it, and the next f64 is above it. B's vertex is below A's edge or inside of A.
    let a = [[0.0, 0.0], [3.0, 1.0], [0.0, 1.0]];
    let third: f64 = 1.0 / 3.0;
    for (y, relation) in [(third, Relation::Disjoint), (third.next_up(), Relation::Overlapping)] {
        let explanation = explained(&a, &[[1.0, y], [0.5, -4.0], [4.0, -4.0]]);
        check(&explanation);
        assert_eq!(explanation.relation, relation);
        let axis = &explanation.axes[0];
        // `1 - 3 y` has few bits, so the expected gap is rounded only once.
        let gap = f64::mul_add(-3.0, y, 1.0) / 10.0_f64.sqrt();
        assert!((axis.overlap + gap).abs() <= 1e-15 * gap.abs(), "{} beside {}", axis.overlap, -gap);
    }
}

#[test]
fn far_from_the_origin_nothing_is_lost() {
    let (a, b) = ([[0.0, 0.0], [1.0, 0.25], [0.5, 1.0]], [[1.0, 0.5], [2.0, 0.0], [1.5, 1.5]]);
    let far = |ring: &[[f64; 2]]| ring.iter().map(|v| [v[0] + 1e6, v[1] - 3e6]).collect::<Vec<_>>();
    let (near, far) = (explained(&a, &b), explained(&far(&a), &far(&b)));
    check(&far);
    assert_eq!(near.origin, DVec2::ZERO);
    assert_eq!(far.origin, DVec2::new(1e6, -3e6));
    assert_eq!(near.axes, far.axes, "the shift is exact, and so are differences");
}

#[test]
fn needles_of_a_width_of_1e_7() {
    let needle = |y: f64| [[0.0, y], [1000.0, y + 1e-7], [1000.0, y + 2e-7]];
    for (y, relation) in
        [(3e-7, Relation::Disjoint), (0.5e-7, Relation::Overlapping), (-3e-7, Relation::Disjoint)]
    {
        let explanation = explained(&needle(0.0), &needle(y));
        check(&explanation);
        assert_eq!(explanation.relation, relation, "{y}");
        // The two polygons are equal except for a translation. There are three axes, and each axis belongs to an edge of A and
        // an edge of B.
        assert!(explanation.axes.iter().all(|axis| axis.overlap.abs() < 4e-7 || axis.overlap > 900.0));
    }
}

#[test]
fn posed_pieces_are_explained_in_the_world() {
    let square = ConvexPolygon::new(&rectangle(-1.0, -1.0, 1.0, 1.0)).unwrap();
    let places = [
        (0, Pose::IDENTITY),
        (0, Pose::from_cos_sin(0.0, 1.0, [2.0, 0.5]).unwrap()),
        (0, Pose::from_cos_sin(0.6, 0.8, [3.0, 0.0]).unwrap()),
    ];
    let set = PolygonSet::from_instances(&[square.into()], &places).unwrap();
    let touching = Explanation::of_pieces(&set, 0, &set, 1).unwrap();
    check(&touching);
    assert_eq!((touching.relation, touching.axes.len()), (Relation::Touching, 2));
    // The square is turned by (0.6, 0.8). Its corner is 1.4 from its middle along x.
    let apart = Explanation::of_pieces(&set, 0, &set, 2).unwrap();
    check(&apart);
    assert_eq!((apart.relation, apart.axes.len()), (Relation::Disjoint, 4));
    let beside = apart.axes.iter().find(|axis| axis.edges_a == [1, 3]).unwrap();
    assert!((beside.overlap + 0.6).abs() < 1e-15, "{}", beside.overlap);
    assert!(matches!(
        Explanation::of_pieces(&set, 0, &set, 3),
        Err(Error::UnknownPolygon { index: 3, count: 3, .. })
    ));
}

#[test]
fn of_objects_the_pieces_that_decide_are_explained() {
    let comb =
        [[0.0, 0.0], [9.0, 0.0], [9.0, 4.0], [7.0, 4.0], [7.0, 2.0], [2.0, 2.0], [2.0, 4.0], [0.0, 4.0]];
    let object = |ring: &[[f64; 2]]| PolygonObject::from_polygon(&[ring]).unwrap();
    let set = PolygonSet::from_objects(&[
        object(&comb),
        object(&rectangle(3.0, 3.0, 6.5, 5.0)),
        object(&rectangle(8.0, 4.0, 11.0, 6.0)),
        object(&rectangle(1.0, 3.0, 8.0, 6.0)),
        PolygonObject::empty(),
    ])
    .unwrap();
    let find = |i, j| ObjectExplanation::new(&set, i, &set, j);
    for (other, relation, gap) in [
        (1, Relation::Disjoint, Some(0.5)),
        (2, Relation::Touching, Some(0.0)),
        (3, Relation::Overlapping, None),
    ] {
        for [i, j] in [[0, other], [other, 0]] {
            let found = find(i, j).unwrap();
            check(&found.explanation);
            assert_eq!(found.explanation.relation, relation, "{other}");
            if let Some(gap) = gap {
                assert_eq!(-found.explanation.deciding_axis().overlap, gap);
            }
            let comb_side = usize::from(i != 0);
            assert!(found.piece_counts[comb_side] >= 3 && found.piece_counts[1 - comb_side] == 1);
        }
    }
    // The nearest piece of the comb is the tooth next to object 1. A side of this tooth is a side of the comb.
    assert!(find(0, 1).unwrap().explanation.vertices_a.contains(&DVec2::new(7.0, 4.0)));
    assert!(matches!(find(0, 5), Err(Error::UnknownObject { index: 5, count: 5 })));
    assert!(matches!(find(4, 0), Err(Error::NoRegion { index: 4 })));
}

proptest! {
    #[test]
    fn relations_are_those_of_rational_arithmetic_and_signs_agree((a, b) in pair()) {
        let explanation = explained(&a, &b);
        prop_assert_eq!(explanation.relation, oracle::relation(&a, &b));
        check(&explanation);
        let swapped = explained(&b, &a);
        check(&swapped);
        let (there, back) = (explanation.deciding_axis().overlap, swapped.deciding_axis().overlap);
        prop_assert!((there - back).abs() <= 1e-15 * there.abs());
        prop_assert_eq!(explanation.axes.len(), swapped.axes.len());
    }

    #[test]
    fn posed_pairs_are_decided_on_their_real_images(
        a in lattice_polygon(3),
        b in lattice_polygon(3),
        turn in exact_turn(),
    ) {
        let turn = [turn[0], turn[1], turn[2] / 500.0, turn[3] / 500.0];
        let [cos, sin, x, y] = turn;
        let shapes = [&a, &b].map(|ring| ConvexPolygon::new(ring).unwrap().into());
        let places = [(0, Pose::IDENTITY), (1, Pose::from_cos_sin(cos, sin, [x, y]).unwrap())];
        let set = PolygonSet::from_instances(&shapes, &places).unwrap();
        let explanation = Explanation::of_pieces(&set, 0, &set, 1).unwrap();
        prop_assert_eq!(explanation.relation, oracle::posed_relation(&a, [1.0, 0.0, 0.0, 0.0], &b, turn));
        check(&explanation);
    }
}
