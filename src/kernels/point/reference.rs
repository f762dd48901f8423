//! The oracle for points in polygons: the relation of a point to pieces, by exact predicates, without a filter. The
//! code is kept simple.
//!
//! A point is inside a convex piece if it lies to the left of every edge. A point is on the boundary of a convex piece
//! if the point lies on the line of some edge, and is not to the right of any edge. Otherwise, the point is outside. An
//! object's region is the union of its pieces. Suppose that a point is on the boundary of some pieces and in the
//! interior of no piece. The point is then in the interior of the union if and only if the pieces together cover every
//! direction around the point.

use std::cmp::Ordering;

use glam::DVec2;

use crate::answers::points::PointRelation;
use crate::geometry::predicates::{edges, orientation};
use crate::geometry::{Piece, Pose, posed_image};

/// Returns the relation of a point to a convex piece.
pub(crate) fn relation_to_piece(point: DVec2, piece: Piece<'_>) -> PointRelation {
    if piece.pose == Pose::IDENTITY {
        relation_to_ring(&point, piece.vertices, |p, q, r| orientation(*p, *q, *r))
    } else {
        relation_to_ring(&exact(point), &posed_image::posed_image(piece), posed_image::orientation)
    }
}

/// Returns the relation of a point to the union of `pieces`, which are the pieces of one object. Pieces that do not
/// contain the point may be left out.
pub(crate) fn relation_to_object(point: DVec2, pieces: &[Piece<'_>]) -> PointRelation {
    let relations: Vec<PointRelation> = pieces.iter().map(|&piece| relation_to_piece(point, piece)).collect();
    let strongest = relations.iter().copied().max().unwrap_or(PointRelation::Outside);
    if strongest != PointRelation::Boundary {
        return strongest;
    }
    let meeting = pieces.iter().zip(&relations).filter(|&(_, &r)| r == PointRelation::Boundary);
    let is_covered = if pieces.iter().all(|piece| piece.pose == Pose::IDENTITY) {
        let sectors = meeting.filter_map(|(piece, _)| {
            sector(&point, piece.vertices, |p, q, r| orientation(*p, *q, *r), DVec2::clone)
        });
        covers_every_direction(
            sectors.collect(),
            |a| (a.y, a.x) >= (point.y, point.x),
            |a, b| orientation(point, *a, *b),
        )
    } else {
        let centre = exact(point);
        let sectors = meeting.filter_map(|(&piece, _)| {
            sector(&centre, &posed_image::posed_image(piece), posed_image::orientation, Clone::clone)
        });
        covers_every_direction(
            sectors.collect(),
            |a| (&a[1], &a[0]) >= (&centre[1], &centre[0]),
            |a, b| posed_image::orientation(&centre, a, b),
        )
    };
    if is_covered { PointRelation::Inside } else { PointRelation::Boundary }
}

/// Returns a number whose sign is the exact side of a point relative to an edge: positive to the left of the edge, 0 on
/// its line. `edge` has the two ends and the pose of the edge.
pub(crate) fn side_of_posed(point: DVec2, edge: Piece<'_>) -> f64 {
    let ends = posed_image::posed_image(edge);
    posed_image::orientation(&ends[0], &ends[1], &exact(point))
}

fn exact(point: DVec2) -> posed_image::BigPoint {
    let [x, y] = &posed_image::posed_image(Piece { vertices: &[point], pose: Pose::IDENTITY })[0];
    [x.clone(), y.clone()]
}

fn relation_to_ring<P>(point: &P, ring: &[P], orientation: impl Fn(&P, &P, &P) -> f64) -> PointRelation {
    let sides = edges(ring).map(|(p, q)| orientation(p, q, point));
    sides.fold(PointRelation::Inside, |relation, side| relation.min(PointRelation::of_side(side)))
}

/// Returns the sector of a convex piece at a point of the closed piece: the directions from the point into the
/// piece. The directions to the two returned vertices are the first and the last direction of the sector,
/// counter-clockwise. The sector spans at most half a turn. Returns `None` if the point is not on the boundary.
fn sector<P>(
    point: &P,
    ring: &[P],
    orientation: impl Fn(&P, &P, &P) -> f64,
    clone: impl Fn(&P) -> P,
) -> Option<[P; 2]> {
    let n = ring.len();
    // The point is on one edge, or on two consecutive edges if it is the vertex between them.
    let on: Vec<usize> =
        (0..n).filter(|&i| orientation(&ring[i], &ring[(i + 1) % n], point) == 0.0).collect();
    let (first, last) = match on[..] {
        [edge] => (edge, edge),
        [a, b] if b == a + 1 => (a, b),
        [a, b] if a == 0 && b + 1 == n => (b, a),
        _ => return None,
    };
    Some([clone(&ring[(last + 1) % n]), clone(&ring[first])])
}

/// Returns whether closed sectors together cover every direction. A sector goes counter-clockwise from its first
/// direction to its second direction, and spans at most half a turn. `is_upper` returns true for a direction that is
/// less than half a turn counter-clockwise from the x axis. `turn` returns a positive number if the second of two
/// directions is less than half a turn counter-clockwise from the first.
fn covers_every_direction<P: Clone>(
    mut sectors: Vec<[P; 2]>,
    is_upper: impl Fn(&P) -> bool,
    turn: impl Fn(&P, &P) -> f64,
) -> bool {
    // Compares the angles of two directions, counter-clockwise from the x axis: from 0 to less than a full turn.
    let by_angle = |a: &P, b: &P| {
        is_upper(b).cmp(&is_upper(a)).then_with(|| 0.0.partial_cmp(&turn(a, b)).unwrap_or(Ordering::Equal))
    };
    crate::base::sorting::sort_by(&mut sectors, |a, b| by_angle(&a[0], &b[0]));
    let wraps = |sector: &[P; 2]| by_angle(&sector[0], &sector[1]).is_gt();
    // All directions from the x axis up to `reach` are covered. At first, the sectors that contain the x axis determine
    // `reach`. Each further sector may extend it.
    let mut reach = sectors.iter().filter(|s| wraps(s)).map(|s| &s[1]).max_by(|a, b| by_angle(a, b));
    for sector in &sectors {
        match reach {
            Some(reach) if by_angle(&sector[0], reach).is_gt() => return false,
            // No sector contains the directions just before the x axis, so these directions are not covered.
            None => return false,
            Some(_) if wraps(sector) => return true,
            Some(far) => {
                if by_angle(&sector[1], far).is_gt() {
                    reach = Some(&sector[1]);
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(sectors: &[[[f64; 2]; 2]]) -> bool {
        let sectors = sectors.iter().map(|s| s.map(DVec2::from)).collect();
        covers_every_direction(
            sectors,
            |a: &DVec2| (a.y, a.x) >= (0.0, 0.0),
            |a, b| orientation(DVec2::ZERO, *a, *b),
        )
    }

    #[test]
    fn sectors_cover_the_turn_or_leave_a_direction_out() {
        let [e, ne, n, w, s, se] =
            [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [-2.0, 0.0], [0.0, -3.0], [1.0, -1.0]];
        assert!(covers(&[[e, w], [w, e]]));
        assert!(covers(&[[n, s], [s, n]]));
        assert!(covers(&[[w, e], [e, n], [n, w]]));
        assert!(covers(&[[s, ne], [ne, w], [w, s]]));
        assert!(covers(&[[s, ne], [e, n], [ne, w], [w, se]]));
        assert!(!covers(&[[s, ne], [n, w], [w, s]]));
        assert!(!covers(&[[s, ne], [ne, w]]));
        assert!(!covers(&[[e, w], [w, se]]));
        assert!(!covers(&[[e, w], [s, e]]));
        assert!(!covers(&[[e, w]]) && !covers(&[[w, e]]) && !covers(&[[s, n]]) && !covers(&[]));
        assert!(!covers(&[[e, n], [e, n], [e, w]]));
    }
}
