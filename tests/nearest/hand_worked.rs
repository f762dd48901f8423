//! Nearest objects with distances that are known by hand.

use super::{CPU, square};
use sat2d::glam::DVec2;
use sat2d::{Nearest, PolygonObject, PolygonSet, RoundedSet, RoundedShape, Shapes};

fn rows<A: Shapes, B: Shapes>(a: &A, b: &B, k: usize) -> Vec<(u32, u32, f64)> {
    let found = CPU.join(a, b).query(Nearest { k, ..Nearest::default() }).unwrap();
    found.iter().map(|row| (row.a, row.b, row.measurement.distance)).collect()
}

fn objects(objects: &[PolygonObject]) -> PolygonSet {
    PolygonSet::from_objects(objects).unwrap()
}

#[test]
fn an_object_in_a_hole_does_not_meet_the_object_around_it() {
    let ring = PolygonObject::from_polygon(&[square(0.0, 0.0, 20.0), square(4.0, 4.0, 12.0)]).unwrap();
    let far = PolygonObject::from_polygon(&[square(8.0, 24.0, 1.0)]).unwrap();
    let island = PolygonObject::from_polygon(&[square(9.0, 9.0, 2.0)]).unwrap();
    let inside = PolygonObject::from_polygon(&[square(1.0, 1.0, 1.0)]).unwrap();
    let b = objects(&[far, ring, PolygonObject::empty()]);
    let a = objects(&[island, PolygonObject::empty(), inside]);
    assert_eq!(rows(&a, &b, 9), [(0, 1, 5.0), (0, 0, 13.0), (2, 1, 0.0), (2, 0, 22f64.hypot(6.0))]);
    assert_eq!(rows(&b, &a, 1), [(0, 0, 13.0), (1, 2, 0.0)]);
}

#[test]
fn the_nearest_part_of_a_multipolygon_counts_once() {
    let parts = [[square(10.0, 0.0, 1.0)], [square(3.0, 0.0, 1.0)], [square(-9.0, 0.0, 4.0)]];
    let several = PolygonObject::from_multi_polygon(&parts).unwrap();
    let single = PolygonObject::from_polygon(&[square(-4.0, 0.0, 1.0)]).unwrap();
    let a = objects(&[PolygonObject::from_polygon(&[square(0.0, 0.0, 1.0)]).unwrap()]);
    assert_eq!(rows(&a, &objects(&[several.clone(), single.clone()]), 5), [(0, 0, 2.0), (0, 1, 3.0)]);
    let found =
        CPU.self_join(&objects(&[several, single])).query(Nearest { k: 3, ..Nearest::default() }).unwrap();
    let found: Vec<_> = found.iter().map(|row| (row.a, row.b, row.measurement.distance)).collect();
    assert_eq!(found, [(0, 1, 1.0), (1, 0, 1.0)]);
}

#[test]
fn equal_distances_are_in_the_order_of_the_indices() {
    // Four neighbours of a square at distance 3, and four at 5.
    let places = [[4., 5.], [4., 0.], [-4., 0.], [5., -4.], [0., 4.], [-5., 4.], [0., -4.], [-4., -5.]];
    let b: Vec<_> = places.iter().map(|&[x, y]| square(x, y, 1.0)).collect();
    let b = PolygonSet::from_convex_rings(&b).unwrap();
    let a = PolygonSet::from_convex_rings(&[square(0.0, 0.0, 1.0)]).unwrap();
    let near: Vec<_> =
        [1, 2, 4, 6].map(|b| (0, b, 3.0)).into_iter().chain([0, 3, 5, 7].map(|b| (0, b, 5.0))).collect();
    for k in 1..9 {
        assert_eq!(rows(&a, &b, k), near[..k]);
    }
}

/// Returns the rows of the nearest objects and of all objects at the same distance.
fn ties<A: Shapes, B: Shapes>(a: &A, b: &B, k: usize) -> Vec<(u32, u32, f64)> {
    let found = CPU.join(a, b).query(Nearest { k, ties: true, ..Nearest::default() }).unwrap();
    found.iter().map(|row| (row.a, row.b, row.measurement.distance)).collect()
}

#[test]
fn ties_are_all_objects_at_the_distance_of_the_last() {
    let center = objects(&[PolygonObject::from_polygon(&[square(0.0, 0.0, 2.0)]).unwrap()]);
    let of_parts = |corners: &[[f64; 2]]| {
        let parts: Vec<_> = corners.iter().map(|&[x, y]| [square(x, y, 2.0)]).collect();
        PolygonObject::from_multi_polygon(&parts).unwrap()
    };
    // Objects 0 to 3 are at the distance 3, object 4 at 1, and object 5 at 8. Object 2 has two parts at the distance 3.
    let around = objects(&[
        of_parts(&[[5.0, 0.0]]),
        of_parts(&[[-5.0, 0.0], [-50.0, 0.0]]),
        of_parts(&[[0.0, 5.0], [0.0, -5.0]]),
        of_parts(&[[50.0, 0.0], [5.0, 2.0]]),
        of_parts(&[[-3.0, 2.0]]),
        of_parts(&[[10.0, 0.0]]),
    ]);
    let at_three = |count: u32| (0..count).map(|object| (0, object, 3.0));
    let expected = |count: u32| [(0, 4, 1.0)].into_iter().chain(at_three(count)).collect::<Vec<_>>();
    assert_eq!(rows(&center, &around, 2), expected(1));
    assert_eq!(ties(&center, &around, 1), expected(0));
    for k in 2..=5 {
        assert_eq!(ties(&center, &around, k), expected(4), "{k}");
    }
    assert_eq!(ties(&center, &around, 6).len(), 6);
    // 500 equal points, of which each is at the same distance from all others.
    let points = RoundedSet::of_points(&[DVec2::new(3.0, 4.0); 500]).unwrap();
    assert_eq!(ties(&points, &points, 1).len(), 500 * 500);
    let found = CPU.self_join(&points).query(Nearest { ties: true, ..Nearest::default() }).unwrap();
    assert_eq!(found.len(), 500 * 499);
}

#[test]
fn points_and_rounded_shapes_are_near_polygons_and_each_other() {
    let point = |x: f64, y: f64| RoundedShape::circle([x, y], 0.0).unwrap();
    let points = RoundedSet::new(&[point(2.0, 2.0), point(-3.0, -4.0), point(7.0, 4.0)]).unwrap();
    let squares = PolygonSet::from_convex_rings(&[square(20.0, 0.0, 4.0), square(0.0, 0.0, 4.0)]).unwrap();
    assert_eq!(rows(&points, &squares, 1), [(0, 1, 0.0), (1, 1, 5.0), (2, 1, 3.0)]);
    assert_eq!(rows(&squares, &points, 2), [(0, 2, 13.0), (0, 0, 18.0), (1, 0, 0.0), (1, 2, 3.0)]);
    let nearest = CPU.self_join(&points).query(Nearest { within: Some(6.0), ..Nearest::default() }).unwrap();
    let nearest: Vec<_> = nearest.iter().map(|row| (row.a, row.b, row.measurement.distance)).collect();
    assert_eq!(nearest, [(0, 2, 29f64.sqrt()), (2, 0, 29f64.sqrt())]);
    // The circle with the farther centre is nearer, because its radius is larger.
    let circles = [([9.0, 2.0], 5.0), ([4.0, 2.0], 0.5)].map(|(at, r)| RoundedShape::circle(at, r).unwrap());
    let circles = RoundedSet::new(&circles).unwrap();
    let found = rows(&points, &circles, 1);
    assert_eq!((found[0], found[2].1), ((0, 1, 1.5), 0));
}

#[test]
fn a_limit_holds_pairs_at_exactly_this_distance() {
    let a = PolygonSet::from_convex_rings(&[square(0.0, 0.0, 1.0)]).unwrap();
    let b = PolygonSet::from_convex_rings(&[square(4.0, 5.0, 1.0), square(1.0, 1.0, 1.0)]).unwrap();
    for (within, count) in [(5.0, 2), (5f64.next_down(), 1), (0.0, 1)] {
        assert_eq!(
            CPU.join(&a, &b).query(Nearest { k: 3, within: Some(within), ties: false }).unwrap().len(),
            count
        );
    }
}
