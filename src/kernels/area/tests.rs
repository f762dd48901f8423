//! Compares areas in floating point with areas in integers, with and without injected faults.

use super::{Boxed, Clipper, exact, piece_area};
use crate::answers::results::Relation;
use crate::geometry::PolygonSet;
use crate::kernels::cpu::exact::relation;
use crate::kernels::faults::{Fault, Kernel, assert_caught};
use crate::kernels::test_scenes::Random;
use crate::scenes::Scene;

/// Returns overlapping pairs `(i, i)`: random polygons near the origin and far from it, and small polygons at the edges
/// of large ones.
fn pairs() -> [PolygonSet; 2] {
    let mut random = Random(0x5eed);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for (scene, seed) in [(Scene::Boxes, 1), (Scene::Ngons, 2), (Scene::BigNgons, 3)] {
        let rings = scene.generate(200, seed);
        for (k, ring) in rings.iter().enumerate() {
            let other = &rings[(k + 1) % rings.len()];
            // The first vertex of one polygon is near an edge of the other polygon.
            let size = [1.0, 1.0, 1e-4, 1e-9][k % 4];
            let far = if k % 3 == 0 { 1e6 } else { 0.0 };
            let part = random.unit();
            let on_edge = [0, 1].map(|axis| other[0][axis] + part * (other[1][axis] - other[0][axis]));
            let moved =
                |v: &[f64; 2]| [0, 1].map(|axis| (v[axis] - ring[0][axis]) * size + on_edge[axis] + far);
            a.push(ring.iter().map(moved).collect::<Vec<_>>());
            b.push(other.iter().map(|v| v.map(|c| c + far)).collect::<Vec<_>>());
        }
    }
    let is_convex = |ring: &Vec<[f64; 2]>| crate::ConvexPolygon::new(ring).is_ok();
    let (a, b): (Vec<_>, Vec<_>) = a.into_iter().zip(b).filter(|(a, b)| is_convex(a) && is_convex(b)).unzip();
    [a, b].map(|rings| PolygonSet::from_convex_rings(&rings).expect("convex"))
}

/// Returns the number of pairs that overlap, and the number of these pairs whose computed area has an error above the
/// bound.
fn wrong([a, b]: &[PolygonSet; 2]) -> [usize; 2] {
    let (mut count, mut wrong, mut clipper) = (0, 0, Clipper::default());
    for k in 0..a.piece_count() {
        let [one, other] = [Boxed::of(a, k), Boxed::of(b, k)];
        if relation(one.piece, other.piece) != Relation::Overlapping {
            continue;
        }
        count += 1;
        let (found, truth) = (clipper.overlap(one, other, 1.0), exact::intersection(one.piece, other.piece));
        let smaller = piece_area(one.piece).min(piece_area(other.piece));
        // The comparison is false for NaN, so NaN counts as wrong.
        let is_right = (found - truth).abs() <= crate::MEASUREMENT_BOUND * smaller;
        wrong += usize::from(!is_right);
    }
    [count, wrong]
}

#[test]
fn broken_kernels_are_caught() {
    let pairs = pairs();
    let [count, off] = wrong(&pairs);
    assert!(count > 400 && off == 0, "{off} of {count}");
    for fault in [Fault::FlippedSign, Fault::NoLastEdges, Fault::NoErrors] {
        assert_caught(Kernel::Areas, fault, "areas", || wrong(&pairs)[1]);
    }
}

#[test]
fn the_area_of_a_piece_and_of_its_intersection_with_itself_agree() {
    let [a, b] = pairs();
    let mut clipper = Clipper::default();
    for set in [&a, &b] {
        for k in 0..set.piece_count() {
            let (boxed, whole) = (Boxed::of(set, k), piece_area(set.piece(k)));
            assert!((exact::intersection(boxed.piece, boxed.piece) - whole).abs() <= 2f64.powi(-51) * whole);
            assert!((clipper.overlap(boxed, boxed, 1.0) - whole).abs() <= crate::MEASUREMENT_BOUND * whole);
        }
    }
}
