//! Finds out how the edges of the rings of a polygon meet.

use std::ops::ControlFlow;

use glam::DVec2;

use super::tree::edge_box;
use super::{LeafPairs, Outline};
use crate::geometry::predicates::orientation;

/// Number of pairs of leaves for each leaf before the search gives up. On maps, a few pairs are enough.
const PATIENCE: usize = 64;
/// Number of pairs of leaves that every search may visit.
const LEAST_PATIENCE: usize = 4096;

/// How the edges of an outline meet.
pub(super) enum Meetings {
    /// Only consecutive edges meet, at their common vertex, except that rings touch at these corners. A corner is given by
    /// the edge that begins there. The list is sorted.
    AtCorners(Vec<u32>),
    /// A vertex is on an edge, edges overlap, or the search took too long.
    Unknown,
    /// These two edges cross in their interiors.
    Crossing([u32; 2]),
}

/// How two segments meet, whose boxes meet.
pub(super) enum Segments {
    Apart,
    Touch(Contact),
    Cross,
}

/// Where two segments touch.
pub(super) enum Contact {
    /// Only at the start of both.
    Start,
    /// Only at another end of both.
    End,
    /// At an end of one of them, or at many points.
    Other,
}

impl Outline<'_> {
    /// Finds out how the edges meet. The outline may have any rings. Consecutive edges must not lie on top of each other.
    pub(super) fn meetings(&self, leaf_pairs: &mut LeafPairs) -> Meetings {
        let mut patience = LEAST_PATIENCE.max(PATIENCE * self.leaves.len());
        let (mut corners, mut is_unknown, mut crossing) = (Vec::new(), false, None);
        let found = leaf_pairs.within(*self, |i, j| {
            patience -= 1;
            self.near_edges(i, j, |e, f| {
                match segments(self.edge(e), self.edge(f)) {
                    Segments::Apart | Segments::Touch(Contact::End) => {}
                    Segments::Touch(Contact::Start) => corners.extend([e, f]),
                    Segments::Touch(Contact::Other) => is_unknown = true,
                    Segments::Cross => crossing = Some([e, f]),
                }
                crossing.is_some()
            });
            if crossing.is_some() || patience == 0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        match crossing {
            Some(crossing) => Meetings::Crossing(crossing),
            None if is_unknown || found.is_break() => Meetings::Unknown,
            None => {
                crate::base::sorting::sort_unstable(&mut corners);
                corners.dedup();
                Meetings::AtCorners(corners)
            }
        }
    }

    /// Calls `visit` with the pairs of edges of two leaves whose boxes meet and that are not consecutive, until `visit`
    /// returns `true`. A leaf may be paired with itself.
    #[inline]
    pub(super) fn near_edges(&self, i: u32, j: u32, mut visit: impl FnMut(u32, u32) -> bool) {
        let (m, n) = (self.leaf(i), self.leaf(j));
        let (box_m, box_n) = (self.leaf_box(i), self.leaf_box(j));
        for e in m.first..m.end {
            let around = edge_box(self.edge(e));
            if !around.meets(box_n) {
                continue;
            }
            let first = if i == j { e + 2 } else { n.first };
            for f in first..n.end {
                let other = edge_box(self.edge(f));
                let is_near = around.meets(other) && other.meets(box_m);
                let is_next = || m.ring == n.ring && self.are_adjacent(e.min(f), e.max(f), m.ring);
                if is_near && !is_next() && visit(e, f) {
                    return;
                }
            }
        }
    }
}

/// Compares two closed segments whose boxes meet.
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
    if is_crossing { Segments::Cross } else { Segments::Touch(contact([p, q], [r, s])) }
}

/// The contact of two segments that touch.
fn contact([p, q]: [DVec2; 2], [r, s]: [DVec2; 2]) -> Contact {
    let of_ends = |contact, at, p, r| if is_same_direction(at, p, r) { Contact::Other } else { contact };
    if p == r {
        of_ends(Contact::Start, p, q, s)
    } else if p == s {
        of_ends(Contact::End, p, q, r)
    } else if q == r {
        of_ends(Contact::End, q, p, s)
    } else if q == s {
        of_ends(Contact::End, q, p, r)
    } else {
        Contact::Other
    }
}

/// Whether two points lie in the same direction from a third one.
pub(crate) fn is_same_direction(at: DVec2, p: DVec2, q: DVec2) -> bool {
    let is_same = |at: f64, p: f64, q: f64| (p > at) == (q > at) && (p < at) == (q < at);
    is_same(at.x, p.x, q.x) && is_same(at.y, p.y, q.y) && orientation(at, p, q) == 0.0
}
