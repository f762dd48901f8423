//! Measurements with the roles of A and B exchanged, compared with queries on the exchanged polygons.

use sat2d::{Distances, Iou, Manifolds, Penetrations};

use super::*;
use crate::support::random::Random;

/// Returns random triangles that lie near each other. Their coordinates are far from lines that other triangles share, so
/// hardly any two edges have equal gaps.
fn triangles() -> PolygonSet {
    let mut random = Random(31);
    let triangle = |_| {
        let (x, y) = (random.around(4.0), random.around(4.0));
        let mut corner = |dx: f64, dy: f64| [x + dx + random.around(0.5), y + dy + random.around(0.5)];
        vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(0.0, 1.0)]
    };
    set(&(0..60).map(triangle).collect::<Vec<Ring>>())
}

#[test]
fn measurements_of_exchanged_polygons_are_the_exchanged_measurements() {
    let set = triangles();
    let pairs = candidates(&set);
    let exchanged: Vec<[u32; 2]> = pairs.iter().map(|&[a, b]| [b, a]).collect();
    for (name, engine) in engines() {
        let [here, there] = [&pairs, &exchanged].map(|pairs| engine.piece_pairs(&set, &set, pairs));
        let [found, other] = [&here, &there].map(|pairs| pairs.query(Penetrations).unwrap().items);
        assert_eq!(found.len(), other.len());
        assert!(found.len() > 50, "{name}: {}", found.len());
        for (found, other) in found.iter().zip(&other) {
            let swapped = found.swapped();
            assert_eq!(swapped.edge, other.edge, "{name}");
            assert!((swapped.normal - other.normal).length() < 1e-12, "{name}: {swapped:?} {other:?}");
            assert!((swapped.separation - other.separation).abs() < 1e-12, "{name}");
            assert_eq!(swapped.swapped(), *found, "{name}");
        }
        let [found, other] =
            [&here, &there].map(|pairs| pairs.query(Manifolds { margin: 0.5 }).unwrap().items);
        let mut contacts = 0;
        for (found, other) in found.iter().zip(&other) {
            let swapped = found.swapped();
            assert_eq!((swapped.edge, swapped.points().len()), (other.edge, other.points().len()), "{name}");
            assert!((swapped.normal - other.normal).length() < 1e-12, "{name}");
            for (point, other) in swapped.points().iter().zip(other.points()) {
                assert!(point.position.distance(other.position) < 1e-12, "{name}");
                assert_eq!(point.features, other.features, "{name}");
                contacts += 1;
            }
        }
        assert!(contacts > 50, "{name}: {contacts}");
        let [found, other] = [&here, &there].map(|pairs| pairs.query(Distances).unwrap().items);
        let mut apart = 0;
        for (found, other) in found.iter().zip(&other) {
            assert_eq!(found.closest.is_some(), other.closest.is_some(), "{name}");
            let (Some(found), Some(other)) = (found.closest, other.closest) else { continue };
            let swapped = found.swapped();
            assert_eq!(swapped.features, other.features, "{name}");
            assert!(swapped.point_a.distance(other.point_a) < 1e-12, "{name}");
            assert!(swapped.point_b.distance(other.point_b) < 1e-12, "{name}");
            apart += 1;
        }
        assert!(apart > 10, "{name}: {apart}");
        let [found, other] = [&here, &there].map(|pairs| pairs.query(Iou::default()).unwrap().items);
        let swapped: Vec<_> = found.iter().map(|overlap| overlap.swapped()).collect();
        assert_eq!(swapped, other, "{name}");
        assert!(found.iter().any(|overlap| overlap.area > 0.0 && overlap.area_a != overlap.area_b), "{name}");
    }
}
