//! Merges triangles into convex pieces.

use glam::DVec2;

use super::mesh::Mesh;
use crate::geometry::predicates::orientation;

/// A convex piece of a region, given by its corners.
pub(super) struct ConvexLoop {
    /// The indices of the corners in the list of the points of the mesh, counter-clockwise.
    pub(super) corners: Vec<u32>,
    /// For each edge of the piece, whether the whole edge lies inside the region, so that no part of it bounds the
    /// region. Edge `i` starts at corner `i`.
    pub(super) internal: Vec<bool>,
}

/// Merges the inside triangles of a mesh into convex pieces. `inside` says for each face whether the face is inside. The
/// union of the pieces is the union of these triangles. The corners of a piece are counter-clockwise, without straight
/// angles, and start at the corner with the least index.
///
/// Around every point, at least one face must be outside. One pass over the diagonals is enough: a diagonal that is
/// needed for convexity at one of its ends stays needed, because removing other diagonals only widens the angles there.
pub(super) fn convex_loops(points: &[DVec2], mesh: &Mesh, inside: &[bool]) -> Vec<ConvexLoop> {
    let mut next = mesh.next.clone();
    let mut previous = vec![0; next.len()];
    for (half_edge, &after) in next.iter().enumerate() {
        previous[after as usize] = half_edge as u32;
    }
    let is_inside = |half_edge: u32| inside[mesh.face[half_edge as usize] as usize];
    let origin = |half_edge: u32| mesh.origin[half_edge as usize];
    // Whether the angle at the start of `after` would be at most half a turn if `after` followed `before`. The angle is
    // less than a full turn, because some face around the point is outside. An orientation of 0 therefore means half a
    // turn.
    let is_convex = |before: u32, after: u32| {
        let [p, q, r] = [
            points[origin(before) as usize],
            points[origin(after) as usize],
            points[origin(after ^ 1) as usize],
        ];
        orientation(p, q, r) >= 0.0
    };

    let mut removed = vec![false; mesh.edge_count()];
    for edge in 0..mesh.edge_count() as u32 {
        let (a, b) = (2 * edge, 2 * edge + 1);
        if !is_inside(a) || !is_inside(b) {
            continue;
        }
        let (before_a, after_a) = (previous[a as usize], next[a as usize]);
        let (before_b, after_b) = (previous[b as usize], next[b as usize]);
        if is_convex(before_a, after_b) && is_convex(before_b, after_a) {
            removed[edge as usize] = true;
            for (before, after) in [(before_a, after_b), (before_b, after_a)] {
                next[before as usize] = after;
                previous[after as usize] = before;
            }
        }
    }

    let mut loops = Vec::new();
    let mut seen = vec![false; next.len()];
    for start in 0..next.len() as u32 {
        if seen[start as usize] || removed[start as usize / 2] || !is_inside(start) {
            continue;
        }
        let (mut corners, mut internal) = (Vec::new(), Vec::new());
        // Whether all half-edges before the first corner are internal. These half-edges belong to the last edge of the
        // loop.
        let mut before_first = true;
        let mut here = start;
        while !std::mem::replace(&mut seen[here as usize], true) {
            let before = previous[here as usize];
            let [p, q, r] = [
                points[origin(before) as usize],
                points[origin(here) as usize],
                points[origin(here ^ 1) as usize],
            ];
            if orientation(p, q, r) != 0.0 {
                corners.push(origin(here));
                internal.push(true);
            }
            *internal.last_mut().unwrap_or(&mut before_first) &= is_inside(here ^ 1);
            here = next[here as usize];
        }
        if let Some(last) = internal.last_mut() {
            *last &= before_first;
        }
        if let Some(least) = (0..corners.len()).min_by_key(|&i| corners[i]) {
            corners.rotate_left(least);
            internal.rotate_left(least);
        }
        loops.push(ConvexLoop { corners, internal });
    }
    loops
}
