//! The fast filter of the CPU backend. It tests eight edges of one polygon at a time against the vertices of the other
//! polygon.
//!
//! The answer is disjoint, overlapping or uncertain. The filter uses the vector instructions that [`crate::simd`]
//! finds. It decides two polygons with at most eight vertices each without a branch ([`small`], [`small_wide`]). For
//! larger polygons, the time of the first tests is proportional to the sum of the two vertex counts, and not to their
//! product ([`large`]).
//!
//! # The bound
//!
//! For an edge (p, q) of A with the outward normal N, let `S = min N.(b - p)` over the vertices b of B. If S > 0 for some
//! edge of A or B, the pair is disjoint. If S < 0 for all edges of A and B, the pair is overlapping. Let n be the normal of
//! the packed edge, and let o be the difference of the anchors. The code computes the same s as `cpu/filter.rs`, where
//! `side_of` derives the bound term by term:
//!
//! ```text
//! s = min n.v + n.(o - p)   over the packed vertices v of B
//! error <= u (3 r n₁ + 4 n.d + |o| n₁) + (eA + eB) n₁ + 2 eA (2 r + d₁)   where d = o - p
//! ```
//!
//! where u = 2^-24, because a CPU rounds to nearest. Let E = eA + eB, and let O be the greater of |o.x| and |o.y|. Then
//!
//! - `r <= rB + E + 2 u O =: reach`,
//! - `n.d <= n₁ (O + rA)`,
//! - `|o| = O`, and
//! - `d₁ <= 2 (O + rA)`.
//!
//! The error of any edge of A is therefore at most `slope n₁ + offset`, where
//!
//! ```text
//! slope  = u (3 reach + 4 rA + 6 O) + E
//! offset = 4 eA (reach + O + rA)
//! ```
//!
//! The same terms bound the errors in [`large`], for a direction c and for a point w:
//!
//! - For a direction c, the value is `min c.v + c.o - max c.p` over the vertices of both polygons. Its error is at most u
//!   (2 rA + 2 rB) c₁ for the products, E c₁ for the vertices, and u (3 O + O + rA + rB) c₁ for c.o and the sums. The
//!   direction c has no error, because any direction is valid. The bound needs no offset.
//! - For an edge of A, a point w acts as a polygon B with one vertex at o = w. For an edge of B, the point is at w - o.
//!   The rounding of o and of the difference adds the error u (O + |w - o|), which is the error of this vertex.

mod containment;
#[cfg(all(test, feature = "scenes"))]
mod containment_tests;
mod large;
pub(super) mod points;
mod small;
mod small_wide;
mod steps;
#[cfg(all(test, feature = "scenes"))]
mod tests;

use super::{FLUSH, SLACK};
use crate::base::parallel::prelude::*;
use crate::packed::layout::{DISJOINT, OVERLAPPING};
use crate::packed::records::{Head, LANES, Large, Records, Small};
use crate::simd::{
    FORMS, Instructions, Lanes, Singles, Vectorised, WideInstructions, has_wide, prefetch, vectorised, wide,
};
pub(crate) use containment::containment_codes;
use points::Points;
use small_wide::DecideSmall;

/// The relative error of one f32 operation on a CPU, which rounds to nearest.
const ROUNDING: f32 = f32::EPSILON / 2.0;

/// Prefetch distance in pairs: the records of a pair are prefetched this many pairs before they are read.
const AHEAD: usize = 12;
/// Prefetch distance in pairs, if a polygon's record takes several cache lines.
const AHEAD_OF_LARGE: usize = 10;
/// The number of pairs of large polygons that go through each step together.
const BATCH: usize = 32;
/// The number of pairs that one task decides. The number is a constant, so the tasks do not depend on the number of
/// threads.
const TASK: usize = 4096;

/// The records of both sides of a join. In a self-join, `a` and `b` are the same records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'a> {
    pub(crate) a: &'a Records,
    pub(crate) b: &'a Records,
}

/// Writes the filter's answer for every pair to `codes`, in the order of `pairs`. The answer is the code for disjoint,
/// overlapping or uncertain.
pub(crate) fn filter_codes(scene: Scene<'_>, pairs: &[[u32; 2]], codes: &mut Vec<u8>) {
    // The filter overwrites the old codes.
    codes.resize(pairs.len(), 0);
    let tasks = pairs.par_chunks(TASK).zip(codes.par_chunks_mut(TASK));
    match (scene.a, scene.b) {
        (
            Records::Small { records: a, vertex_count: most_a },
            Records::Small { records: b, vertex_count: most_b },
        ) if has_wide() => {
            let most_vertices = *most_a.max(most_b);
            tasks.for_each(|(pairs, codes)| wide(DecideSmall { a, b, most_vertices, pairs, codes }));
        }
        _ => tasks.for_each(|(pairs, codes)| vectorised(Decide { scene, pairs, codes })),
    }
}

/// The pairs that a task decides, and the slice that receives the codes of these pairs.
struct Decide<'a> {
    scene: Scene<'a>,
    pairs: &'a [[u32; 2]],
    codes: &'a mut [u8],
}

impl Vectorised for Decide<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        decide::<I>(i, self.scene, self.pairs, self.codes);
    }
}

#[inline(always)]
fn decide<I: Instructions>(i: I, scene: Scene<'_>, pairs: &[[u32; 2]], codes: &mut [u8]) {
    match (scene.a, scene.b) {
        (
            Records::Small { records: a, vertex_count: most_a },
            Records::Small { records: b, vertex_count: most_b },
        ) => {
            // The lanes after a polygon's last vertex repeat its first vertices.
            if most_a.max(most_b) <= &4 {
                decide_small::<I, 4>(i, a, b, pairs, codes);
            } else {
                decide_small::<I, LANES>(i, a, b, pairs, codes);
            }
        }
        (Records::Large(a), Records::Large(b)) => {
            match a.most_vertices.max(b.most_vertices).div_ceil(LANES) {
                0..=2 if FORMS => decide_large::<I, 2>(i, a, b, pairs, codes),
                3..=4 if FORMS => decide_large::<I, 4>(i, a, b, pairs, codes),
                _ => decide_large::<I, 0>(i, a, b, pairs, codes),
            }
        }
        _ => unreachable!("both sides of a join are packed alike"),
    }
}

#[inline(always)]
fn decide_small<I: Instructions, const VERTICES: usize>(
    i: I,
    a: &[Small],
    b: &[Small],
    pairs: &[[u32; 2]],
    codes: &mut [u8],
) {
    for (k, (&[a_index, b_index], code)) in pairs.iter().zip(codes).enumerate() {
        prefetch_small(a, b, pairs, k);
        *code = small::relation::<I, VERTICES>(i, &a[a_index as usize], &b[b_index as usize]) as u8;
    }
}

#[inline(always)]
fn decide_large<I: Instructions, const BLOCKS: usize>(
    i: I,
    a: &Large,
    b: &Large,
    pairs: &[[u32; 2]],
    codes: &mut [u8],
) {
    // The pairs that each step leaves open: the index of the pair in `pairs`, and the point to test. The steps have no
    // branch that depends on the geometry, so the processor can work on several pairs at once.
    let mut open = [(0, [0.0; 2]); BATCH];
    for start in (0..pairs.len()).step_by(BATCH) {
        let end = (start + BATCH).min(pairs.len());
        let mut count = 0;
        for k in start..end {
            prefetch_large(a, b, pairs, k);
            let [p, q] = [a.get(pairs[k][0]), b.get(pairs[k][1])];
            let (separated, w) = large::by_direction::<I, BLOCKS>(i, p, q);
            codes[k] = DISJOINT as u8;
            open[count] = (k, w);
            count += usize::from(!separated);
        }
        let mut left = 0;
        for at in 0..count {
            let (k, w) = open[at];
            let [p, q] = [a.get(pairs[k][0]), b.get(pairs[k][1])];
            let share = large::share::<I, BLOCKS>(i, p, q, w);
            codes[k] = OVERLAPPING as u8;
            open[left] = (k, w);
            left += usize::from(!share);
        }
        for &(k, w) in &open[..left] {
            let [p, q] = [a.get(pairs[k][0]), b.get(pairs[k][1])];
            codes[k] = large::by_edges::<I>(i, p, q, w) as u8;
        }
    }
}

/// Prefetches the records of a pair that comes after pair `k`.
#[inline(always)]
fn prefetch_small(a: &[Small], b: &[Small], pairs: &[[u32; 2]], k: usize) {
    if let Some(&[next_a, next_b]) = pairs.get(k + AHEAD) {
        prefetch(&a[next_a as usize]);
        prefetch(&b[next_b as usize]);
    }
}

/// Prefetches the vertices of a pair that comes after pair `k`, and the heads of a pair that comes later.
#[inline(always)]
fn prefetch_large(a: &Large, b: &Large, pairs: &[[u32; 2]], k: usize) {
    if let Some(&[next_a, next_b]) = pairs.get(k + 2 * AHEAD_OF_LARGE) {
        a.prefetch_head(next_a);
        b.prefetch_head(next_b);
    }
    if let Some(&[next_a, next_b]) = pairs.get(k + AHEAD_OF_LARGE) {
        a.prefetch_vertices(next_a);
        b.prefetch_vertices(next_b);
    }
}

/// The bound on the error of a value that is computed for a direction n. The bound is `slope * (|n.x| + |n.y|) +
/// offset`.
#[derive(Clone, Copy)]
pub(super) struct Bound {
    slope: f32,
    offset: f32,
}

impl Bound {
    /// Returns the bound for the edges of `a` against `b`. `o` is the vector from the anchor of `a` to the anchor of
    /// `b`.
    #[inline(always)]
    pub(super) fn new(a: &Head, b: &Head, o: [f32; 2]) -> Self {
        let distance = distance(o);
        let errors = a.error + b.error;
        let reach = b.radius + errors + 2.0 * ROUNDING * distance;
        let rounding = ROUNDING * (3.0 * reach + 4.0 * a.radius + 6.0 * distance);
        let turned = 4.0 * a.error * (reach + distance + a.radius);
        steps::bound(Self { slope: SLACK * (rounding + errors), offset: SLACK * turned + FLUSH })
    }

    /// Returns the bound on the error of the separation along one direction that is not the normal of an edge.
    #[inline(always)]
    fn of_direction(self, direction: [f32; 2]) -> f32 {
        self.slope * (direction[0].abs() + direction[1].abs()) + FLUSH
    }

    /// Returns the bound on the error of the separation along each of eight edge normals.
    #[inline(always)]
    pub(super) fn of<I: Instructions>(self, i: I, n: Points<I::Lanes>) -> I::Lanes {
        n.x.abs().add(n.y.abs()).mul_add(i.splat(self.slope), i.splat(self.offset))
    }

    /// Returns the bound on the error of the separation along each of sixteen edge normals.
    #[inline(always)]
    fn of_interleaved<V: Singles, I: WideInstructions<Singles = V>>(self, i: I, [x, y]: [V; 2]) -> V {
        // The sum of the two magnitudes is at most twice the greater magnitude.
        x.greater_magnitude(y).mul_add(i.singles(2.0 * self.slope), i.singles(self.offset))
    }

    /// Returns this bound for four edge normals in the lower lanes, and the bound `upper` for four edge normals in the
    /// upper lanes.
    #[inline(always)]
    pub(super) fn of_halves<I: Instructions>(self, upper: Self, i: I, n: Points<I::Lanes>) -> I::Lanes {
        let slope = i.splat_halves(self.slope, upper.slope);
        n.x.abs().add(n.y.abs()).mul_add(slope, i.splat_halves(self.offset, upper.offset))
    }
}

#[inline(always)]
pub(super) fn distance(o: [f32; 2]) -> f32 {
    let [x, y] = [o[0].abs(), o[1].abs()];
    if x > y { x } else { y }
}

/// Returns the vector from the anchor of A to the anchor of B.
#[inline(always)]
pub(super) fn offset(a: &Head, b: &Head) -> [f32; 2] {
    [(b.anchor[0] - a.anchor[0]) as f32, (b.anchor[1] - a.anchor[1]) as f32]
}
