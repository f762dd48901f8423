//! Decides two polygons with at most eight vertices each, in f32. One register holds the edges of both polygons,
//! interleaved.

use glam::DVec2;

use super::{Step, steps};
use crate::kernels::cpu::interleaved::{along, least_along, relation_of};
use crate::kernels::cpu::{FLUSH, SLACK};
use crate::simd::{DOUBLES, Doubles, Singles, WideInstructions};

/// Returns the filter's answer for two polygons with three to eight vertices: the code for disjoint, overlapping or
/// uncertain. Each slice begins with the vertices of its polygon, and may be longer.
#[inline(always)]
pub(super) fn relation<I: WideInstructions>(
    i: I,
    (a, a_count): (&[DVec2], usize),
    (b, b_count): (&[DVec2], usize),
    per_unit: f64,
) -> u32 {
    let by_edges = ByEdges::new::<I>(i, i.around(a, a_count), i.around(b, b_count), a[0], per_unit);
    let edges = steps::edges(Step::Octagons, interleaved_edges(a_count, b_count));
    relation_of(by_edges.separate() & edges, by_edges.may_separate(i) & edges)
}

/// Returns a mask with one bit for each edge of two polygons with `a` and `b` vertices. The bits are in the order of
/// [`ByEdges`].
#[inline(always)]
pub(super) fn interleaved_edges(a: usize, b: usize) -> u32 {
    let lanes = |count: usize| (1 << (2 * count.min(DOUBLES))) - 1;
    (lanes(a) & 0x5555) | (lanes(b) & 0xaaaa)
}

/// The results for eight edges of A and eight edges of B. Even lanes hold the edges of A, and odd lanes hold the edges
/// of B.
#[derive(Clone, Copy)]
pub(super) struct ByEdges<V> {
    /// For each edge, the least signed distance between the edge's line and a vertex of the other polygon, times the length
    /// of the edge. The distance is positive on the outer side.
    pub(super) separation: V,
    /// For each edge, the bound on the error of the separation.
    pub(super) bound: V,
    /// For each edge, its outward normal, whose length is the length of the edge.
    pub(super) normal: [V; 2],
}

impl<V: Singles> ByEdges<V> {
    /// Computes the separations, bounds and normals for one polygon in the lanes of `a` and one polygon in the lanes of
    /// `b`. `origin` is a vertex of either polygon. The vertices relative to `origin` are multiplied by `per_unit`.
    #[inline(always)]
    pub(super) fn new<I: WideInstructions<Singles = V>>(
        i: I,
        a: [I::Doubles; 2],
        b: [I::Doubles; 2],
        origin: DVec2,
        per_unit: f64,
    ) -> Self {
        let scale = i.doubles(per_unit);
        let back = i.doubles(-per_unit);
        let origin = [i.doubles(origin.x).mul(back), i.doubles(origin.y).mul(back)];
        let [a_x, a_y] = [a[0].mul_add(scale, origin[0]), a[1].mul_add(scale, origin[1])];
        let [b_x, b_y] = [b[0].mul_add(scale, origin[0]), b[1].mul_add(scale, origin[1])];
        let (x, y) = (i.rounded(a_x, b_x), i.rounded(a_y, b_y));
        let normal = [y.next().sub(y), x.sub(x.next())];
        let least = least_along(i, [x, y], normal, steps::vertex_count(Step::Octagons, DOUBLES));
        let mut separation = least.sub(along([x, y], normal));
        if steps::flips(Step::Octagons) {
            separation = i.singles(0.0).sub(separation);
        }

        const BOUND: f64 = 8.0 * (f32::EPSILON / 2.0) as f64 * SLACK as f64;
        let reach = x.greater_magnitude(y).greatest();
        let longest = normal[0].greater_magnitude(normal[1]);
        let slope = reach.mul(i.singles(steps::bound(Step::Octagons, BOUND) as f32));
        let bound = longest.mul_add(i.singles(2.0), reach).mul_add(slope, i.singles(FLUSH));
        Self { separation, bound, normal }
    }

    /// Returns a mask of the edges that certainly separate the polygons.
    #[inline(always)]
    pub(super) fn separate(self) -> u32 {
        self.separation.above(self.bound)
    }

    /// Returns a mask of the edges that may separate the polygons, because the error bound does not exclude it.
    #[inline(always)]
    pub(super) fn may_separate<I: WideInstructions<Singles = V>>(self, i: I) -> u32 {
        self.separation.add(self.bound).not_below(i.singles(0.0))
    }
}
