//! Uses an index of boxes to select the polygons of a large set that can be in the answer to a query of few features.

use std::sync::OnceLock;

use sat2d::broad_phase::BoxIndex;
use sat2d::{Aabb, PolygonSet};

use crate::failure::Failure;

/// An index is used only if a set has at least this many times as many objects as the query. Otherwise, a join of the two
/// whole sets is faster.
const FEWER: usize = 16;

/// The index of the boxes of a set's objects. The first search builds the index.
#[derive(Debug, Default)]
pub(crate) struct SetIndex(OnceLock<BoxIndex>);

impl SetIndex {
    /// Returns the index. `boxes` returns the boxes of all objects of the set.
    pub(crate) fn get(&self, boxes: impl FnOnce() -> Vec<Aabb>) -> Result<&BoxIndex, Failure> {
        if let Some(built) = self.0.get() {
            return Ok(built);
        }
        // Two threads may both build the index. If one waited for the other, a pool that runs both calls could wait for itself.
        let built = BoxIndex::new(&boxes())?;
        Ok(self.0.get_or_init(|| built))
    }
}

/// Some objects of a set, as a set of their own.
#[derive(Debug)]
pub(crate) struct Nearby {
    pub(crate) set: PolygonSet,
    /// The index of each object in the whole set, ascending.
    objects: Vec<u32>,
}

impl Nearby {
    /// Returns the objects of `set` whose boxes are at most `reach` away from one of `boxes`. Returns `None` if a join with
    /// the whole set is faster. If `reach` is given, the query measures distances and needs the pieces of large polygons. The
    /// first such call makes the pieces of the whole set. If this fails, returns `None`, and the join returns the error.
    pub(crate) fn of(
        set: &PolygonSet,
        index: &SetIndex,
        boxes: &[Aabb],
        reach: Option<f64>,
    ) -> Result<Option<Self>, Failure> {
        let is_few = |count| is_few(count, set.object_count());
        if !is_few(boxes.len()) || (reach.is_some() && set.check_pieces().is_err()) {
            return Ok(None);
        }
        let grown: Vec<Aabb> = boxes.iter().map(|aabb| grown(aabb, reach.unwrap_or(0.0))).collect();
        let objects = index.get(|| set.object_aabbs())?.near(&grown, set.object_count())?;
        match objects.filter(|objects| is_few(objects.len())) {
            None => Ok(None),
            Some(objects) => Ok(Some(Self { set: set.select(&objects)?, objects })),
        }
    }

    /// Replaces indices of objects in this selection by the indices of the same objects in the whole set. The indices are the
    /// second entries of the pairs.
    pub(crate) fn rename(&self, pairs: &mut [[u32; 2]]) {
        pairs.iter_mut().for_each(|pair| pair[1] = self.objects[pair[1] as usize]);
    }
}

/// Returns whether `count` is so much less than the number of objects of a set that the index is faster than a join.
pub(crate) fn is_few(count: usize, of: usize) -> bool {
    count.saturating_mul(FEWER) <= of
}

/// Returns a box that is larger by `reach` on every side, rounded outward. An empty box stays empty.
pub(crate) fn grown(aabb: &Aabb, reach: f64) -> Aabb {
    if reach == 0.0 || aabb.min.x > aabb.max.x {
        return *aabb;
    }
    let (min, max) = (aabb.min - reach, aabb.max + reach);
    Aabb {
        min: [min.x.next_down(), min.y.next_down()].into(),
        max: [max.x.next_up(), max.y.next_up()].into(),
    }
}
