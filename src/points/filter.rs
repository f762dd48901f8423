//! Decides in f64 on which side of an edge a point lies, with a bound on the error.

use glam::DVec2;

use crate::geometry::predicates::rounded_side;
use crate::kernels::faults::{self, Fault, Kernel};

/// The filter's answer: the side of an edge on which a point lies, or uncertain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sided {
    /// The point is on the left of the edge, which is the side of the polygon.
    Left,
    Right,
    Uncertain,
}

/// The bound on the error of each coordinate of an edge's ends. In a polygon with a pose, the ends are rounded, so the
/// bound is above 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeError(pub(super) f64);

impl EdgeError {
    pub(super) const NONE: Self = Self(0.0);
}

/// Returns `bound`, or a smaller bound if a test injects a fault.
#[inline(always)]
fn checked(bound: f64) -> f64 {
    let has = |fault| faults::has(Kernel::Points, fault);
    if has(Fault::TenthOfTheBound) {
        0.1 * bound
    } else if has(Fault::NoErrors) {
        0.0
    } else {
        bound
    }
}

/// Returns the side of `r` relative to the edge from `p` to `q`.
///
/// Each coordinate of the ends `p` and `q` may be off by `error`. A coordinate of `a = q - p` is then off by at most
/// `2 error`, and a coordinate of `b = r - p` by at most `error`. In addition to the bound of [`rounded_side`], the exact
/// value is off by at most
///
/// ```text
/// error (|a.x| + |a.y|) + 2 error (|b.x| + |b.y|) + 4 error²
/// ```
///
/// The rounding error of this bound is less than a thousandth of the bound.
#[inline(always)]
pub(super) fn sides<const POSED: bool>(p: DVec2, q: DVec2, r: DVec2, error: EdgeError) -> Sides {
    let (value, mut bound) = rounded_side(p, q, r);
    if POSED {
        let (a, b) = (q - p, r - p);
        let of_ends = a.abs().element_sum() + 2.0 * b.abs().element_sum() + 4.0 * error.0;
        bound = (bound + error.0 * of_ends) * 1.001;
    }
    let bound = checked(bound);
    let is_left = value > bound;
    Sides { is_left, is_uncertain: !is_left & (value >= -bound) }
}

/// Returns the side of `r` relative to the edge from `p` to `q`, or [`Sided::Uncertain`] if f64 cannot decide it.
#[inline(always)]
pub(super) fn side(p: DVec2, q: DVec2, r: DVec2, error: EdgeError) -> Sided {
    let Sides { is_left, is_uncertain } =
        if error.0 > 0.0 { sides::<true>(p, q, r, error) } else { sides::<false>(p, q, r, error) };
    match (is_left, is_uncertain) {
        (true, _) => Sided::Left,
        (false, true) => Sided::Uncertain,
        (false, false) => Sided::Right,
    }
}

/// The side of a point relative to an edge, as two flags that are computed without a branch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    pub(super) is_left: bool,
    pub(super) is_uncertain: bool,
}
