//! The filter on the caller's own vertices: nothing is packed beforehand.
//!
//! It serves sets that stand where their vertices say, on machines with wide vectors ([`crate::simd::wide`]), and of polygons of at
//! most four vertices also on those with half as wide ones ([`crate::simd::on_doubles`]). Reading f64
//! where they lie costs less than writing and reading records, and their error is none. Polygons of at most four vertices
//! are decided in f64, all edges of both side by side ([`quads`]), and where all have four, what says where their vertices
//! lie need not be read; those of at most eight in f32 about a vertex of the pair, again all edges in one register
//! ([`octagons`]); larger ones first by eight vertices of each ([`large`]). It answers disjoint, overlapping or uncertain.
//!
//! # The bound in f64
//!
//! For an edge (P, Q) of A with the outward normal N, and a vertex V of B, let `S = N.(V - P)`. The pair is disjoint if
//! for some edge of either S > 0 for all vertices of the other, and overlapping if for each edge S < 0 for some. Computed,
//! with u = 2^-53 and every difference, product and sum rounded,
//!
//! ```text
//! n = (Q.y - P.y, P.x - Q.x)    d = V - P    left = n.x d.x    s = n.y d.y + left
//! ```
//!
//! each coordinate of n and d is off by u of itself. So left is off by 3 u |left|, the other product by 3 u of itself
//! (2 u where it is not rounded by itself), and that product is at most |s| (1 + u) + |left|. With the rounding of the sum,
//! to first order in u,
//!
//! ```text
//! |s - S| <= 3 u |left| + 3 u (|s| + |left|) + u |s| = 6 u |left| + 4 u |s|
//! ```
//!
//! Where |s| > 6 u |left| (1 + 4 u), s has the sign of S. [`EDGE`] times the greatest |left| of several vertices stands
//! for that of each of them: the least s above it proves S > 0 for all, the least s below its negative S < 0 for one. What is
//! of second order is covered by [`SLACK`]. Accepted coordinates are multiples of 2^-194 up to 2^201, so no product
//! underflows or overflows. A point W in place of V is any f64 point.
//!
//! For a direction c, whatever it is, and a point R, `t = c.y (V.y - R.y) + c.x (V.x - R.x)` is in the same way off by at
//! most 3 u |left| + 3 u |t| + u |left|, at most 7 u M with M the greatest of all |left| and |t| of a polygon. So
//! `min t of B - max t of A` is off by at most 7 u (MA + MB) and the rounding of the difference, u (MA + MB): 8 u (MA + MB)
//! together. c is made of f32 numbers of magnitude 0 or 2^-149 to 2^32, so here too nothing underflows.
//!
//! # The bound in f32
//!
//! Let u = 2^-24, O the first vertex of A, and all in quanta of the grid, which are a power of two: scaling is exact. Scenes are
//! at most 2^31 quanta wide ([`crate::packed::grid`]). Vertices are placed relative to O in f64 and rounded to f32: p, q and v, off by at most
//! u ρ (1 + 2^-20) in each coordinate, with ρ the greatest |coordinate| of any. n is the difference of p and q. Computed is
//! `s = min n.v - n.p`.
//!
//! | source | at most |
//! |---|---|
//! | n, from p and q off by u ρ each in each coordinate, times the lever from P to V, 2 ρ | 8 u ρ² |
//! | n, rounded, times the lever | 2 u ρ n₁ |
//! | p and v off | 2 u ρ n₁ |
//! | n.v and n.p: two products and a sum each | 4 u ρ n₁ |
//! | what is below 2^-126 | `FLUSH` |
//!
//! with n₁ = |n.x| + |n.y|, which is at most twice the greater of both: together `8 u ρ (n₁ + ρ) + FLUSH`. The last difference is
//! off by u |s|, which [`SLACK`] covers.

mod large;
mod octagons;
mod quads;
mod steps;
#[cfg(all(test, feature = "scenes"))]
mod tests;

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
/// See the module's documentation: of an edge,
const EDGE: f64 = 6.0 * ROUNDING * SLACK as f64;
/// and of a direction.
const DIRECTION: f64 = 8.0 * ROUNDING * SLACK as f64;

/// Polygons with more vertices than this are left to other filters, which gain more from many.
const MOST_VERTICES: usize = 64;
/// Pairs between asking for vertices and reading them. What leads to them is asked for twice as far ahead.
const AHEAD: usize = 32;
/// Pairs that one task decides; a constant, so that tasks do not depend on the number of threads.
const TASK: usize = 4096;

/// What proves something by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// [`quads`].
    Quads,
    /// [`octagons`], also of eight vertices of more.
    Octagons,
    /// A direction, and
    Direction,
    /// all edges, of [`large`].
    Edges,
}

/// The polygons of one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polygons<'a> {
    vertices: &'a [DVec2],
    /// The first vertex of each, and one more entry: the count.
    offsets: &'a [u32],
}

impl<'a> Polygons<'a> {
    pub(super) fn of(set: &'a PolygonSet) -> Self {
        Self { vertices: set.all_vertices(), offsets: set.shape_offsets() }
    }

    #[inline(always)]
    fn get(self, index: u32) -> &'a [DVec2] {
        let index = index as usize;
        &self.vertices[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// The vertices from its first one on, also those of the next polygons, and how many are its own.
    #[inline(always)]
    pub(super) fn from(self, index: u32) -> (&'a [DVec2], usize) {
        let first = self.offsets[index as usize];
        (&self.vertices[first as usize..], (self.offsets[index as usize + 1] - first) as usize)
    }

    /// Asks for what says where its vertices lie.
    #[inline(always)]
    pub(super) fn ask_for_offset(self, index: u32) {
        prefetch_at(self.offsets, index as usize);
    }

    /// Asks for so many cache lines from its first vertex on.
    #[inline(always)]
    pub(super) fn ask(self, index: u32, lines: usize) {
        prefetch_lines(self.vertices, self.offsets[index as usize] as usize, lines);
    }

    /// The least and the greatest number of vertices.
    fn vertex_counts(self) -> [usize; 2] {
        /// Polygons that one task looks at.
        const TASK: usize = 4096;
        let both = |[least, most]: [u32; 2], [a, b]: [u32; 2]| [least.min(a), most.max(b)];
        let ends = self.offsets.get(1..).unwrap_or_default();
        let parts = self.offsets.par_chunks(TASK).zip(ends.par_chunks(TASK)).map(|(starts, ends)| {
            let counts = starts.iter().zip(ends).map(|(start, end)| [end - start; 2]);
            counts.fold([u32::MAX, 0], both)
        });
        parts.reduce_with(both).unwrap_or_default().map(|count| count as usize)
    }

    /// Of polygons of four vertices each.
    fn fours(self) -> &'a [[DVec2; 4]] {
        self.vertices.as_chunks().0
    }
}

/// What decides which form of the filter serves a join.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// Of any polygon of either side.
    least_vertices: usize,
    most_vertices: usize,
    /// Quanta in the caller's unit: a power of two.
    per_unit: f64,
}

impl Form {
    /// None where other filters serve better, or this one not at all. `quantum` is of a grid over both sets.
    pub(crate) fn of(a: &PolygonSet, b: &PolygonSet, quantum: f64) -> Option<Self> {
        if !has_doubles() || !a.is_static() || !b.is_static() {
            return None;
        }
        Self::of_static(a, b, quantum).filter(|form| has_wide() || form.has_quads())
    }

    fn of_static(a: &PolygonSet, b: &PolygonSet, quantum: f64) -> Option<Self> {
        let [a, b] = [Polygons::of(a).vertex_counts(), Polygons::of(b).vertex_counts()];
        let [least, most] = [a[0].min(b[0]), a[1].max(b[1])];
        let form = Self { least_vertices: least, most_vertices: most, per_unit: 1.0 / quantum };
        (most <= MOST_VERTICES).then_some(form)
    }

    /// Whether no polygon has more than four vertices.
    fn has_quads(&self) -> bool {
        self.most_vertices <= 4
    }

    /// Whether a pair takes longer than with records that are there: those of up to eight vertices are half as many bytes,
    /// and already rounded.
    pub(crate) fn is_slower_than_records(&self) -> bool {
        (5..=DOUBLES).contains(&self.most_vertices)
    }
}

/// The filter's code of every pair, into `codes`, in the order of `pairs`.
pub(crate) fn filter_codes(
    form: Form,
    a: &PolygonSet,
    b: &PolygonSet,
    pairs: &[[u32; 2]],
    codes: &mut Vec<u8>,
) {
    // What was there is overwritten.
    codes.resize(pairs.len(), 0);
    let (a, b) = (Polygons::of(a), Polygons::of(b));
    pairs.par_chunks(TASK).zip(codes.par_chunks_mut(TASK)).for_each(|(pairs, codes)| {
        let decide = Decide { form, a, b, pairs, codes };
        if form.has_quads() { on_doubles(decide) } else { wide(decide) }
    });
}

/// Pairs to decide, and where the answers go.
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

/// Of polygons of at most four vertices.
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

    /// Of polygons of at most four vertices.
    #[inline(always)]
    fn decide_quads<I: DoubleInstructions>(self, i: I) {
        if self.form.least_vertices == 4 {
            self.each_of_four::<I>(i);
        } else {
            self.each(2, Polygons::get, |a, b| quads::relation::<I>(i, a, b));
        }
    }

    /// Every pair by itself; polygons lie in so many cache lines.
    #[inline(always)]
    fn each<T>(self, lines: usize, get: impl Fn(Polygons<'a>, u32) -> T, relation: impl Fn(T, T) -> u32) {
        let (a, b) = (self.a, self.b);
        for (k, (&[first, second], code)) in self.pairs.iter().zip(self.codes).enumerate() {
            ask_ahead(self.pairs, a, b, k, lines);
            *code = relation(get(a, first), get(b, second)) as u8;
        }
    }

    /// Every pair by itself; nothing but the vertices is read, as it is known where they lie.
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

/// Asks for what is read some pairs after pair `k`.
#[inline(always)]
fn ask_ahead(pairs: &[[u32; 2]], a: Polygons<'_>, b: Polygons<'_>, k: usize, lines: usize) {
    if let Some(&[next_a, next_b]) = pairs.get(k + 2 * AHEAD) {
        a.ask_for_offset(next_a);
        b.ask_for_offset(next_b);
    }
    if let Some(&[next_a, next_b]) = pairs.get(k + AHEAD) {
        a.ask(next_a, lines);
        b.ask(next_b, lines);
    }
}

/// One bit for each edge of a polygon in eight lanes.
#[inline(always)]
fn edge_lanes(vertex_count: usize) -> u32 {
    (1 << vertex_count.min(DOUBLES)) - 1
}
