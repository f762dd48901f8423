//! Containment of objects with any number of pieces: decides whether a union of convex polygons covers another such
//! union.
//!
//! The vertices of pieces are input vertices. The union of the pieces of an object is therefore exactly the region of the
//! object's rings, and the answer does not depend on how the region is split into pieces.
//!
//! A region A covers a region B if A covers each piece of B. A covers a convex piece P of B if and only if
//!
//! 1. some piece of A overlaps P, and
//! 2. along each part of an edge of A's pieces that lies in P's interior, other pieces of A cover the outer side of the
//!    edge.
//!
//! Proof: let U be the part of P's interior that lies outside A. U is open, because A is closed. A covers P if and only if
//! U is empty. Suppose that U is not empty. If U is the whole interior of P, no piece of A overlaps P, which contradicts
//! condition 1. Otherwise, U has a border in P's interior. The border consists of parts of edges of A's pieces, and U lies
//! on the outer side of these edges, which contradicts condition 2.
//!
//! On the line through an edge, condition 2 is a condition on intervals ([`super::line`]).
//!
//! Exact predicates compute the signs. The intersections of lines are fractions of big integers.

use std::ops::Range;

use glam::DVec2;

use crate::base::error::Result;
use crate::geometry::posed_image::{BigPoint, posed_image};
use crate::geometry::predicates::edges;
use crate::geometry::{Aabb, PolygonSet};

use super::convex::{self, Vertex};
use super::line;
use crate::answers::containment::Containment;

/// For fewer than this many pairs of pieces, the code tests all pairs. Otherwise, a tree finds the pairs whose boxes meet.
const MANY: usize = 1 << 12;

/// Decides whether object `i` of `a` covers object `j` of `b`, and whether `j` covers `i`. An object without pieces
/// covers nothing, and nothing covers it.
///
/// # Errors
/// Returns [`crate::Error::TooMany`] if there are too many pieces for 32-bit indices.
pub(crate) fn decide(a: &PolygonSet, i: usize, b: &PolygonSet, j: usize) -> Result<Containment> {
    let (range_a, range_b) = (a.object_pieces(i), b.object_pieces(j));
    if range_a.is_empty() || range_b.is_empty() {
        return Ok(Containment::Neither);
    }
    // All pieces of an object have the same pose, so the pose of the first piece is enough.
    let (pose_a, pose_b) = (a.piece_pose(range_a.start), b.piece_pose(range_b.start));
    if pose_a == pose_b {
        // The two poses are equal, so they do not change the containment. The code decides it without the poses.
        let (region_a, region_b) = (in_shape_frame(a, range_a), in_shape_frame(b, range_b));
        let [box_a, box_b] = [&region_a, &region_b]
            .map(|region| region.iter().fold(Aabb::EMPTY, |aabb, piece| aabb.union(piece.1)));
        // The boxes of pieces without poses are exact.
        return Ok(Containment::of(
            box_a.covers(box_b) && covers(&region_a, &region_b)?,
            box_b.covers(box_a) && covers(&region_b, &region_a)?,
        ));
    }
    let images = |set: &PolygonSet, range: Range<usize>| -> Vec<(Vec<BigPoint>, Aabb)> {
        range.map(|piece| (posed_image(set.piece(piece)), set.piece_aabb(piece))).collect()
    };
    let (region_a, region_b) = (images(a, range_a), images(b, range_b));
    Ok(Containment::of(covers(&region_a, &region_b)?, covers(&region_b, &region_a)?))
}

/// Returns the vertices of the pieces in `range` without their poses, each with its exact box.
fn in_shape_frame(set: &PolygonSet, range: Range<usize>) -> Vec<(&[DVec2], Aabb)> {
    range.map(|piece| (set.piece_vertices(piece), set.shape_aabb(set.piece_shape(piece)))).collect()
}

/// Returns whether the union of the convex polygons `a` covers the union of the convex polygons `b`. Each polygon comes
/// with a box that contains it. Returns [`crate::Error::TooMany`] if there are too many polygons for the broad phase.
fn covers<V: Vertex, A: AsRef<[V]>, B: AsRef<[V]>>(a: &[(A, Aabb)], b: &[(B, Aabb)]) -> Result<bool> {
    let covers = |(inner, _): &(B, Aabb), near: &mut dyn Iterator<Item = &(A, Aabb)>| {
        let near: Vec<&[V]> = near.map(|(piece, _)| piece.as_ref()).collect();
        covers_piece(&near, inner.as_ref())
    };
    if a.len() * b.len() < MANY {
        return Ok(b.iter().all(|piece| covers(piece, &mut a.iter().filter(|other| other.1.meets(piece.1)))));
    }
    let boxes_a: Vec<Aabb> = a.iter().map(|piece| piece.1).collect();
    let boxes_b: Vec<Aabb> = b.iter().map(|piece| piece.1).collect();
    let near = crate::broad_phase::join(&boxes_b, &boxes_a)?.sorted();
    let mut groups = near.chunk_by(|p, q| p[0] == q[0]).peekable();
    Ok(b.iter().zip(0..).all(|(piece, index)| {
        let group = groups.next_if(|group| group[0][0] == index).unwrap_or(&[]);
        covers(piece, &mut group.iter().map(|&[_, i]| &a[i as usize]))
    }))
}

/// Returns whether the union of the convex polygons `near` covers `inner`. `near` must have all polygons of the region
/// that can meet `inner`.
fn covers_piece<V: Vertex>(near: &[&[V]], inner: &[V]) -> bool {
    if near.iter().any(|piece| convex::covers(piece, inner)) {
        return true;
    }
    if near.len() < 2 || !near.iter().any(|piece| convex::overlap(piece, inner)) {
        return false;
    }
    near.iter().enumerate().all(|(i, piece)| {
        let others = || near.iter().enumerate().filter(move |&(j, _)| j != i).map(|(_, other)| *other);
        edges(piece).all(|(p, q)| {
            let Some(within) = line::chord(p, q, inner) else { return true };
            // A line along an edge of `inner` has no point in its interior.
            if !within.has_left || !within.has_right {
                return true;
            }
            // Most edges inside the region are cuts between two pieces, so another piece has the same edge in the
            // opposite direction.
            if others().any(|other| edges(other).any(|(r, s)| r == q && s == p)) {
                return true;
            }
            let chords = others().filter_map(|other| line::chord(p, q, other));
            line::cover(&within, chords.filter(|chord| chord.has_right).collect())
        })
    })
}
