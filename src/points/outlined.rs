//! Decides the relation of a point to an object by the outlines of the object, without convex pieces.

use glam::DVec2;

use crate::answers::points::PointRelation;
use crate::geometry::Aabb;
use crate::geometry::outline::{Outline, Outlines, Place, locate_in_union};

/// Returns the exact relation of a point to an object, which is given by its index in the set.
pub(super) fn relation_to_object(point: DVec2, outlines: &Outlines, object: u32) -> PointRelation {
    let around = Aabb { min: point, max: point };
    let (mut touching, mut is_inside) = (Vec::<Outline<'_>>::new(), false);
    outlines.polygons_near(object, around, |polygon| {
        if !is_inside {
            let outline = outlines.outline(polygon);
            match outline.locate(point) {
                Place::Outside => {}
                Place::Inside => is_inside = true,
                Place::Boundary => touching.push(outline),
            }
        }
    });
    // A point on the boundaries of several polygons may be in the interior of their union.
    let is_surrounded = || touching.len() > 1 && locate_in_union(&touching, point) == Place::Inside;
    if is_inside || is_surrounded() {
        PointRelation::Inside
    } else if touching.is_empty() {
        PointRelation::Outside
    } else {
        PointRelation::Boundary
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::outline::steps;
    use crate::geometry::{Coordinates, Fill, PolygonColumns, PolygonSet};

    /// Returns the number of steps that locate points in each of `side * side` bow ties, which are the polygons of one object.
    fn steps_of(side: usize) -> u64 {
        let count = side * side;
        let at = |k: usize| DVec2::new((4 * (k % side)) as f64, (4 * (k / side)) as f64);
        let bow = |k: usize| {
            [[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]].map(|[x, y]| (at(k) + DVec2::new(x, y)).into())
        };
        let xy: Vec<[f64; 2]> = (0..count).flat_map(|k| bow(k * 7919 % count)).collect();
        let rings: Vec<i64> = (0..=count as i64).map(|k| 4 * k).collect();
        let (polygons, objects): (Vec<i64>, [i64; 2]) = ((0..=count as i64).collect(), [0, count as i64]);
        let columns = PolygonColumns::new(Coordinates::Interleaved(&xy), &rings[..]);
        let columns = columns.polygons(&polygons[..]).objects(&objects[..]).fill(Fill::NonZero);
        let set = PolygonSet::from_columns(&columns).unwrap();
        let outlines = &set.outlined().unwrap().outlines;
        steps::during(|| {
            for k in 0..count {
                let expected = [PointRelation::Inside, PointRelation::Boundary, PointRelation::Outside];
                let points = [DVec2::new(0.5, 1.0), DVec2::new(1.0, 1.0), DVec2::new(1.0, 0.5)];
                let found = points.map(|point| relation_to_object(at(k) + point, outlines, 0));
                assert_eq!(found, expected, "{k}");
            }
        })
    }

    #[test]
    fn the_steps_for_a_point_hardly_grow_with_the_polygons() {
        let (small, large) = (steps_of(16), steps_of(32));
        assert!(
            small > 0 && large < 6 * small,
            "{small} steps, and {large} for four times the polygons and points"
        );
    }
}
