//! Decides how two polygons meet by comparing their edges, with exact predicates. No polygon is split into pieces.
//!
//! - Two edges that cross in their interiors prove that the interiors of the polygons meet.
//! - Otherwise, at each common point of the boundaries, the edges bound sectors around the point. The sectors inside A
//!   are compared with the sectors inside B. Two sectors with a common direction prove that the interiors meet.
//! - If no common point proves this, and the interiors meet, an outermost ring of one polygon lies in the interior of the
//!   other polygon. A vertex of each outermost ring decides.
//!
//! Proof of the last step: take a component of the common interior, and its outer boundary.
//!
//! 1. The outer boundary belongs to one polygon only, say A, and lies in the interior of B. Otherwise, the boundaries would
//!    meet at one of its points, and the sectors there would have a common direction.
//! 2. All rings of A that are connected with the outer boundary by common points lie in the interior of B, too. If one of
//!    them left the interior of B, the sectors at the point where it leaves would have a common direction.
//! 3. If one of these rings is an outermost ring, the proof is complete. Otherwise, the rings are holes, and the points
//!    around them belong to the common interior. The same argument applies to the component that contains these points.
//!    This component lies farther out, so the argument ends at an outermost ring of A or of B.

mod corners;
mod covering;
mod crossed;
mod meeting;
mod seen;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use glam::DVec2;

use crate::answers::results::Relation;
use crate::geometry::Aabb;
use crate::geometry::outline::{
    Centre, Common, LEAF_EDGES, LeafPairs, Outline, Patience, Place, Swept, edge_box, meets, sectors,
};
use corners::{Corner, have_common_direction};
pub(crate) use covering::{Region, containment};
#[cfg(not(target_family = "wasm"))]
pub(crate) use crossed::Evidence;
pub(crate) use crossed::relation_with_evidence;
use meeting::{Meeting, meeting};
use seen::Seen;

/// Returns the relation of two polygons. The relation is exact.
pub(crate) fn relation(a: Outline<'_>, b: Outline<'_>, leaf_pairs: &mut LeafPairs) -> Relation {
    if a.is_crossed() || b.is_crossed() {
        return relation_with_evidence(a, b, leaf_pairs).0;
    }
    let mut pair = Pair { a, b, touches: false };
    // This code does the same work as `compare_boundaries`. Each kind of search has its own closure, so that the
    // compiler inlines the first one.
    let mut patience = Patience::of(&[a, b]);
    let mut found = leaf_pairs.between(a, b, &mut patience, |i, j| {
        compare_leaves(a, b, i, j, &mut |e, f| pair.compare_edges(e, f))
    });
    if patience.is_over() {
        found = compare_by_sweep(a, b, leaf_pairs, &mut |common| match common {
            Common::Edges(e, f) => pair.compare_edges(e, f),
            Common::Point(at, _) => pair.compare_sectors(at),
        });
    }
    if found.is_break() || nested_vertex(a, b).is_some() {
        Relation::Overlapping
    } else if pair.touches {
        Relation::Touching
    } else {
        Relation::Disjoint
    }
}

struct Pair<'a> {
    a: Outline<'a>,
    b: Outline<'a>,
    /// Whether the comparison has found a common point of the boundaries.
    touches: bool,
}

impl Pair<'_> {
    /// Compares edge `e` of A with edge `f` of B. An edge contains its first vertex, but not its last vertex. Returns
    /// `Break` if the interiors meet at a common point of the edges.
    #[inline(always)]
    fn compare_edges(&mut self, e: u32, f: u32) -> ControlFlow<()> {
        let (of_e, of_f) = (self.a.edge(e), self.b.edge(f));
        let ([p, q], [r, s]) = (of_e, of_f);
        // Two neighbours on a map traverse a common edge in opposite directions.
        if p == s && q == r {
            self.touches = true;
            return ControlFlow::Continue(());
        }
        match meeting(of_e, of_f) {
            Meeting::Nowhere => ControlFlow::Continue(()),
            Meeting::Starts => self.compare_corners(self.corner_a(e), self.corner_b(f)),
            Meeting::Crossing => ControlFlow::Break(()),
            Meeting::Inside { start_of_e, start_of_f } => {
                if start_of_e {
                    self.compare_corners(self.corner_a(e), Corner { at: p, next: s, previous: r })?;
                }
                if start_of_f {
                    self.compare_corners(Corner { at: r, next: q, previous: p }, self.corner_b(f))?;
                }
                ControlFlow::Continue(())
            }
        }
    }

    fn corner_a(&self, e: u32) -> Corner {
        let [at, next] = self.a.edge(e);
        Corner { at, next, previous: self.a.sector_end(e) }
    }

    fn corner_b(&self, f: u32) -> Corner {
        let [at, next] = self.b.edge(f);
        Corner { at, next, previous: self.b.sector_end(f) }
    }

    fn compare_corners(&mut self, a: Corner, b: Corner) -> ControlFlow<()> {
        self.touches = true;
        if have_common_direction(a, b) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Compares the interiors of both polygons around a point that lies on very many edges.
    fn compare_sectors(&mut self, at: &Centre) -> ControlFlow<()> {
        self.touches = true;
        let around = sectors(at, [&[self.a], &[self.b]]);
        let is_common = around.iter().any(|sector| sector.is_inside == [true, true]);
        if is_common { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Calls `compare` with each common point of the boundaries of A and B, until `compare` returns `Break`. A common point
/// is passed as a pair of edges or as a point. `compare` may also receive edges that do not meet, and may receive a
/// pair several times.
#[inline]
fn compare_boundaries(
    a: Outline<'_>,
    b: Outline<'_>,
    leaf_pairs: &mut LeafPairs,
    mut compare: impl FnMut(Common<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut patience = Patience::of(&[a, b]);
    let found = leaf_pairs.between(a, b, &mut patience, |i, j| {
        compare_leaves(a, b, i, j, &mut |e, f| compare(Common::Edges(e, f)))
    });
    if patience.is_over() { compare_by_sweep(a, b, leaf_pairs, &mut compare) } else { found }
}

/// Calls `compare` with each common point of the boundaries of A and B, until `compare` returns `Break`. Unlike
/// [`compare_boundaries`], finds the points by a sweep. A sweep is faster than a search by boxes if the boxes of most
/// edges meet.
#[cold]
fn compare_by_sweep(
    a: Outline<'_>,
    b: Outline<'_>,
    leaf_pairs: &mut LeafPairs,
    compare: &mut dyn FnMut(Common<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match a.sweep_with(b, compare) {
        Swept::With(found) => found,
        Swept::TooManyCrossings => {
            let mut patience = Patience::endless();
            leaf_pairs.between(a, b, &mut patience, |i, j| {
                compare_leaves(a, b, i, j, &mut |e, f| compare(Common::Edges(e, f)))
            })
        }
    }
}

/// Passes to `compare` the pairs of an edge of A's leaf and an edge of B's leaf whose boxes meet, until `compare`
/// returns `Break`.
#[inline(always)]
fn compare_leaves(
    a: Outline<'_>,
    b: Outline<'_>,
    i: u32,
    j: u32,
    compare: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (m, n) = (a.leaf(i), b.leaf(j));
    let (box_m, box_n) = (a.leaf_box(i), b.leaf_box(j));
    // The edges of B's leaf that meet the box of A's leaf, with their boxes.
    let mut near = [(0, Aabb::EMPTY); LEAF_EDGES];
    let mut count = 0;
    for f in n.first..n.end {
        let around = edge_box(b.edge(f));
        near[count] = (f, around);
        count += usize::from(meets(around, box_m));
    }
    if count == 0 {
        return ControlFlow::Continue(());
    }
    for e in m.first..m.end {
        let around = edge_box(a.edge(e));
        if !meets(around, box_n) {
            continue;
        }
        for &(f, other) in &near[..count] {
            if meets(around, other) {
                compare(e, f)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Returns a vertex of an outermost ring of one polygon that is in the interior of the other polygon. Returns `None` if
/// there is no such vertex.
fn nested_vertex(a: Outline<'_>, b: Outline<'_>) -> Option<DVec2> {
    [(a, b), (b, a)].into_iter().find_map(|(inner, outer)| {
        let mut found = None;
        let _ = inner.witnesses_in(outer.aabb(), |vertex| match outer.locate(vertex) {
            Place::Inside => {
                found = Some(vertex);
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        });
        found
    })
}
