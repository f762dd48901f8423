use sat2d::{Error, PolygonObject};

use super::exact::Ring;

const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];

fn error(rings: &[Ring]) -> Error {
    match PolygonObject::from_polygon(rings) {
        Err(error) => error,
        Ok(object) => panic!("accepted {rings:?} as {object:?}"),
    }
}

fn shifted(by: f64) -> Ring {
    SQUARE.iter().map(|&[x, y]| [x + by, y]).collect()
}

#[test]
fn crossing_segments_name_ring_segment_and_place() {
    // Segments 0 and 2 cross at (2, 2).
    let bow_tie = vec![[0.0, 0.0], [4.0, 4.0], [4.0, 0.0], [0.0, 4.0]];
    match error(&[bow_tie]) {
        Error::CrossingSegments { polygon: 0, ring: 0, segment: 2, from, to, near } => {
            assert_eq!((from, to, near), ([4.0, 0.0], [0.0, 4.0], [2.0, 2.0]));
        }
        other => panic!("{other:?}"),
    }
    // The repeated first vertex of the hole counts in the index.
    let hole = vec![[1.0, 1.0], [1.0, 1.0], [5.0, 2.0], [1.0, 3.0]];
    match error(&[SQUARE.to_vec(), hole]) {
        Error::CrossingSegments { ring: 1, segment: 1, from, to, near, .. } => {
            assert_eq!((from, to, near), ([1.0, 1.0], [5.0, 2.0], [4.0, 1.75]));
        }
        other => panic!("{other:?}"),
    }
}

/// Tests that a crossing of a ring with itself is found even if another ring has a vertex at the crossing.
#[test]
fn crossing_at_a_vertex_of_another_ring() {
    let bow_tie = vec![[0.0, 0.0], [4.0, 4.0], [4.0, 0.0], [0.0, 4.0]];
    let hole = vec![[2.0, 2.0], [3.0, 2.5], [3.5, 2.0]];
    match error(&[bow_tie, hole]) {
        Error::CrossingSegments { ring: 0, near, .. } => assert_eq!(near, [2.0, 2.0]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn hole_outside_its_shell() {
    for (hole, place) in [
        (shifted(6.0), [6.0, 0.0]),
        // The hole is next to the shell, along an edge.
        (shifted(4.0), [8.0, 0.0]),
        // The hole encloses the shell.
        (vec![[-20.0, -9.0], [20.0, -9.0], [0.0, 30.0]], [-20.0, -9.0]),
    ] {
        match error(&[SQUARE.to_vec(), hole]) {
            Error::HoleOutsideShell { polygon: 0, ring: 1, x, y } => assert_eq!([x, y], place),
            other => panic!("{other:?}"),
        }
    }
    // The hole fills a pocket that the shell encloses by touching itself. No edge of the hole is outside of the shell, but the
    // area of the hole is.
    let pocket = [[4.0, 0.0], [2.0, 2.0], [4.0, 3.0], [6.0, 2.0]];
    let shell = [&[[4.0, 0.0], [8.0, 0.0], [8.0, 6.0], [0.0, 6.0], [0.0, 0.0]], &pocket[..]].concat();
    let shell: Ring = shell.into_iter().collect();
    assert!(PolygonObject::from_polygon(std::slice::from_ref(&shell)).is_ok());
    let error = error(&[shell, pocket.to_vec()]);
    assert!(matches!(error, Error::HoleOutsideShell { ring: 1, .. }), "{error:?}");
}

#[test]
fn nothing_enclosed() {
    assert!(matches!(error(&[]), Error::EmptyRegion { polygon: 0, near: None }));
    assert!(matches!(error(&[vec![]]), Error::TooFewVertices { count: 0, .. }));
    assert!(matches!(error(&[vec![[1.0, 1.0]; 4]]), Error::TooFewVertices { count: 1, .. }));
    let hole = vec![[1.0, 1.0], [1.0, 2.0], [2.0, 1.0]];
    assert!(matches!(error(&[vec![], hole.clone()]), Error::TooFewVertices { count: 0, .. }));
    assert!(matches!(error(&[vec![[0.0; 2]; 3], hole.clone()]), Error::TooFewVertices { count: 1, .. }));
    let two = vec![[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]];
    assert!(matches!(error(std::slice::from_ref(&two)), Error::TooFewVertices { count: 2, .. }));
    assert!(matches!(error(&[two, hole]), Error::TooFewVertices { count: 2, .. }));
    let line = vec![[0.0, 0.0], [1.0, 1.0], [3.0, 3.0], [2.0, 2.0]];
    assert!(matches!(error(std::slice::from_ref(&line)), Error::ZeroArea { count: 4, .. }));
    assert!(matches!(error(&[line, vec![]]), Error::ZeroArea { count: 4, .. }));
    // The ring goes around a corner and back.
    let retraced = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 0.0]];
    assert!(matches!(error(&[retraced]), Error::EmptyRegion { .. }));
    // The ring goes around twice.
    assert!(matches!(error(&[[SQUARE, SQUARE].concat()]), Error::EmptyRegion { .. }));
    // The hole is the shell with another first vertex.
    let mut hole = SQUARE;
    hole.rotate_left(1);
    assert!(matches!(error(&[SQUARE.to_vec(), hole.to_vec()]), Error::EmptyRegion { .. }));
}

#[test]
fn coordinates_are_checked_through_all_rings() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let hole = vec![[1.0, 1.0], [2.0, bad], [2.0, 1.0]];
        assert!(matches!(error(&[SQUARE.to_vec(), hole]), Error::NotFinite { vertex: 5, .. }));
    }
    for bad in [1e200, -1e61, 1e-43, 5e-324] {
        let hole = vec![[1.0, 1.0], [2.0, 2.0], [2.0, bad]];
        let error = error(&[SQUARE.to_vec(), hole]);
        assert!(matches!(error, Error::OutOfRange { vertex: 6, value, .. } if value == bad), "{error:?}");
    }
    // A hole of one vertex is checked like any other hole.
    assert!(matches!(error(&[SQUARE.to_vec(), vec![[f64::NAN, 0.0]]]), Error::NotFinite { vertex: 4, .. }));
}

#[test]
fn multipolygon_names_the_polygon() {
    let bow_tie: Ring = vec![[0.0, 0.0], [4.0, 4.0], [4.0, 0.0], [0.0, 4.0]];
    let polygons = [vec![SQUARE.to_vec()], vec![bow_tie]];
    let error = PolygonObject::from_multi_polygon(&polygons).unwrap_err();
    assert!(matches!(error, Error::CrossingSegments { polygon: 1, .. }), "{error:?}");
    let none: [Vec<Ring>; 0] = [];
    assert!(matches!(PolygonObject::from_multi_polygon(&none), Err(Error::EmptyRegion { .. })));
}
