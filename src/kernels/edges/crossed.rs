//! Decides the relation of two polygons if the rings of at least one of them cross.
//!
//! The proof of the parent module holds with these additions. A vertex of the boundary represents each outermost part of
//! the boundary. An edge does not belong to the boundary if both sides of the edge are inside, or both are outside. Suppose
//! that two edges cross and no other edge of their polygons contains the crossing. Each polygon is then a half-plane near
//! the crossing, and two half-planes with different borders have a common interior. At all other common points of edges,
//! the sectors around the point are compared.

use std::ops::ControlFlow;

use glam::DVec2;

use super::corners::{Corner, have_common_direction};
use super::meeting::{Meeting, meeting};
use super::{Seen, compare_boundaries, nested_vertex};
use crate::answers::results::Relation;
use crate::geometry::outline::{Centre, Common, LeafPairs, Nearby, Outline, sectors};

/// The evidence from which the relation of two polygons follows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(target_family = "wasm", allow(dead_code, reason = "a page explains pieces only"))]
pub(crate) enum Evidence {
    /// No edges meet, and neither polygon is inside the other one.
    Nothing,
    /// The indices of an edge of A and an edge of B that meet.
    Edges([u32; 2]),
    /// A vertex of one polygon in the interior of the other polygon.
    Vertex(DVec2),
}

/// Returns the relation of two polygons whose rings may cross, and the evidence. The relation is exact.
pub(crate) fn relation_with_evidence(
    a: Outline<'_>,
    b: Outline<'_>,
    leaf_pairs: &mut LeafPairs,
) -> (Relation, Evidence) {
    let (mut strongest, mut seen) = ((Relation::Disjoint, Evidence::Nothing), Seen::default());
    let compare = |common: Common<'_>| {
        let (relation, edges) = match common {
            Common::Edges(e, f) => (compare_edges(a, b, e, f, &mut seen), [e, f]),
            Common::Point(at, edges) => (compare_sectors(at, a, b), edges),
        };
        if relation > strongest.0 {
            strongest = (relation, Evidence::Edges(edges));
        }
        if relation == Relation::Overlapping { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    if compare_boundaries(a, b, leaf_pairs, compare).is_continue()
        && let Some(vertex) = nested_vertex(a, b)
    {
        strongest = (Relation::Overlapping, Evidence::Vertex(vertex));
    }
    strongest
}

/// Compares two polygons near the common point of edge `e` of `a` and edge `f` of `b`. An edge contains its first
/// vertex, but not its last vertex.
fn compare_edges(a: Outline<'_>, b: Outline<'_>, e: u32, f: u32, seen: &mut Seen) -> Relation {
    let (of_e, of_f) = (a.edge(e), b.edge(f));
    let ([p, _], [r, _]) = (of_e, of_f);
    match meeting(of_e, of_f) {
        Meeting::Nowhere => Relation::Disjoint,
        Meeting::Starts => compare_at(p, a, a.near_vertex(e), b, b.near_vertex(f), seen),
        Meeting::Crossing if a.is_free(e) && b.is_free(f) => Relation::Overlapping,
        Meeting::Crossing => {
            let centre = Centre::of_crossing(of_e, of_f);
            if !seen.is_new(&centre) {
                return Relation::Disjoint;
            }
            if a.is_alone_at(e, &centre) && b.is_alone_at(f, &centre) {
                return Relation::Overlapping;
            }
            compare_sectors(&centre, a, b)
        }
        Meeting::Inside { start_of_e, start_of_f } => {
            let at_start_of_e =
                start_of_e.then(|| compare_at(p, a, a.near_vertex(e), b, b.near_edge(f), seen));
            let at_start_of_f =
                start_of_f.then(|| compare_at(r, a, a.near_edge(e), b, b.near_vertex(f), seen));
            at_start_of_e.max(at_start_of_f).unwrap_or(Relation::Disjoint)
        }
    }
}

fn compare_at(
    at: DVec2,
    a: Outline<'_>,
    near_a: Nearby,
    b: Outline<'_>,
    near_b: Nearby,
    seen: &mut Seen,
) -> Relation {
    let corner = |near| match near {
        Nearby::Corner { next, previous } => Some(Corner { at, next, previous }),
        Nearby::Sectors => None,
    };
    match (corner(near_a), corner(near_b)) {
        (Some(a), Some(b)) if have_common_direction(a, b) => Relation::Overlapping,
        (Some(_), Some(_)) => Relation::Touching,
        _ => {
            let centre = Centre::Point(at);
            if seen.is_new(&centre) { compare_sectors(&centre, a, b) } else { Relation::Disjoint }
        }
    }
}

/// Returns the relation of two polygons near a point, from the sectors of their interiors around this point. The result
/// is disjoint if no sector belongs to one of the polygons.
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
