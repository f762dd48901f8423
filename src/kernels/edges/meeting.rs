//! Finds how an edge of one polygon meets an edge of another polygon.

use glam::DVec2;

use crate::geometry::predicates::{is_strictly_between, orientation};

/// The way in which two edges E and F meet. An edge contains its first vertex, but not its last vertex.
pub(super) enum Meeting {
    /// The edges have no common point, except possibly the last vertex of an edge, which belongs to the next edge.
    Nowhere,
    /// The edges have the same first vertex.
    Starts,
    /// The edges cross at a point in the interior of both edges.
    Crossing,
    /// The first vertex of at least one of the edges is in the interior of the other edge. `start_of_e` is set if the
    /// first vertex of E is in the interior of F. `start_of_f` is set if the first vertex of F is in the interior of E.
    Inside { start_of_e: bool, start_of_f: bool },
}

/// Returns how the edges E (from `p` to `q`) and F (from `r` to `s`) meet, by exact predicates.
#[inline(always)]
pub(super) fn meeting([p, q]: [DVec2; 2], [r, s]: [DVec2; 2]) -> Meeting {
    if p == r {
        return Meeting::Starts;
    }
    let [at_p, at_q] = [p, q].map(|v| orientation(r, s, v));
    if at_p > 0.0 && at_q > 0.0 || at_p < 0.0 && at_q < 0.0 {
        return Meeting::Nowhere;
    }
    let [at_r, at_s] = [r, s].map(|v| orientation(p, q, v));
    if at_r > 0.0 && at_s > 0.0 || at_r < 0.0 && at_s < 0.0 {
        return Meeting::Nowhere;
    }
    if at_p != 0.0 && at_q != 0.0 && at_r != 0.0 && at_s != 0.0 {
        return Meeting::Crossing;
    }
    let start_of_e = at_p == 0.0 && is_strictly_between(r, p, s);
    let start_of_f = at_r == 0.0 && is_strictly_between(p, r, q);
    if start_of_e || start_of_f { Meeting::Inside { start_of_e, start_of_f } } else { Meeting::Nowhere }
}
