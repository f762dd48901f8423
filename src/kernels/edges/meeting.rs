//! Finds how an edge of one polygon meets an edge of another polygon.

use glam::DVec2;

use crate::geometry::predicates::{is_strictly_between, orientation};

/// The way in which two edges meet. The first vertex of an edge belongs to it. The last vertex does not.
pub(super) enum Meeting {
    /// The edges do not meet, or they meet only at the last vertex of one of them. The last vertex of an edge belongs
    /// to the next edge.
    Nowhere,
    /// The edges have the same first vertex.
    Starts,
    /// The edges cross at a point in the interior of both.
    Crossing,
    /// The first vertex of one edge is in the interior of the other edge. `start_of_e` is set if this holds for the
    /// first vertex of E, and `start_of_f` if it holds for the first vertex of F.
    Inside { start_of_e: bool, start_of_f: bool },
}

/// Compares the edges E and F, with exact predicates.
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
