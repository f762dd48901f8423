//! Finds out whether a point is in the region of an outline.

use glam::DVec2;

use super::ray::crosses_odd_number;
use super::sectors::Sector;
use super::{Centre, Leaf, Outline, sectors};
use crate::geometry::predicates::orientation;

/// The position of a point relative to a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The point is in the interior of the region.
    Inside,
    /// The point is on the boundary of the region.
    Boundary,
    /// The point is neither in the region nor on its boundary.
    Outside,
}

impl Outline<'_> {
    /// Locates a point. The result is exact.
    ///
    /// The point is inside if a ray from the point to the right crosses the boundary an odd number of times. If the box
    /// of a tree node is completely to the right of the point, the method does not visit the edges under the node. The
    /// edges of one ring under the node form a chain, and the two ends of the chain show whether the ray crosses it an
    /// odd number of times. A whole ring is crossed an even number of times.
    pub(crate) fn locate(&self, point: DVec2) -> Place {
        if self.is_crossed() {
            return self.locate_by_winding(point);
        }
        self.locate_among(point, |_| true)
    }

    /// Locates a point by its winding number. A point on an edge is inside if both sides of the edge are inside.
    fn locate_by_winding(&self, point: DVec2) -> Place {
        locate_in_union(std::slice::from_ref(self), point)
    }

    /// Locates a point in the even-odd interior of all rings of the outline except one. `ring` is the index of the
    /// excluded ring in its block.
    pub(super) fn locate_without(&self, point: DVec2, ring: u32) -> Place {
        self.locate_among(point, |other| other != ring)
    }

    /// Locates a point in the even-odd interior of one ring. `ring` is the index of the ring in its block.
    pub(super) fn locate_in(&self, point: DVec2, ring: u32) -> Place {
        self.locate_among(point, |other| other == ring)
    }

    #[inline]
    fn locate_among(&self, point: DVec2, counts: impl Fn(u32) -> bool) -> Place {
        let (mut is_odd, mut is_on_edge) = (false, false);
        let chain = |leaf: Leaf, first: u32, end: u32| {
            let [start, end] = [first, end].map(|v| self.vertices[v as usize]);
            counts(leaf.ring) && (start.y > point.y) != (end.y > point.y)
        };
        self.descend(|node, around| {
            let is_off = point.y < around.min.y || point.y > around.max.y || point.x > around.max.x;
            if is_off || is_on_edge {
                return false;
            }
            let leaves = self.leaves_under(node);
            let (first, last) = (leaves[0], leaves[leaves.len() - 1]);
            if point.x < around.min.x {
                if first.ring == last.ring {
                    is_odd ^= chain(first, first.first, last.end);
                } else {
                    let ends = [first, last].map(|leaf| self.rings[(leaf.ring - self.first_ring) as usize]);
                    is_odd ^= chain(first, first.first, ends[0].end) ^ chain(last, ends[1].first, last.end);
                }
                return false;
            }
            if node.level == 0 && counts(first.ring) {
                let edges = &self.vertices[first.first as usize..=first.end as usize];
                match crosses_odd_number(edges, point).or_else(|| crosses_exactly(edges, point)) {
                    None => is_on_edge = true,
                    Some(crosses) => is_odd ^= crosses,
                }
            }
            true
        });
        match (is_on_edge, is_odd) {
            (true, _) => Place::Boundary,
            (_, true) => Place::Inside,
            (_, false) => Place::Outside,
        }
    }
}

/// Locates a point in the union of polygons. A point is inside if every direction around the point is inside some
/// polygon.
pub(crate) fn locate_in_union(polygons: &[Outline<'_>], point: DVec2) -> Place {
    place_among(&sectors(&Centre::Point(point), [polygons, &[]]))
}

/// Returns the position of a point relative to the union of the polygons of A. `around` has the sectors around the point.
pub(super) fn place_among(around: &[Sector]) -> Place {
    let inside = around.iter().filter(|sector| sector.is_inside[0]).count();
    if inside == 0 {
        Place::Outside
    } else if inside == around.len() {
        Place::Inside
    } else {
        Place::Boundary
    }
}

/// Returns whether the ray from `point` to the right crosses an odd number of edges of a chain. Returns `None` if the point
/// is on an edge.
#[cold]
pub(super) fn crosses_exactly(chain: &[DVec2], point: DVec2) -> Option<bool> {
    let edges = chain.iter().zip(&chain[1..]);
    edges.map(|(&p, &q)| crossing([p, q], point)).try_fold(false, |is_odd, crosses| Some(is_odd ^ crosses?))
}

/// Returns whether the ray from `point` to the right crosses an edge. Returns `None` if the point is on the edge. A ray
/// that passes through an end of the edge crosses the edge if this end is the lower end, and does not cross the edge if
/// this end is the upper end. A ray does not cross a horizontal edge.
#[inline]
fn crossing([p, q]: [DVec2; 2], point: DVec2) -> Option<bool> {
    if (p.y > point.y) == (q.y > point.y) {
        let is_level = p.y == point.y && q.y == point.y;
        let is_between = (p.x <= point.x) == (point.x <= q.x);
        let is_on_edge = p == point || q == point || is_level && is_between;
        return (!is_on_edge).then_some(false);
    }
    let side = orientation(p, q, point);
    (side != 0.0).then_some((side > 0.0) == (q.y > p.y))
}
