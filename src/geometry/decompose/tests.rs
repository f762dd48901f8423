use glam::DVec2;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

use super::mesh::{Failure, Haste, Mesh};
use super::{general, general_within, insertion_order::insertion_order, near_crossing, polygon};
use crate::base::draw::Draw;

fn points(xy: &[(i32, i32)]) -> Vec<DVec2> {
    xy.iter().map(|&(x, y)| DVec2::new(x.into(), y.into())).collect()
}

/// Returns, for each segment, the indices of the points of its chain of edges in `mesh`, from its start to its end.
fn chains(mesh: &Mesh, segment_count: usize) -> Vec<Vec<u32>> {
    let mut chains = vec![Vec::new(); segment_count];
    for (&half_edge, &segment) in mesh.walk.iter().zip(&mesh.walk_segment) {
        let [from, to] = mesh.ends(half_edge);
        let chain = &mut chains[segment as usize];
        if chain.is_empty() {
            chain.push(from);
        }
        chain.push(to);
    }
    chains
}

/// Tests the property of `spade` that this module needs. A segment over existing points and edges must come back whole
/// and in order, in either direction. Later constraints must not move earlier constraints.
#[test]
fn segments_come_back_whole() {
    // Points 0 to 4 are on a line. The other points are around it.
    let points = points(&[
        (0, 0),
        (2, 0),
        (4, 0),
        (6, 0),
        (8, 0),
        (1, 3),
        (3, -3),
        (5, 3),
        (7, -3),
        (-5, -9),
        (13, 9),
    ]);
    let segments = [[1, 2], [2, 3], [0, 4], [4, 0], [3, 0], [1, 4], [9, 10], [5, 1], [2, 6], [2, 1]];
    let mesh = Mesh::new(&points, &segments, Haste::Within(usize::MAX));
    // Segment (9, 10) passes through (4, 0), which is on the line, too. The segment crosses no edge in its interior.
    let chains = chains(&mesh.unwrap(), segments.len());
    let expected: [&[u32]; 10] = [
        &[1, 2],
        &[2, 3],
        &[0, 1, 2, 3, 4],
        &[4, 3, 2, 1, 0],
        &[3, 2, 1, 0],
        &[1, 2, 3, 4],
        &[9, 2, 10],
        &[5, 1],
        &[2, 6],
        &[2, 1],
    ];
    assert_eq!(chains, expected);
}

#[test]
fn crossing_constraint_is_refused_and_named() {
    let points = points(&[(0, 0), (4, 4), (4, 0), (0, 4), (9, 1)]);
    let result = Mesh::new(&points, &[[0, 1], [4, 2], [2, 3]], Haste::Within(usize::MAX));
    match result {
        Err(Failure::Crossing { segment: 2, mut other }) => {
            other.sort_unstable();
            assert_eq!(other, [0, 1]);
        }
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("accepted"),
    }
    assert!(matches!(Mesh::new(&points[..2], &[[0, 1]], Haste::Within(usize::MAX)), Err(Failure::Defect(_))));
}

/// Tests that `spade` accepts every coordinate that this library accepts.
#[test]
fn range_of_coordinates_is_accepted_by_the_triangulation() {
    let mut cdt = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
    for v in [crate::MIN_COORDINATE, -crate::MIN_COORDINATE, crate::MAX_COORDINATE, -crate::MAX_COORDINATE] {
        assert!(cdt.insert(Point2::new(v, 0.0)).is_ok());
        assert!(cdt.insert(Point2::new(0.0, v)).is_ok());
    }
}

/// Tests details of one ulp far from the origin. All angles and distances there are equal after rounding.
#[test]
fn detail_of_one_ulp() {
    let step = 2f64.powi(-32);
    let at = |x: i32, y: i32| DVec2::splat(f64::from(1 << 20)) + DVec2::new(x.into(), y.into()) * step;
    let mut ring: Vec<DVec2> = (0..=40).map(|i| at(i, 1 + i % 2)).collect();
    ring.extend([at(40, 0), at(0, 0)]);
    ring.extend([DVec2::splat(-1e9)]);
    let (pieces, _) = polygon(&[ring]).unwrap();
    assert!(pieces.len() <= 41, "{}", pieces.len());
}

#[test]
fn convex_rings_are_one_piece_without_the_short_cut() {
    let ring: Vec<DVec2> =
        (0..30).map(|i| DVec2::from_angle(f64::from(i) * std::f64::consts::TAU / 30.0) * 7.0).collect();
    let (direct, direct_cleanup) = polygon(std::slice::from_ref(&ring)).unwrap();
    let (pieces, cleanup) = general(std::slice::from_ref(&ring)).unwrap();
    assert_eq!((pieces.len(), cleanup), (1, direct_cleanup));
    assert_eq!(pieces[0].vertices(), direct[0].vertices());

    // The ring is clockwise and closed. It has a repeated vertex and a vertex in the middle of an edge.
    let ring = points(&[(0, 0), (0, 2), (2, 2), (2, 2), (2, 0), (1, 0), (0, 0)]);
    let (direct, direct_cleanup) = polygon(std::slice::from_ref(&ring)).unwrap();
    let (pieces, cleanup) = general(&[ring]).unwrap();
    assert_eq!((pieces.len(), cleanup), (direct.len(), direct_cleanup));
}

#[test]
fn insertion_order_is_a_permutation() {
    for count in [0, 1, 2, 48, 49, 1000] {
        let points: Vec<DVec2> = (0..count).map(|i| DVec2::new((i * 37 % 101).into(), i.into())).collect();
        let mut order = insertion_order(&points);
        order.sort_unstable();
        assert_eq!(order, (0..count as u32).collect::<Vec<_>>());
    }
}

/// Tests the direction of a thin ring. The terms of the sum for the area are 2^54 times as large as the area. An f64
/// sum therefore has the correct sign only for some choices of the first vertex.
#[test]
fn direction_of_a_sliver() {
    let shell = points(&[(0, 0), (9, 0), (9, 9), (0, 9)]);
    let counter_clockwise =
        [DVec2::from([1.0, 1.0]), DVec2::from([3.0, 3.0]), DVec2::from([1.0, 1.0 + f64::EPSILON])];
    for start in 0..3 {
        let mut hole = counter_clockwise.to_vec();
        hole.rotate_left(start);
        let reversed_rings = |hole| general(&[shell.clone(), hole]).unwrap().1.reversed_rings;
        assert_eq!(reversed_rings(hole.clone()), 1, "{start}");
        hole.reverse();
        assert_eq!(reversed_rings(hole), 0, "{start}");
    }
}

#[test]
fn place_of_a_crossing() {
    let [a, b] = [DVec2::new(-1.0, 0.0), DVec2::new(3.0, 0.0)];
    assert_eq!(near_crossing(a, b, DVec2::new(1.0, -1.0), DVec2::new(1.0, 7.0)), DVec2::new(1.0, 0.0));
    let far = DVec2::splat(crate::MAX_COORDINATE);
    assert_eq!(
        near_crossing(-far, far, far * DVec2::new(-1.0, 1.0), far * DVec2::new(1.0, -1.0)),
        DVec2::ZERO
    );
}

/// Tests that whole segments and cut segments give the same regions and errors. If a polygon has several defects, the
/// two errors may name different defects.
#[test]
fn cut_segments_give_what_whole_ones_give() {
    let mut draw = Draw(1);
    let mut random = |below| draw.below(below);
    let (mut valid, mut refused) = (0, 0);
    for case in 0..30_000 {
        let size = 3 + case % 4;
        let mut ring = |least: u64, more: u64| -> Vec<DVec2> {
            let count = least + random(more);
            (0..count).map(|_| DVec2::new(random(size) as f64, random(size) as f64)).collect()
        };
        let mut rings = vec![ring(3, 7)];
        // Most cases have a shell around everything, so that the holes are inside it.
        if case % 3 > 0 {
            rings.insert(0, points(&[(-1, -1), (9, -1), (9, 9), (-1, 9)]));
            rings.extend((0..case % 5).map(|_| ring(1, 6)));
        }
        let area = |pieces: &[crate::ConvexPolygon]| -> f64 {
            let doubled =
                |v: &[DVec2]| -> f64 { (0..v.len()).map(|i| v[i].perp_dot(v[(i + 1) % v.len()])).sum() };
            pieces.iter().map(|piece| doubled(piece.vertices())).sum()
        };
        match (general_within(&rings, usize::MAX), general_within(&rings, 0)) {
            (Ok((whole, whole_cleanup)), Ok((cut, cut_cleanup))) => {
                assert_eq!((area(&whole), whole_cleanup), (area(&cut), cut_cleanup), "{rings:?}");
                valid += 1;
            }
            (Err(whole), Err(cut)) => {
                assert_eq!(std::mem::discriminant(&whole), std::mem::discriminant(&cut), "{rings:?}");
                refused += 1;
            }
            (whole, cut) => panic!("{rings:?}: {whole:?} and {cut:?}"),
        }
    }
    assert!(valid > 5_000 && refused > 5_000, "{valid} {refused}");
}
