use std::mem::MaybeUninit;

use glam::DVec2;

use super::PairEdge;
use crate::narrow_phase::cpu::measure::{Measured, Select};
use crate::narrow_phase::figures::Figure;

/// How deep two convex polygons overlap, or how far an edge says that they are apart.
///
/// Of the edges of both, the one over which the other polygon is the farthest out (the separating axis theorem; Ericson
/// 2005, "Real-Time Collision Detection", 5.2.1 and 5.5). Where one polygon contains the other, this is the least way out.
/// Gaps that f64 cannot tell apart, within [`MEASUREMENT_BOUND`](crate::MEASUREMENT_BOUND), are a tie: then it is an edge of A,
/// and the one of the least index, on every backend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// Of length 1, rounded, from A to B: the outward normal of A's edge, or the inward one of B's.
    pub normal: DVec2,
    /// The greatest gap over an edge, in the caller's unit, within [`MEASUREMENT_BOUND`](crate::MEASUREMENT_BOUND). Of polygons its sign is
    /// exact: below 0 if and only if they overlap, 0 if and only if they touch, above 0 if and only if they are disjoint, where
    /// it is at most the distance. Of rounded shapes that are apart it is the distance.
    pub separation: f64,
    /// The edge; none between rounded shapes whose corners are the nearest to each other.
    pub edge: Option<PairEdge>,
}

impl Penetration {
    /// The length of the least translation that separates the two; of polygons above 0 if and only if they overlap.
    #[must_use]
    pub fn depth(&self) -> f64 {
        (-self.separation).max(0.0)
    }

    /// The minimum translation vector of A: moved by it, A touches B from outside, but for rounding.
    #[must_use]
    pub fn minimum_translation_of_a(&self) -> DVec2 {
        -self.normal * self.depth()
    }

    /// The minimum translation vector of B.
    #[must_use]
    pub fn minimum_translation_of_b(&self) -> DVec2 {
        self.normal * self.depth()
    }
}

/// The question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Penetrations;

impl Figure for Penetrations {
    type Output = Penetration;

    #[inline(always)]
    fn measure<'o, S: Select>(
        self,
        pair: Measured<'_, '_, S>,
        out: &'o mut MaybeUninit<Penetration>,
    ) -> &'o mut Penetration {
        out.write(pair.penetration())
    }
}
