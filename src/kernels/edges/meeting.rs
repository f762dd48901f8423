//! How an edge of one polygon meets an edge of another polygon.

use glam::DVec2;

use crate::geometry::predicates::{is_strictly_between, orientation};

/// Where two edges meet. An edge has its first vertex, and not its last one.
pub(super) enum Meeting {
    /// Nowhere, or only at points that other edges begin at.
    Nowhere,
    /// At the first vertex of both.
    Starts,
    /// At a point in the interior of both, where they cross.
    Crossing,
    /// At the first vertex of one edge, in the interior of the other edge: at that of E, of F, or of both.
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
