//! Finds the winding numbers beside all edges of an outline and around all its vertices, in one sweep.
//!
//! The winding number between two neighbours of the status changes at stops only. The sweep stores the winding number
//! above each edge of the status, so a stop takes work only for the edges that contain the stop.
//!
//! Edges that overlap form a *bundle*. In the status, the edge that reaches farthest represents its bundle. The winding
//! number changes across the bundle by the sum of the changes across its edges. Each edge joins a bundle once, where
//! the edge or the next edge begins. It leaves the bundle where it ends. n edges on one line thus take O(n log n)
//! steps.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};
use std::ops::ControlFlow;

use glam::DVec2;

use super::{Edge, Sweep, Swept};
use crate::base::sorting::compared_by_order;
use crate::geometry::Fill;
use crate::geometry::outline::crossed::{Interior, States};
use crate::geometry::outline::touches::by_place;
use crate::geometry::outline::{Centre, Outline, steps};
use crate::geometry::predicates::orientation;

/// The sides of the edges of an outline that are inside the region, and the vertices that are on its boundary.
#[derive(Debug)]
pub(in crate::geometry::outline) struct Surroundings {
    /// The index of the first vertex of the outline in its block.
    first: u32,
    /// For each edge of the outline, the position of the interior beside the edge.
    beside: Vec<Interior>,
    /// For each vertex of the outline, whether the vertex is on the boundary of the region.
    is_on_boundary: Vec<bool>,
}

impl Outline<'_> {
    /// Finds the side of each edge on which the interior lies, and the vertices on the boundary. The outline may have
    /// any rings. Returns `None` if very many edges cross.
    pub(in crate::geometry::outline) fn surroundings(&self) -> Option<Surroundings> {
        let sides = [(*self, self.aabb())];
        let (first, end) = (self.rings[0].first, self.rings[self.rings.len() - 1].end);
        let count = (end - first) as usize;
        let mut bundles = Bundles {
            fill: self.fill(),
            above: vec![0; count],
            others: HashMap::new(),
            leaving: Vec::new(),
            kept: Vec::new(),
            found: Surroundings {
                first,
                beside: vec![Interior::Other; count],
                is_on_boundary: vec![false; count],
            },
        };
        let swept = Sweep::over(&sides, false, &mut |sweep, at, group| {
            bundles.advance(sweep, at, group);
            ControlFlow::Continue(())
        });
        (swept != Swept::TooManyCrossings).then_some(bundles.found)
    }
}

impl Surroundings {
    /// Returns the position of the interior beside each given edge, and the given vertices that are on the boundary.
    pub(in crate::geometry::outline) fn states(&self, edges: &[u32], vertices: &[u32]) -> States {
        let place = |index: u32| (index - self.first) as usize;
        let beside = edges.iter().map(|&edge| (edge, self.beside[place(edge)]));
        let on_boundary = vertices.iter().copied().filter(|&vertex| self.is_on_boundary[place(vertex)]);
        (beside.collect(), on_boundary.collect())
    }
}

/// The state of a sweep that computes winding numbers: the bundles of the status, and the winding numbers between
/// them.
struct Bundles {
    fill: Fill,
    /// The winding number above each edge of the status.
    above: Vec<i32>,
    /// The edges of each bundle (a group of edges that overlap) that are not in the status. The key is the edge that
    /// represents the bundle in the status.
    others: HashMap<u32, Others>,
    /// The edges that continue after the current stop. The list is a field so that its memory is reused.
    leaving: Vec<Leaving>,
    kept: Vec<u32>,
    found: Surroundings,
}

/// The edges of a bundle, except the one that reaches farthest.
#[derive(Default)]
struct Others {
    /// The sum of the changes of the winding number across these edges, from below to above.
    step: i32,
    ends: BinaryHeap<Reverse<End>>,
}

/// The right end of an edge of a bundle. The heap returns the leftmost ends first, so that edges leave the bundle where
/// they end.
struct End {
    at: DVec2,
    edge: Edge,
}

/// An edge that continues after a stop of the sweep.
#[derive(Clone, Copy)]
struct Leaving {
    edge: Edge,
    /// Whether the edge begins at the current stop.
    is_new: bool,
}

compared_by_order!(End);

impl Ord for End {
    fn cmp(&self, other: &Self) -> Ordering {
        by_place(self.at, other.at)
    }
}

impl Edge {
    /// Returns the index of the edge in its outline.
    fn number(self) -> usize {
        (self.0 >> 1) as usize
    }
}

impl Bundles {
    /// Moves the line to a stop. `group` has the edges whose first vertex is the stop.
    fn advance(&mut self, sweep: &mut Sweep<'_>, at: &Centre, group: &[Edge]) {
        let place = sweep.status.search(|edge| sweep.side_of(Edge(edge), at).is_gt());
        let below = sweep.status.before(place).map_or(0, |edge| self.above[Edge(edge).number()]);
        // Whether some direction from the stop is outside the region, and whether some direction is inside.
        let mut states = [false; 2];
        states[usize::from(self.fill.contains(below))] = true;
        self.leaving.clear();
        let (mut next, mut through) = (place, 0);
        while let Some(edge) = sweep.status.get(next).map(Edge)
            && sweep.side_of(edge, at).is_eq()
        {
            states[usize::from(self.fill.contains(self.above[edge.number()]))] = true;
            if self.goes_on(sweep, edge, at) {
                self.leaving.push(Leaving { edge, is_new: false });
            }
            next = sweep.status.after(next);
            through += 1;
        }
        for &edge in group {
            let new = [edge, sweep.before(edge)].map(|edge| Leaving { edge, is_new: true });
            self.leaving.extend(new.into_iter().filter(|new| at.is_at(sweep.ordered(new.edge)[0])));
        }
        self.leave(sweep, at, below, &mut states);
        for vertex in group {
            self.found.is_on_boundary[vertex.number()] = states == [true; 2];
        }
        let [first, end] = sweep.status.replace(place, through, &self.kept);
        sweep.look_ahead(first);
        if end != first {
            sweep.look_ahead(end);
        }
    }

    /// Removes the edges of a bundle that end at a stop. Returns whether edges of the bundle are left. `edge` is the
    /// edge that represents the bundle in the status.
    fn goes_on(&mut self, sweep: &Sweep<'_>, edge: Edge, at: &Centre) -> bool {
        // No edge ends at a crossing.
        let Centre::Point(at) = *at else { return true };
        if let Some(others) = self.others.get_mut(&edge.0) {
            while let Some(end) = others.ends.peek()
                && end.0.at == at
            {
                steps::count();
                others.step -= sweep.step(end.0.edge);
                others.ends.pop();
            }
            if others.ends.is_empty() {
                self.others.remove(&edge.0);
            }
        }
        sweep.ordered(edge)[1] != at
    }

    /// Sorts the edges that continue after a stop, from below to above, and joins the edges that continue in the same
    /// direction. Stores the winding numbers between them, beginning with `below`, the winding number below all of
    /// them. Sets `states[0]` if some direction from the stop is outside the region, and `states[1]` if some direction is
    /// inside.
    fn leave(&mut self, sweep: &Sweep<'_>, at: &Centre, below: i32, states: &mut [bool; 2]) {
        let right = |edge: Edge| sweep.ordered(edge)[1];
        let mut leaving = std::mem::take(&mut self.leaving);
        match *at {
            Centre::Crossing(_) => leaving.reverse(),
            Centre::Point(at) => leaving.sort_by(|e, f| {
                0.0.partial_cmp(&orientation(at, right(e.edge), right(f.edge))).unwrap_or(Ordering::Equal)
            }),
        }
        let is_along = |e: &Leaving, f: &Leaving| match *at {
            Centre::Crossing(_) => false,
            Centre::Point(at) => orientation(at, right(e.edge), right(f.edge)) == 0.0,
        };
        self.kept.clear();
        let mut winding = below;
        for bundle in leaving.chunk_by(is_along) {
            steps::count();
            let mut longest = bundle[0].edge;
            for other in &bundle[1..] {
                longest = self.join(sweep, longest, other.edge);
            }
            let others = self.others.get(&longest.0).map_or(0, |others| others.step);
            let above = winding + sweep.step(longest) + others;
            let [of_below, of_above] = [winding, above].map(|winding| self.fill.contains(winding));
            for new in bundle.iter().filter(|leaving| leaving.is_new) {
                let is_forward = sweep.step(new.edge) > 0;
                let sides = if is_forward { [of_above, of_below] } else { [of_below, of_above] };
                self.found.beside[new.edge.number()] = Interior::of(sides);
            }
            states[usize::from(of_above)] = true;
            self.above[longest.number()] = above;
            self.kept.push(longest.0);
            winding = above;
        }
        self.leaving = leaving;
    }

    /// Joins two bundles. Each is given by its edge that reaches farthest. Returns the edge that reaches farthest in
    /// the joined bundle.
    fn join(&mut self, sweep: &Sweep<'_>, e: Edge, f: Edge) -> Edge {
        steps::count();
        let end_of = |edge: Edge| sweep.ordered(edge)[1];
        let [longer, shorter] = if by_place(end_of(e), end_of(f)).is_lt() { [f, e] } else { [e, f] };
        let of_shorter = self.others.remove(&shorter.0);
        let others = self.others.entry(longer.0).or_default();
        if let Some(mut more) = of_shorter {
            others.step += more.step;
            others.ends.append(&mut more.ends);
        }
        others.step += sweep.step(shorter);
        others.ends.push(Reverse(End { at: end_of(shorter), edge: shorter }));
        longer
    }
}

impl Sweep<'_> {
    /// Returns the change of the winding number across an edge, from below to above.
    fn step(&self, edge: Edge) -> i32 {
        let [p, q] = self.ends(edge);
        if by_place(p, q).is_lt() { 1 } else { -1 }
    }
}
