//! The filter that reads the caller's f64 vertices directly. This filter needs no packed records.
//!
//! The filter reads sets without poses, on machines with wide vectors ([`crate::simd::wide`]). For polygons with at
//! most four vertices, the filter also runs on machines with vectors of half that width ([`crate::simd::on_doubles`]).
//! Reading the f64 vertices costs less than writing and reading records. The vertices also have no packing error. There
//! are three variants:
//!
//! - Polygons with at most four vertices are decided in f64, with each edge in its own lane ([`quads`]). If all
//!   polygons have exactly four vertices, the filter does not read the offsets of the polygons.
//! - Polygons with at most eight vertices are decided in f32 relative to a vertex of the pair, with all edges in one
//!   register ([`octagons`]).
//! - Larger polygons are decided in steps. The first step uses eight vertices of each polygon ([`large`]).
//!
//! The answer is disjoint, overlapping or uncertain.
//!
//! # The bound in f64
//!
//! For an edge (P, Q) of A with the outward normal N, and a vertex V of B, let `S = N.(V - P)`. If some edge of A or B has
//! S > 0 for all vertices of the other polygon, the pair is disjoint. If each edge of A and B has S < 0 for some vertex of
//! the other polygon, the pair is overlapping. Let u = 2^-53. The code rounds every difference, product and sum, and
//! computes
//!
//! ```text
//! n = (Q.y - P.y, P.x - Q.x)    d = V - P    left = n.x d.x    s = n.y d.y + left
//! ```
//!
//! Each coordinate of n and d has a relative error of at most u. Hence:
//!
//! - The error of left is at most `3 u |left|`.
//! - The error of the other product is at most 3 u times its magnitude, or 2 u if the product is not rounded separately.
//!   Its magnitude is at most `|s| (1 + u) + |left|`.
//! - The sum adds a rounding error of `u |s|`.
//!
//! To first order in u,
//!
//! ```text
//! |s - S| <= 3 u |left| + 3 u (|s| + |left|) + u |s| = 6 u |left| + 4 u |s|
//! ```
//!
//! If |s| > 6 u |left| (1 + 4 u), s has the sign of S. For several vertices, the code computes one bound: [`EDGE`] times
//! the greatest |left|. If the least s is above the bound, S > 0 for all vertices. If the least s is below the negative of
//! the bound, S < 0 for one vertex. [`SLACK`] covers the second-order terms. Accepted coordinates are multiples of 2^-194
//! up to 2^201, so no product underflows or overflows. The same bound holds if V is replaced by any f64 point.
//!
//! A second test uses a direction c and a point R: it computes `t = c.y (V.y - R.y) + c.x (V.x - R.x)` for the vertices of
//! both polygons, with a first product `left`. Let MA and MB be the maxima of |left| and |t| over the vertices of A and B.
//! Then:
//!
//! - The error of t is at most `3 u |left| + 3 u |t| + u |left|`, which is at most 7 u MA or 7 u MB.
//! - The error of `min t of B - max t of A` is at most `8 u (MA + MB)`, with the rounding of the difference.
//!
//! The coordinates of c are f32 numbers that are 0 or have a magnitude from 2^-149 to 2^32, so nothing underflows.
//!
//! # The bound in f32
//!
//! Let u = 2^-24, and let O be the first vertex of A. All lengths are in quanta of the grid. A quantum is a power of two,
//! so the conversion to quanta is exact. Scenes are at most 2^31 quanta wide ([`crate::packed::grid`]). The code computes
//! the vertices relative to O in f64, and rounds them to f32: p and q are the rounded ends of an edge, and v is a rounded
//! vertex of the other polygon. Let ρ be the greatest magnitude of a coordinate. The error of each rounded coordinate is at
//! most u ρ (1 + 2^-20). n is the difference of p and q. The code computes `s = min n.v - n.p`.
//!
//! | source | at most |
//! |---|---|
//! | error of n from the errors of p and q (u ρ each, in each coordinate), times the length from P to V (2 ρ) | 8 u ρ² |
//! | rounding of n, times the length from P to V | 2 u ρ n₁ |
//! | errors of p and v | 2 u ρ n₁ |
//! | roundings of n.v and n.p: two products and a sum each | 4 u ρ n₁ |
//! | underflow below 2^-126 | `FLUSH` |
//!
//! where n₁ = |n.x| + |n.y| is at most twice the greater of |n.x| and |n.y|. The sum of the bounds is
//! `8 u ρ (n₁ + ρ) + FLUSH`. The last difference adds an error of u |s|, which [`SLACK`] covers.

mod large;
mod octagons;
mod quads;
mod steps;
#[cfg(all(test, feature = "scenes"))]
mod tests;

use std::ops::Range;

use glam::DVec2;

use super::SLACK;
use crate::base::parallel::prelude::*;
use crate::geometry::PolygonSet;
use crate::simd::{
    DOUBLES, DoubleInstructions, OnDoubles, Wide, WideInstructions, has_doubles, has_wide, on_doubles,
    prefetch_at, prefetch_lines, wide,
};

/// The relative error of one f64 operation.
const ROUNDING: f64 = f64::EPSILON / 2.0;
/// The factor of the error bound for an edge: the sign of s is certain if |s| is greater than this factor times |left|. The
/// documentation of the module defines s and left, and derives the factor.
const EDGE: f64 = 6.0 * ROUNDING * SLACK as f64;
/// The factor of the error bound for a direction: the bound is this factor times MA + MB. The documentation of the module
/// defines MA and MB, and derives the factor.
const DIRECTION: f64 = 8.0 * ROUNDING * SLACK as f64;

/// This filter accepts only polygons with at most this many vertices. For larger polygons, other filters are faster.
const MOST_VERTICES: usize = 64;
/// Prefetch distance in pairs: the vertices of a pair are prefetched this many pairs before they are read. The offsets
/// of its polygons are prefetched twice as early.
const AHEAD: usize = 32;
/// The number of pairs that one task decides. The number is a constant, so that the tasks do not depend on the number
/// of threads.
const TASK: usize = 4096;

/// The tests of the filter. Each test can prove a relation by itself. Fault injection breaks one test at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The test of [`quads`], for polygons with at most four vertices.
    Quads,
    /// The test of [`octagons`]. [`large`] also uses it, for eight vertices of a larger polygon.
    Octagons,
    /// The test of [`large`] that one direction separates the polygons.
    Direction,
    /// The test of [`large`] that uses all edges of both polygons.
    Edges,
}

/// The polygons of one set: their vertices and offsets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polygons<'a> {
    vertices: &'a [DVec2],
    /// The index of the first vertex of each polygon, and, as the last entry, the number of all vertices.
    offsets: &'a [u32],
}

impl<'a> Polygons<'a> {
    pub(super) fn of(set: &'a PolygonSet) -> Self {
        Self { vertices: set.all_vertices(), offsets: set.shape_offsets() }
    }

    #[inline(always)]
    fn get(self, index: u32) -> &'a [DVec2] {
        &self.vertices[self.range(index)]
    }

    /// Returns the range of a polygon's vertices in the list of all vertices of the set.
    #[inline(always)]
    pub(super) fn range(self, index: u32) -> Range<usize> {
        let index = index as usize;
        self.offsets[index] as usize..self.offsets[index + 1] as usize
    }

    /// Returns a slice that begins with the first vertex of a polygon, and the number of the polygon's vertices. The
    /// slice also contains the vertices of later polygons.
    #[inline(always)]
    pub(super) fn from(self, index: u32) -> (&'a [DVec2], usize) {
        let first = self.offsets[index as usize];
        (&self.vertices[first as usize..], (self.offsets[index as usize + 1] - first) as usize)
    }

    /// Prefetches the offset of the polygon with index `index`.
    #[inline(always)]
    pub(super) fn prefetch_offset(self, index: u32) {
        prefetch_at(self.offsets, index as usize);
    }

    /// Prefetches `lines` cache lines, beginning with the polygon's first vertex.
    #[inline(always)]
    pub(super) fn prefetch_vertices(self, index: u32, lines: usize) {
        prefetch_lines(self.vertices, self.offsets[index as usize] as usize, lines);
    }

    /// Returns the least and the greatest number of vertices of a polygon in the set. Both are 0 if the set is empty.
    fn vertex_counts(self) -> [usize; 2] {
        /// The number of polygons whose vertex counts one task reads.
        const TASK: usize = 4096;
        let both = |[least, most]: [u32; 2], [a, b]: [u32; 2]| [least.min(a), most.max(b)];
        let ends = self.offsets.get(1..).unwrap_or_default();
        let parts = self.offsets.par_chunks(TASK).zip(ends.par_chunks(TASK)).map(|(starts, ends)| {
            let counts = starts.iter().zip(ends).map(|(start, end)| [end - start; 2]);
            counts.fold([u32::MAX, 0], both)
        });
        parts.reduce_with(both).unwrap_or_default().map(|count| count as usize)
    }

    /// Returns each polygon as an array of its four vertices. Every polygon of the set must have four vertices.
    fn fours(self) -> &'a [[DVec2; 4]] {
        self.vertices.as_chunks().0
    }
}

/// The properties of a join that select the variant of the filter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// The least number of vertices of any polygon of the join.
    least_vertices: usize,
    most_vertices: usize,
    /// The number of quanta per unit of length of the caller. The number is a power of two.
    per_unit: f64,
}

impl Form {
    /// Returns the properties of a join, or `None` if this filter cannot run or another filter is faster. `quantum` must
    /// be the quantum of a grid over both sets.
    pub(crate) fn of(a: &PolygonSet, b: &PolygonSet, quantum: f64) -> Option<Self> {
        if !has_doubles() || !a.is_static() || !b.is_static() {
            return None;
        }
        Self::of_static(a, b, quantum).filter(|form| has_wide() || form.has_quads())
    }

    fn of_static(a: &PolygonSet, b: &PolygonSet, quantum: f64) -> Option<Self> {
        let counts = |set: &PolygonSet| match set.summary() {
            Some(summary) => summary.vertex_counts.map(|count| count as usize),
            None => Polygons::of(set).vertex_counts(),
        };
        let [a, b] = [counts(a), counts(b)];
        let [least, most] = [a[0].min(b[0]), a[1].max(b[1])];
        let form = Self { least_vertices: least, most_vertices: most, per_unit: 1.0 / quantum };
        (most <= MOST_VERTICES).then_some(form)
    }

    /// Returns true if no polygon of the join has more than four vertices.
    fn has_quads(&self) -> bool {
        self.most_vertices <= 4
    }

    /// Returns true if, for each pair, this filter takes longer than a filter that reads records that are already
    /// packed. This is true if the largest polygon of the join has five to eight vertices. The records then have half
    /// as many bytes as the f64 vertices, and the coordinates in the records are already rounded.
    pub(crate) fn is_slower_than_records(&self) -> bool {
        (5..=DOUBLES).contains(&self.most_vertices)
    }
}

/// Writes the filter's answer for every pair to `codes`, in the order of `pairs`. The answer is the code for disjoint,
/// overlapping or uncertain.
pub(crate) fn filter_codes(
    form: Form,
    a: &PolygonSet,
    b: &PolygonSet,
    pairs: &[[u32; 2]],
    codes: &mut Vec<u8>,
) {
    // The filter overwrites the old codes.
    codes.resize(pairs.len(), 0);
    let (a, b) = (Polygons::of(a), Polygons::of(b));
    pairs.par_chunks(TASK).zip(codes.par_chunks_mut(TASK)).for_each(|(pairs, codes)| {
        let decide = Decide { form, a, b, pairs, codes };
        if form.has_quads() { on_doubles(decide) } else { wide(decide) }
    });
}

/// The pairs that a task decides, and the slice that receives the codes of these pairs.
struct Decide<'a> {
    form: Form,
    a: Polygons<'a>,
    b: Polygons<'a>,
    pairs: &'a [[u32; 2]],
    codes: &'a mut [u8],
}

impl Wide for Decide<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: WideInstructions>(self, i: I) {
        self.decide::<I>(i);
    }
}

/// Decides pairs of polygons with at most four vertices.
impl OnDoubles for Decide<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: DoubleInstructions>(self, i: I) {
        self.decide_quads::<I>(i);
    }
}

impl<'a> Decide<'a> {
    #[inline(always)]
    fn decide<I: WideInstructions>(self, i: I) {
        let per_unit = self.form.per_unit;
        match self.form.most_vertices {
            0..=4 => self.decide_quads::<I>(i),
            5..=DOUBLES => self.each(3, Polygons::from, |a, b| octagons::relation::<I>(i, a, b, per_unit)),
            _ => large::decide::<I>(i, self),
        }
    }

    /// Decides pairs of polygons with at most four vertices.
    #[inline(always)]
    fn decide_quads<I: DoubleInstructions>(self, i: I) {
        if self.form.least_vertices == 4 {
            self.each_of_four::<I>(i);
        } else {
            self.each(2, Polygons::get, |a, b| quads::relation::<I>(i, a, b));
        }
    }

    /// Decides the pairs one by one. `lines` is the number of cache lines to prefetch for each polygon. `get` returns a
    /// polygon, and `relation` returns the code for two polygons.
    #[inline(always)]
    fn each<T>(self, lines: usize, get: impl Fn(Polygons<'a>, u32) -> T, relation: impl Fn(T, T) -> u32) {
        let (a, b) = (self.a, self.b);
        for (k, (&[first, second], code)) in self.pairs.iter().zip(self.codes).enumerate() {
            prefetch_ahead(self.pairs, a, b, k, lines);
            *code = relation(get(a, first), get(b, second)) as u8;
        }
    }

    /// Decides the pairs one by one, if every polygon has four vertices. The code reads no offsets, because vertex k of
    /// polygon n is at `4 n + k`.
    #[inline(always)]
    fn each_of_four<I: DoubleInstructions>(self, i: I) {
        let (a, b) = (self.a.fours(), self.b.fours());
        for (k, (&[first, second], code)) in self.pairs.iter().zip(self.codes).enumerate() {
            if let Some(&[next_a, next_b]) = self.pairs.get(k + AHEAD) {
                prefetch_lines(a, next_a as usize, 2);
                prefetch_lines(b, next_b as usize, 2);
            }
            *code = quads::relation_of_fours::<I>(i, &a[first as usize], &b[second as usize]) as u8;
        }
    }

    #[inline(always)]
    fn polygons(&self, k: usize) -> [&'a [DVec2]; 2] {
        let [a, b] = self.pairs[k];
        [self.a.get(a), self.b.get(b)]
    }
}

/// Prefetches the vertices of pair `k + AHEAD`, and the polygon offsets of pair `k + 2 * AHEAD`. `lines` is the number of
/// cache lines to prefetch for each polygon.
#[inline(always)]
fn prefetch_ahead(pairs: &[[u32; 2]], a: Polygons<'_>, b: Polygons<'_>, k: usize, lines: usize) {
    if let Some(&[next_a, next_b]) = pairs.get(k + 2 * AHEAD) {
        a.prefetch_offset(next_a);
        b.prefetch_offset(next_b);
    }
    if let Some(&[next_a, next_b]) = pairs.get(k + AHEAD) {
        a.prefetch_vertices(next_a, lines);
        b.prefetch_vertices(next_b, lines);
    }
}

/// Returns a mask with one bit for each edge of a polygon. For a polygon with more than eight vertices, the mask has
/// eight bits, one for each edge of a block.
#[inline(always)]
fn edge_lanes(vertex_count: usize) -> u32 {
    (1 << vertex_count.min(DOUBLES)) - 1
}
