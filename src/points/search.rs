//! Finds the objects near a point by a tree over their boxes, instead of the grid.
//!
//! Building the grid over all pieces takes longer than deciding few points. For few points, the code builds a tree only
//! over the boxes that may contain points, and decides the objects on their edges. The grid never contains a crossed
//! object ([`PolygonSet::crossed_objects`]), because the vertices of its pieces are rounded.

use glam::DVec2;

use super::direct::relation_to_piece;
use super::occupied::OccupiedCells;
use super::outlined::relation_to_object;
use super::scan::{Hit, Tally};
use crate::answers::points::PointRelation;
use crate::base::error::Result;
use crate::broad_phase::{self, Candidates};
use crate::geometry::outline::Outlines;
use crate::geometry::{Aabb, PolygonSet};

/// In a set with outlines, a query has few points if there are fewer than this number of points per vertex. Deciding so few
/// points on the outlines takes less time than making pieces and a grid.
const POINTS_A_VERTEX: usize = 2;
/// In a set without outlines, a query has few points if the set has more than this number of vertices per point.
const VERTICES_A_POINT: usize = 8;

/// A list of pairs takes no further points after it has at least this many pairs. This limit bounds the memory.
const BLOCK_PAIRS: usize = 1 << 14;

/// The targets of a search: the objects or pieces of a set whose relations to points are decided from their edges,
/// without the grid.
#[derive(Debug)]
pub(super) struct Searched<'a> {
    targets: Targets<'a>,
    /// The indices of the targets in the set.
    indices: Vec<u32>,
    /// The boxes of the targets, prepared for a search.
    boxes: Candidates,
    /// Whether every object or piece that contains one of the points is a target.
    are_all: bool,
}

#[derive(Debug)]
enum Targets<'a> {
    /// The targets are objects, which are decided on their outlines.
    Objects(&'a Outlines),
    /// The targets are convex pieces.
    Pieces(&'a PolygonSet),
}

impl<'a> Searched<'a> {
    /// If there are few points, returns all targets that may contain points. Otherwise, returns the crossed objects
    /// ([`PolygonSet::crossed_objects`]). Returns `None` if the grid has all objects.
    ///
    /// # Errors
    /// Returns the errors of the broad phase.
    pub(super) fn for_points<P: Into<DVec2> + Copy>(
        set: &'a PolygonSet,
        points: &[P],
    ) -> Result<Option<Self>> {
        let are_few = match set.outlined() {
            Some(outlined) => points.len() < POINTS_A_VERTEX * outlined.outlines.vertex_count(),
            None => points.len() < set.vertex_count() / VERTICES_A_POINT,
        };
        if !are_few {
            return Self::crossed(set);
        }
        let occupied = OccupiedCells::of(points);
        let Some(outlined) = set.outlined() else {
            let boxes = set.piece_boxes();
            let indices = occupied.boxes_with_points(&boxes);
            let boxes = indices.iter().map(|&piece| boxes[piece as usize]).collect();
            return Self::of(Targets::Pieces(set), indices, boxes, true).map(Some);
        };
        let outlines = &outlined.outlines;
        let mut objects = outlines.objects().to_vec();
        objects.dedup();
        let boxes: Vec<Aabb> = objects.iter().map(|&object| outlines.bounds_of(object)).collect();
        let kept = occupied.boxes_with_points(&boxes);
        let boxes = kept.iter().map(|&index| boxes[index as usize]).collect();
        let indices = kept.iter().map(|&index| objects[index as usize]).collect();
        Self::of(Targets::Objects(outlines), indices, boxes, true).map(Some)
    }

    /// Returns the [`PolygonSet::crossed_objects`], or `None` if there are none.
    ///
    /// # Errors
    /// Returns the errors of the broad phase.
    pub(super) fn crossed(set: &'a PolygonSet) -> Result<Option<Self>> {
        let Some(outlined) = set.outlined().filter(|o| !o.outlines.crossed_objects().is_empty()) else {
            return Ok(None);
        };
        let outlines = &outlined.outlines;
        let objects = outlines.crossed_objects().to_vec();
        let boxes = objects.iter().map(|&object| outlines.bounds_of(object)).collect();
        Self::of(Targets::Objects(outlines), objects, boxes, false).map(Some)
    }

    fn of(targets: Targets<'a>, indices: Vec<u32>, boxes: Vec<Aabb>, are_all: bool) -> Result<Self> {
        Ok(Self { targets, indices, boxes: broad_phase::self_join(&boxes, None)?, are_all })
    }

    /// Returns whether every object or piece that contains one of the points is a target.
    pub(super) fn are_all(&self) -> bool {
        self.are_all
    }

    /// Returns whether the targets are pieces. Otherwise they are objects.
    pub(super) fn are_pieces(&self) -> bool {
        matches!(self.targets, Targets::Pieces(_))
    }

    /// Returns whether the query reads pieces of the set, from the grid or as targets.
    pub(super) fn needs_pieces(&self) -> bool {
        !self.are_all || self.are_pieces()
    }

    /// Lists the pairs of a point and a target whose box contains the point, sorted by point. A pair holds the index in
    /// `points` and the index in `indices`. Stops after a point if the list has at least [`BLOCK_PAIRS`] pairs. Returns
    /// the number of points whose pairs are listed. These are the first points of `points`. If `points` is not empty,
    /// the number is at least 1.
    pub(super) fn near(&self, points: &[DVec2], pairs: &mut Vec<[u32; 2]>) -> usize {
        let boxes: Vec<Aabb> = points.iter().map(|&point| Aabb { min: point, max: point }).collect();
        pairs.clear();
        self.boxes.search(&boxes, BLOCK_PAIRS, pairs)
    }

    /// Appends to `hits` the targets that contain a point, and sorts `hits` by index. `pairs` are the pairs of the
    /// point from [`Searched::near`].
    pub(super) fn decide(&self, point: DVec2, pairs: &[[u32; 2]], hits: &mut Vec<Hit>, tally: &mut Tally) {
        for &[_, index] in pairs {
            let target = self.indices[index as usize];
            let relation = match self.targets {
                Targets::Objects(outlines) => relation_to_object(point, outlines, target),
                Targets::Pieces(set) => {
                    let decided = relation_to_piece(point, set.piece(target as usize));
                    tally.uncertain += u64::from(decided.was_uncertain);
                    decided.relation
                }
            };
            if relation != PointRelation::Outside {
                hits.push((target, relation));
            }
        }
        crate::base::sorting::sort_unstable_by_key(hits, |hit| hit.0);
    }
}
