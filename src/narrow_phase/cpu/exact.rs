//! Re-decision of the uncertain: exact predicates behind an f64 filter, in one pass over the edges.
//!
//! `orientation` is adaptive: its f64 filter decides nearly every call, expansions the rest.

use glam::DVec2;

use super::reference;
use crate::geometry::Piece;
use crate::geometry::predicates::orientation;
use crate::results::Relation;

/// The exact relation of two convex pieces; equal to [`reference::relation`].
pub(crate) fn relation(a: Piece<'_>, b: Piece<'_>) -> Relation {
    if a.pose != b.pose {
        return reference::relation(a, b);
    }
    let by_a = side_relation(a.vertices, b.vertices);
    if by_a == Relation::Disjoint {
        return Relation::Disjoint;
    }
    by_a.min(side_relation(b.vertices, a.vertices))
}

/// What the edges of `a` say: the weakest relation that any of them allows.
fn side_relation(a: &[DVec2], b: &[DVec2]) -> Relation {
    let mut relation = Relation::Overlapping;
    // The vertex that was inside of the last edge is likely inside of the next.
    let mut inside = 0;
    let mut p = a[a.len() - 1];
    for &q in a {
        let mut touches = false;
        let mut separates = true;
        for k in 0..b.len() {
            let j = (inside + k) % b.len();
            let side = orientation(p, q, b[j]);
            if side > 0.0 {
                inside = j;
                separates = false;
                touches = false;
                break;
            }
            touches |= side == 0.0;
        }
        if separates && !touches {
            return Relation::Disjoint;
        }
        if separates {
            relation = Relation::Touching;
        }
        p = q;
    }
    relation
}
