//! Decides points in objects whose rings cross. The vertices of the pieces of such an object are rounded, so the edges of the
//! object decide.

use glam::DVec2;

use super::scan::Hit;
use crate::answers::points::PointRelation;
use crate::base::error::Result;
use crate::broad_phase::{self, Candidates};
use crate::geometry::outline::{Outline, Outlines, Place, locate_in_union};
use crate::geometry::{Aabb, PolygonSet};

/// The objects of a set whose rings cross.
#[derive(Debug)]
pub(super) struct CrossedObjects<'a> {
    outlines: &'a Outlines,
    objects: &'a [u32],
    /// The boxes of the objects, prepared for a search.
    boxes: Candidates,
}

impl<'a> CrossedObjects<'a> {
    /// Returns `None` if no rings of the set cross.
    ///
    /// # Errors
    /// Returns the errors of the broad phase.
    pub(super) fn of(set: &'a PolygonSet) -> Result<Option<Self>> {
        let Some(outlined) = set.outlined() else { return Ok(None) };
        let outlines = &outlined.outlines;
        let objects = outlines.crossed_objects();
        if objects.is_empty() {
            return Ok(None);
        }
        let boxes: Vec<Aabb> = objects.iter().map(|&object| outlines.bounds_of(object)).collect();
        Ok(Some(Self { outlines, objects, boxes: broad_phase::self_join(&boxes, None)? }))
    }

    /// Lists the pairs of a point and an object whose box contains the point. Each pair has the index of the point, and the index
    /// of the object in the list of objects. The pairs are sorted by point.
    pub(super) fn near(&self, points: &[DVec2], pairs: &mut Vec<[u32; 2]>) {
        let boxes: Vec<Aabb> = points.iter().map(|&point| Aabb { min: point, max: point }).collect();
        pairs.clear();
        self.boxes.search(&boxes, pairs);
    }

    /// Returns the object at `index` in the list of objects whose rings cross, and the exact relation of the point to it.
    pub(super) fn hit(&self, point: DVec2, index: u32) -> Hit {
        let object = self.objects[index as usize];
        (object, self.relation(point, object))
    }

    /// Returns the exact relation of a point to an object, which is given by its index in the set.
    fn relation(&self, point: DVec2, object: u32) -> PointRelation {
        let around = Aabb { min: point, max: point };
        let mut near: Vec<Outline<'_>> = Vec::new();
        self.outlines.polygons_near(object, around, |polygon| near.push(self.outlines.outline(polygon)));
        let place = match &near[..] {
            [only] => only.locate(point),
            polygons => locate_in_union(polygons, point),
        };
        match place {
            Place::Outside => PointRelation::Outside,
            Place::Boundary => PointRelation::Boundary,
            Place::Inside => PointRelation::Inside,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::outline::steps;
    use crate::geometry::{Coordinates, Fill, PolygonColumns};

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
        let crossed = CrossedObjects::of(&set).unwrap().unwrap();
        steps::during(|| {
            for k in 0..count {
                let expected = [PointRelation::Inside, PointRelation::Boundary, PointRelation::Outside];
                let points = [DVec2::new(0.5, 1.0), DVec2::new(1.0, 1.0), DVec2::new(1.0, 0.5)];
                let found = points.map(|point| crossed.relation(at(k) + point, 0));
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
