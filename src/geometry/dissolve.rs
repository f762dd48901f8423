//! Unions of the pieces of objects whose polygons overlap each other.

use glam::DVec2;

use super::convex_polygon::check_coordinates;
use super::predicates::exact_sum;
use super::{Fill, PolygonObject, PolygonSet, Pose};
use crate::base::error::{Error, Result};
use crate::base::parallel::prelude::*;

/// Builds the set of the regions of some objects of `set`, in convex pieces that do not overlap each other. Object `i` of
/// the result is the region of object `objects[i]` of `set`.
///
/// Some vertices of the pieces are crossings of edges, and their coordinates are rounded to f64. The coordinates of a
/// static object are relative to one of its vertices if this vertex can be subtracted without rounding. The rounding
/// error then depends on the size of the object, and not on its distance from the origin.
///
/// # Errors
/// Returns [`Error::Object`] with [`Error::TooMany`] for an object whose edges cross at millions of points, and
/// [`Error::TooMany`] if there are too many pieces for 32-bit indices.
pub(crate) fn dissolved(set: &PolygonSet, objects: &[u32]) -> Result<PolygonSet> {
    let unions: Vec<Result<(PolygonObject, Pose)>> =
        objects.par_iter().with_min_len(1).map(|&object| union_of(set, object as usize)).collect();
    let (mut regions, mut poses) = (Vec::with_capacity(objects.len()), Vec::with_capacity(objects.len()));
    for (union, &object) in unions.into_iter().zip(objects) {
        let of_object = |source| Error::Object { object: object as usize, source: Box::new(source) };
        let (region, pose) = union.map_err(of_object)?;
        regions.push(region);
        poses.push(pose);
    }
    let mut dissolved = PolygonSet::from_objects(&regions)?;
    dissolved.set_poses(&poses)?;
    Ok(dissolved)
}

/// Returns the region of one object, and its pose. All pieces of an object have the same pose.
fn union_of(set: &PolygonSet, object: usize) -> Result<(PolygonObject, Pose)> {
    let pieces = set.object_pieces(object);
    let mut pose = set.piece_pose(pieces.start);
    let mut rings: Vec<Vec<DVec2>> = pieces.map(|piece| set.piece_vertices(piece).to_vec()).collect();
    let origin = rings[0][0];
    if pose == Pose::IDENTITY
        && let Some(moved) = relative_to(origin, &rings)
    {
        (rings, pose) = (moved, Pose::from_translation(origin)?);
    }
    // All pieces are counter-clockwise, so a point is inside if and only if its winding number is above 0.
    let (region, _) = PolygonObject::from_filled(&rings, Fill::NonZero)?;
    Ok((region, pose))
}

/// Returns `rings` relative to `origin`, or `None` if a coordinate would be rounded or would leave the accepted range.
fn relative_to(origin: DVec2, rings: &[Vec<DVec2>]) -> Option<Vec<Vec<DVec2>>> {
    let moved = |v: &DVec2| {
        let to = DVec2::new(exact_sum(v.x, -origin.x)?, exact_sum(v.y, -origin.y)?);
        check_coordinates(to, 0).is_ok().then_some(to)
    };
    rings.iter().map(|ring| ring.iter().map(moved).collect()).collect()
}
