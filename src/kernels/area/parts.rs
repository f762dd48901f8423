//! Finds the objects whose pieces overlap each other, so that the areas of their pieces do not add up.

use std::cmp::Ordering;

use crate::answers::results::Relation;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::broad_phase;
use crate::geometry::{Aabb, Piece, PolygonSet, Pose};
use crate::kernels::cpu::exact;

/// For an object with fewer pieces than this, the code tests all pairs of pieces. Otherwise, a tree finds the pairs whose
/// boxes meet.
const MANY: usize = 64;
/// The greatest number of pairs of pieces that the tree returns at a time.
const CHUNK_PAIRS: usize = 1 << 16;

/// Returns the given objects that have two overlapping pieces, in the given order. The pieces of one polygon never overlap,
/// but the polygons of a MultiPolygon may. Returns the errors of the broad phase.
pub(crate) fn overlapping_objects(set: &PolygonSet, objects: &[u32]) -> Result<Vec<u32>> {
    let has_overlap = |&object: &u32| has_overlap(set, object as usize);
    let found: Vec<Result<bool>> = objects.par_iter().with_min_len(1).map(has_overlap).collect();
    let mut overlapping = Vec::new();
    for (&object, has_overlap) in objects.iter().zip(found) {
        if has_overlap? {
            overlapping.push(object);
        }
    }
    Ok(overlapping)
}

fn has_overlap(set: &PolygonSet, object: usize) -> Result<bool> {
    let pieces = set.object_pieces(object);
    if pieces.len() < 2 {
        return Ok(false);
    }
    // All pieces of an object have the same pose, so they have the same relations without the pose.
    let shape = |piece: usize| Piece { vertices: set.piece_vertices(piece), pose: Pose::IDENTITY };
    let boxes: Vec<Aabb> = pieces.clone().map(|piece| set.shape_aabb(set.piece_shape(piece))).collect();
    let overlap = |i: usize, j: usize| {
        let meets_inside = |axis: usize| {
            let (least, greatest) =
                (boxes[i].min[axis].max(boxes[j].min[axis]), boxes[i].max[axis].min(boxes[j].max[axis]));
            least.partial_cmp(&greatest) == Some(Ordering::Less)
        };
        meets_inside(0)
            && meets_inside(1)
            && exact::relation(shape(pieces.start + i), shape(pieces.start + j)) == Relation::Overlapping
    };
    if boxes.len() < MANY {
        return Ok((1..boxes.len()).any(|j| (0..j).any(|i| overlap(i, j))));
    }
    let mut candidates = broad_phase::self_join(&boxes, None)?;
    let mut chunk = Vec::new();
    while candidates.next_chunk(CHUNK_PAIRS, &mut chunk) {
        if chunk.par_iter().with_min_len(256).any(|&[i, j]| overlap(i as usize, j as usize)) {
            return Ok(true);
        }
    }
    Ok(false)
}
