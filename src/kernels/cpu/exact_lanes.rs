//! The f64 filter of the exact path for small polygons: all edges of one, side by side, with each vertex of the other. On maps most
//! neighbours share vertices, whose zeros it knows too.

use glam::DVec2;

use crate::answers::results::Relation;
use crate::simd::{greater, lesser};

/// Edges side by side.
const LANES: usize = 4;
/// The most vertices of a polygon that is asked about.
pub(super) const MOST_VERTICES: usize = 8;

/// What the edges of a polygon say of another's vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    /// The weakest relation that the edges allow whose word is certain.
    pub(super) relation: Relation,
    /// A bit for each other edge, named by its first vertex.
    pub(super) unknown: u32,
}

/// A row of numbers, a lane each.
type Row = [f64; LANES];

/// What the edges of `a` say of `b`, both of at most [`MOST_VERTICES`] vertices.
///
/// `orient2d(p, q, r)` is positive where r lies inside of the edge from p to q. As `(p - r) x (q - r)`, a difference of two products
/// of differences, it is off by at most [`BOUND`] times the sum of the products' magnitudes (Shewchuk 1997, "Adaptive Precision
/// Floating-Point Arithmetic and Fast Robust Geometric Predicates", the bound A). Where r is p or q both products are 0, and so is
/// it. Nothing under- or overflows: accepted coordinates are 0 or from 2^-142 to 2^201, so that their differences are 0 or at least
/// 2^-194.
#[inline(always)]
pub(super) fn side(a: &[DVec2], b: &[DVec2]) -> Verdict {
    // Bits of edges: of those without a vertex inside, those that are not certain of one, those that have all outside.
    let (mut others, mut is_unknown, mut is_outside) = (0u32, 0u32, 0u32);
    for first in (0..a.len()).step_by(LANES) {
        let bits = edges_beside(edges(a, first), b);
        others |= bits.others << first;
        is_unknown |= bits.is_unknown << first;
        is_outside |= bits.is_outside << first;
    }
    // Lanes beyond the last edge hold edges once more.
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

/// Bits of edges, as in [`side`].
struct Bits {
    others: u32,
    is_unknown: u32,
    is_outside: u32,
}

/// What a few edges say of all vertices.
#[inline(always)]
fn edges_beside([p_x, p_y, q_x, q_y]: [Row; 4], b: &[DVec2]) -> Bits {
    // Of each edge: how far the vertex farthest inside is beyond the bound; how far the least certain one is; the greatest value.
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
        // What is inside by no more than the bound is none of the zeros.
        is_unknown: bits(certain.map(|x| x < 0.0)) | bits(top.map(|x| x > 0.0)),
        is_outside: bits(top.map(|x| x < 0.0)),
    }
}

/// The relative error of the sign's value, `(3 + 16 u) u` with `u = 2^-53`, times the sum of the products.
const BOUND: f64 = (3.0 + 16.0 * UNIT) * UNIT;
const UNIT: f64 = f64::EPSILON / 2.0;

/// x and y of where the edges from that of vertex `first` on begin and end, around and around.
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
