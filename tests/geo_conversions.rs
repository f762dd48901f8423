//! Conversions from and to the types of the crate `geo-types`, compared with the constructors.

use proptest::prelude::*;
use sat2d::geo_types::{
    Coord, Geometry, GeometryCollection, Line, LineString, MultiLineString, MultiPoint, MultiPolygon, Point,
    Polygon, Rect, Triangle,
};
use sat2d::{Aabb, ConvexPolygon, Error, PolygonObject};

use crate::support::in_soak;
use crate::support::strategies::{Ring, polygon};

const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
/// A counter-clockwise ring inside of [`SQUARE`].
const HOLE: [[f64; 2]; 3] = [[1.0, 1.0], [2.0, 1.0], [2.0, 2.0]];
const L_SHAPE: [[f64; 2]; 6] = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];

fn line_string(ring: &[[f64; 2]]) -> LineString<f64> {
    LineString(ring.iter().map(|&[x, y]| Coord { x, y }).collect())
}

fn geo_polygon<R: AsRef<[[f64; 2]]>>(rings: &[R]) -> Polygon<f64> {
    let mut rings = rings.iter().map(|ring| line_string(ring.as_ref()));
    let shell = rings.next().unwrap_or_else(|| line_string(&[]));
    Polygon::new(shell, rings.collect())
}

/// Returns the rings of a polygon, which are closed in `geo-types`.
fn rings_of(polygon: &Polygon<f64>) -> Vec<Ring> {
    let rings = std::iter::once(polygon.exterior()).chain(polygon.interiors());
    rings.map(|ring| ring.0.iter().map(|c| [c.x, c.y]).collect()).collect()
}

fn square_at(x: f64) -> Vec<[f64; 2]> {
    SQUARE.map(|[u, v]| [u + x, v]).into()
}

#[test]
fn a_polygon_is_read_with_its_holes_and_its_closed_rings() {
    let polygon = geo_polygon(&[&SQUARE[..], &HOLE[..]]);
    assert_eq!(polygon.exterior().0.len(), 5, "geo-types closes rings");
    let object = PolygonObject::try_from(&polygon).unwrap();
    assert_eq!(object, PolygonObject::from_polygon(&[&SQUARE[..], &HOLE[..]]).unwrap());
    assert_eq!((object.cleanup().repeated_vertices, object.cleanup().reversed_rings), (0, 1));
}

#[test]
fn a_multi_polygon_is_the_union_of_its_polygons() {
    let parts = [vec![square_at(0.0)], vec![square_at(5.0), HOLE.map(|[x, y]| [x + 5.0, y]).into()]];
    let polygons = MultiPolygon(parts.iter().map(|rings| geo_polygon(rings)).collect());
    let object = PolygonObject::try_from(&polygons).unwrap();
    assert_eq!(object, PolygonObject::from_multi_polygon(&parts).unwrap());
}

#[test]
fn polygons_without_vertices_have_no_region() {
    let empty = Polygon::empty();
    let empty_rings = Polygon::new(line_string(&[]), vec![line_string(&[]); 2]);
    for polygon in [&empty, &empty_rings] {
        assert_eq!(PolygonObject::try_from(polygon).unwrap(), PolygonObject::empty());
    }
    for polygons in [vec![], vec![empty.clone()], vec![empty.clone(), empty_rings.clone()]] {
        assert_eq!(PolygonObject::try_from(&MultiPolygon(polygons)).unwrap(), PolygonObject::empty());
    }
    // Empty polygons are left out if the object also has other polygons.
    let polygons = MultiPolygon(vec![empty.clone(), geo_polygon(&[L_SHAPE]), empty_rings]);
    let object = PolygonObject::try_from(&polygons).unwrap();
    assert_eq!(object, PolygonObject::from_polygon(&[L_SHAPE]).unwrap());
    // A hole without a shell is an error.
    let lone_hole = Polygon::new(line_string(&[]), vec![line_string(&HOLE)]);
    let error = PolygonObject::try_from(&lone_hole).unwrap_err();
    assert!(matches!(error, Error::TooFewVertices { ring: 0, count: 0, .. }), "{error}");
    let error = ConvexPolygon::try_from(&empty).unwrap_err();
    assert!(matches!(error, Error::TooFewVertices { count: 0, .. }), "{error}");
}

#[test]
fn an_error_counts_all_polygons_of_a_multi_polygon() {
    let bow_tie = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
    let polygons = vec![Polygon::empty(), geo_polygon(&[SQUARE]), Polygon::empty(), geo_polygon(&[bow_tie])];
    let error = PolygonObject::try_from(&MultiPolygon(polygons)).unwrap_err();
    assert!(matches!(error, Error::CrossingSegments { polygon: 3, .. }), "{error}");
}

#[test]
fn coordinates_are_checked() {
    for (x, is_expected) in [
        (f64::NAN, (|e| matches!(e, Error::NotFinite { vertex: 2, .. })) as fn(&Error) -> bool),
        (f64::INFINITY, |e| matches!(e, Error::NotFinite { vertex: 2, .. })),
        (1e300, |e| matches!(e, Error::OutOfRange { vertex: 2, .. })),
        (1e-300, |e| matches!(e, Error::OutOfRange { vertex: 2, .. })),
    ] {
        let polygon = geo_polygon(&[[[0.0, 0.0], [1.0, 0.0], [x, 1.0]]]);
        let errors = [
            PolygonObject::try_from(&polygon).unwrap_err(),
            PolygonObject::try_from(&Geometry::from(polygon.clone())).unwrap_err(),
            ConvexPolygon::try_from(&polygon).unwrap_err(),
        ];
        assert!(errors.iter().all(is_expected), "{x}: {errors:?}");
    }
}

#[test]
fn rectangles_and_triangles_are_the_polygons_that_they_name() {
    let rect = Rect::new(Coord { x: 3.0, y: -1.0 }, Coord { x: 0.1, y: 2.0 });
    let corners = [(0.0, 0.0), (1.0, 3.0), (2.0, 0.0)].map(|(x, y)| Coord { x, y });
    let triangle = Triangle::from(corners);
    assert_eq!(PolygonObject::try_from(&rect).unwrap(), PolygonObject::try_from(&rect.to_polygon()).unwrap());
    assert_eq!(
        PolygonObject::try_from(&triangle).unwrap(),
        PolygonObject::try_from(&triangle.to_polygon()).unwrap()
    );
    let flat = Rect::new(Coord { x: 0.0, y: 1.0 }, Coord { x: 4.0, y: 1.0 });
    let error = PolygonObject::try_from(&flat).unwrap_err();
    assert!(matches!(error, Error::TooFewVertices { .. } | Error::ZeroArea { .. }), "{error}");
    let flat = Triangle::from([(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)].map(|(x, y)| Coord { x, y }));
    let error = PolygonObject::try_from(&flat).unwrap_err();
    assert!(matches!(error, Error::ZeroArea { .. }), "{error}");
}

#[test]
fn a_geometry_is_converted_by_its_kind() {
    let polygon = geo_polygon(&[L_SHAPE]);
    let object = PolygonObject::try_from(&polygon).unwrap();
    let collection = |items: Vec<Geometry<f64>>| Geometry::GeometryCollection(GeometryCollection(items));
    for geometry in [
        Geometry::from(polygon.clone()),
        Geometry::from(MultiPolygon(vec![polygon.clone()])),
        collection(vec![polygon.clone().into()]),
        collection(vec![collection(vec![MultiPolygon(vec![polygon.clone()]).into()])]),
    ] {
        assert_eq!(PolygonObject::try_from(&geometry).unwrap(), object, "{geometry:?}");
    }
    let rect = Rect::new(Coord { x: 0.0, y: 0.0 }, Coord { x: 1.0, y: 2.0 });
    let triangle = Triangle::from([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)].map(|(x, y)| Coord { x, y }));
    let of_rect = PolygonObject::try_from(&Geometry::from(rect)).unwrap();
    assert_eq!(of_rect, PolygonObject::try_from(&rect).unwrap());
    let of_triangle = PolygonObject::try_from(&Geometry::from(triangle)).unwrap();
    assert_eq!(of_triangle, PolygonObject::try_from(&triangle).unwrap());

    let [from, to] = [Coord { x: 0.0, y: 0.0 }, Coord { x: 1.0, y: 1.0 }];
    for (kind, geometry) in [
        ("Point", Geometry::from(Point(from))),
        ("Line", Line::new(from, to).into()),
        ("LineString", LineString(vec![from, to]).into()),
        ("MultiPoint", MultiPoint(vec![Point(from)]).into()),
        ("MultiLineString", MultiLineString(vec![LineString(vec![from, to])]).into()),
        ("GeometryCollection", collection(vec![])),
        ("GeometryCollection", collection(vec![polygon.clone().into(), polygon.clone().into()])),
        ("GeometryCollection", collection(vec![polygon.clone().into(), Point(from).into()])),
        ("Point", collection(vec![Point(from).into()])),
    ] {
        let error = PolygonObject::try_from(&geometry).unwrap_err();
        assert!(matches!(error, Error::NotPolygonal { kind: named } if named == kind), "{error}");
        let message = error.to_string();
        assert!(message.starts_with(&format!("a {kind} is not polygonal; give a Polygon")), "{message}");
    }
}

#[test]
fn a_convex_polygon_has_no_holes_and_comes_back_as_it_was() {
    let square = ConvexPolygon::new(&SQUARE).unwrap();
    let polygon = Polygon::from(&square);
    assert_eq!(polygon, geo_polygon(&[SQUARE]));
    assert_eq!(ConvexPolygon::try_from(&polygon).unwrap().vertices(), square.vertices());

    let with_hole = geo_polygon(&[&SQUARE[..], &HOLE[..]]);
    let error = ConvexPolygon::try_from(&with_hole).unwrap_err();
    assert!(matches!(error, Error::NotConvex { vertex: 5, x: 1.0, y: 1.0, .. }), "{error}");
    let error = ConvexPolygon::try_from(&geo_polygon(&[L_SHAPE])).unwrap_err();
    assert!(matches!(error, Error::NotConvex { vertex: 3, .. }), "{error}");
}

#[test]
fn a_box_is_a_rectangle_unless_it_is_empty() {
    let boxed = |min: [f64; 2], max: [f64; 2]| Aabb { min: min.into(), max: max.into() };
    for aabb in [boxed([0.0, -1.0], [2.0, 3.0]), boxed([1.0, 1.0], [1.0, 1.0]), boxed([0.0, 0.0], [0.0, 5.0])]
    {
        let rect = Rect::try_from(aabb).unwrap();
        assert_eq!((rect.min().x, rect.min().y, rect.max().x, rect.max().y), {
            (aabb.min.x, aabb.min.y, aabb.max.x, aabb.max.y)
        });
        assert_eq!(Aabb::from(rect), aabb);
    }
    for aabb in [
        Aabb::EMPTY,
        boxed([0.0, 0.0], [1.0, -1.0]),
        boxed([1.0, 0.0], [0.0, 1.0]),
        boxed([f64::NAN, 0.0], [1.0, 1.0]),
    ] {
        let error = Rect::try_from(aabb).unwrap_err();
        assert!(matches!(error, Error::EmptyBox { .. }), "{error}");
    }
    let message = Rect::try_from(Aabb::EMPTY).unwrap_err().to_string();
    assert!(message.starts_with("the box from (inf, inf) to (-inf, -inf) contains no point"), "{message}");
}

/// Generates rings that are often invalid: a few points on a small grid.
fn any_rings() -> impl Strategy<Value = Vec<Ring>> {
    let point = [0..5i32, 0..5i32].prop_map(|point| point.map(f64::from));
    prop::collection::vec(prop::collection::vec(point, 0..7), 0..4)
}

/// Generates rings around the origin with vertices at increasing angles and various distances. Most are concave.
fn star() -> impl Strategy<Value = Ring> {
    prop::collection::vec(1.0..9.0f64, 3..24).prop_map(|distances| {
        let count = distances.len() as f64;
        let place = |(k, distance): (usize, &f64)| {
            let (sin, cos) = (k as f64 / count * std::f64::consts::TAU).sin_cos();
            [distance * cos, distance * sin]
        };
        distances.iter().enumerate().map(place).collect()
    })
}

fn valid_rings() -> impl Strategy<Value = Vec<Ring>> {
    prop_oneof![
        polygon().prop_map(|ring| vec![ring]),
        star().prop_map(|ring| vec![ring]),
        // The shell is at least 2 away from the origin, and the hole at most 1/8.
        (star(), polygon()).prop_map(|(shell, hole)| {
            let small = hole.iter().map(|p| p.map(|x| x / 64.0)).collect();
            vec![shell.iter().map(|p| p.map(|x| x * 4.0)).collect(), small]
        }),
    ]
}

/// Asserts that both results are equal objects, or errors with the same text.
fn assert_same(found: sat2d::Result<PolygonObject>, expected: sat2d::Result<PolygonObject>) {
    let text = |result: sat2d::Result<PolygonObject>| result.map_err(|error| format!("{error:?}"));
    assert_eq!(text(found), text(expected));
}

/// Returns the polygon object, or the error, that the GeoJSON reader makes of the rings.
fn expected(rings: &[Ring]) -> sat2d::Result<PolygonObject> {
    if rings.iter().all(Vec::is_empty) {
        Ok(PolygonObject::empty())
    } else {
        PolygonObject::from_polygon(rings)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(in_soak(20_000, 500)))]

    #[test]
    fn any_rings_give_what_the_constructor_gives(rings in any_rings()) {
        let polygon = geo_polygon(&rings);
        assert_same(PolygonObject::try_from(&polygon), expected(&rings_of(&polygon)));
        assert_same(PolygonObject::try_from(&Geometry::from(polygon.clone())), expected(&rings_of(&polygon)));
    }

    #[test]
    fn valid_rings_give_the_object_of_the_open_rings(rings in valid_rings()) {
        let object = PolygonObject::try_from(&geo_polygon(&rings)).unwrap();
        prop_assert_eq!(object, PolygonObject::from_polygon(&rings).unwrap());
    }

    #[test]
    fn several_polygons_give_what_the_constructor_gives(parts in prop::collection::vec(valid_rings(), 1..4)) {
        let polygons = MultiPolygon(parts.iter().map(|rings| geo_polygon(rings)).collect());
        let object = PolygonObject::try_from(&polygons).unwrap();
        prop_assert_eq!(object, PolygonObject::from_multi_polygon(&parts).unwrap());
    }

    #[test]
    fn convex_polygons_keep_every_bit(ring in polygon()) {
        let convex = ConvexPolygon::new(&ring).unwrap();
        let back = ConvexPolygon::try_from(&Polygon::from(&convex)).unwrap();
        let bits = |polygon: &ConvexPolygon| {
            polygon.vertices().iter().map(|v| v.to_array().map(f64::to_bits)).collect::<Vec<_>>()
        };
        prop_assert_eq!(bits(&back), bits(&convex));
        let rect = Rect::try_from(convex.aabb()).unwrap();
        prop_assert_eq!(Aabb::from(rect), convex.aabb());
    }
}
