//! Finds the edges that have common points, with a line that sweeps over the plane (Shamos and Hoey 1976, "Geometric
//! intersection problems"; Bentley and Ottmann 1979, "Algorithms for reporting and counting geometric intersections").
//! For n edges with k points at which edges cross, the time is proportional to (n + k) log n plus the number of visited
//! pairs, whatever the lengths and directions of the edges are. A search with boxes takes less time, unless the boxes
//! of most edges meet, as on a long spiral.
//!
//! The line stops at the vertices and at the points where edges cross, in the order of x, then of y. It thus moves
//! upward on a vertical edge. The *status* is the list of the edges that begin before the stop and reach it, from below
//! to above. The right end of a vertical edge is its upper end, so a vertical edge is above all other edges after a
//! common point.
//!
//! All edges of the status that contain a stop are consecutive in the status, because two of them meet only at the
//! stop. At a stop, the sweep removes the edges that end, and inserts the edges that begin. It sorts the edges that
//! continue by direction, so any number of edges may cross at one point. Edges that overlap have the same direction.
//! They stay next to each other in any order, because each stop on one of them is on all of them that reach the stop.
//!
//! The order of the status changes at stops only. Two edges that cross are neighbours before the crossing, unless one
//! of them meets another edge first. When two edges become neighbours and cross farther on, their crossing becomes a
//! stop. Edges whose common point is a vertex need no such stop. A stop is a rational point and is not rounded, so the
//! line visits every common point of edges in the right order.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use glam::DVec2;

use super::centre::{Centre, Crossing};
use super::simple::{Segments, segments};
use super::status::{Place, Status};
use super::touches::by_place;
use super::{Outline, edge_box, steps};
use crate::base::sorting::sort_unstable_by;
use crate::geometry::Aabb;
use crate::geometry::predicates::orientation;
use meeting::Meeting;
pub(crate) use meeting::{Common, Pairs};

/// The number of crossings that a sweep may visit, however few edges it has.
const LEAST_CROSSINGS: u64 = 64;
/// A sweep over n edges may visit `LEAST_CROSSINGS + n * n / PAIRS_A_CROSSING` crossings. Comparing the boxes of this
/// many pairs of edges takes about as long as visiting one crossing.
const PAIRS_A_CROSSING: u64 = 4096;
/// The number of known future crossings above which a sweep first removes the crossings of edges that are no longer
/// neighbours.
const MANY_AHEAD: usize = 1024;

/// The way in which a sweep has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Swept {
    /// The sweep visited all pairs (`Continue`), or a call of `visit` broke (`Break`).
    With(ControlFlow<()>),
    /// The sweep ended early, because many edges cross. A comparison of the boxes of all pairs of edges takes less time.
    TooManyCrossings,
}

impl Outline<'_> {
    /// Calls `visit` with each pair of edges that are not consecutive and have a common point, until `visit` breaks.
    /// The lower index comes first. Edges that do not meet the box `near` are left out. Other pairs may also be
    /// visited, and a pair may be visited several times. With [`Pairs::Few`], some pairs are left out, but the visited
    /// pairs show every point at which an edge must be cut.
    pub(super) fn sweep(
        &self,
        near: Aabb,
        which: Pairs,
        visit: &mut dyn FnMut(u32, u32) -> ControlFlow<()>,
    ) -> Swept {
        Sweep::run(&[(*self, near)], false, &mut |sweep, meeting| {
            meeting.pairs(sweep, which, &mut |e, f| {
                if self.are_consecutive(e.min(f), e.max(f)) {
                    return ControlFlow::Continue(());
                }
                visit(e.min(f), e.max(f))
            })
        })
    }

    /// Calls `visit` with each edge that meets another edge, where the two edges are not consecutive. An edge may be
    /// visited several times. If several edges overlap, the sweep continues with only the two longest edges.
    /// Consecutive edges that overlap, and their neighbours, may be left out.
    pub(super) fn sweep_for_edges(&self, near: Aabb, visit: &mut dyn FnMut(u32)) -> Swept {
        Sweep::run(&[(*self, near)], true, &mut |sweep, meeting| {
            let edges = || meeting.edges.iter().map(|&edge| sweep.index(edge));
            for e in edges() {
                steps::count();
                // Only two edges are consecutive to a given edge. If four edges meet, each of them therefore meets an
                // edge that is not consecutive to it.
                let meets_another = meeting.edges.len() > 3
                    || edges().any(|f| e != f && !self.are_consecutive(e.min(f), e.max(f)));
                if meets_another {
                    visit(e);
                }
            }
            ControlFlow::Continue(())
        })
    }

    /// Calls `visit` with each pair of an edge of this outline and an edge of another outline that have a common point,
    /// until `visit` breaks. If very many edges contain one point, `visit` gets the point instead of the pairs. Other
    /// pairs of edges may also be visited, and a pair may be visited several times.
    pub(crate) fn sweep_with(
        self,
        other: Self,
        visit: &mut dyn FnMut(Common<'_>) -> ControlFlow<()>,
    ) -> Swept {
        let sides = [(self, other.aabb()), (other, self.aabb())];
        Sweep::run(&sides, false, &mut |sweep, meeting| meeting.common(sweep, visit))
    }

    /// Returns whether two edges are consecutive in a ring. `e` is the lower index.
    fn are_consecutive(&self, e: u32, f: u32) -> bool {
        let ring = self.ring_of(e);
        f == e + 1 && f != ring.end || e == ring.first && f + 1 == ring.end
    }
}

/// An edge of one of the one or two outlines of a sweep, as one integer. The lowest bit is the index of the outline, and
/// the higher bits are the index of the edge in its outline. The number of vertices of an outline is limited, so there is
/// no overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edge(u32);

impl Edge {
    fn side(self) -> usize {
        (self.0 & 1) as usize
    }
}

type Visit<'v> = dyn FnMut(&Sweep<'_>, &Meeting<'_>) -> ControlFlow<()> + 'v;

/// A function that handles one stop of the line. The arguments are the sweep, the stop, and the edges whose first
/// vertex is the stop.
type Advance<'a, 'v> = dyn FnMut(&mut Sweep<'a>, &Centre, &[Edge]) -> ControlFlow<()> + 'v;

struct Sweep<'a> {
    /// The outlines of the sweep, and a box for each outline. The sweep leaves out the edges of an outline that do not
    /// meet its box.
    sides: &'a [(Outline<'a>, Aabb)],
    /// Whether the sweep keeps only the two longest edges if several edges overlap. The sweep then still finds every
    /// edge that meets a non-consecutive edge:
    ///
    /// - An edge that meets a removed edge also meets both kept edges.
    /// - Such an edge is consecutive to at most one of the two, unless it overlaps a consecutive edge.
    keeps_two: bool,
    status: Status,
    /// The known crossings that the line of the sweep has not reached yet.
    ahead: BinaryHeap<Reverse<Crossing>>,
    many_ahead: usize,
    /// The edges that contain the current stop. The list is a field so that its memory is reused.
    meeting: Vec<Edge>,
    /// The edges that continue after the current stop. The list is a field so that its memory is reused.
    leaving: Vec<u32>,
}

impl<'a> Sweep<'a> {
    fn run(sides: &'a [(Outline<'a>, Aabb)], keeps_two: bool, visit: &mut Visit<'_>) -> Swept {
        Self::over(sides, keeps_two, &mut |sweep, at, group| sweep.advance(at, group, visit))
    }

    /// Calls `advance` with each stop of the line, until `advance` breaks.
    fn over(sides: &'a [(Outline<'a>, Aabb)], keeps_two: bool, advance: &mut Advance<'a, '_>) -> Swept {
        let mut sweep = Self {
            sides,
            keeps_two,
            status: Status::default(),
            ahead: BinaryHeap::new(),
            many_ahead: MANY_AHEAD,
            meeting: Vec::new(),
            leaving: Vec::new(),
        };
        let vertices = sweep.vertices();
        let count = vertices.len() as u64;
        let mut left = LEAST_CROSSINGS + count * count / PAIRS_A_CROSSING;
        let mut rest = &vertices[..];
        loop {
            let vertex = rest.first().map(|&vertex| sweep.ends(vertex)[0]);
            if let Some(crossing) = sweep.next_crossing(vertex) {
                if left == 0 {
                    return Swept::TooManyCrossings;
                }
                left -= 1;
                if advance(&mut sweep, &Centre::Crossing(crossing), &[]).is_break() {
                    return Swept::With(ControlFlow::Break(()));
                }
                continue;
            }
            let Some(at) = vertex else { break };
            let count = rest.iter().take_while(|&&vertex| sweep.ends(vertex)[0] == at).count();
            let (group, others) = rest.split_at(count);
            rest = others;
            if advance(&mut sweep, &Centre::Point(at), group).is_break() {
                return Swept::With(ControlFlow::Break(()));
            }
        }
        Swept::With(ControlFlow::Continue(()))
    }

    /// Removes the next crossing before a vertex, and returns it. Returns `None` if there is no crossing before the
    /// vertex. Crossings at the vertex are dropped.
    fn next_crossing(&mut self, vertex: Option<DVec2>) -> Option<Crossing> {
        while let Some(Reverse(crossing)) = self.ahead.peek() {
            let order = vertex.map_or(Ordering::Less, |vertex| crossing.by_place_of(vertex));
            if order.is_gt() {
                return None;
            }
            let Reverse(crossing) = self.ahead.pop()?;
            if order.is_lt() {
                // Other pairs of neighbours may have the same crossing, which must be returned only once.
                while self.ahead.peek().is_some_and(|next| next.0 == crossing) {
                    self.ahead.pop();
                }
                return Some(crossing);
            }
        }
        None
    }

    /// Returns the edge of the sweep that has the index `index` in the block of the outline with index `side`.
    fn edge(&self, index: u32, side: usize) -> Edge {
        Edge((index - self.sides[side].0.rings[0].first) << 1 | side as u32)
    }

    /// Returns the index of an edge in its block.
    fn index(&self, edge: Edge) -> u32 {
        (edge.0 >> 1) + self.sides[edge.side()].0.rings[0].first
    }

    /// Returns the ends of an edge, in the direction in which the ring goes along the edge.
    #[inline]
    fn ends(&self, edge: Edge) -> [DVec2; 2] {
        self.sides[edge.side()].0.edge(self.index(edge))
    }

    /// Returns the ends of an edge in the order in which the line reaches them.
    #[inline]
    fn ordered(&self, edge: Edge) -> [DVec2; 2] {
        let [p, q] = self.ends(edge);
        if by_place(p, q).is_lt() { [p, q] } else { [q, p] }
    }

    /// Returns whether the sweep includes an edge: whether the edge meets the box that was given with its outline.
    #[inline]
    fn is_near(&self, edge: Edge) -> bool {
        edge_box(self.ends(edge)).meets(self.sides[edge.side()].1)
    }

    /// Returns whether two edges that have a common point lie on one line.
    fn are_along(&self, e: Edge, f: Edge) -> bool {
        let ([p, q], others) = (self.ends(e), self.ends(f));
        others.iter().all(|&other| orientation(p, q, other) == 0.0)
    }

    /// Returns the vertices of the included edges, in the order in which the line reaches them. A vertex is given by
    /// the edge that begins there in the direction of its ring.
    fn vertices(&self) -> Vec<Edge> {
        let mut vertices = Vec::new();
        for (side, (outline, _)) in self.sides.iter().enumerate() {
            for ring in outline.rings {
                let mut was_near = self.is_near(self.edge(ring.end - 1, side));
                for index in ring.first..ring.end {
                    let edge = self.edge(index, side);
                    let is_near = self.is_near(edge);
                    if is_near || was_near {
                        vertices.push(edge);
                    }
                    was_near = is_near;
                }
            }
        }
        sort_unstable_by(&mut vertices, |&a, &b| by_place(self.ends(a)[0], self.ends(b)[0]));
        vertices
    }

    /// Returns the edge of the same ring that ends where `edge` begins.
    fn before(&self, edge: Edge) -> Edge {
        let (side, index) = (edge.side(), self.index(edge));
        let ring = self.sides[side].0.ring_of(index);
        self.edge(if index == ring.first { ring.end } else { index } - 1, side)
    }

    /// Moves the line to a stop, and calls `visit` with the edges that contain the stop. Breaks if `visit` breaks.
    /// `group` has the edges whose first vertex is the stop.
    fn advance(&mut self, at: &Centre, group: &[Edge], visit: &mut Visit<'_>) -> ControlFlow<()> {
        let mut meeting = std::mem::take(&mut self.meeting);
        meeting.clear();
        let place = self.status.search(|edge| self.side_of(Edge(edge), at).is_gt());
        let mut next = place;
        while let Some(edge) = self.status.get(next)
            && self.side_of(Edge(edge), at).is_eq()
        {
            meeting.push(Edge(edge));
            next = self.status.after(next);
        }
        let through = meeting.len();
        for &edge in group {
            for edge in [edge, self.before(edge)] {
                if self.is_near(edge) && at.is_at(self.ordered(edge)[0]) {
                    meeting.push(edge);
                }
            }
        }
        let visited = visit(self, &Meeting { at, edges: &meeting, through });
        let mut leaving = std::mem::take(&mut self.leaving);
        self.leave(at, &meeting, &mut leaving);
        let [first, end] = self.status.replace(place, through, &leaving);
        (self.meeting, self.leaving) = (meeting, leaving);
        visited?;
        self.look_ahead(first);
        if end != first {
            self.look_ahead(end);
        }
        ControlFlow::Continue(())
    }

    /// Collects the edges that contain a stop and continue after it, from below to above.
    fn leave(&self, at: &Centre, meeting: &[Edge], leaving: &mut Vec<u32>) {
        leaving.clear();
        let right = |edge: u32| self.ordered(Edge(edge))[1];
        let Centre::Point(at) = *at else {
            // No edge begins or ends at a crossing.
            leaving.extend(meeting.iter().rev().map(|edge| edge.0));
            return;
        };
        leaving.extend(meeting.iter().map(|edge| edge.0).filter(|&edge| right(edge) != at));
        if leaving.len() > 1 {
            leaving.sort_by(|&e, &f| {
                0.0.partial_cmp(&orientation(at, right(e), right(f))).unwrap_or(Ordering::Equal)
            });
        }
        if self.keeps_two {
            self.keep_two(at, leaving);
        }
    }

    /// For each direction in which edges leave the point `at`, keeps only the two longest edges. Edges with the same
    /// direction are consecutive.
    fn keep_two(&self, at: DVec2, leaving: &mut Vec<u32>) {
        let right = |edge: u32| self.ordered(Edge(edge))[1];
        let mut kept = 0;
        for k in 0..leaving.len() {
            leaving[kept] = leaving[k];
            kept += 1;
            if kept > 2 && orientation(at, right(leaving[kept - 3]), right(leaving[kept - 1])) == 0.0 {
                leaving[kept - 3..kept].sort_by(|&e, &f| by_place(right(f), right(e)));
                kept -= 1;
            }
        }
        leaving.truncate(kept);
    }

    /// Compares a point with an edge's line: returns `Greater` if the point is above the line, `Less` if it is below,
    /// and `Equal` if it is on the line.
    #[inline]
    fn side_of(&self, edge: Edge, at: &Centre) -> Ordering {
        steps::count();
        at.side_of(self.ordered(edge))
    }

    /// Looks at the two edges just below and just above a position of the status. If they cross ahead of the line, adds
    /// their crossing as a stop.
    fn look_ahead(&mut self, place: Place) {
        let (Some(below), Some(above)) = (self.status.before(place), self.status.get(place)) else { return };
        self.look_ahead_of(Edge(below), Edge(above));
        if self.ahead.len() > self.many_ahead {
            self.ahead.clear();
            for pair in self.status.items().windows(2) {
                self.look_ahead_of(Edge(pair[0]), Edge(pair[1]));
            }
            self.many_ahead = MANY_AHEAD + 2 * self.ahead.len();
        }
    }

    fn look_ahead_of(&mut self, below: Edge, above: Edge) {
        let [p, q] = self.ordered(below);
        let [r, s] = self.ordered(above);
        // Two such edges cross only if the end of the upper edge is below the line of the lower edge.
        if orientation(p, q, s) < 0.0
            && matches!(segments([p, q], [r, s]), Segments::Cross)
            && let Centre::Crossing(crossing) = Centre::of_crossing([p, q], [r, s])
        {
            self.ahead.push(Reverse(crossing));
        }
    }
}

mod meeting;
#[cfg(test)]
mod tests;
mod windings;
#[cfg(test)]
mod windings_tests;
