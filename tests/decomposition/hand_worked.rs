use sat2d::{Cleanup, PolygonObject};

use super::exact::{Ring, assert_sound, object_relation, piece_rings, twice_area, twice_area_of_pieces};
use super::slabs::{assert_covers, twice_even_odd_area};
use crate::support::in_soak;

struct Case {
    name: &'static str,
    rings: Vec<Ring>,
    /// The area of the region, worked out by hand.
    area: f64,
    /// The expected number of convex pieces.
    pieces: usize,
    cleanup: Cleanup,
}

fn ring(vertices: &[(i32, i32)]) -> Ring {
    vertices.iter().map(|&(x, y)| [f64::from(x), f64::from(y)]).collect()
}

fn rectangle(x: i32, y: i32, width: i32, height: i32) -> Ring {
    ring(&[(x, y), (x + width, y), (x + width, y + height), (x, y + height)])
}

/// Returns a clockwise rectangle for a hole.
fn hole(x: i32, y: i32, width: i32, height: i32) -> Ring {
    rectangle(x, y, width, height).into_iter().rev().collect()
}

/// Returns the cases. All coordinates are integers from 0 to 12.
fn cases() -> Vec<Case> {
    let none = Cleanup::default();
    let touching = |n| Cleanup { touching_vertices: n, ..none };
    let retraced = |n| Cleanup { retraced_edges: n, ..none };
    let case = |name, rings, area, pieces, cleanup| Case { name, rings, area, pieces, cleanup };
    let comb = ring(&[
        (0, 0),
        (10, 0),
        (10, 6),
        (8, 6),
        (8, 2),
        (6, 2),
        (6, 6),
        (4, 6),
        (4, 2),
        (2, 2),
        (2, 6),
        (0, 6),
    ]);
    let star = ring(&[(0, 0), (6, 4), (12, 0), (8, 6), (12, 12), (6, 8), (0, 12), (4, 6)]);
    vec![
        case("square", vec![rectangle(0, 0, 4, 4)], 16.0, 1, none),
        case("L", vec![ring(&[(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])], 3.0, 2, none),
        case("comb", vec![comb], 44.0, 4, none),
        case("four-pointed star", vec![star], 48.0, 3, none),
        case("square ring", vec![rectangle(0, 0, 6, 6), hole(2, 2, 2, 2)], 32.0, 4, none),
        case(
            "hole given counter-clockwise, shell clockwise",
            vec![hole(0, 0, 6, 6), rectangle(2, 2, 2, 2)],
            32.0,
            4,
            Cleanup { reversed_rings: 2, ..none },
        ),
        case(
            "closed rings, a vertex repeated twice, one in the middle of an edge",
            vec![ring(&[(0, 0), (4, 0), (4, 0), (4, 0), (4, 4), (2, 4), (2, 2), (0, 2), (0, 1), (0, 0)])],
            12.0,
            2,
            Cleanup { repeated_vertices: 2, collinear_vertices: 1, ..none },
        ),
        case(
            "hole touches the shell's vertex",
            vec![rectangle(0, 0, 6, 6), ring(&[(0, 0), (1, 3), (3, 1)])],
            32.0,
            3,
            touching(1),
        ),
        case(
            "hole touches the middle of the shell's edge",
            vec![rectangle(0, 0, 6, 6), ring(&[(3, 0), (2, 2), (4, 2)])],
            34.0,
            3,
            touching(1),
        ),
        case(
            "hole from corner to corner splits the region",
            vec![rectangle(0, 0, 6, 6), ring(&[(0, 0), (2, 4), (6, 6), (4, 2)])],
            24.0,
            4,
            touching(2),
        ),
        case(
            "hole shares a part of the shell's edge",
            vec![rectangle(0, 0, 6, 6), hole(2, 0, 2, 2)],
            32.0,
            3,
            retraced(1),
        ),
        case(
            "hole shares a corner of the shell",
            vec![rectangle(0, 0, 6, 6), hole(0, 0, 2, 2)],
            32.0,
            2,
            retraced(2),
        ),
        case(
            "two holes touch at a vertex",
            vec![rectangle(0, 0, 6, 6), hole(1, 1, 2, 2), hole(3, 3, 2, 2)],
            28.0,
            6,
            touching(1),
        ),
        case(
            "two holes share an edge",
            vec![rectangle(0, 0, 6, 6), hole(1, 1, 2, 2), hole(3, 1, 2, 2)],
            28.0,
            4,
            retraced(1),
        ),
        case(
            "an island in a hole",
            vec![rectangle(0, 0, 6, 6), hole(1, 1, 4, 4), hole(2, 2, 2, 2)],
            24.0,
            5,
            none,
        ),
        case(
            "two holes that overlap at grid points are even-odd: the overlap is inside",
            vec![rectangle(0, 0, 6, 6), hole(1, 1, 3, 3), hole(1, 1, 2, 2)],
            31.0,
            5,
            retraced(2),
        ),
        case(
            "spike outward",
            vec![ring(&[(0, 0), (4, 0), (8, 0), (4, 0), (4, 4), (0, 4)])],
            16.0,
            1,
            Cleanup { collinear_vertices: 1, ..retraced(1) },
        ),
        case(
            "spike inward",
            vec![ring(&[(0, 0), (4, 0), (2, 2), (4, 0), (4, 4), (0, 4)])],
            16.0,
            1,
            retraced(1),
        ),
        case(
            "spike of two segments",
            vec![ring(&[(0, 0), (4, 0), (2, 1), (1, 3), (2, 1), (4, 0), (4, 4), (0, 4)])],
            16.0,
            1,
            retraced(2),
        ),
        case(
            "bridge to a hole, keyhole fashion",
            vec![ring(&[(0, 0), (6, 0), (6, 6), (0, 6), (0, 0), (2, 2), (2, 4), (4, 4), (4, 2), (2, 2)])],
            32.0,
            4,
            retraced(1),
        ),
        case(
            "bridge between two squares",
            vec![ring(&[(0, 0), (2, 0), (2, 2), (6, 2), (6, 0), (8, 0), (8, 2), (6, 2), (2, 2), (0, 2)])],
            8.0,
            2,
            Cleanup { collinear_vertices: 2, ..retraced(1) },
        ),
        case(
            "figure eight at a vertex",
            vec![ring(&[(0, 0), (2, 2), (4, 0), (4, 4), (2, 2), (0, 4)])],
            8.0,
            2,
            touching(1),
        ),
        case(
            "bow-tie with a vertex at the crossing",
            vec![ring(&[(0, 0), (2, 2), (4, 4), (4, 0), (2, 2), (0, 4)])],
            8.0,
            2,
            Cleanup { collinear_vertices: 2, ..touching(1) },
        ),
        case(
            "ring touches its own edge in its middle",
            vec![ring(&[(0, 0), (8, 0), (8, 6), (5, 6), (4, 0), (3, 6), (0, 6)])],
            42.0,
            2,
            touching(1),
        ),
        case(
            "edge overlaps collinearly with another",
            vec![ring(&[(0, 0), (8, 0), (8, 4), (5, 4), (5, 0), (3, 0), (3, 4), (0, 4)])],
            24.0,
            2,
            retraced(1),
        ),
        case(
            "hole of two points",
            vec![rectangle(0, 0, 6, 6), ring(&[(2, 2), (4, 3), (2, 2)])],
            36.0,
            1,
            retraced(1),
        ),
        case(
            "hole of one point",
            vec![rectangle(0, 0, 6, 6), ring(&[(2, 2)])],
            36.0,
            1,
            Cleanup { repeated_vertices: 1, ..none },
        ),
        case(
            "hole of one point on the shell",
            vec![rectangle(0, 0, 6, 6), ring(&[(3, 0), (3, 0)])],
            36.0,
            1,
            Cleanup { repeated_vertices: 1, ..touching(1) },
        ),
        case(
            "hole on a line",
            vec![rectangle(0, 0, 6, 6), ring(&[(1, 1), (3, 3), (4, 4)])],
            36.0,
            1,
            Cleanup { collinear_vertices: 1, ..retraced(2) },
        ),
        case("hole without vertices", vec![rectangle(0, 0, 6, 6), vec![]], 36.0, 1, none),
    ]
}

fn build(rings: &[Ring], name: &str) -> PolygonObject {
    PolygonObject::from_polygon(rings).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn hand_worked_cases() {
    for Case { name, rings, area, pieces, cleanup } in cases() {
        let object = build(&rings, name);
        assert_sound(&object, &rings);
        assert_covers(&piece_rings(&object), &rings);
        let unit = twice_even_odd_area(&[rectangle(0, 0, 1, 1)]);
        assert_eq!(twice_even_odd_area(&rings), (area * unit as f64) as i64, "{name}");
        assert_eq!(object.cleanup(), cleanup, "{name}");
        assert_eq!(object.pieces().len(), pieces, "{name}: {:?}", piece_rings(&object));
    }
}

/// Tests that scaled polygons have the same pieces and cleanups. Scaling by a power of two is exact, and the scales reach both ends
/// of the range of coordinates.
#[test]
fn scale_changes_nothing() {
    for Case { name, rings, pieces, cleanup, .. } in cases() {
        for exponent in [-142, -100, -20, 20, 100, 197] {
            let scale = 2f64.powi(exponent);
            let scaled: Vec<Ring> =
                rings.iter().map(|r| r.iter().map(|v| v.map(|x| x * scale)).collect()).collect();
            let object = build(&scaled, name);
            assert_eq!((object.pieces().len(), object.cleanup()), (pieces, cleanup), "{name} * 2^{exponent}");
        }
    }
}

#[test]
fn first_vertex_and_direction_do_not_change_the_region() {
    let probes: Vec<PolygonObject> = (0..12)
        .flat_map(|x| (0..12).map(move |y| rectangle(x, y, 1, 1)))
        // There are 12 squares in a column, so every fifth square gives squares in all rows and columns.
        .step_by(in_soak(1, 5))
        .map(|square| build(&[square], "probe"))
        .collect();
    for Case { name, mut rings, .. } in cases() {
        // Remove the repeated vertex first, since the start of a ring determines which of the equal vertices closes
        // it.
        for ring in &mut rings {
            ring.dedup();
            if ring.len() > 2 && ring.first() == ring.last() {
                ring.pop();
            }
        }
        let relations = |object: &PolygonObject| -> Vec<_> {
            probes.iter().map(|probe| object_relation(object, probe)).collect()
        };
        let first = build(&rings, name);
        let expected = relations(&first);
        for turn in 0..rings[0].len() {
            for reverse in [false, true] {
                let mut varied = rings.clone();
                for ring in &mut varied {
                    let count = ring.len().max(1);
                    ring.rotate_left(turn % count);
                    if reverse {
                        ring.reverse();
                    }
                }
                let object = build(&varied, name);
                assert_sound(&object, &varied);
                assert_covers(&piece_rings(&object), &rings);
                assert_eq!(relations(&object), expected, "{name}, {turn}, {reverse}");
                let reversed_rings = object.cleanup().reversed_rings;
                assert_eq!(object.cleanup(), Cleanup { reversed_rings, ..first.cleanup() }, "{name}, {turn}");
                if !reverse {
                    assert_eq!(reversed_rings, first.cleanup().reversed_rings, "{name}, {turn}");
                }
            }
        }
    }
}

/// Tests shapes with details of a thousandth around (1e6, 1e6). Their coordinates are not integers, and vertices are rarely
/// collinear.
#[test]
fn detail_far_from_the_origin() {
    let outline = |teeth: i32, scale: f64, offset: f64| -> Ring {
        let point = |x: f64, y: f64| [offset + scale * x, offset + scale * y];
        let mut ring: Ring =
            (0..=2 * teeth).map(|i| point(f64::from(i), f64::from(3 + i % 2 * (i % 5)))).collect();
        ring.extend([point(f64::from(2 * teeth), 0.0), point(0.0, 0.0)]);
        ring
    };
    for (scale, offset) in [(1e-3, 1e6), (1e-9, 1e6), (1e-6, 0.0), (1e-6, 1e-6), (1e30, 0.0)] {
        let ring = outline(50, scale, offset);
        let object = PolygonObject::from_polygon(std::slice::from_ref(&ring)).unwrap();
        assert_sound(&object, std::slice::from_ref(&ring));
        assert_eq!(twice_area_of_pieces(&object), -twice_area(&ring), "{scale}, {offset}");
    }
}

#[test]
fn spiral_of_many_turns() {
    // The ring goes out along one wall and back along another wall, one unit apart.
    let corners = |start: i32, turns: i32| -> Vec<(i32, i32)> {
        (0..4 * turns)
            .map(|i| {
                let r = start + i;
                [(r, r), (-r, r), (-r, -r), (r + 2, -r)][i as usize % 4]
            })
            .collect()
    };
    let turns = 60;
    let mut vertices = corners(4, turns);
    vertices.extend(corners(5, turns).into_iter().rev());
    let ring = ring(&vertices);
    let object = PolygonObject::from_polygon(std::slice::from_ref(&ring)).unwrap();
    assert_sound(&object, std::slice::from_ref(&ring));
    let area = twice_area(&ring);
    assert_eq!(twice_area_of_pieces(&object).magnitude(), area.magnitude());
    // The best decomposition has one quadrangle per wall.
    assert!(object.pieces().len() <= 4 * turns as usize, "{}", object.pieces().len());
}

#[test]
fn multipolygon_is_the_pieces_of_its_polygons() {
    let l_shape = ring(&[(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]);
    let ring_shape = [hole(0, 0, 6, 6), hole(2, 2, 2, 2)];
    // The two polygons overlap, which this library allows in a MultiPolygon.
    let both = [vec![l_shape.clone()], ring_shape.to_vec()];
    let object = PolygonObject::from_multi_polygon(&both).unwrap();
    assert_eq!(object.pieces().len(), 6);
    assert_eq!(object.cleanup(), Cleanup { reversed_rings: 1, ..Cleanup::default() });
    let alone = PolygonObject::from_polygon(&[l_shape]).unwrap();
    assert_eq!(object.pieces()[..2], *alone.pieces());
}
