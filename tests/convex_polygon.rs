//! The input: convex polygons, poses and sets. The tests show which input is cleaned up, which is refused, and the
//! messages.

use sat2d::{
    Backend, Cleanup, ConvexPolygon, Engine, Error, MAX_COORDINATE, MIN_COORDINATE, PolygonObject,
    PolygonSet, Pose, Relations,
};

const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];

fn refused(ring: &[[f64; 2]]) -> Error {
    ConvexPolygon::new(ring).expect_err("this ring is no convex polygon")
}

#[test]
fn a_clean_ring_is_kept_as_it_is() {
    let polygon = ConvexPolygon::new(&SQUARE).unwrap();
    assert_eq!(polygon.vertices().iter().map(|v| v.to_array()).collect::<Vec<_>>(), SQUARE);
    assert_eq!(polygon.cleanup(), Cleanup::default());
    assert!((0..4).all(|i| polygon.source_index(i) == i));
    assert_eq!(polygon.aabb().max.to_array(), [1.0, 1.0]);
}

#[test]
fn repeated_and_collinear_vertices_and_direction_are_tidied_and_reported() {
    let table: [(&str, &[[f64; 2]], Cleanup); 6] = [
        ("closed", &[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]], Cleanup::default()),
        (
            "repeated",
            &[[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]],
            Cleanup { repeated_vertices: 3, ..Cleanup::default() },
        ),
        (
            "closed twice",
            &[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]],
            Cleanup { repeated_vertices: 1, ..Cleanup::default() },
        ),
        (
            "collinear, also across the start",
            &[[0.5, 0.0], [1.0, 0.0], [1.0, 0.5], [1.0, 1.0], [0.0, 0.0]],
            Cleanup { collinear_vertices: 2, ..Cleanup::default() },
        ),
        (
            "clockwise",
            &[[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]],
            Cleanup { reversed_rings: 1, ..Cleanup::default() },
        ),
        (
            "all of it",
            &[[0.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 2.0], [2.0, 0.0], [0.0, 0.0]],
            Cleanup { repeated_vertices: 1, collinear_vertices: 1, reversed_rings: 1, ..Cleanup::default() },
        ),
    ];
    for (name, ring, cleanup) in table {
        let polygon = ConvexPolygon::new(ring).unwrap();
        assert_eq!(polygon.cleanup(), cleanup, "{name}");
        let area: f64 = (0..polygon.vertices().len())
            .map(|i| {
                let [p, q] = [i, (i + 1) % polygon.vertices().len()].map(|i| polygon.vertices()[i]);
                p.x * q.y - q.x * p.y
            })
            .sum();
        assert!(area > 0.0, "{name} is counter-clockwise");
        for (i, vertex) in polygon.vertices().iter().enumerate() {
            assert_eq!(vertex.to_array(), ring[polygon.source_index(i)], "{name}, vertex {i}");
        }
    }
}

#[test]
fn an_ulp_decides_between_a_corner_a_straight_angle_and_a_dent() {
    let ring = |y: f64| [[0.0, 0.0], [0.5, y], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let tiny = MIN_COORDINATE;
    assert_eq!(ConvexPolygon::new(&ring(-tiny)).unwrap().vertices().len(), 5);
    assert_eq!(ConvexPolygon::new(&ring(0.0)).unwrap().vertices().len(), 4);
    assert!(matches!(refused(&ring(tiny)), Error::NotConvex { polygon: 0, vertex: 1, .. }));
}

#[test]
fn every_refusal_names_the_vertex_and_the_value() {
    let mut ring = SQUARE;
    ring[2] = [1.0, f64::NAN];
    assert!(matches!(refused(&ring), Error::NotFinite { vertex: 2, x: 1.0, y, .. } if y.is_nan()));
    ring[2] = [f64::INFINITY, 0.0];
    assert!(matches!(refused(&ring), Error::NotFinite { vertex: 2, .. }));
    for value in
        [1e-44, -1e-44, f64::MIN_POSITIVE, MAX_COORDINATE * 1.001, -f64::MAX, MIN_COORDINATE.next_down()]
    {
        ring[2] = [1.0, value];
        let error = refused(&ring);
        assert!(matches!(error, Error::OutOfRange { vertex: 2, value: v, .. } if v == value), "{error}");
        assert!(error.to_string().contains("rescale"), "{error}");
    }
    assert!(matches!(refused(&[]), Error::TooFewVertices { count: 0, .. }));
    assert!(matches!(refused(&SQUARE[..2]), Error::TooFewVertices { count: 2, .. }));
    assert!(matches!(refused(&[[1.0, 1.0]; 5]), Error::TooFewVertices { count: 1, .. }));
    assert!(matches!(
        refused(&[[0.0, 0.0], [1.0, 1.0], [3.0, 3.0], [2.0, 2.0]]),
        Error::ZeroArea { count: 4, .. }
    ));
    let dent = refused(&[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 1.0]]);
    assert!(matches!(dent, Error::NotConvex { vertex: 3, x: 2.0, y: 1.0, .. }), "{dent}");
    assert!(dent.to_string().contains("polygon 0") && dent.to_string().contains("(2, 1)"), "{dent}");
}

#[test]
fn rings_that_turn_one_way_but_wind_twice_or_turn_back_are_not_convex() {
    let star: Vec<[f64; 2]> = vec![[0.0, 3.0], [-2.0, -3.0], [3.0, 1.0], [-3.0, 1.0], [2.0, -3.0]];
    assert!(matches!(refused(&star), Error::NotConvex { .. }));
    let spike = [[0.0, 0.0], [4.0, 0.0], [2.0, 0.0], [2.0, 2.0]];
    assert!(matches!(refused(&spike), Error::NotConvex { .. }));
    let twice: Vec<[f64; 2]> = SQUARE.iter().chain(&SQUARE).copied().collect();
    assert!(matches!(refused(&twice), Error::NotConvex { .. }));
    let bow_tie = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
    assert!(matches!(refused(&bow_tie), Error::NotConvex { .. }));
}

#[test]
fn the_ends_of_the_accepted_range_are_accepted() {
    for scale in [MIN_COORDINATE, MAX_COORDINATE] {
        let ring = SQUARE.map(|p| p.map(|x| x * scale));
        let set = PolygonSet::from_convex_rings(&[ring, ring]).unwrap();
        let join = Engine::new(Backend::Cpu).unwrap().self_join(&set).query(Relations).unwrap();
        assert_eq!(join.counts.overlapping, 1, "{scale:e}");
    }
}

#[test]
fn a_set_names_the_first_polygon_at_fault_whatever_the_threads() {
    let mut rings = vec![SQUARE.to_vec(); 1000];
    rings[700] = vec![[0.0, 0.0]];
    rings[300] = vec![[0.0, 0.0], [f64::NAN, 0.0], [1.0, 1.0]];
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let error = pool.install(|| PolygonSet::from_convex_rings(&rings)).unwrap_err();
        assert!(matches!(error, Error::NotFinite { polygon: 300, vertex: 1, .. }), "{error}");
    }
}

#[test]
fn any_number_of_vertices_is_taken() {
    // Every vertex on a parabola is a corner.
    let ring: Vec<[f64; 2]> = (-5_000..5_000).map(f64::from).map(|x| [x, x * x]).collect();
    let set = PolygonSet::from_convex_rings(&[ring.clone(), ring]).unwrap();
    assert_eq!(set.piece_vertices(1).len(), 10_000);
    let join = Engine::new(Backend::Cpu).unwrap().self_join(&set).query(Relations).unwrap();
    assert_eq!((join.items.len(), join.counts.overlapping), (1, 1));
}

#[test]
fn poses_refuse_what_is_no_turn_or_no_place() {
    assert!(matches!(Pose::new(f64::INFINITY, [0.0, 0.0]), Err(Error::Pose { name: "angle", .. })));
    assert!(matches!(Pose::from_translation([0.0, f64::NAN]), Err(Error::Pose { name: "y", .. })));
    assert!(matches!(Pose::from_translation([1e-50, 0.0]), Err(Error::Pose { name: "x", .. })));
    for (cos, sin) in [(1.0, 0.1), (0.0, 0.0), (f64::NAN, 0.0), (2.0, 0.0)] {
        assert!(matches!(Pose::from_cos_sin(cos, sin, [0.0, 0.0]), Err(Error::Pose { .. })), "{cos}, {sin}");
    }
    // Exact arithmetic cannot hold a sine this small. It is refused if it is given, and becomes 0 if it comes from an
    // angle.
    assert!(matches!(Pose::from_cos_sin(1.0, 1e-50, [0.0, 0.0]), Err(Error::Pose { name: "sin", .. })));
    assert_eq!(Pose::from_cos_sin(1.0, 1e-40, [0.0, 0.0]).unwrap().sin(), 1e-40);
    assert_eq!(Pose::new(1e-50, [0.0, 0.0]).unwrap(), Pose::IDENTITY);
    assert_eq!(Pose::new(0.0, [0.0, 0.0]).unwrap(), Pose::IDENTITY);
}

#[test]
fn sets_and_queries_refuse_indices_that_name_nothing() {
    let square: PolygonObject = ConvexPolygon::new(&SQUARE).unwrap().into();
    let error = PolygonSet::from_instances(
        std::slice::from_ref(&square),
        &[(0, Pose::IDENTITY), (1, Pose::IDENTITY)],
    );
    assert!(matches!(error, Err(Error::UnknownShape { instance: 1, shape: 1, count: 1 })));
    // Shapes without an instance add no polygon to the set.
    let none = PolygonSet::from_instances(std::slice::from_ref(&square), &[]).unwrap();
    let set = PolygonSet::from_objects(&[square]).unwrap();
    let engine = Engine::new(Backend::Cpu).unwrap();
    for (a, b) in [(&set, &none), (&none, &set), (&none, &none)] {
        assert!(engine.piece_pairs(a, b, &[]).query(Relations).unwrap().items.is_empty());
        assert!(engine.join(a, b).query(Relations).unwrap().items.is_empty());
        assert!(matches!(
            engine.piece_pairs(a, b, &[[0, 0]]).query(Relations),
            Err(Error::UnknownPolygon { .. })
        ));
    }
    let error = engine.piece_pairs(&set, &set, &[[0, 0], [0, 3]]).query(Relations).unwrap_err();
    assert!(matches!(error, Error::UnknownPolygon { pair: 1, index: 3, count: 1 }), "{error}");
    // If several pairs are faulty, the error names the first of them.
    let mut pairs = vec![[0, 0]; 200_000];
    for (at, pair) in [(199_999, [4, 0]), (70_003, [7, 8]), (70_001, [0, 5]), (120_000, [6, 0])] {
        pairs[at] = pair;
    }
    for (pair, index) in [(70_001, 5), (70_003, 7), (120_000, 6), (199_999, 4)] {
        let error = engine.piece_pairs(&set, &set, &pairs).query(Relations).unwrap_err();
        assert!(
            matches!(error, Error::UnknownPolygon { pair: p, index: i, count: 1 } if (p, i) == (pair, index)),
            "{error}"
        );
        pairs[pair] = [0, 0];
    }
    let error = engine.self_join(&set).chunk_pairs(0).query(Relations).unwrap_err();
    assert!(matches!(error, Error::Option { option: "chunk_pairs", .. }), "{error}");
}

#[test]
fn instances_of_a_concave_shape_keep_its_pieces_together() {
    let l_shape = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let object = PolygonObject::from_polygon(&[l_shape]).unwrap();
    // Half a turn about (1.5, 1.5) fits the second shape into the notch of the first. They touch along the whole
    // notch.
    let half_turn = Pose::from_cos_sin(-1.0, 0.0, [3.0, 3.0]).unwrap();
    let set = PolygonSet::from_instances(&[object], &[(0, Pose::IDENTITY), (0, half_turn)]).unwrap();
    assert_eq!((set.object_count(), set.piece_count(), set.shape_count()), (2, 4, 2));
    let join = Engine::new(Backend::Cpu).unwrap().self_join(&set).query(Relations).unwrap();
    assert_eq!((join.counts.touching, join.counts.overlapping), (1, 0));
}
