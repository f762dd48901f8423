//! Finds the edges that have common points, with a line that sweeps over the plane (Shamos and Hoey 1976, "Geometric
//! intersection problems"). The time grows with the number of edges, whatever their lengths and directions are. A search with
//! boxes takes less time, unless the boxes of most edges meet, as those of a long spiral do.
//!
//! The line moves from left to right, and upward on a vertical edge: it goes through the vertices in the order of x, then of y.
//! The *status* has the edges that the line meets, from below to above. At a vertex, all edges that contain the vertex are
//! compared with each other. Edges that cross between vertices are next to each other before they cross. Each time that two
//! edges become neighbours, they are compared. Two edges that cross are put aside, because the order of the edges would
//! change at their crossing; edges that were put aside are compared with all edges near them at the end.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use glam::DVec2;

use super::simple::{Segments, segments};
use super::status::{Place, Status};
use super::touches::by_place;
use super::{Outline, edge_box, steps};
use crate::base::sorting::sort_unstable_by;
use crate::geometry::predicates::orientation;

/// The share of the edges that may be put aside: one of this number.
const ASIDE_SHARE: usize = 64;
/// The number of edges that may always be put aside.
const LEAST_ASIDE: usize = 16;

/// How a sweep has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Swept {
    /// After all pairs, or where a call of `visit` has broken.
    With(ControlFlow<()>),
    /// Early, because many edges cross.
    TooManyCrossings,
}

impl Outline<'_> {
    /// Calls `visit` with each pair of edges that have a common point and are not consecutive, the lower index first, until
    /// `visit` breaks. Other pairs and repetitions are possible.
    pub(super) fn sweep(&self, mut visit: impl FnMut(u32, u32) -> ControlFlow<()>) -> Swept {
        let mut visit = |e: Edge, f: Edge| {
            let (e, f) = (e.index().min(f.index()), e.index().max(f.index()));
            let are_consecutive = || f == e + 1 || self.ring_of(e) == self.ring_of(f) && self.are_ends(e, f);
            if e == f || are_consecutive() { ControlFlow::Continue(()) } else { visit(e, f) }
        };
        Sweep::run(&[*self], &mut visit)
    }

    /// Calls `visit` with each edge of this outline and each edge of another outline that have a common point, until `visit`
    /// breaks. Other pairs and repetitions are possible.
    pub(crate) fn sweep_with(self, other: Self, mut visit: impl FnMut(u32, u32) -> ControlFlow<()>) -> Swept {
        Sweep::run(&[self, other], &mut |e: Edge, f: Edge| match (e.side(), f.side()) {
            (0, 1) => visit(e.index(), f.index()),
            (1, 0) => visit(f.index(), e.index()),
            _ => ControlFlow::Continue(()),
        })
    }

    /// Whether two edges are the first and the last edge of a ring.
    fn are_ends(&self, e: u32, f: u32) -> bool {
        let ring = self.ring_of(e);
        e == ring.first && f + 1 == ring.end
    }
}

/// An edge of one of the outlines of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edge(u32);

impl Edge {
    fn new(index: u32, side: usize) -> Self {
        Self(index << 1 | side as u32)
    }

    fn index(self) -> u32 {
        self.0 >> 1
    }

    fn side(self) -> usize {
        (self.0 & 1) as usize
    }
}

struct Sweep<'s, 'a> {
    outlines: &'s [Outline<'a>],
    status: Status,
    aside: Vec<Edge>,
    most_aside: usize,
    /// The edges that contain the vertex of the line, and those that continue after it. Kept for their memory.
    meeting: Vec<Edge>,
    leaving: Vec<u32>,
}

impl<'s, 'a> Sweep<'s, 'a> {
    fn run(outlines: &'s [Outline<'a>], visit: &mut impl FnMut(Edge, Edge) -> ControlFlow<()>) -> Swept {
        let mut sweep = Self {
            outlines,
            status: Status::default(),
            aside: Vec::new(),
            most_aside: 0,
            meeting: Vec::new(),
            leaving: Vec::new(),
        };
        let events = sweep.events();
        sweep.most_aside = LEAST_ASIDE + events.len() / ASIDE_SHARE;
        let mut rest = &events[..];
        while let Some(&vertex) = rest.first() {
            let at = sweep.ends(vertex)[0];
            let count = rest.iter().take_while(|&&vertex| sweep.ends(vertex)[0] == at).count();
            let (group, others) = rest.split_at(count);
            rest = others;
            if sweep.advance(at, group, visit).is_break() {
                return Swept::With(ControlFlow::Break(()));
            }
            if sweep.aside.len() > sweep.most_aside {
                return Swept::TooManyCrossings;
            }
        }
        Swept::With(sweep.compare_aside(visit))
    }

    /// The ends of an edge, in its direction.
    #[inline]
    fn ends(&self, edge: Edge) -> [DVec2; 2] {
        self.outlines[edge.side()].edge(edge.index())
    }

    /// The ends of an edge, in the order of the sweep.
    #[inline]
    fn ordered(&self, edge: Edge) -> [DVec2; 2] {
        let [p, q] = self.ends(edge);
        if by_place(p, q).is_lt() { [p, q] } else { [q, p] }
    }

    /// Whether an edge takes part: whether its box meets the box of the other outline.
    #[inline]
    fn is_near(&self, edge: Edge) -> bool {
        self.outlines.len() == 1 || edge_box(self.ends(edge)).meets(self.outlines[1 - edge.side()].aabb())
    }

    /// The vertices of edges that take part, in the order of the sweep. A vertex is given by the edge that begins there.
    fn events(&self) -> Vec<Edge> {
        let mut events = Vec::new();
        for (side, outline) in self.outlines.iter().enumerate() {
            for ring in outline.rings {
                let mut was_near = self.is_near(Edge::new(ring.end - 1, side));
                for index in ring.first..ring.end {
                    let edge = Edge::new(index, side);
                    let is_near = self.is_near(edge);
                    if is_near || was_near {
                        events.push(edge);
                    }
                    was_near = is_near;
                }
            }
        }
        sort_unstable_by(&mut events, |&a, &b| by_place(self.ends(a)[0], self.ends(b)[0]));
        events
    }

    /// The edge that ends where an edge begins.
    fn before(&self, edge: Edge) -> Edge {
        let ring = self.outlines[edge.side()].ring_of(edge.index());
        let index = if edge.index() == ring.first { ring.end } else { edge.index() };
        Edge::new(index - 1, edge.side())
    }

    /// Moves the line to a vertex. `group` has the edges that begin there.
    fn advance(
        &mut self,
        at: DVec2,
        group: &[Edge],
        visit: &mut impl FnMut(Edge, Edge) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.meeting.clear();
        self.leaving.clear();
        let place = self.status.search(|edge| self.side_of(Edge(edge), at) > 0.0);
        let mut next = place;
        while let Some(edge) = self.status.get(next)
            && self.side_of(Edge(edge), at) == 0.0
        {
            self.meeting.push(Edge(edge));
            next = self.status.after(next);
        }
        let ended = self.meeting.len();
        for &edge in group {
            for edge in [edge, self.before(edge)] {
                if self.is_near(edge) && self.ordered(edge)[0] == at {
                    self.meeting.push(edge);
                }
            }
        }
        for (count, &e) in self.meeting.iter().enumerate() {
            for &f in &self.meeting[..count] {
                visit(e, f)?;
            }
        }
        let mut leaving = std::mem::take(&mut self.leaving);
        leaving.extend(self.meeting.iter().filter(|&&edge| self.ordered(edge)[1] != at).map(|edge| edge.0));
        if leaving.len() > 1 {
            leaving.sort_by(|&e, &f| {
                let [e, f] = [e, f].map(|edge| self.ordered(Edge(edge))[1]);
                0.0.partial_cmp(&orientation(at, e, f)).unwrap_or(Ordering::Equal)
            });
        }
        let [first, end] = self.status.replace(place, ended, &leaving);
        self.leaving = leaving;
        if self.crossing(first).or_else(|| self.crossing(end)).is_some() {
            return self.put_aside(at, visit);
        }
        ControlFlow::Continue(())
    }

    /// The side of the line of an edge on which a point lies: above 0 if the point is above the edge.
    #[inline]
    fn side_of(&self, edge: Edge, at: DVec2) -> f64 {
        steps::count();
        let [left, right] = self.ordered(edge);
        orientation(left, right, at)
    }

    /// The edges below and above a place of the status, if they cross.
    fn crossing(&self, place: Place) -> Option<[Edge; 2]> {
        let (below, above) = (self.status.before(place)?, self.status.get(place)?);
        let (below, above) = (Edge(below), Edge(above));
        matches!(segments(self.ends(below), self.ends(above)), Segments::Cross).then_some([below, above])
    }

    /// Puts neighbours aside that cross, until no neighbours near the line's vertex do.
    #[cold]
    fn put_aside(
        &mut self,
        at: DVec2,
        visit: &mut impl FnMut(Edge, Edge) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        loop {
            let first = self.status.search(|edge| self.side_of(Edge(edge), at) > 0.0);
            let end = self.status.search(|edge| self.side_of(Edge(edge), at) >= 0.0);
            let Some((place, [below, above])) =
                [first, end].into_iter().find_map(|place| Some((place, self.crossing(place)?)))
            else {
                return ControlFlow::Continue(());
            };
            visit(below, above)?;
            self.aside.extend([below, above]);
            let place = self.status.back(place);
            self.status.replace(place, 2, &[]);
        }
    }

    /// Compares the edges that were put aside with all edges near them.
    fn compare_aside(&self, visit: &mut impl FnMut(Edge, Edge) -> ControlFlow<()>) -> ControlFlow<()> {
        for &edge in &self.aside {
            let around = edge_box(self.ends(edge));
            let other = if self.outlines.len() == 1 { 0 } else { 1 - edge.side() };
            let outline = &self.outlines[other];
            let mut flow = ControlFlow::Continue(());
            outline.descend(|node, bounds| {
                if flow.is_break() || !bounds.meets(around) {
                    return false;
                }
                if node.level == 0 {
                    let leaf = outline.leaves_under(node)[0];
                    flow = (leaf.first..leaf.end)
                        .filter(|&index| edge_box(outline.edge(index)).meets(around))
                        .try_for_each(|index| visit(edge, Edge::new(index, other)));
                }
                true
            });
            flow?;
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests;
