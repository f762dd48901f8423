//! Translations that separate objects: hand-worked cases, and comparisons with the exact relations and with a search
//! of all candidates.

use crate::support::cases::rectangle;
use crate::support::oracle;
use crate::support::strategies::{Ring, exact_turn, lattice_polygon, pair};
use proptest::prelude::*;
use sat2d::glam::DVec2;
use sat2d::{
    ConvexPolygon, Error, Penetration, PolygonObject, PolygonSet, Pose, Relation, SeparatingTranslation,
};

fn object(ring: &[[f64; 2]]) -> PolygonObject {
    PolygonObject::from_polygon(&[ring]).unwrap()
}

fn set(object: &PolygonObject) -> PolygonSet {
    PolygonSet::from_objects(std::slice::from_ref(object)).unwrap()
}

fn separated(a: &PolygonObject, b: &PolygonObject) -> SeparatingTranslation {
    SeparatingTranslation::of_objects(&set(a), 0, &set(b), 0).unwrap().unwrap()
}

fn rings(object: &PolygonObject) -> Vec<Ring> {
    let plain = |piece: &ConvexPolygon| piece.vertices().iter().map(DVec2::to_array).collect();
    object.pieces().iter().map(plain).collect()
}

/// Returns whether A overlaps B after A was moved by the vector `way`. The test uses rational arithmetic.
fn overlap(a: &PolygonObject, way: DVec2, b: &PolygonObject) -> bool {
    let (a, b) = (rings(a), rings(b));
    let relation = |a, b| oracle::posed_relation(a, [1.0, 0.0, way.x, way.y], b, [1.0, 0.0, 0.0, 0.0]);
    a.iter().any(|a| b.iter().any(|b| relation(a, b) == Relation::Overlapping))
}

/// Returns the Minkowski difference of B and A: the convex hull of all differences between a vertex of B and a vertex of A,
/// counter-clockwise.
fn differences(a: &Ring, b: &Ring) -> Vec<DVec2> {
    let mut points: Vec<DVec2> =
        b.iter().flat_map(|&q| a.iter().map(move |&p| DVec2::from(q) - DVec2::from(p))).collect();
    points.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    let mut hull: Vec<DVec2> = Vec::new();
    for _ in 0..2 {
        let start = hull.len();
        for &point in &points {
            while let [.., p, q] = hull[start..] {
                if (q - p).perp_dot(point - p) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(point);
        }
        hull.pop();
        points.reverse();
    }
    hull
}

/// The distance by which the edges of Minkowski sums are moved outward in the search for a shorter translation, as a
/// fraction of the objects' size.
const CLEARANCE: f64 = 1e-10;

/// Returns a translation of A that is clearly shorter than `length` and separates A from B, or `None` if the search
/// finds none. The translation is the first candidate that is in no Minkowski sum. The candidates are points in 90
/// directions, the points of edges that are nearest to the origin, and the crossings of edges.
///
/// Two sums may be so close together that no f64 lies between them. The search therefore moves their edges outward by
/// [`CLEARANCE`], which closes such gaps. A second search without this clearance tries points with few bits. Rational
/// arithmetic decides these points.
fn shorter(a: &PolygonObject, b: &PolygonObject, length: f64) -> Option<DVec2> {
    let (rings_a, rings_b) = (rings(a), rings(b));
    let sums: Vec<Vec<DVec2>> =
        rings_a.iter().flat_map(|a| rings_b.iter().map(move |b| differences(a, b))).collect();
    let size = sums.iter().flatten().fold(0.0f64, |size, v| size.max(v.length()));
    let is_near = |p: &DVec2| p.length() < length - 10.0 * CLEARANCE * size;
    let from_edge = |sum: &[DVec2], i: usize, point: DVec2| {
        let (p, q) = (sum[i], sum[(i + 1) % sum.len()]);
        (q - p).perp_dot(point - p) / (q - p).length()
    };
    let is_inside = |point: DVec2, sum: &[DVec2]| {
        (0..sum.len()).all(|i| from_edge(sum, i, point) > (1e-12 - CLEARANCE) * size)
    };
    let is_free = |point: DVec2| !sums.iter().any(|sum| is_inside(point, sum));
    let directions = (0..90).map(|k| DVec2::from_angle(f64::from(k) * 4.0f64.to_radians()));
    let mut rays = directions.flat_map(|way| (1..40).map(move |k| way * (length * f64::from(k) / 40.0)));
    let few_bits = |p: DVec2| (p * 1024.0).round() / 1024.0;
    let is_free_exactly = |point: DVec2| {
        let near = few_bits(point);
        near.distance(point) < 1e-12 * size && is_near(&near) && !overlap(a, near, b)
    };
    let found = rays.find(|&point| is_near(&point) && is_free(point));
    found
        .or_else(|| candidates(&sums, CLEARANCE * size, is_near).into_iter().find(|&p| is_free(p)))
        .or_else(|| candidates(&sums, 0.0, is_near).into_iter().find(|&p| is_free_exactly(p)))
}

/// Returns the candidates for a shortest translation: the points of the edges of all Minkowski sums that are nearest to the
/// origin, and the crossings of the edges. Each edge is first moved outward by `outward`.
fn candidates(sums: &[Vec<DVec2>], outward: f64, is_near: impl Fn(&DVec2) -> bool) -> Vec<DVec2> {
    let edges = sums.iter().flat_map(|sum| (0..sum.len()).map(|i| [sum[i], sum[(i + 1) % sum.len()]]));
    let moved = |[p, q]: [DVec2; 2]| {
        let away = -(q - p).perp() / (q - p).length() * outward;
        [p + away, q + away]
    };
    let foot = |[p, q]: [DVec2; 2]| {
        let along = q - p;
        p + along * (-p.dot(along) / along.length_squared()).clamp(0.0, 1.0)
    };
    let edges: Vec<[DVec2; 2]> = edges.map(moved).filter(|&edge| is_near(&foot(edge))).collect();
    let crossing = |[p, q]: [DVec2; 2], [r, s]: [DVec2; 2]| {
        let (along, other) = (q - p, s - r);
        let area = along.perp_dot(other);
        let share = (r - p).perp_dot(other) / area;
        let is_crossing = area.abs() > 1e-12 * along.length() * other.length();
        (is_crossing && (-1e-9..=1.0 + 1e-9).contains(&share)).then(|| p + along * share)
    };
    let mut points: Vec<DVec2> = edges.iter().map(|&edge| foot(edge)).collect();
    for (i, &edge) in edges.iter().enumerate() {
        points.extend(edges[..i].iter().filter_map(|&other| crossing(edge, other)));
    }
    points.retain(is_near);
    points
}

/// Asserts the properties that every least translation of A has, and returns the translation.
fn check(a: &PolygonObject, b: &PolygonObject) -> SeparatingTranslation {
    let found = separated(a, b);
    assert!(found.is_least);
    assert_eq!(found.of_a == DVec2::ZERO, !overlap(a, DVec2::ZERO, b));
    assert!(!overlap(a, found.of_a, b), "{found:?}");
    if let Some(way) = shorter(a, b, found.length()) {
        panic!("{} by {way}, found {} by {}", way.length(), found.length(), found.of_a);
    }
    found
}

/// Generates polygons around the origin with a vertex in each of several directions. Most polygons are concave.
fn star() -> impl Strategy<Value = PolygonObject> {
    (prop::collection::vec(0.2..1.0f64, 5..14), 0.0..1.0f64).prop_map(|(radii, turn)| {
        let step = std::f64::consts::TAU / radii.len() as f64;
        let vertex =
            |(k, radius): (usize, &f64)| (DVec2::from_angle(step * (k as f64 + turn)) * *radius).to_array();
        object(&radii.iter().enumerate().map(vertex).collect::<Vec<_>>())
    })
}

/// Generates combs of integer sizes: teeth on a back, with slots into which other shapes fit exactly.
fn comb() -> impl Strategy<Value = PolygonObject> {
    (prop::collection::vec((1..=2i32, 1..=2i32, 1..=4i32), 1..4), prop::bool::ANY).prop_map(
        |(teeth, turned)| {
            let mut ring = vec![[0, 0]];
            let mut x = 0;
            for &(tooth, slot, height) in &teeth {
                ring.extend([
                    [x, 1 + height],
                    [x + tooth, 1 + height],
                    [x + tooth, 1],
                    [x + tooth + slot, 1],
                ]);
                x += tooth + slot;
            }
            ring.push([x, 0]);
            let place = |[x, y]: [i32; 2]| if turned { [-y, x] } else { [x, y] };
            object(&ring.into_iter().map(place).map(|v| v.map(f64::from)).collect::<Vec<_>>())
        },
    )
}

/// Generates rectangles with a rectangular hole, of integer sizes.
fn frame() -> impl Strategy<Value = PolygonObject> {
    (1..=2i32, 1..=3i32, 1..=3i32, 1..=2i32).prop_map(|(side, width, height, far)| {
        let [side, width, height, far] = [side, width, height, far].map(f64::from);
        let shell = rectangle(0.0, 0.0, side + width + far, side + height + far);
        let hole = rectangle(side, side, side + width, side + height);
        PolygonObject::from_polygon(&[shell, hole]).unwrap()
    })
}

/// Generates objects of several polygons on a lattice that touch, share edges or overlap.
fn islands() -> impl Strategy<Value = PolygonObject> {
    let island = (lattice_polygon(2), [-3..=3i32, -3..=3i32]);
    prop::collection::vec(island, 1..4).prop_map(|islands| {
        let place = |(ring, [x, y]): &(Ring, [i32; 2])| -> Ring {
            ring.iter().map(|v| [v[0] + f64::from(*x), v[1] + f64::from(*y)]).collect()
        };
        let polygons: Vec<[Ring; 1]> = islands.iter().map(|island| [place(island)]).collect();
        PolygonObject::from_multi_polygon(&polygons).unwrap()
    })
}

fn moved(object: &PolygonObject, by: [f64; 2]) -> PolygonObject {
    let polygons: Vec<[Ring; 1]> = rings(object)
        .into_iter()
        .map(|ring| [ring.into_iter().map(|v| [v[0] + by[0], v[1] + by[1]]).collect()])
        .collect();
    PolygonObject::from_multi_polygon(&polygons).unwrap()
}

fn lattice_object() -> impl Strategy<Value = PolygonObject> {
    let by = [-4..=4i32, -4..=4i32];
    (prop_oneof![comb(), frame(), islands()], by).prop_map(|(object, by)| moved(&object, by.map(f64::from)))
}

#[test]
fn a_square_leaves_a_u_by_its_slot_or_by_its_side() {
    let u = object(&[
        [0.0, 0.0],
        [6.0, 0.0],
        [6.0, 4.0],
        [5.0, 4.0],
        [5.0, 1.0],
        [1.0, 1.0],
        [1.0, 4.0],
        [0.0, 4.0],
    ]);
    for (square, way) in [
        // The translation leads into the slot, which is wide enough or exactly as wide as the polygon.
        (rectangle(0.5, 2.0, 3.5, 5.0), [0.5, 0.0]),
        (rectangle(0.75, 2.0, 4.75, 6.0), [0.25, 0.0]),
        // The square is wider than the slot. It leaves upward or to the side.
        (rectangle(0.5, 3.0, 5.25, 5.0), [0.0, 1.0]),
        (rectangle(4.5, -1.0, 11.0, 6.0), [1.5, 0.0]),
        // The translation leads into the corner of the slot.
        (rectangle(0.5, 0.5, 2.5, 2.5), [0.5, 0.5]),
    ] {
        let found = check(&object(&square), &u);
        assert_eq!(found.of_a.to_array(), way, "{square:?}");
    }
}

#[test]
fn a_square_rises_between_two_walls_to_where_they_are_wide_enough() {
    // The left wall leans by `slope`, and the right wall is upright. At the height `height`, the gap between them is as
    // wide as the square.
    for slope in [0.5, 1e-2, 1e-4, 1e-5, 1e-7] {
        for height in [0.3, 0.7, 1.1, 1.3, 1.9, 2.3, 2.7] {
            let right = 1.0 - slope * height;
            let left = vec![[-10.0, -10.0], [10.0 * slope, -10.0], [-10.0 * slope, 10.0], [-10.0, 10.0]];
            let walls = [[left], [rectangle(right, -10.0, 10.0, 10.0)]];
            let walls = PolygonObject::from_multi_polygon(&walls).unwrap();
            let start = [right - 1.0, -0.25];
            let square = object(&rectangle(start[0], start[1], start[0] + 1.0, start[1] + 1.0));
            let found = separated(&square, &walls);
            assert!(found.is_least && !overlap(&square, found.of_a, &walls));
            let expected = (1.0 - right) / slope - start[1];
            let slack = f64::max(2f64.powi(-42), 2f64.powi(-43) / slope) * 20.0;
            assert!(
                (found.length() - expected).abs() <= slack,
                "{slope} {height}: {found:?}, not {expected}"
            );
        }
    }
}

#[test]
fn what_does_not_overlap_stays() {
    let l = object(&[[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]]);
    for square in [rectangle(1.0, 1.0, 2.0, 2.0), rectangle(1.5, 1.5, 2.0, 2.0)] {
        assert_eq!(check(&object(&square), &l).of_a, DVec2::ZERO);
    }
}

#[test]
fn unknown_and_empty_objects_are_errors() {
    let set =
        PolygonSet::from_objects(&[object(&rectangle(0.0, 0.0, 1.0, 1.0)), PolygonObject::empty()]).unwrap();
    let find = |i, j| SeparatingTranslation::of_objects(&set, i, &set, j);
    assert!(matches!(find(0, 2), Err(Error::UnknownObject { index: 2, count: 2 })));
    assert!(matches!(find(1, 0), Err(Error::NoRegion { index: 1 })));
}

#[test]
fn of_too_many_pairs_the_way_out_of_the_hulls_is_an_upper_bound() {
    // The objects are two interlocking saws of 80 teeth. Every tooth of one saw is near every tooth of the other.
    let saw = |y: f64, up: f64| {
        let mut ring = vec![[80.0, y], [0.0, y]];
        for tooth in 0..80 {
            let x = f64::from(tooth);
            ring.extend([[x + 0.25, y + up], [x + 0.5, y + up * 0.125]]);
        }
        object(&ring)
    };
    let (a, b) = (saw(0.0, 1000.0), saw(500.0, -1000.0));
    assert!(a.pieces().len() * b.pieces().len() > 4096);
    let found = separated(&a, &b);
    assert!(!found.is_least && !overlap(&a, found.of_a, &b));
}

#[test]
fn at_both_ends_of_the_accepted_range_nothing_fails() {
    let l = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
    for power in [-140, -100, 100, 198] {
        let scale = 2f64.powi(power);
        let scaled =
            |ring: &[[f64; 2]]| object(&ring.iter().map(|v| v.map(|x| x * scale)).collect::<Vec<_>>());
        let (a, b) = (scaled(&rectangle(0.75, 0.5, 2.5, 2.5)), scaled(&l));
        let found = separated(&a, &b);
        assert!(found.is_least && !overlap(&a, found.of_a, &b));
        assert_eq!(found.of_a / scale, DVec2::new(0.25, 0.5));
    }
}

#[test]
fn an_object_goes_into_a_hole_that_it_fits_exactly() {
    let frame = |hole: [[f64; 2]; 4]| {
        let outside = vec![[1.0, -2.0], [7.0, -2.0], [7.0, 4.0], [1.0, 4.0]];
        PolygonObject::from_polygon(&[outside, hole.to_vec()]).unwrap()
    };
    let hole = frame([[2.0, -1.0], [2.0, 2.0], [5.0, 2.0], [5.0, -1.0]]);
    let kite = object(&[[1.0, 2.0], [2.0, 0.0], [4.0, 2.0], [2.0, 3.0]]);
    let square = object(&[[1.0, 0.0], [4.0, 0.0], [4.0, 3.0], [1.0, 3.0]]);
    for a in [kite, square] {
        let found = check(&a, &hole);
        assert_eq!(found.of_a, DVec2::new(1.0, -1.0));
    }
}

proptest! {
    #[test]
    fn random_objects_are_separated_by_the_least_translation(
        a in star(),
        b in star(),
        shift in [-1.0..1.0f64, -1.0..1.0f64],
    ) {
        check(&a, &moved(&b, shift));
    }

    #[test]
    fn objects_on_a_lattice_are_separated_by_the_least_translation(a in lattice_object(), b in lattice_object()) {
        check(&a, &b);
    }

    #[test]
    fn a_star_leaves_shapes_on_a_lattice(a in star(), b in lattice_object()) {
        check(&a, &b);
    }

    #[test]
    fn of_convex_polygons_it_is_the_minimum_translation_vector((a, b) in pair()) {
        let found = separated(&object(&a), &object(&b));
        prop_assert!(!overlap(&object(&a), found.of_a, &object(&b)));
        let sets = [&a, &b].map(|ring| set(&object(ring)));
        let depth = Penetration::of_pieces(&sets[0], 0, &sets[1], 0).unwrap().depth();
        let coordinates = || a.iter().chain(&b).flatten().map(|x| x.abs());
        let extent = a.iter().chain(&b).flat_map(|p| b.iter().map(move |q| (p[0] - q[0]).hypot(p[1] - q[1])));
        let size = extent.fold(0.0, f64::max);
        prop_assert!((found.length() - depth).abs() <= 2f64.powi(-39) * size, "{found:?} beside {depth}");
        prop_assert!(found.is_least && coordinates().all(f64::is_finite));
    }

    #[test]
    fn posed_objects_are_separated_in_the_world(
        a in lattice_object(),
        b in lattice_object(),
        turns in [exact_turn(), exact_turn()],
    ) {
        let turns = turns.map(|[cos, sin, x, y]| [cos, sin, x / 300.0, y / 300.0]);
        let pose = |[cos, sin, x, y]: [f64; 4]| Pose::from_cos_sin(cos, sin, [x, y]).unwrap();
        let set = PolygonSet::from_instances(
            &[a.clone(), b.clone()],
            &[(0, pose(turns[0])), (1, pose(turns[1]))],
        )
        .unwrap();
        let found = SeparatingTranslation::of_objects(&set, 0, &set, 1).unwrap().unwrap();
        prop_assert!(found.is_least);
        let relation = |a: &Ring, b: &Ring| {
            let move_by = |v: [oracle::Dyadic; 2]| {
                let [x, y] = v;
                [x.plus(&oracle::Dyadic::new(found.of_a.x)), y.plus(&oracle::Dyadic::new(found.of_a.y))]
            };
            let a: Vec<_> = oracle::posed_ring(a, turns[0]).into_iter().map(move_by).collect();
            oracle::relation_of_exact(&a, &oracle::posed_ring(b, turns[1]))
        };
        let overlaps = |a: &Ring| rings(&b).iter().any(|b| relation(a, b) == Relation::Overlapping);
        prop_assert!(!rings(&a).iter().any(overlaps), "{found:?}");
    }
}
