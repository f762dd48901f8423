//! Finds out how the edges of the rings of a polygon meet.

use std::ops::ControlFlow;

use glam::DVec2;

use super::tree::{LEAF_EDGES, edge_box, meets};
use super::{LeafPairs, Outline, Pairs, Swept};
use crate::geometry::Aabb;
use crate::geometry::predicates::orientation;

/// A search in the trees of the outlines gives up after this many pairs of nodes for each leaf of the outlines. On
/// maps, a few pairs for each leaf are enough.
const PATIENCE: usize = 16;
/// The number of pairs of nodes that a search in the trees may always visit, however few leaves the outlines have.
const LEAST_PATIENCE: usize = 4096;

/// If the number of pairs of edges that touch reaches about this number times the number of edges, the search stops
/// with [`Meetings::Unknown`]. Pairs with [`Contact::End`] are not counted.
const MOST_MEETINGS: usize = 32;

/// The number of pairs of tree nodes that a search for meeting edges may still visit, or `None` after the search has given
/// up. It gives up if very many boxes meet, because a sweep is then faster.
pub(crate) struct Patience(Option<usize>);

impl Patience {
    /// Returns the patience of a search in the boundaries of one or two outlines.
    pub(crate) fn of(outlines: &[Outline<'_>]) -> Self {
        let leaves: usize = outlines.iter().map(|outline| outline.leaves.len()).sum();
        Self(Some(LEAST_PATIENCE.max(PATIENCE * leaves)))
    }

    /// Returns the patience of a search that does not give up.
    pub(crate) fn endless() -> Self {
        Self(Some(usize::MAX))
    }

    /// Counts one more pair of nodes that the search has visited. Breaks if the search has visited too many pairs.
    #[inline(always)]
    pub(crate) fn use_up(&mut self) -> ControlFlow<()> {
        self.0 = self.0.and_then(|left| left.checked_sub(1));
        if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Returns whether the search has visited too many pairs.
    pub(crate) fn is_over(&self) -> bool {
        self.0.is_none()
    }
}

/// The ways in which the edges of an outline meet.
pub(super) enum Meetings {
    /// Edges meet at vertices only, and no edges cross or overlap. The list has the corners at which rings touch,
    /// sorted. A corner is given by the edge that begins there.
    AtCorners(Vec<u32>),
    /// No edges cross or overlap, but some vertices are in the interior of an edge. The list has these edges, each with
    /// a vertex in its interior.
    OnEdges(Vec<(u32, DVec2)>),
    /// Edges overlap, or very many edges touch.
    Unknown,
    /// Two edges cross in their interiors. The value has their indices.
    Crossing([u32; 2]),
}

/// The result of testing whether and how two closed segments meet.
pub(crate) enum Segments {
    Apart,
    Touch(Contact),
    Cross,
}

/// The way in which two segments touch: at which points, and where these points lie on the segments.
pub(crate) enum Contact {
    /// The segments touch only at a common point where both segments start.
    Start,
    /// The segments touch only at a common end, and at most one of the segments starts there.
    End,
    /// The segments touch only at an end of the second segment, in the interior of the first segment.
    OnFirst(DVec2),
    /// The segments touch only at an end of the first segment, in the interior of the second segment.
    OnSecond(DVec2),
    /// The segments lie on one line and have more than one point in common.
    Overlap,
}

impl Outline<'_> {
    /// Finds the way in which the edges of the outline meet. The outline may have any rings. Consecutive edges must not
    /// lie on top of each other.
    pub(super) fn meetings(&self, leaf_pairs: &mut LeafPairs) -> Meetings {
        let (mut corners, mut on_edges, mut is_unknown, mut crossing) = (Vec::new(), Vec::new(), false, None);
        let mut left = MOST_MEETINGS * LEAF_EDGES * self.leaves.len();
        let _ = self.meeting_pairs(self.aabb(), Pairs::All, leaf_pairs, |e, f| {
            match segments(self.edge(e), self.edge(f)) {
                Segments::Apart | Segments::Touch(Contact::End) => return ControlFlow::Continue(()),
                Segments::Touch(Contact::Start) => corners.extend([e, f]),
                Segments::Touch(Contact::OnFirst(at)) => on_edges.push((e, at)),
                Segments::Touch(Contact::OnSecond(at)) => on_edges.push((f, at)),
                Segments::Touch(Contact::Overlap) => is_unknown = true,
                Segments::Cross => crossing = Some([e, f]),
            }
            left -= 1;
            // At 0, too many pairs of edges were found: very many edges meet at one vertex or on one line.
            is_unknown |= left == 0;
            if left == 0 || crossing.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match crossing {
            Some(crossing) => Meetings::Crossing(crossing),
            None if is_unknown => Meetings::Unknown,
            None if !on_edges.is_empty() => Meetings::OnEdges(on_edges),
            None => {
                crate::base::sorting::sort_unstable(&mut corners);
                corners.dedup();
                Meetings::AtCorners(corners)
            }
        }
    }

    /// Calls `visit` with each pair of edges that are not consecutive and have a common point in the box `near`, until
    /// `visit` breaks. Other pairs whose boxes meet may also be visited, and a pair may be visited several times. With
    /// [`Pairs::Few`], some pairs are left out, but the visited pairs show every point at which an edge must be cut.
    #[inline]
    pub(super) fn meeting_pairs(
        &self,
        near: Aabb,
        which: Pairs,
        leaf_pairs: &mut LeafPairs,
        mut visit: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut patience = Patience::of(&[*self]);
        let by_boxes =
            leaf_pairs.within(*self, near, &mut patience, |i, j| self.visit_near_edges(i, j, &mut visit));
        if patience.is_over() { self.pairs_by_sweep(near, which, leaf_pairs, &mut visit) } else { by_boxes }
    }

    /// Calls `visit` with the same pairs as [`Outline::meeting_pairs`], until `visit` breaks. This method finds the
    /// pairs by a sweep. A sweep is faster than a search by boxes if the boxes of most edges meet.
    #[cold]
    fn pairs_by_sweep(
        &self,
        near: Aabb,
        which: Pairs,
        leaf_pairs: &mut LeafPairs,
        mut visit: &mut dyn FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match self.sweep(near, which, visit) {
            Swept::With(flow) => flow,
            Swept::TooManyCrossings => {
                let visit = |i, j| self.visit_near_edges(i, j, &mut visit);
                leaf_pairs.within(*self, near, &mut Patience::endless(), visit)
            }
        }
    }

    #[inline(always)]
    pub(super) fn visit_near_edges(
        &self,
        i: u32,
        j: u32,
        visit: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        self.near_edges(i, j, |e, f| {
            flow = visit(e, f);
            flow.is_break()
        });
        flow
    }

    /// Calls `visit` with pairs of an edge of the leaf `i` and an edge of the leaf `j`, until `visit` returns `true`.
    /// The boxes of the two edges meet, and the edges are not consecutive. `i` and `j` may be the same leaf.
    #[inline]
    pub(super) fn near_edges(&self, i: u32, j: u32, mut visit: impl FnMut(u32, u32) -> bool) {
        let (m, n) = (self.leaf(i), self.leaf(j));
        let (box_m, box_n) = (self.leaf_box(i), self.leaf_box(j));
        // The edges of the second leaf that meet the box of the first leaf, with their boxes.
        let mut near = [(0, Aabb::EMPTY); LEAF_EDGES];
        let mut count = 0;
        for f in n.first..n.end {
            let around = edge_box(self.edge(f));
            near[count] = (f, around);
            count += usize::from(meets(around, box_m));
        }
        if count == 0 {
            return;
        }
        for e in m.first..m.end {
            let around = edge_box(self.edge(e));
            if !meets(around, box_n) {
                continue;
            }
            // If `i` and `j` are the same leaf, `near` has all edges of the leaf, in order, because each of them meets
            // the box of the leaf.
            let first = if i == j { ((e - m.first) as usize + 2).min(count) } else { 0 };
            for &(f, other) in &near[first..count] {
                let is_next = || m.ring == n.ring && self.are_adjacent(e.min(f), e.max(f), m.ring);
                if meets(around, other) && !is_next() && visit(e, f) {
                    return;
                }
            }
        }
    }
}

/// Returns the way in which two closed segments meet. The boxes of the segments must meet.
#[inline]
pub(super) fn segments([p, q]: [DVec2; 2], [r, s]: [DVec2; 2]) -> Segments {
    let [at_r, at_s] = [r, s].map(|v| orientation(p, q, v));
    if at_r > 0.0 && at_s > 0.0 || at_r < 0.0 && at_s < 0.0 {
        return Segments::Apart;
    }
    let [at_p, at_q] = [p, q].map(|v| orientation(r, s, v));
    if at_p > 0.0 && at_q > 0.0 || at_p < 0.0 && at_q < 0.0 {
        return Segments::Apart;
    }
    let is_crossing = at_p != 0.0 && at_q != 0.0 && at_r != 0.0 && at_s != 0.0;
    if is_crossing {
        Segments::Cross
    } else {
        Segments::Touch(contact([p, q], [r, s], [at_r, at_s], [at_p, at_q]))
    }
}

/// Returns the contact of the segments from `p` to `q` and from `r` to `s`, which must touch. `at_first` has the sides
/// of `r` and `s` relative to the line of the first segment. `at_second` has the sides of `p` and `q` relative to the
/// line of the second segment.
fn contact([p, q]: [DVec2; 2], [r, s]: [DVec2; 2], at_first: [f64; 2], at_second: [f64; 2]) -> Contact {
    let of_ends = |contact, at, p, r| if is_same_direction(at, p, r) { Contact::Overlap } else { contact };
    if p == r {
        of_ends(Contact::Start, p, q, s)
    } else if p == s {
        of_ends(Contact::End, p, q, r)
    } else if q == r {
        of_ends(Contact::End, q, p, s)
    } else if q == s {
        of_ends(Contact::End, q, p, r)
    } else {
        match (at_first.map(|side| side == 0.0), at_second.map(|side| side == 0.0)) {
            ([true, false], _) => Contact::OnFirst(r),
            ([false, true], _) => Contact::OnFirst(s),
            (_, [true, false]) => Contact::OnSecond(p),
            (_, [false, true]) => Contact::OnSecond(q),
            _ => Contact::Overlap,
        }
    }
}

/// Returns whether `p` and `q` lie in the same direction from `at`.
pub(crate) fn is_same_direction(at: DVec2, p: DVec2, q: DVec2) -> bool {
    let is_same = |at: f64, p: f64, q: f64| (p > at) == (q > at) && (p < at) == (q < at);
    is_same(at.x, p.x, q.x) && is_same(at.y, p.y, q.y) && orientation(at, p, q) == 0.0
}
