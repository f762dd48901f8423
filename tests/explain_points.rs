//! Explanations of points, and translations that make objects touch, in hand-worked cases and compared with the exact
//! relations.

use crate::support::cases::rectangle;
use crate::support::strategies::{lattice_polygon, round_polygon};
use proptest::prelude::*;
use sat2d::glam::DVec2;
use sat2d::{
    Error, ObjectExplanation, PointExplanation, PointRelation, PolygonObject, PolygonSet, Pose, Relation,
};

fn object(ring: &[[f64; 2]]) -> PolygonObject {
    PolygonObject::from_polygon(&[ring]).unwrap()
}

fn set(ring: &[[f64; 2]]) -> PolygonSet {
    PolygonSet::from_objects(&[object(ring)]).unwrap()
}

/// Asserts the properties that every explanation of a point and a convex polygon has.
fn check(found: &PointExplanation, point: DVec2) {
    let least = found.deciding_axis().overlap;
    let by_sign = match found.piece_relation {
        PointRelation::Outside => least < 0.0,
        PointRelation::Boundary => least == 0.0,
        PointRelation::Inside => least > 0.0,
    };
    assert!(by_sign, "{} with {least}", found.piece_relation);
    for axis in &found.axes {
        assert!(axis.edges_b.is_empty() && !axis.edges_a.is_empty());
        assert_eq!(axis.interval_b[0], axis.interval_b[1]);
        assert!((axis.interval_b[0] - axis.normal.dot(point - found.origin)).abs() < 1e-12);
        assert!(axis.overlap >= least);
    }
    let mut edges: Vec<usize> = found.axes.iter().flat_map(|axis| axis.edges_a.clone()).collect();
    edges.sort_unstable();
    assert!(edges.into_iter().eq(0..found.vertices.len()));
    assert_eq!(found.distance == 0.0, found.relation == PointRelation::Boundary);
}

#[test]
fn a_point_about_a_box_is_as_worked_out_by_hand() {
    let set = set(&rectangle(0.0, 0.0, 4.0, 2.0));
    for (point, relation, overlaps, closest, distance) in [
        ([5.0, 1.0], PointRelation::Outside, [1.0, -1.0], [4.0, 1.0], 1.0),
        ([7.0, 6.0], PointRelation::Outside, [-4.0, -3.0], [4.0, 2.0], 5.0),
        ([4.0, 1.0], PointRelation::Boundary, [1.0, 0.0], [4.0, 1.0], 0.0),
        ([0.0, 2.0], PointRelation::Boundary, [0.0, 0.0], [0.0, 2.0], 0.0),
        ([1.0, 0.75], PointRelation::Inside, [0.75, 1.0], [1.0, 0.0], 0.75),
    ] {
        let found = PointExplanation::new(point, &set, 0).unwrap();
        check(&found, point.into());
        assert_eq!(found.relation, relation, "{point:?}");
        let of_axes: Vec<f64> = found.axes.iter().map(|axis| axis.overlap).collect();
        assert_eq!(of_axes, overlaps, "{point:?}");
        assert_eq!((found.closest.to_array(), found.distance), (closest, distance));
        assert_eq!(found.on_boundary, Some(closest.into()));
    }
}

#[test]
fn on_the_seam_of_two_pieces_a_point_is_inside_and_its_nearest_boundary_is_that_of_the_whole() {
    let l_shape = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
    let set = set(&l_shape);
    let (mut seams, mut pieces) = (0, [false; 2]);
    for i in 1..32 {
        for j in 1..32 {
            let point = DVec2::new(f64::from(i), f64::from(j)) / 32.0;
            let found = PointExplanation::new(point, &set, 0).unwrap();
            check(&found, point);
            assert_eq!((found.relation, found.piece_count), (PointRelation::Inside, 2));
            seams += usize::from(found.piece_relation == PointRelation::Boundary);
            pieces[found.piece] = true;
            // The point is in the corner square of the L. Of the inner sides of this square, only the corner (1, 1) is on the
            // boundary.
            let by_hand = point.x.min(point.y).min(point.distance(DVec2::ONE));
            assert!((found.distance - by_hand).abs() < 1e-15, "{point}: {} beside {by_hand}", found.distance);
        }
    }
    assert!(seams > 0 && pieces == [true; 2]);
    let outside = PointExplanation::new([2.0, 2.0], &set, 0).unwrap();
    assert_eq!((outside.relation, outside.distance), (PointRelation::Outside, 1.0));
}

#[test]
fn posed_polygons_and_wrong_points() {
    let places = [(0, Pose::from_cos_sin(0.6, 0.8, [3.0, 0.0]).unwrap())];
    let posed = PolygonSet::from_instances(&[object(&rectangle(-1.0, -1.0, 1.0, 1.0))], &places).unwrap();
    let found = PointExplanation::new([1.0, 0.0], &posed, 0).unwrap();
    assert_eq!((found.relation, found.on_boundary), (PointRelation::Outside, None));
    // Relative to the square, the point is at (-1.2, 1.6).
    assert!((found.distance - 0.2_f64.hypot(0.6)).abs() < 1e-15, "{}", found.distance);
    assert!(found.closest.distance(DVec2::new(1.6, -0.2)) < 1e-15, "{}", found.closest);
    assert!(matches!(PointExplanation::new([f64::NAN, 0.0], &posed, 0), Err(Error::Point { point: 0, .. })));
    assert!(matches!(
        PointExplanation::new([0.0, 0.0], &posed, 1),
        Err(Error::UnknownObject { index: 1, .. })
    ));
}

/// Tests a tiny polygon far from the origin. Rounding moves all its vertices to one point. The distance of another
/// point from the polygon is then the distance from this one point.
#[test]
fn edges_that_are_rounded_to_a_point_are_as_far_as_that_point() {
    let tiny = object(&rectangle(0.0, 0.0, 1e-12, 1e-12));
    let set = PolygonSet::from_instances(&[tiny], &[(0, Pose::new(0.0, [1e6, 4.0]).unwrap())]).unwrap();
    let point = DVec2::new(1e6 + 3.0, 0.0);
    let found = PointExplanation::new(point, &set, 0).unwrap();
    check(&found, point);
    assert_eq!((found.relation, found.distance), (PointRelation::Outside, 5.0));
    assert_eq!(found.closest, DVec2::new(1e6, 4.0));
}

/// Returns the relation of A and B after A was moved by the vector `way`.
fn relation_after(a: &[[f64; 2]], way: DVec2, b: &[[f64; 2]]) -> Relation {
    let moved: Vec<[f64; 2]> = a.iter().map(|v| [v[0] + way.x, v[1] + way.y]).collect();
    ObjectExplanation::new(&set(&moved), 0, &set(b), 0).unwrap().explanation.relation
}

#[test]
fn the_way_to_touch_is_the_shortest_way_by_hand() {
    let square = rectangle(0.0, 0.0, 2.0, 2.0);
    for (b, way) in [
        (rectangle(1.5, 0.5, 4.0, 3.0), [-0.5, 0.0]),
        (rectangle(2.0, 1.0, 4.0, 3.0), [0.0, 0.0]),
        (rectangle(5.0, 1.0, 6.0, 9.0), [3.0, 0.0]),
        (rectangle(5.0, 6.0, 7.0, 7.0), [3.0, 4.0]),
        // A contains B. The shortest way of B out of A leads through A's left side.
        (rectangle(0.75, 0.25, 1.0, 1.5), [1.0, 0.0]),
    ] {
        let found = object(&square).translation_to_touch(&object(&b)).unwrap().unwrap();
        assert_eq!(found.to_array(), way);
        assert_eq!(relation_after(&square, found, &b), Relation::Touching);
    }
    let nothing = PolygonObject::empty();
    assert!(matches!(object(&square).translation_to_touch(&nothing), Err(Error::NoRegion { index: 1 })));
}

/// Tests a distance that is worked out by hand. The edge from (10, -5) to (-2, 6) is 1 / √265 away from (9, -4). The
/// point of the edge that is nearest to (9, -4) is not an f64 point.
#[test]
fn near_an_edge_the_distance_is_as_precise_as_far_from_it() {
    let set = set(&[[-2.0, 6.0], [0.0, 0.0], [10.0, -5.0]]);
    let found = PointExplanation::new([9.0, -4.0], &set, 0).unwrap();
    // The distance to 20 digits is 0.061429511683395118442.
    let distance = 0.061_429_511_683_395_12;
    assert_eq!(found.relation, PointRelation::Outside);
    assert_eq!((found.distance, found.deciding_axis().overlap), (distance, -distance));
}

/// Tests edges that may have no f64 point between their ends, or whose vector is not exact in f64, such as the vector from (4,
/// 2) to (0.1, 2).
#[test]
fn the_nearest_edge_is_found_where_no_point_of_it_is_exact() {
    for (ring, point, closest) in [
        (vec![[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [0.1, 2.0]], [2.0, 2.5], [2.0, 2.0]),
        (vec![[0.0, 0.0], [10.0, 0.0], [0.1, 7.0]], [8.0, 5.0], [6.309_638_8, 2.609_346_3]),
    ] {
        let found = PointExplanation::new(point, &set(&ring), 0).unwrap();
        check(&found, point.into());
        assert!(found.closest.distance(closest.into()) < 1e-7, "{}", found.closest);
        assert_eq!(found.distance, -found.deciding_axis().overlap);
        // The reported point on the boundary is on an edge next to the nearest edge.
        let on = found.on_boundary.unwrap();
        assert_eq!(PointExplanation::new(on, &set(&ring), 0).unwrap().relation, PointRelation::Boundary);
    }
}

/// Tests two objects, each of two polygons. One is a plus of two bars, whose reflex corners are not ends of edges. The
/// other consists of two adjacent squares.
#[test]
fn what_another_polygon_of_the_object_covers_is_no_boundary() {
    let plus = [[rectangle(-3.0, -1.0, 3.0, 1.0)], [rectangle(-1.0, -3.0, 1.0, 3.0)]];
    let squares = [[rectangle(0.0, 0.0, 2.0, 2.0)], [rectangle(2.0, 0.0, 4.0, 2.0)]];
    // The second rectangle starts inside of the first and shares a part of its upper edge.
    let flush = [[rectangle(0.0, 0.0, 4.0, 2.0)], [rectangle(1.0, 1.0, 3.0, 2.0)]];
    for (polygons, point, distance) in [
        (&plus, [0.0, 0.0], 2f64.sqrt()),
        (&plus, [0.5, 0.0], 1.25f64.sqrt()),
        (&plus, [1.5, 1.25], 0.25),
        (&squares, [2.25, 1.0], 1.0),
        (&squares, [2.0, 1.5], 0.5),
        (&flush, [2.0, 1.75], 0.25),
        (&flush, [2.0, 1.25], 0.75),
    ] {
        let object = PolygonObject::from_multi_polygon(polygons).unwrap();
        for far in [[0.0, 0.0], [10.0, -0.1], [1e6, 1e6]] {
            let set = PolygonSet::from_instances(
                std::slice::from_ref(&object),
                &[(0, Pose::from_translation(far).unwrap())],
            )
            .unwrap();
            let at = DVec2::from(point) + DVec2::from(far);
            let found = PointExplanation::new(at, &set, 0).unwrap();
            assert!((found.distance - distance).abs() < 1e-8, "{far:?} {point:?}: {}", found.distance);
            assert!((found.closest.distance(at) - distance).abs() < 1e-8, "{}", found.closest);
            if let Some(on) = found.on_boundary {
                let again = PointExplanation::new(on, &set, 0).unwrap();
                assert_eq!(again.relation, PointRelation::Boundary, "{point:?}");
            }
        }
    }
}

/// Tests a point whose distance is the same for three edges: 2 √2 from (-2, -2).
#[test]
fn of_axes_that_are_alike_the_first_decides_and_all_say_the_same() {
    let set = set(&[[-5.0, -3.0], [2.0, -10.0], [0.0, 4.0], [-4.0, 4.0]]);
    let found = PointExplanation::new([-2.0, -2.0], &set, 0).unwrap();
    check(&found, DVec2::new(-2.0, -2.0));
    let overlaps: Vec<f64> = found.axes.iter().map(|axis| axis.overlap).collect();
    let alike = 8f64.sqrt();
    assert_eq!((overlaps, found.deciding), (vec![alike, alike, 24.0 / 4.0, alike], 0));
}

#[test]
fn concave_objects_are_led_to_a_touch_too() {
    let star = [
        [0.0, 1.75],
        [-0.5, 0.5],
        [-1.75, 0.5],
        [-0.75, -0.375],
        [-1.125, -1.5],
        [0.0, -0.75],
        [1.125, -1.5],
        [0.75, -0.375],
        [1.75, 0.5],
        [0.5, 0.5],
    ];
    for (x, y) in [(0.0, 0.0), (0.5, 0.25), (-1.0, 1.5), (2.0, -2.5), (4.0, 0.125)] {
        let other: Vec<[f64; 2]> = star.iter().map(|v| [v[0] + x, y - v[1]]).collect();
        let way = object(&star).translation_to_touch(&object(&other)).unwrap().unwrap();
        assert_eq!(relation_after(&star, way, &other), Relation::Touching, "{x}, {y}");
    }
}

proptest! {
    #[test]
    fn points_of_a_lattice(ring in lattice_polygon(10), x in -10i32..10, y in -10i32..10) {
        let point = DVec2::new(f64::from(x), f64::from(y));
        let found = PointExplanation::new(point, &set(&ring), 0).unwrap();
        check(&found, point);
        let on = found.on_boundary.unwrap();
        let again = PointExplanation::new(on, &set(&ring), 0).unwrap();
        prop_assert_eq!((again.relation, again.distance), (PointRelation::Boundary, 0.0));
        prop_assert!(on.distance(found.closest) < 1e-5);
        // The distance along an axis is never greater than the true distance.
        if found.relation == PointRelation::Outside {
            prop_assert!(-found.deciding_axis().overlap <= found.distance * (1.0 + 1e-14));
        }
    }

    #[test]
    fn the_nearest_edge_of_a_convex_polygon(ring in round_polygon(), x in -2.0..2.0f64, y in -2.0..2.0f64) {
        let point = DVec2::new(x, y);
        let found = PointExplanation::new(point, &set(&ring), 0).unwrap();
        let to_edge = |k: usize| {
            let (p, q) = (DVec2::from(ring[k]), DVec2::from(ring[(k + 1) % ring.len()]));
            let share = (point - p).dot(q - p) / (q - p).length_squared();
            point.distance(p.lerp(q, share.clamp(0.0, 1.0)))
        };
        let nearest = (0..ring.len()).map(to_edge).fold(f64::INFINITY, f64::min);
        prop_assert!((found.distance - nearest).abs() < 1e-14, "{}, not {nearest}", found.distance);
    }

    #[test]
    fn polygons_of_a_lattice_touch_after_their_way(a in lattice_polygon(10), b in lattice_polygon(10)) {
        let way = object(&a).translation_to_touch(&object(&b)).unwrap().unwrap();
        prop_assert_eq!(relation_after(&a, way, &b), Relation::Touching);
        let explanation = ObjectExplanation::new(&set(&a), 0, &set(&b), 0).unwrap().explanation;
        if explanation.relation == Relation::Overlapping {
            let depth = explanation.deciding_axis().overlap;
            prop_assert!((way.length() - depth).abs() < 1e-5, "{} beside {depth}", way.length());
        }
    }
}
