//! Finds the point of an object's boundary that is nearest to a given point.

use glam::DVec2;

use super::objects::share;
use super::{axes, dyadic};
use crate::answers::points::PointRelation;
use crate::geometry::{Aabb, Piece, Pose};
use crate::kernels::point::reference;

/// The two ends of an edge in world coordinates.
pub(super) type Edge = [DVec2; 2];

/// The point of a boundary that is nearest to a given point.
pub(super) struct Nearest {
    pub(super) closest: DVec2,
    pub(super) distance: f64,
    /// A point exactly on the boundary, near `closest`. If the search finds no such point on the nearest edge, the point is on
    /// the nearest edge that has one. `None` if no such point was found, or if the object has a pose.
    pub(super) exact: Option<DVec2>,
}

/// Returns the distance of a point from an edge, in f64.
pub(super) fn distance(point: DVec2, edge: Edge) -> f64 {
    at(edge, share(point, edge)).distance(point)
}

/// Returns the point at the position `share` of an edge, or the nearer end of the edge if the position is not between 0
/// and 1.
fn at([p, q]: Edge, share: f64) -> DVec2 {
    if share <= 0.0 {
        p
    } else if share >= 1.0 {
        q
    } else {
        p.lerp(q, share)
    }
}

/// Returns the point of an object's boundary that is nearest to `point`. `edges[piece]` are the edges of a piece.
/// `is_outer(piece, edge)` is false if the edge is a cut between two pieces. A part of an edge that another piece
/// covers is not on the boundary. If no edge is outer, returns `point` itself.
pub(super) fn nearest(
    point: DVec2,
    edges: &[Vec<Edge>],
    is_outer: impl Fn(usize, usize) -> bool,
    all: &[Piece<'_>],
) -> Nearest {
    let boxes: Vec<Aabb> = edges.iter().map(|edges| around(edges.iter().flatten())).collect();
    let mut by_distance: Vec<(f64, usize, Edge)> = Vec::new();
    for (piece, edges) in edges.iter().enumerate() {
        let outer = edges.iter().enumerate().filter(|&(edge, _)| is_outer(piece, edge));
        by_distance.extend(outer.map(|(_, &edge)| (distance(point, edge), piece, edge)));
    }
    crate::base::sorting::sort_by(&mut by_distance, |a, b| a.0.total_cmp(&b.0));
    let mut best: Option<(f64, Edge, f64)> = None;
    for &(whole, piece, edge) in &by_distance {
        if best.is_some_and(|(distance, ..)| distance <= whole) {
            break;
        }
        for [from, to] in bare_parts(edge, piece, edges, &boxes) {
            let share = share(point, edge).clamp(from, to);
            let distance = at(edge, share).distance(point);
            if best.is_none_or(|(least, ..)| distance < least) {
                best = Some((distance, edge, share));
            }
        }
    }
    // If rounding suggests that other pieces cover every edge, the whole nearest edge counts as boundary.
    let whole = || {
        by_distance.first().map(|&(distance, _, edge)| (distance, edge, share(point, edge).clamp(0.0, 1.0)))
    };
    let Some((rounded, edge, on_edge)) = best.or_else(whole) else {
        return Nearest { closest: point, distance: 0.0, exact: None };
    };
    let is_whole = on_edge == share(point, edge).clamp(0.0, 1.0);
    let is_posed = all.iter().any(|piece| piece.pose != Pose::IDENTITY);
    let is_on = |&exact: &DVec2| reference::relation_to_object(exact, all) == PointRelation::Boundary;
    // If no exact point was found on the nearest edge, the next edges may have one.
    let others = by_distance.iter().map(|&(_, _, edge)| (edge, share(point, edge).clamp(0.0, 1.0)));
    let mut exact = std::iter::once((edge, on_edge))
        .chain(others)
        .filter_map(|(edge, share)| dyadic::near(edge, share).next());
    Nearest {
        closest: at(edge, on_edge),
        distance: if is_whole { axes::distance_to_edge(point, edge) } else { rounded },
        exact: if is_posed { None } else { exact.find(is_on) },
    }
}

fn around<'a>(vertices: impl Iterator<Item = &'a DVec2>) -> Aabb {
    let vertices: Vec<DVec2> = vertices.copied().collect();
    Aabb::around(&vertices)
}

/// Returns the parts of an edge that no other piece covers. A part is given by the positions of its two ends on the
/// edge: 0 is the start of the edge, and 1 is its end.
fn bare_parts(edge: Edge, piece: usize, edges: &[Vec<Edge>], boxes: &[Aabb]) -> Vec<[f64; 2]> {
    let own = around(edge.iter());
    let mut bare: Vec<[f64; 2]> = vec![[0.0, 1.0]];
    for (other, (edges, aabb)) in edges.iter().zip(boxes).enumerate() {
        if other == piece || !aabb.meets(own) {
            continue;
        }
        if let Some([from, to]) = covered(edge, edges, aabb.union(own)) {
            let outside =
                bare.iter().flat_map(|&[start, end]| [[start, end.min(from)], [start.max(to), end]]);
            bare = outside.filter(|[start, end]| start < end).collect();
        }
    }
    bare
}

/// Returns the part of an edge inside a convex polygon, or `None` if no part is inside (Cyrus, Beck 1978, "Generalized
/// two- and three-dimensional clipping"). The edge goes from `p` to `q`, and its piece is on its left. An edge that
/// lies on an edge of the polygon counts as inside if the polygon is on its right, because the edge is then a cut
/// between two pieces. If the polygon is on its left, the edge counts as outside.
fn covered([p, q]: Edge, polygon: &[Edge], bounds: Aabb) -> Option<[f64; 2]> {
    let magnitude = bounds.min.abs().max(bounds.max.abs()).max_element();
    let [mut from, mut to] = [0.0f64, 1.0f64];
    for &[c, d] in polygon {
        let along = d - c;
        // A bound on the error of `side` that results from the rounding of the vertices.
        let error = 8.0 * f64::EPSILON * magnitude * along.abs().element_sum();
        let side = |v: DVec2| {
            let side = along.perp_dot(v - c);
            if side.abs() <= error { 0.0 } else { side }
        };
        let (start, end) = (side(p), side(q));
        if start == 0.0 && end == 0.0 {
            if along.dot(q - p) > 0.0 {
                return None;
            }
            continue;
        }
        if start <= 0.0 && end <= 0.0 {
            return None;
        }
        if start < 0.0 {
            from = from.max(start / (start - end));
        }
        if end < 0.0 {
            to = to.min(start / (start - end));
        }
    }
    (from < to).then_some([from, to])
}
