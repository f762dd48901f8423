//! Points in objects whose rings cross. The vertices of the pieces of such an object are rounded, so the edges of the object
//! decide.

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
    /// The boxes of the objects, to be searched.
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
        let around = |&object: &u32| {
            outlines.of_object(object).map(|polygon| polygon.aabb()).fold(Aabb::EMPTY, Aabb::union)
        };
        let boxes: Vec<Aabb> = objects.iter().map(around).collect();
        Ok(Some(Self { outlines, objects, boxes: broad_phase::self_join(&boxes, None)? }))
    }

    /// Lists the pairs of a point and an object of which the box contains the point, by the indices of the point and of the
    /// object in the list of objects. The pairs are sorted by point.
    pub(super) fn near(&self, points: &[DVec2], pairs: &mut Vec<[u32; 2]>) {
        let boxes: Vec<Aabb> = points.iter().map(|&point| Aabb { min: point, max: point }).collect();
        pairs.clear();
        self.boxes.search(&boxes, pairs);
    }

    /// The relation of a point to an object of the list. The relation is exact.
    pub(super) fn hit(&self, point: DVec2, index: u32) -> Hit {
        let object = self.objects[index as usize];
        (object, self.relation(point, object))
    }

    /// The relation of a point to an object. The relation is exact.
    fn relation(&self, point: DVec2, object: u32) -> PointRelation {
        let around = Aabb { min: point, max: point };
        let near = self.outlines.of_object(object).filter(|polygon| polygon.aabb().meets(around));
        let near: Vec<Outline<'_>> = near.collect();
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
