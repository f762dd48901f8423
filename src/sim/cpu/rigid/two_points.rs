//! Solves the two impulses of a contact with two points together.
//!
//! If the two points were solved one after the other, the impulse at the second point would undo a part of the impulse
//! at the first point, and a body that lands flat would begin to rotate. Let `K` be the matrix of the changes of
//! velocity that unit impulses at the points cause. Let `r` be the wanted change of velocity at each point, and `t` the
//! impulses so far. The new impulses `x` solve the linear complementarity problem
//!
//! ```text
//! w = K (x - t) - r    x >= 0    w >= 0    x . w = 0
//! ```
//!
//! (Cottle, Pang, Stone 1992, "The Linear Complementarity Problem", 1.1). `K` is positive definite, so there is exactly
//! one solution. In this solution, both points, one point or neither point has a positive impulse. If only one impulse
//! of the unconstrained solution is negative, only the other point may have a positive impulse.

use crate::simd::{Instructions, Lanes};

/// The fraction by which the diagonal of the matrix is increased. Without this increase, two coinciding points would make
/// the matrix singular.
const REGULARISATION: f32 = 1.0 / (1 << 18) as f32;

/// The matrix `K` of a contact with two points, for each of eight contacts. Its entries are changes of the relative
/// velocity along the normal.
pub(super) struct TwoPoints<L> {
    /// For each of the two points, the change of velocity that a unit impulse at the same point causes, including the
    /// compliance.
    pub(super) own: [L; 2],
    /// The change of velocity at one point that a unit impulse at the other point causes. The matrix is symmetric, so this
    /// number holds for both points.
    pub(super) other: L,
}

impl<L: Lanes> TwoPoints<L> {
    /// Returns the new impulses at the two points. `wanted` has the wanted changes of velocity, and `so_far` has the
    /// impulses so far. A lane without a contact, whose matrix is zero, returns `so_far`.
    #[inline(always)]
    pub(super) fn solve<I: Instructions<Lanes = L>>(&self, i: I, wanted: [L; 2], so_far: [L; 2]) -> [L; 2] {
        let (zero, one, more) = (i.splat(0.0), i.splat(1.0), i.splat(1.0 + REGULARISATION));
        let own = [self.own[0].mul(more), self.own[1].mul(more)];
        let per_own =
            [one.div(own[0].where_less(zero, own[0], one)), one.div(own[1].where_less(zero, own[1], one))];
        let others = [self.other.mul(per_own[0]), self.other.mul(per_own[1])];
        let per_determinant = one.div(one.sub(others[0].mul(others[1])));
        // The impulse of each point as if the other point did not exist.
        let single = [wanted[0].mul(per_own[0]), wanted[1].mul(per_own[1])];
        let both = [
            so_far[0].add(single[0].sub(others[0].mul(single[1])).mul(per_determinant)),
            so_far[1].add(single[1].sub(others[1].mul(single[0])).mul(per_determinant)),
        ];
        // The impulse of each point if the impulse of the other point is 0.
        let alone = [
            so_far[0].add(single[0]).add(others[0].mul(so_far[1])).max(zero),
            so_far[1].add(single[1]).add(others[1].mul(so_far[0])).max(zero),
        ];
        // If an impulse in `both` is negative, at most one point gets a positive impulse. If only one impulse is
        // negative, this point is the other one. If both are negative, it is the first point if its impulse alone is
        // positive, and otherwise the second point.
        let first = alone[0].where_less(both[1], zero, zero);
        let second = zero.where_less(zero, alone[0], alone[1]);
        let second = second.where_less(both[0], zero, zero);
        let second = second.where_less(both[1], zero, alone[1]);
        let pulling = both[0].min(both[1]);
        [first.where_less(pulling, zero, both[0]), second.where_less(pulling, zero, both[1])]
    }
}
