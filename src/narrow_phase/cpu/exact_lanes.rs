//! The f64 filter of the exact path for small polygons: all edges of one, side by side, with each vertex of the other. On maps most
//! neighbours share vertices, whose zeros it knows too.

use glam::DVec2;

use crate::results::Relation;
use crate::vector::{greater, lesser};

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

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::*;

    /// `x * 2^60`, exactly, for the numbers of these tests.
    fn scaled(x: f64) -> BigInt {
        let (mut x, mut shift) = (x, 60);
        while x != x.trunc() {
            x *= 2.0;
            shift -= 1;
        }
        BigInt::from(x as i64) << shift
    }

    /// What each edge of `a` allows, by integers.
    fn allowed(a: &[DVec2], b: &[DVec2]) -> Vec<Relation> {
        let zero = BigInt::from(0);
        let of_edge = |k: usize| {
            let [p, q] = [a[k], a[(k + 1) % a.len()]].map(|v| [scaled(v.x), scaled(v.y)]);
            let value = |r: &DVec2| {
                let r = [scaled(r.x), scaled(r.y)];
                (&p[0] - &r[0]) * (&q[1] - &r[1]) - (&p[1] - &r[1]) * (&q[0] - &r[0])
            };
            match b.iter().map(value).max() {
                Some(most) if most > zero => Relation::Overlapping,
                Some(most) if most == zero => Relation::Touching,
                _ => Relation::Disjoint,
            }
        };
        (0..a.len()).map(of_edge).collect()
    }

    /// What is said of the edges is true: none that is called known is wrong.
    fn assert_true(a: &[DVec2], b: &[DVec2]) -> Verdict {
        let verdict = side(a, b);
        let allowed = allowed(a, b);
        assert!(verdict.unknown < 1 << a.len());
        let known = allowed.iter().enumerate().filter(|(k, _)| verdict.unknown >> k & 1 == 0);
        let weakest = known.map(|(_, &relation)| relation).min().unwrap_or(Relation::Overlapping);
        assert_eq!(verdict.relation, weakest, "{a:?} and {b:?}: {verdict:?}, {allowed:?}");
        verdict
    }

    fn ring<const N: usize>(ring: [[f64; 2]; N]) -> Vec<DVec2> {
        ring.map(DVec2::from).to_vec()
    }

    #[test]
    fn a_value_of_just_the_bound_is_no_zero() {
        // Of the first edge and the first vertex the value is 4 * 2^-52, and so is the bound.
        let a = ring([[1.3333333333333321, 1.333333333333333], [-1.0, -1.0], [1.0, -1.0]]);
        let b = ring([[0.0, 0.0], [-0.5, 1.0], [-1.0, 0.5]]);
        let known = assert_true(&a, &b).relation.min(assert_true(&b, &a).relation);
        assert_eq!(known, Relation::Overlapping);
    }

    /// Polygons of 3 to 8 vertices on small integers, of which some coordinates are an ulp off.
    #[test]
    fn what_is_called_known_is_true() {
        let mut state = 1u64;
        let mut next = |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        let octagon = [[1, 0], [2, 0], [3, 1], [3, 2], [2, 3], [1, 3], [0, 2], [0, 1]]
            .map(|v: [i32; 2]| v.map(f64::from));
        let (mut unknown, mut by_relation) = (0, [0; 3]);
        for _ in 0..20_000 {
            let mut polygon = || {
                let skip = next(256);
                let mut ring: Vec<DVec2> = octagon
                    .iter()
                    .enumerate()
                    .filter(|(k, _)| skip >> k & 1 == 0)
                    .map(|(_, v)| DVec2::from(*v))
                    .collect();
                if ring.len() < 3 {
                    ring = octagon.map(DVec2::from).to_vec();
                }
                let by = DVec2::new(next(7) as f64 - 3.0, next(7) as f64 - 3.0)
                    * [1.0, 0.1, 1.0 / 3.0][next(3) as usize];
                for v in &mut ring {
                    *v += by;
                    match next(6) {
                        0 if v.x.abs() > 0.1 => v.x = v.x.next_up(),
                        1 if v.y.abs() > 0.1 => v.y = v.y.next_down(),
                        _ => {}
                    }
                }
                ring
            };
            let (a, b) = (polygon(), polygon());
            let verdict = assert_true(&a, &b);
            unknown += u32::from(verdict.unknown != 0);
            by_relation[verdict.relation as usize] += 1;
        }
        assert!(unknown > 300 && by_relation.iter().all(|&count| count > 300), "{unknown}, {by_relation:?}");
    }
}
