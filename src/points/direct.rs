//! Decides a point in a convex piece by the edges of the piece, without the grid.

use glam::DVec2;

use super::filter::{EdgeError, Sided, side};
use crate::answers::points::PointRelation;
use crate::geometry::predicates::orientation;
use crate::geometry::{Piece, Pose};
use crate::kernels::point::reference;

/// The exact relation of a point to a piece, and whether exact arithmetic decided it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decided {
    pub(super) relation: PointRelation,
    /// Whether the filter was uncertain, so that exact arithmetic decided.
    pub(super) was_uncertain: bool,
}

/// Returns a bound on the error of each world coordinate of the vertices of a piece, as [`Pose::apply`] computes them.
/// The bound is 0 for a piece without a pose.
pub(super) fn error_of(piece: Piece<'_>) -> f64 {
    if piece.pose == Pose::IDENTITY {
        return 0.0;
    }
    // The bound holds for both coordinates, and is at least the bound that `Pose::apply` documents.
    let reach = piece.vertices.iter().map(|v| v.abs().element_sum()).fold(0.0, f64::max);
    (reach + piece.pose.translation().abs().max_element()) * 2f64.powi(-50)
}

/// Returns the exact side of a point relative to an edge: positive on the left, 0 on the line, negative on the right.
/// `edge` has the ends and the pose of the edge.
pub(super) fn exact_side(point: DVec2, edge: Piece<'_>) -> f64 {
    match edge {
        Piece { vertices: &[p, q], pose: Pose::IDENTITY } => orientation(p, q, point),
        posed => reference::side_of_posed(point, posed),
    }
}

/// Decides the relation of a point to a piece.
pub(super) fn relation_to_piece(point: DVec2, piece: Piece<'_>) -> Decided {
    let (is_posed, error) = (piece.pose != Pose::IDENTITY, EdgeError(error_of(piece)));
    let world = |v: DVec2| if is_posed { piece.pose.apply(v) } else { v };
    let Some(&last) = piece.vertices.last() else {
        return Decided { relation: PointRelation::Outside, was_uncertain: false };
    };
    let (mut from, mut was_uncertain) = (world(last), false);
    for &vertex in piece.vertices {
        let to = world(vertex);
        match side(from, to, point, error) {
            Sided::Left => {}
            Sided::Right => return Decided { relation: PointRelation::Outside, was_uncertain: false },
            Sided::Uncertain => was_uncertain = true,
        }
        from = to;
    }
    let relation = if was_uncertain { exact_relation(point, piece, last) } else { PointRelation::Inside };
    Decided { relation, was_uncertain }
}

#[cold]
#[inline(never)]
fn exact_relation(point: DVec2, piece: Piece<'_>, last: DVec2) -> PointRelation {
    let (mut from, mut relation) = (last, PointRelation::Inside);
    for &to in piece.vertices {
        let edge = [from, to];
        let edge = Piece { vertices: &edge, pose: piece.pose };
        relation = relation.min(PointRelation::of_side(exact_side(point, edge)));
        from = to;
    }
    relation
}
