//! Measurements of pairs in f32 for worlds, and the twins of the kernels that choose features on a device: eight edges at a time,
//! from the records that the filter reads.

#[cfg(all(test, feature = "scenes"))]
mod broken_tests;
#[cfg(all(test, feature = "scenes"))]
pub(crate) mod checks;
mod closest;
mod edges;
pub(crate) mod impact;
pub(crate) mod local;
pub(crate) mod manifold;
pub(crate) mod motion;
pub(crate) mod moving;
pub(crate) mod reference;
pub(crate) mod touch;

use crate::packed::records::Head;
use crate::simd::{Instructions, Lanes};

/// What tests break on purpose.
pub(crate) trait Steps: Copy {
    /// Gaps over eight edges, each times the length of its edge.
    #[inline(always)]
    fn gaps<I: Instructions>(_: I, gaps: I::Lanes) -> I::Lanes {
        gaps
    }
    /// By how much gaps may be off.
    #[inline(always)]
    fn errors<I: Instructions>(_: I, errors: I::Lanes) -> I::Lanes {
        errors
    }
    /// How far along edges their nearest points lie: 0 where they begin, 1 where they end.
    #[inline(always)]
    fn parts<I: Instructions>(i: I, parts: I::Lanes) -> I::Lanes {
        parts.max(i.splat(0.0)).min(i.splat(1.0))
    }
    /// The same of one edge; never NaN.
    #[inline(always)]
    fn part(part: f32) -> f32 {
        part.clamp(0.0, 1.0)
    }
    /// Where the reference edge, of so many, ends.
    #[inline(always)]
    fn end_of_edge(edge: usize, _count: usize) -> usize {
        edge + 1
    }
    /// Whether an end of the incident edge is cut off.
    #[inline(always)]
    fn cuts(cuts: bool) -> bool {
        cuts
    }
    /// For how long two provably do not meet.
    #[inline(always)]
    fn advance(time: f32) -> f32 {
        time
    }
}

/// The kernels as they should be.
#[derive(Clone, Copy)]
pub(crate) struct Whole;
impl Steps for Whole {}

/// The size of a pair, of which [`crate::FIGURE_BOUND`] is a part, in quanta.
#[inline(always)]
fn size_of_pair(a: &Head, b: &Head, o: [f32; 2]) -> f32 {
    a.radius + b.radius + super::simd::distance(o)
}
