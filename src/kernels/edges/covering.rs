//! Decides, by comparing edges, whether one of two regions covers the other. A region is a union of polygons.
//!
//! Region A is *exposed* if a part of its interior is outside region B. B covers A if and only if A is not exposed. Three
//! kinds of points show that A is exposed:
//!
//! - At a common point of the boundaries, a sector is inside A and outside B.
//! - A point of the boundary of A lies outside B.
//! - A point of the boundary of B lies in the interior of A.
//!
//! Proof that these points are enough: suppose that A is exposed, and that no common point shows it. Let U be a component
//! of the part of A's interior that is outside B, and let C be a component of the boundary of U. C has points of one
//! boundary only: otherwise, C would contain a common point of the boundaries, because the boundaries are closed and C is
//! connected. The sector of U at this point would show that A is exposed.
//!
//! - If C belongs to the boundary of A, the component of A's boundary that contains C is outside B. Otherwise, this
//!   component would meet B at some point. The sector of A's interior at this point would show that A is exposed.
//! - If C belongs to the boundary of B, the component of B's boundary that contains C lies in the interior of A. Otherwise,
//!   this component would leave the interior of A at some point. The sector of B's exterior at this point would show that A
//!   is exposed.
//!
//! One point of each component of the boundaries is therefore enough. The point is a vertex of a ring. If a component has
//! no such vertex, or has parts of several polygons, the point is a common point of two edges of the region.
//!
//! Points outside the box of the other side need not be examined:
//!
//! - A component of B's boundary in the interior of A is in the box of A.
//! - If a hole of A reaches out of the box of B, the outer border of A around the hole does, too. A convex corner of this
//!   border is a vertex outside the box.
//! - If the box of a polygon of A does not meet the box of B, the polygon contains no point of B, and shows that A is
//!   exposed.

use std::ops::ControlFlow;

use glam::DVec2;

use super::corners::Corner;
use super::meeting::{Meeting, meeting};
use super::{Seen, compare_boundaries};
use crate::answers::containment::Containment;
use crate::broad_phase;
use crate::geometry::Aabb;
use crate::geometry::outline::{Centre, Common, LeafPairs, Outline, Place, PolygonTree, sectors};

/// For fewer than this many pairs of polygons, the code tests all pairs. Otherwise, a tree finds the pairs whose boxes
/// meet.
const MANY: usize = 1 << 10;

/// The facts about a region that the comparison with another region needs.
#[derive(Clone, Copy)]
pub(crate) struct Region<'a> {
    /// The polygons of the region whose boxes meet the box of the other region.
    pub(crate) near: &'a [Outline<'a>],
    /// Whether the region has polygons that are not in `near`.
    pub(crate) has_others: bool,
    /// The box around all polygons of the region, including the polygons that are not in `near`.
    pub(crate) bounds: Aabb,
}

/// Returns the containment of two regions. The result is exact. If one of the regions has no polygon near the other,
/// the result is [`Containment::Neither`]: such regions have no common point, and an empty region covers nothing.
pub(crate) fn containment(a: Region<'_>, b: Region<'_>, leaf_pairs: &mut LeafPairs) -> Containment {
    if a.near.is_empty() || b.near.is_empty() {
        return Containment::Neither;
    }
    let is_simple = |region: Region<'_>| matches!(region.near, [only] if !only.is_crossed());
    let sides = [a.near, b.near];
    let mut pair = Pair {
        sides,
        trees: sides.map(|polygons| PolygonTree::of_many(&boxes_of(polygons))),
        bounds: [a.bounds, b.bounds],
        are_simple: is_simple(a) && is_simple(b),
        exposed: [a.has_others, b.has_others],
        seen: Seen::default(),
    };
    if pair.exposed != [true; 2] {
        let _ = pair.examine(leaf_pairs);
    }
    let [a, b] = pair.exposed;
    Containment::of(!b, !a)
}

struct Pair<'a> {
    sides: [&'a [Outline<'a>]; 2],
    /// For each side, a tree over the boxes of its polygons, or `None` if the side has few polygons.
    trees: [Option<PolygonTree>; 2],
    bounds: [Aabb; 2],
    /// Whether each side is a single polygon whose rings do not cross.
    are_simple: bool,
    /// For each side, whether a point has already shown that the side is exposed. A side is exposed if a part of its
    /// interior is outside the other side.
    exposed: [bool; 2],
    /// The common points whose sectors were already examined.
    seen: Seen,
}

impl Pair<'_> {
    /// Looks for points that show that a side is exposed. A side is exposed if a part of its interior is outside the
    /// other side. Returns `Break` as soon as both sides are exposed.
    fn examine(&mut self, leaf_pairs: &mut LeafPairs) -> ControlFlow<()> {
        self.locate_vertices(0)?;
        self.locate_vertices(1)?;
        let [a, b] = self.sides;
        for [i, j] in near_pairs(a, b) {
            let (a, b) = (a[i as usize], b[j as usize]);
            compare_boundaries(a, b, leaf_pairs, |common| match common {
                Common::Edges(e, f) => self.compare_edges(a, b, e, f),
                Common::Point(at, _) => self.add_sectors(at),
            })?;
        }
        self.locate_crossings(0, leaf_pairs)?;
        self.locate_crossings(1, leaf_pairs)
    }

    /// Adds the result for one point. `exposed[s]` is set if the point shows that side `s` is exposed. Returns `Break`
    /// if both sides are then exposed.
    fn add(&mut self, exposed: [bool; 2]) -> ControlFlow<()> {
        self.exposed = [self.exposed[0] | exposed[0], self.exposed[1] | exposed[1]];
        if self.exposed == [true; 2] { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Examines all sectors around a point. If an earlier call examined the same point, does nothing.
    fn add_sectors(&mut self, centre: &Centre) -> ControlFlow<()> {
        if !self.seen.is_new(centre) {
            return ControlFlow::Continue(());
        }
        let near = [0, 1].map(|side| self.polygons_at(side, centre.bounds()));
        let around = sectors(centre, [&near[0], &near[1]]);
        let has = |inside: [bool; 2]| around.iter().any(|sector| sector.is_inside == inside);
        self.add([has([true, false]), has([false, true])])
    }

    /// Returns the polygons of a side whose boxes meet the box `bounds`.
    fn polygons_at(&self, side: usize, bounds: Aabb) -> Vec<Outline<'_>> {
        let polygons = self.sides[side];
        let Some(tree) = &self.trees[side] else {
            return polygons.iter().filter(|polygon| polygon.aabb().meets(bounds)).copied().collect();
        };
        let mut found = Vec::new();
        tree.search(bounds, |polygon| found.push(polygons[polygon as usize]));
        found
    }

    /// Examines, for each component of a side's boundary, a vertex that represents the component.
    fn locate_vertices(&mut self, side: usize) -> ControlFlow<()> {
        let bounds = self.bounds[1 - side];
        for polygon in self.sides[side] {
            if let Some(around) = polygon.witness_box() {
                if !bounds.covers(around) {
                    self.add([side == 0, side == 1])?;
                }
                polygon.witnesses_in(bounds, |vertex| self.locate_vertex(side, vertex))?;
                continue;
            }
            // If the box of the polygon is not inside `bounds`, some vertex of the polygon is outside, too.
            if !bounds.covers(polygon.aabb()) {
                self.add([side == 0, side == 1])?;
            }
            polygon.ring_starts_in(bounds, |vertex| self.locate_vertex(side, vertex))?;
        }
        ControlFlow::Continue(())
    }

    /// Examines a vertex on the boundary of a side that is inside the box of the other side.
    fn locate_vertex(&mut self, side: usize, vertex: DVec2) -> ControlFlow<()> {
        let other = 1 - side;
        if !self.are_simple {
            return self.add_sectors(&Centre::Point(vertex));
        }
        match self.sides[other][0].locate(vertex) {
            Place::Boundary => ControlFlow::Continue(()),
            Place::Inside => self.add([side == 1, side == 0]),
            Place::Outside => self.add([side == 0, side == 1]),
        }
    }

    /// Examines the points at which edges of one polygon of a side cross, and the points at which edges of different
    /// polygons of the side meet. Leaves out points outside the box of the other side.
    fn locate_crossings(&mut self, side: usize, leaf_pairs: &mut LeafPairs) -> ControlFlow<()> {
        let (near, polygons) = (self.bounds[1 - side], self.sides[side]);
        for polygon in polygons.iter().filter(|polygon| polygon.is_crossed()) {
            polygon.own_crossings(near, leaf_pairs, |centre| self.add_sectors(&centre))?;
        }
        for [i, j] in near_pairs(polygons, polygons).into_iter().filter(|[i, j]| i < j) {
            let (first, second) = (polygons[i as usize], polygons[j as usize]);
            compare_boundaries(first, second, leaf_pairs, |common| {
                let mut add = |centre: &Centre| {
                    if centre.bounds().meets(near) {
                        self.add_sectors(centre)
                    } else {
                        ControlFlow::Continue(())
                    }
                };
                match common {
                    Common::Edges(e, f) => {
                        let centres = Centre::common_points(first.edge(e), second.edge(f));
                        centres.iter().try_for_each(add)
                    }
                    Common::Point(at, _) => add(at),
                }
            })?;
        }
        ControlFlow::Continue(())
    }

    /// Examines the common point of edge `e` of `a` and edge `f` of `b`. An edge contains its first vertex, but not its
    /// last vertex.
    fn compare_edges(&mut self, a: Outline<'_>, b: Outline<'_>, e: u32, f: u32) -> ControlFlow<()> {
        let (of_e, of_f) = (a.edge(e), b.edge(f));
        let ([p, q], [r, s]) = (of_e, of_f);
        match meeting(of_e, of_f) {
            Meeting::Nowhere => ControlFlow::Continue(()),
            Meeting::Starts => self.compare_at(p, self.at_vertex(a, e), self.at_vertex(b, f)),
            // If two half-planes have different borders, each of them has points outside the other.
            Meeting::Crossing if self.are_simple => self.add([true; 2]),
            Meeting::Crossing => self.add_sectors(&Centre::of_crossing(of_e, of_f)),
            Meeting::Inside { start_of_e, start_of_f } => {
                if start_of_e {
                    self.compare_at(p, self.at_vertex(a, e), Some(Corner { at: p, next: s, previous: r }))?;
                }
                if start_of_f {
                    self.compare_at(r, Some(Corner { at: r, next: q, previous: p }), self.at_vertex(b, f))?;
                }
                ControlFlow::Continue(())
            }
        }
    }

    /// Returns the sector of the interior of a side at the first vertex of an edge, or `None` if there may be several
    /// sectors at this vertex.
    fn at_vertex(&self, outline: Outline<'_>, edge: u32) -> Option<Corner> {
        let [at, next] = outline.edge(edge);
        let is_only = self.are_simple && !outline.has_touch_at(edge);
        is_only.then(|| Corner { at, next, previous: outline.sector_end(edge) })
    }

    /// Examines a common point of the boundaries of both sides. `a` and `b` are the corners of the two sides at this
    /// point. A corner is `None` if the sectors of its side must be computed.
    fn compare_at(&mut self, at: DVec2, a: Option<Corner>, b: Option<Corner>) -> ControlFlow<()> {
        match (a, b) {
            (Some(a), Some(b)) if self.are_simple => self.add([!b.covers(a), !a.covers(b)]),
            _ => self.add_sectors(&Centre::Point(at)),
        }
    }
}

/// Returns the pairs of indices of polygons whose boxes meet, with one polygon from each list.
fn near_pairs(a: &[Outline<'_>], b: &[Outline<'_>]) -> Vec<[u32; 2]> {
    let [boxes_a, boxes_b] = [a, b].map(boxes_of);
    if a.len() * b.len() >= MANY
        && let Ok(candidates) = broad_phase::join(&boxes_a, &boxes_b)
    {
        return candidates.sorted();
    }
    let pairs = (0..)
        .zip(&boxes_a)
        .flat_map(|(i, a)| (0..).zip(&boxes_b).filter(|(_, b)| a.meets(**b)).map(move |(j, _)| [i, j]));
    pairs.collect()
}

fn boxes_of(polygons: &[Outline<'_>]) -> Vec<Aabb> {
    polygons.iter().map(Outline::aabb).collect()
}
