//! The relation of two polygons of which at least one has rings that cross.
//!
//! The proof of the parent module holds with these additions. A vertex of the boundary stands for each outermost part of the
//! boundary: edges with the same state on both sides are not part of the boundary. Where two edges cross and no other edge of
//! their polygons contains the crossing, each polygon has a half-plane near the crossing, and two half-planes with different
//! borders have a common interior. At all other common points of edges, the sectors around the point are compared.

use std::ops::ControlFlow;

use glam::DVec2;

use super::corners::{Corner, have_common_direction};
use super::{compare_leaves, has_nested_interiors};
use crate::answers::results::Relation;
use crate::geometry::outline::{Centre, LeafPairs, Nearby, Outline, sectors};
use crate::geometry::predicates::{is_strictly_between, orientation};

/// Returns the relation of two polygons whose rings may cross. The relation is exact.
pub(super) fn relation(a: Outline<'_>, b: Outline<'_>, leaf_pairs: &mut LeafPairs) -> Relation {
    let mut touches = false;
    let mut compare = |e, f| match compare_edges(a, b, e, f) {
        Relation::Overlapping => ControlFlow::Break(()),
        relation => {
            touches |= relation == Relation::Touching;
            ControlFlow::Continue(())
        }
    };
    let found = leaf_pairs.between(a, b, |i, j| compare_leaves(a, b, i, j, &mut compare));
    if found.is_break() || has_nested_interiors(a, b) {
        Relation::Overlapping
    } else if touches {
        Relation::Touching
    } else {
        Relation::Disjoint
    }
}

/// Compares the polygons near the common point of two edges. An edge has its first vertex, and not its last one.
fn compare_edges(a: Outline<'_>, b: Outline<'_>, e: u32, f: u32) -> Relation {
    let (of_e, of_f) = (a.edge(e), b.edge(f));
    let ([p, q], [r, s]) = (of_e, of_f);
    if p == r {
        return compare_at(p, a, a.near_vertex(e), b, b.near_vertex(f));
    }
    let [at_p, at_q] = [p, q].map(|v| orientation(r, s, v));
    if at_p > 0.0 && at_q > 0.0 || at_p < 0.0 && at_q < 0.0 {
        return Relation::Disjoint;
    }
    let [at_r, at_s] = [r, s].map(|v| orientation(p, q, v));
    if at_r > 0.0 && at_s > 0.0 || at_r < 0.0 && at_s < 0.0 {
        return Relation::Disjoint;
    }
    if at_p != 0.0 && at_q != 0.0 && at_r != 0.0 && at_s != 0.0 {
        if a.is_free(e) && b.is_free(f) {
            return Relation::Overlapping;
        }
        let centre = Centre::of_crossing(of_e, of_f);
        if a.is_alone_at(e, &centre) && b.is_alone_at(f, &centre) {
            return Relation::Overlapping;
        }
        return compare_sectors(&centre, a, b);
    }
    let at_start_of_e = if at_p == 0.0 && is_strictly_between(r, p, s) {
        compare_at(p, a, a.near_vertex(e), b, b.near_edge(f))
    } else {
        Relation::Disjoint
    };
    let at_start_of_f = if at_r == 0.0 && is_strictly_between(p, r, q) {
        compare_at(r, a, a.near_edge(e), b, b.near_vertex(f))
    } else {
        Relation::Disjoint
    };
    at_start_of_e.max(at_start_of_f)
}

fn compare_at(at: DVec2, a: Outline<'_>, near_a: Nearby, b: Outline<'_>, near_b: Nearby) -> Relation {
    let corner = |near| match near {
        Nearby::Corner { next, previous } => Some(Corner { at, next, previous }),
        Nearby::Sectors => None,
    };
    match (corner(near_a), corner(near_b)) {
        (Some(a), Some(b)) if have_common_direction(a, b) => Relation::Overlapping,
        (Some(_), Some(_)) => Relation::Touching,
        _ => compare_sectors(&Centre::Point(at), a, b),
    }
}

/// Compares the sectors of two polygons around a point.
fn compare_sectors(centre: &Centre, a: Outline<'_>, b: Outline<'_>) -> Relation {
    let around = sectors(centre, [&[a], &[b]]);
    let has = |inside: [bool; 2]| around.iter().any(|sector| sector.is_inside == inside);
    if has([true, true]) {
        Relation::Overlapping
    } else if has([true, false]) && has([false, true]) {
        Relation::Touching
    } else {
        Relation::Disjoint
    }
}
