//! The f64 filter of the exact path for small polygons. The filter tests each vertex of one polygon against all edges
//! of the other polygon, with one edge in each lane. On maps, most neighbouring polygons share vertices. If a vertex is
//! an end of an edge, the computed orientation is exactly 0, and the filter is certain of this result.

use glam::DVec2;

use crate::answers::results::Relation;
use crate::simd::{greater, lesser};

/// The number of edges that are tested at the same time.
const LANES: usize = 4;
/// This module accepts only polygons with at most this many vertices.
pub(super) const MOST_VERTICES: usize = 8;

/// The result of testing the edges of one polygon against the vertices of the other polygon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    /// The least relation of a decided edge: disjoint if all vertices are outside the edge, touching if no vertex is
    /// inside, otherwise overlapping. An undecided edge may have a lesser relation.
    pub(super) relation: Relation,
    /// A mask with a bit for each undecided edge. The index of an edge is the index of its first vertex.
    pub(super) unknown: u32,
}

/// One f64 for each lane.
type Row = [f64; LANES];

/// Tests the edges of `a` against the vertices of `b`. Both polygons have at most [`MOST_VERTICES`] vertices.
///
/// `orient2d(p, q, r)` is positive if r lies inside the edge from p to q. It is computed as `(p - r) x (q - r)`, a
/// difference of two products of differences. Its error is at most [`BOUND`] times the sum of the products' magnitudes
/// (Shewchuk 1997, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", the bound A).
/// If r is p or q, both products are 0, and so is the result. Nothing underflows or overflows: accepted coordinates are
/// 0 or have a magnitude from 2^-142 to 2^201, so their differences are 0 or at least 2^-194.
#[inline(always)]
pub(super) fn side(a: &[DVec2], b: &[DVec2]) -> Verdict {
    // Masks of edges: edges without a vertex proven inside, undecided edges, and edges with all vertices outside.
    let (mut others, mut is_unknown, mut is_outside) = (0u32, 0u32, 0u32);
    for first in (0..a.len()).step_by(LANES) {
        let bits = edges_beside(edges(a, first), b);
        others |= bits.others << first;
        is_unknown |= bits.is_unknown << first;
        is_outside |= bits.is_outside << first;
    }
    // The lanes after the last edge repeat the first edges.
    others &= (1 << a.len()) - 1;
    let known = others & !is_unknown;
    let relation = if known & is_outside != 0 {
        Relation::Disjoint
    } else if known != 0 {
        Relation::Touching
    } else {
        Relation::Overlapping
    };
    Verdict { relation, unknown: others & is_unknown }
}

/// Three masks with one bit for each edge. `others` has the edges for which no vertex is proven to be inside.
/// `is_unknown` has the edges with a vertex whose side is not certain. `is_outside` has the edges for which all
/// computed sides are outside.
struct Bits {
    others: u32,
    is_unknown: u32,
    is_outside: u32,
}

/// Tests four edges, from (p_x, p_y) to (q_x, q_y), against all vertices of `b`.
#[inline(always)]
fn edges_beside([p_x, p_y, q_x, q_y]: [Row; 4], b: &[DVec2]) -> Bits {
    // For each edge: the greatest value minus its bound, the least magnitude minus its bound, and the greatest value.
    let (mut inside, mut certain, mut top) =
        ([f64::NEG_INFINITY; LANES], [f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    for r in b {
        for lane in 0..LANES {
            let left = (p_x[lane] - r.x) * (q_y[lane] - r.y);
            let right = (p_y[lane] - r.y) * (q_x[lane] - r.x);
            let value = left - right;
            let bound = BOUND * (left.abs() + right.abs());
            inside[lane] = greater(value - bound, inside[lane]);
            certain[lane] = lesser(value.abs() - bound, certain[lane]);
            top[lane] = greater(value, top[lane]);
        }
    }
    let bits = |holds: [bool; LANES]| (0..LANES).map(|lane| u32::from(holds[lane]) << lane).sum();
    Bits {
        others: bits(inside.map(|x| x <= 0.0)),
        // A positive value that does not exceed its error bound proves nothing.
        is_unknown: bits(certain.map(|x| x < 0.0)) | bits(top.map(|x| x > 0.0)),
        is_outside: bits(top.map(|x| x < 0.0)),
    }
}

/// The bound on the error of a computed orientation. An orientation is the difference of two products, and the error is at
/// most this number times the sum of their magnitudes. With `u = 2^-53`, the number is `(3 + 16 u) u`.
const BOUND: f64 = (3.0 + 16.0 * UNIT) * UNIT;
/// The greatest relative error of one rounded operation: 2^-53.
const UNIT: f64 = f64::EPSILON / 2.0;

/// Returns the x and y coordinates of the starts, and the x and y coordinates of the ends, of consecutive edges, from
/// vertex `first` on. After the last edge, the first edge follows.
#[inline(always)]
fn edges(a: &[DVec2], first: usize) -> [Row; 4] {
    let ([mut p_x, mut p_y], [mut q_x, mut q_y]) = ([[0.0; LANES]; 2], [[0.0; LANES]; 2]);
    let (mut p, mut k) = (a[first], first);
    for lane in 0..LANES {
        k = if k + 1 == a.len() { 0 } else { k + 1 };
        let q = a[k];
        (p_x[lane], p_y[lane]) = (p.x, p.y);
        (q_x[lane], q_y[lane]) = (q.x, q.y);
        p = q;
    }
    [p_x, p_y, q_x, q_y]
}
