//! The reference for relations of convex pieces: the separating axis theorem on exact predicates, without a filter. The
//! code is kept simple.
//!
//! For an edge (p, q) of a counter-clockwise polygon, the points b inside have `orientation(p, q, b) > 0`. Two convex
//! polygons are disjoint if and only if some edge of either polygon has every vertex of the other polygon strictly
//! outside. If they are not disjoint, they touch if and only if some edge of either polygon has every vertex of the
//! other polygon outside or on the line of the edge. Otherwise, they overlap (Ericson 2005, "Real-Time Collision
//! Detection", 5.2.1).

use crate::answers::results::Relation;
use crate::geometry::predicates::{edges, orientation};
use crate::geometry::{Piece, posed_image};

/// Returns the exact relation of two convex pieces.
pub(crate) fn relation(a: Piece<'_>, b: Piece<'_>) -> Relation {
    if a.pose == b.pose {
        judge(a.vertices, b.vertices, |p, q, r| orientation(*p, *q, *r))
    } else {
        relation_of_images(&posed_image::posed_image(a), &posed_image::posed_image(b))
    }
}

/// Returns the exact relation of two convex polygons, given by their exact vertices.
pub(crate) fn relation_of_images(a: &[posed_image::BigPoint], b: &[posed_image::BigPoint]) -> Relation {
    judge(a, b, posed_image::orientation)
}

fn judge<P>(a: &[P], b: &[P], orientation: impl Fn(&P, &P, &P) -> f64) -> Relation {
    let some_edge_has_all_outside = |outside: fn(f64) -> bool| {
        edges(a).any(|(p, q)| b.iter().all(|r| outside(orientation(p, q, r))))
            || edges(b).any(|(p, q)| a.iter().all(|r| outside(orientation(p, q, r))))
    };
    if some_edge_has_all_outside(|side| side < 0.0) {
        Relation::Disjoint
    } else if some_edge_has_all_outside(|side| side <= 0.0) {
        Relation::Touching
    } else {
        Relation::Overlapping
    }
}

/// Returns a number whose sign is the exact side of vertex `j` of `other` relative to edge `k` of `piece`: positive if
/// the vertex lies to the left of the edge, 0 if it lies on the edge's line.
pub(crate) fn side_of_line(piece: Piece<'_>, k: usize, other: Piece<'_>, j: usize) -> f64 {
    let ends = [piece.vertices[k], piece.vertices[(k + 1) % piece.vertices.len()]];
    let vertex = other.vertices[j];
    if piece.pose == other.pose {
        return orientation(ends[0], ends[1], vertex);
    }
    let ends = posed_image::posed_image(Piece { vertices: &ends, ..piece });
    let vertex = posed_image::posed_image(Piece { vertices: &[vertex], ..other });
    posed_image::orientation(&ends[0], &ends[1], &vertex[0])
}
