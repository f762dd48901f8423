use glam::DVec2;

use super::{PairEdge, PairSide};
use crate::layout::{EDGE_OF_B, FIGURE_INDEX, PenetrationRecord, UNCERTAIN_FIGURE};
use crate::narrow_phase::cpu::figures::{Whole, cores, penetration};
use crate::narrow_phase::cpu::measure::{Measured, Select};
use crate::narrow_phase::cpu::records::View;
use crate::narrow_phase::figures::{Figure, Frame};
use crate::vector::Instructions;

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

    /// The edge, or that of number 0 where there is none.
    pub(crate) fn edge_or_first(&self) -> PairEdge {
        self.edge.unwrap_or(PairEdge { side: PairSide::A, index: 0 })
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
    type Record = PenetrationRecord;
    type Output = Penetration;
    #[cfg(feature = "gpu")]
    const SHADER: (&'static str, &'static [&'static str]) =
        ("sat2d penetration", crate::wgsl::wgsl!("penetration"));

    #[inline(always)]
    fn record<I: Instructions, const VERTICES: usize>(
        i: I,
        a: View<'_>,
        b: View<'_>,
        _: f32,
    ) -> PenetrationRecord {
        penetration::record::<Whole, I, VERTICES>(i, a, b)
    }

    #[inline(always)]
    fn is_certain(record: &PenetrationRecord) -> bool {
        record.edge & UNCERTAIN_FIGURE == 0
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn output(record: &PenetrationRecord, frame: Frame) -> Penetration {
        output(record, frame)
    }

    #[inline(always)]
    fn measure<S: Select>(self, pair: Measured<'_, '_, S>) -> Penetration {
        pair.penetration()
    }
}

#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn output(record: &PenetrationRecord, frame: Frame) -> Penetration {
    Penetration {
        normal: unit(record.normal),
        separation: f64::from(record.separation) * frame.quantum,
        edge: edge_of(record),
    }
}

/// The same question of points, segments and polygons, rounded or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CorePenetrations;

impl Figure for CorePenetrations {
    type Record = PenetrationRecord;
    type Output = Penetration;
    #[cfg(feature = "gpu")]
    const SHADER: (&'static str, &'static [&'static str]) =
        ("sat2d cores", crate::wgsl::wgsl!("closest", "cores"));

    #[inline(always)]
    fn record<I: Instructions, const VERTICES: usize>(
        i: I,
        a: View<'_>,
        b: View<'_>,
        _: f32,
    ) -> PenetrationRecord {
        cores::record::<I, VERTICES>(i, a, b)
    }

    #[inline(always)]
    fn is_certain(record: &PenetrationRecord) -> bool {
        Penetrations::is_certain(record)
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn output(record: &PenetrationRecord, frame: Frame) -> Penetration {
        output(record, frame)
    }

    #[inline(always)]
    fn measure<S: Select>(self, pair: Measured<'_, '_, S>) -> Penetration {
        pair.penetration()
    }
}

#[inline(always)]
fn edge_of(record: &PenetrationRecord) -> Option<PairEdge> {
    let side = if record.edge & EDGE_OF_B == 0 { PairSide::A } else { PairSide::B };
    let index = record.edge & FIGURE_INDEX;
    (index != FIGURE_INDEX).then_some(PairEdge { side, index })
}

/// A direction whose length is 1 in f32, made to be so in f64: two of Newton's steps for the inverse of a root near 1.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn unit(direction: [f32; 2]) -> DVec2 {
    let nearly = DVec2::from(direction.map(f64::from));
    let nearer = nearly * (1.5 - 0.5 * nearly.length_squared());
    nearer * (1.5 - 0.5 * nearer.length_squared())
}
