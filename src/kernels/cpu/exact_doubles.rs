//! Decides the relation of small polygons exactly, in f64, with each edge of one polygon in its own lane. If the
//! polygons are near each other, the differences of their coordinates are exact in f64.
//!
//! `orient2d(p, q, r)` is `(p - r) x (q - r)`. The code computes the differences `d = a - b` of each vertex a of A and each
//! vertex b of B once, and uses them for the edges of both polygons. For an edge of A and a vertex of B, the value is
//! `d_k x d_(k+1)` along A. For an edge of B and a vertex of A, the value is the same cross product along B. The difference
//! of two numbers that are close together is usually exact.
//!
//! A cross product is the difference of two products, `left` and `right`. If the rounded products differ, the greater one
//! belongs to the greater product, because rounding is monotone. If the rounded products are equal, their rounding errors
//! show which product is greater. A fused multiply-add computes each rounding error exactly (Ogita, Rump and Oishi 2005,
//! "Accurate Sum and Dot Product").
//!
//! A difference d is exact if the rounded operations give `a - d = b` and `d + b = a`. Proof: let the unit be the lesser of
//! the units in the last place of a and b. Then a, b and the error of d are multiples of the unit. Suppose that d is not
//! exact, so its error is at least one unit. If b has this unit, the first operation does not give b. If a has this unit,
//! the second operation does not give a.
//!
//! Nothing underflows or overflows: accepted coordinates are 0 or have a magnitude from 2^-142 to 2^201, so differences are
//! multiples of 2^-194 and products are multiples of 2^-388.

use glam::DVec2;

use crate::answers::results::Relation;
use crate::simd::{DoubleInstructions, Doubles};

/// Returns the relation of two polygons with three to eight vertices: the first `a_count` and `b_count` points of the
/// slices. Returns `None` if a difference of their coordinates is not exact.
#[inline(always)]
pub(super) fn relation<I: DoubleInstructions>(
    i: I,
    (a, a_count): (&[DVec2], usize),
    (b, b_count): (&[DVec2], usize),
) -> Option<Relation> {
    // Adding 0 turns -0 into 0, so equal numbers have equal bits.
    let [p_x, p_y] = i.around(a, a_count).map(|x| x.add(i.doubles(0.0)));
    let first = a[0] + DVec2::ZERO;
    let [q_x, q_y] = [p_x.next_closed_by(first.x), p_y.next_closed_by(first.y)];
    let edges = (1u32 << a_count) - 1;
    let b = &b[..b_count];

    // Masks of the edges of A: `inside` has the edges with a vertex of B inside, and `inside_or_on` the edges with a vertex
    // of B inside or on their line.
    let (mut inside, mut inside_or_on) = (0, 0);
    // `none_inside` is true if an edge of B has no vertex of A inside, and `all_outside` if an edge of B has no vertex of A
    // inside or on its line.
    let (mut none_inside, mut all_outside) = (false, false);
    let mut inexact = i.doubles(0.0);
    let last = b[b.len() - 1];
    let mut before = [p_x.sub(i.doubles(last.x)), p_y.sub(i.doubles(last.y))];
    for vertex in b {
        let vertex = vertex + DVec2::ZERO;
        let (b_x, b_y) = (i.doubles(vertex.x), i.doubles(vertex.y));
        let [x, y] = [p_x.sub(b_x), p_y.sub(b_y)];
        inexact = inexact.with_difference(p_x.sub(x), b_x).with_difference(x.add(b_x), p_x);
        inexact = inexact.with_difference(p_y.sub(y), b_y).with_difference(y.add(b_y), p_y);

        let of_a = sign([x, y], [q_x.sub(b_x), q_y.sub(b_y)]);
        inside |= of_a.above;
        inside_or_on |= of_a.not_below;

        let of_b = sign(before, [x, y]);
        none_inside |= of_b.above == 0;
        all_outside |= of_b.not_below == 0;
        before = [x, y];
    }
    if inexact.has_bits() {
        return None;
    }
    none_inside |= !inside & edges != 0;
    all_outside |= !inside_or_on & edges != 0;
    Some(match (all_outside, none_inside) {
        (true, _) => Relation::Disjoint,
        (_, true) => Relation::Touching,
        _ => Relation::Overlapping,
    })
}

/// The signs of the values in eight lanes, as masks with one bit for each lane.
struct Signs {
    above: u32,
    not_below: u32,
}

/// Returns the exact signs of the cross products `p x q` in eight lanes.
#[inline(always)]
fn sign<D: Doubles>([p_x, p_y]: [D; 2], [q_x, q_y]: [D; 2]) -> Signs {
    let (left, right) = (p_x.mul(q_y), p_y.mul(q_x));
    let (left_lost, right_lost) = (p_x.lost_by_product(q_y, left), p_y.lost_by_product(q_x, right));
    let (above, not_below) = (left.above(right), left.not_below(right));
    Signs {
        above: above | not_below & left_lost.above(right_lost),
        not_below: above | not_below & left_lost.not_below(right_lost),
    }
}
