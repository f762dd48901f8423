//! Figures of pairs on the CPU: eight edges at a time in f32, from the records that the filter reads; and in f64.

#[cfg(all(test, feature = "scenes"))]
mod broken_tests;
#[cfg(all(test, feature = "scenes"))]
pub(crate) mod checks;
mod closest;
pub(crate) mod core_reference;
pub(crate) mod cores;
pub(crate) mod distance;
mod edges;
pub(crate) mod impact;
pub(crate) mod local;
pub(crate) mod manifold;
pub(crate) mod motion;
pub(crate) mod moving;
pub(crate) mod penetration;
pub(crate) mod reference;
pub(crate) mod touch;

use std::mem::MaybeUninit;

use super::records::{Head, LANES, Large, Records, Small, View};
use super::simd::Scene;
use crate::narrow_phase::figures::{Figure, Finish};
use crate::parallel::prelude::*;
use crate::vector::{FORMS, Instructions, Lanes, Vectorised, prefetch, vectorised};

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

/// Pairs that one task takes.
const TASK: usize = 2048;
/// Pairs between asking for a record and reading it.
const AHEAD: usize = 8;

/// The figure of every pair, appended to `out` in the order of `pairs`, and how many were computed in f64.
#[allow(unsafe_code)]
pub(crate) fn figures_of<F: Figure>(
    scene: Scene<'_>,
    pairs: &[[u32; 2]],
    parameter: f32,
    finish: &Finish<'_, F>,
    out: &mut Vec<F::Output>,
) -> u64 {
    out.reserve(pairs.len());
    let room = &mut out.spare_capacity_mut()[..pairs.len()];
    let refined = pairs
        .par_chunks(TASK)
        .zip(room.par_chunks_mut(TASK))
        .enumerate()
        .map(|(task, (pairs, out))| {
            vectorised(Task { scene, first: task * TASK, pairs, parameter, finish, out })
        })
        .sum();
    // SAFETY: there is room for so many more, and each task wrote one figure a pair: its pairs and its part of the room are
    // of one length. A placeholder written first
    // would be one more pass over memory, of which the pages of answers already take a third of the time.
    unsafe { out.set_len(out.len() + pairs.len()) };
    refined
}

/// Pairs of one task, and where their figures go: as many as pairs.
struct Task<'a, F: Figure> {
    scene: Scene<'a>,
    /// Number of the first pair.
    first: usize,
    pairs: &'a [[u32; 2]],
    parameter: f32,
    finish: &'a Finish<'a, F>,
    out: &'a mut [MaybeUninit<F::Output>],
}

impl<F: Figure> Vectorised for Task<'_, F> {
    /// How many figures were computed in f64.
    type Output = u64;

    #[inline(always)]
    fn run<I: Instructions>(self, i: I) -> u64 {
        match (self.scene.a, self.scene.b) {
            (
                Records::Small { records: a, vertex_count: most_a },
                Records::Small { records: b, vertex_count: most_b },
            ) => {
                // What is beyond a polygon's last vertex are its first ones again.
                if FORMS && most_a.max(most_b) <= &4 {
                    self.small::<I, 4>(i, a, b)
                } else {
                    self.small::<I, LANES>(i, a, b)
                }
            }
            (Records::Large(a), Records::Large(b)) => self.large(i, a, b),
            _ => unreachable!("both sides of a join are packed alike"),
        }
    }
}

impl<F: Figure> Task<'_, F> {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn small<I: Instructions, const VERTICES: usize>(self, i: I, a: &[Small], b: &[Small]) -> u64 {
        let mut refined = 0;
        for (k, (&pair, out)) in self.pairs.iter().zip(self.out).enumerate() {
            if let Some(&[next_a, next_b]) = self.pairs.get(k + AHEAD) {
                prefetch(&a[next_a as usize]);
                prefetch(&b[next_b as usize]);
            }
            let (a, b) = (view(&a[pair[0] as usize]), view(&b[pair[1] as usize]));
            let record = F::record::<I, VERTICES>(i, a, b, self.parameter);
            refined += write(self.finish, &record, a.head, self.first + k, pair, out);
        }
        refined
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn large<I: Instructions>(self, i: I, a: &Large, b: &Large) -> u64 {
        let mut refined = 0;
        for (k, (&pair, out)) in self.pairs.iter().zip(self.out).enumerate() {
            if let Some(&[next_a, next_b]) = self.pairs.get(k + 2 * AHEAD) {
                a.prefetch_head(next_a);
                b.prefetch_head(next_b);
            }
            if let Some(&[next_a, next_b]) = self.pairs.get(k + AHEAD) {
                a.prefetch_vertices(next_a);
                b.prefetch_vertices(next_b);
            }
            let (a, b) = (a.get(pair[0]), b.get(pair[1]));
            let record = F::record::<I, 0>(i, a, b, self.parameter);
            refined += write(self.finish, &record, a.head, self.first + k, pair, out);
        }
        refined
    }
}

/// Writes the figure of a record, or of f64 where that is not certain; 1 in this case, else 0.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn write<F: Figure>(
    finish: &Finish<'_, F>,
    record: &F::Record,
    head: &Head,
    k: usize,
    pair: [u32; 2],
    out: &mut MaybeUninit<F::Output>,
) -> u64 {
    if finish.stands(record, k, pair) {
        // Built where it stays: a figure that is built elsewhere is read before what was written has arrived.
        out.write(finish.unrounded(record, head.anchor));
        return 0;
    }
    if let Some(figure) = finish.output(record, head.anchor, k, pair) {
        out.write(figure);
        return 0;
    }
    out.write(finish.reference(pair));
    1
}

#[inline(always)]
fn view(small: &Small) -> View<'_> {
    View { head: &small.head, x: &small.x, y: &small.y }
}

/// The size of a pair, of which [`crate::FIGURE_BOUND`] is a part, in quanta.
#[inline(always)]
fn size_of_pair(a: &Head, b: &Head, o: [f32; 2]) -> f32 {
    a.radius + b.radius + super::simd::distance(o)
}
