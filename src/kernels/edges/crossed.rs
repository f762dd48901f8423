//! The relation of two polygons of which at least one has rings that cross.
//!
//! The proof of the parent module holds with these additions. A vertex of the boundary stands for each outermost part of the
//! boundary: edges with the same state on both sides are not part of the boundary. Where two edges cross and no other edge of
//! their polygons contains the crossing, each polygon has a half-plane near the crossing, and two half-planes with different
//! borders have a common interior. At all other common points of edges, the sectors around the point are compared.

use std::ops::ControlFlow;

use glam::DVec2;

use super::corners::{Corner, have_common_direction};
use super::meeting::{Meeting, meeting};
use super::{compare_boundaries, has_nested_interiors};
use crate::answers::results::Relation;
use crate::geometry::outline::{Centre, LeafPairs, Nearby, Outline, sectors};

/// Returns the relation of two polygons whose rings may cross. The relation is exact.
pub(super) fn relation(a: Outline<'_>, b: Outline<'_>, leaf_pairs: &mut LeafPairs) -> Relation {
    let mut touches = false;
    let compare = |e, f| match compare_edges(a, b, e, f) {
        Relation::Overlapping => ControlFlow::Break(()),
        relation => {
            touches |= relation == Relation::Touching;
            ControlFlow::Continue(())
        }
    };
    let found = compare_boundaries(a, b, leaf_pairs, compare);
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
    let ([p, _], [r, _]) = (of_e, of_f);
    match meeting(of_e, of_f) {
        Meeting::Nowhere => Relation::Disjoint,
        Meeting::Starts => compare_at(p, a, a.near_vertex(e), b, b.near_vertex(f)),
        Meeting::Crossing if a.is_free(e) && b.is_free(f) => Relation::Overlapping,
        Meeting::Crossing => {
            let centre = Centre::of_crossing(of_e, of_f);
            if a.is_alone_at(e, &centre) && b.is_alone_at(f, &centre) {
                return Relation::Overlapping;
            }
            compare_sectors(&centre, a, b)
        }
        Meeting::Inside { start_of_e, start_of_f } => {
            let at_start_of_e = start_of_e.then(|| compare_at(p, a, a.near_vertex(e), b, b.near_edge(f)));
            let at_start_of_f = start_of_f.then(|| compare_at(r, a, a.near_edge(e), b, b.near_vertex(f)));
            at_start_of_e.max(at_start_of_f).unwrap_or(Relation::Disjoint)
        }
    }
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
