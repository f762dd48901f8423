//! Joins few features with the polygons of a large set that the set's index finds.

use sat2d::{Aabb, PolygonSet};

use crate::failure::Failure;
use crate::join::{Joined, Options, Target};
use crate::nearby::Nearby;
use crate::run::Watch;
use crate::sets::{Points, Polygons};

impl Options {
    /// Joins two sets. If `a` has few polygons, joins `a` only with the polygons of `b` that the index of `b` finds.
    pub(crate) fn join_indexed(
        &self,
        a: &PolygonSet,
        b: &Polygons,
        watch: &Watch,
    ) -> Result<Joined, Failure> {
        let join = |b: &PolygonSet| self.join(a, Some(b), Target::Table, watch);
        let few = self.of_few(b, &a.object_aabbs(), join)?;
        few.map_or_else(|| join(&b.set), Ok)
    }

    /// Joins features of points with a set. If there are few points, joins them only with the polygons that the index of the set
    /// finds.
    pub(crate) fn join_points_indexed(
        &self,
        points: &Points,
        polygons: &Polygons,
        watch: &Watch,
    ) -> Result<Joined, Failure> {
        let join = |set: &PolygonSet| self.join_points(points, set, false, watch);
        let boxes: Vec<Aabb> = points.positions.iter().map(|&at| Aabb { min: at, max: at }).collect();
        let few = self.of_few(polygons, &boxes, join)?;
        few.map_or_else(|| join(&polygons.set), Ok)
    }

    /// Calls `join` with the polygons of `b` near `boxes`, and returns the result with the indices of the whole set. Returns `None`
    /// if a join with the whole set is faster. Also returns `None` if the join fails, because the join with the whole set returns
    /// the error with the index of the polygon in the whole set.
    fn of_few(
        &self,
        b: &Polygons,
        boxes: &[Aabb],
        join: impl FnOnce(&PolygonSet) -> Result<Joined, Failure>,
    ) -> Result<Option<Joined>, Failure> {
        let Some(nearby) = Nearby::of(&b.set, &b.index, boxes, self.reach())? else { return Ok(None) };
        let Ok(mut joined) = join(&nearby.set) else { return Ok(None) };
        nearby.rename(&mut joined.pairs);
        Ok(Some(joined))
    }
}
