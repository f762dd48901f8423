//! The edge of either polygon over which the gap between two is the greatest: their separation.
//!
//! For an edge of A with the outward normal N through p, the gap is `g = min N.(b - p) / |N|` over the vertices b of B.
//! With n the normal of the packed edge, [`crate::narrow_phase::cpu::simd`] derives a bound on the error of what is
//! computed for `N.(b - p)`; call it e. The coordinates of n are off by 2 eA and rounding, so |N| lies within 3 eA + u |n|
//! of |n|; and as long as 6 eA < |n|, 1 / |N| is within a relative 6 eA / |n| + 2 u of 1 / |n|. A square root, a division,
//! a product and the squares add at most 4 u. So with `rel = 6 eA / |n| + 8 u`
//!
//! ```text
//! |g - computed| <= (1 + rel) e / |n| + rel |computed|
//! ```
//!
//! and a shorter edge may have any gap. The greatest gap therefore lies between the greatest lower and the greatest upper
//! end of these intervals, and if they are near each other it is known. A short edge, whose direction f32 does not know,
//! has a wide interval: it matters only where it might be the greatest.

use super::size_of_pair;
use crate::FIGURE_BOUND;
use crate::narrow_phase::cpu::records::{LANES, View};
use crate::narrow_phase::cpu::simd::points::Points;
use crate::narrow_phase::cpu::simd::{Bound, Whole, offset};
use crate::vector::{Instructions, Lanes};

/// Squares of lengths below this, in quanta, may have lost bits to underflow.
const LEAST_SQUARE: f32 = f32::from_bits((127 - 100) << 23);
/// Covers any gap.
const ANY: f32 = f32::from_bits((127 + 100) << 23);
/// What roots, quotients and products add to the relative error of a gap.
const ROUNDINGS: f32 = 4.0 * f32::EPSILON;

/// An edge, and the gap over it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BestEdge {
    /// In quanta; negative where the polygons overlap along the normal.
    pub(crate) separation: f32,
    /// Number of the edge in its polygon.
    pub(crate) edge: u32,
    pub(crate) of_b: bool,
    /// Between these lies the true separation.
    pub(crate) lower: f32,
    pub(crate) upper: f32,
    /// Whether the separation is within [`FIGURE_BOUND`] beyond doubt.
    pub(crate) certain: bool,
}

/// The greatest gap over the edges of both; in a tie that of A, and of the least number.
#[inline(always)]
pub(crate) fn best_edge<I: Instructions, const VERTICES: usize>(i: I, a: View<'_>, b: View<'_>) -> BestEdge {
    let o = offset(a.head, b.head);
    let by_a = side::<I, VERTICES>(i, a, b, o);
    let by_b = side::<I, VERTICES>(i, b, a, o.map(|x| -x));
    let of_b = by_b.gap > by_a.gap;
    let best = if of_b { &by_b } else { &by_a };
    let lower = greater(by_a.lower, by_b.lower);
    let upper = greater(by_a.upper, by_b.upper);
    let within = FIGURE_BOUND as f32 * size_of_pair(a.head, b.head, o);
    let certain = (upper - best.gap <= within) & (best.gap - lower <= within);
    BestEdge { separation: best.gap, edge: best.edge, of_b, lower, upper, certain }
}

/// The unit outward normal of an edge, which is not of length 0.
#[inline(always)]
pub(crate) fn unit_normal(polygon: View<'_>, edge: u32) -> [f32; 2] {
    let k = edge as usize;
    let [x, y] = [polygon.y[k + 1] - polygon.y[k], polygon.x[k] - polygon.x[k + 1]];
    let length = (x * x + y * y).sqrt();
    [x / length, y / length]
}

/// What the edges of one polygon say.
struct Side {
    /// The greatest gap, and its edge.
    gap: f32,
    edge: u32,
    /// The greatest lower and the greatest upper end of a gap.
    lower: f32,
    upper: f32,
}

/// Eight edges of A from `start` on: their gaps, and between what the true ones lie. A function, since a closure would not be
/// compiled for the vector instructions.
#[inline(always)]
fn gaps<I: Instructions, const VERTICES: usize>(
    i: I,
    (a, b): (View<'_>, View<'_>),
    (bound, turn): (&Bound, f32),
    o: [f32; 2],
    start: usize,
) -> (I::Lanes, I::Lanes, I::Lanes) {
    let count = if VERTICES == 0 { b.head.vertex_count as usize } else { VERTICES };
    let p = Points { x: i.load(a.x, start), y: i.load(a.y, start) };
    let normal = p.normal(Points { x: i.load(a.x, start + 1), y: i.load(a.y, start + 1) });
    let mut least = Points { x: i.splat(b.x[0]), y: i.splat(b.y[0]) }.dot(normal);
    for j in 1..count {
        least = least.min(Points { x: i.splat(b.x[j]), y: i.splat(b.y[j]) }.dot(normal));
    }
    let to_b = Points { x: i.splat(o[0]), y: i.splat(o[1]) }.minus(p);
    let square = normal.dot(normal);
    let per_length = i.splat(1.0).div(square.max(i.splat(LEAST_SQUARE)).sqrt());
    let gap = least.add(to_b.dot(normal)).mul(per_length);
    let relative = per_length.mul_add(i.splat(turn), i.splat(ROUNDINGS));
    let of_edge = bound.of(i, normal).mul(per_length);
    let error = relative.mul_add(gap.abs().add(of_edge), of_edge);
    let error = error.where_less(relative, i.splat(1.0), i.splat(ANY));
    let error = error.where_less(i.splat(LEAST_SQUARE), square, i.splat(ANY));
    (gap, gap.sub(error), gap.add(error))
}

#[inline(always)]
fn side<I: Instructions, const VERTICES: usize>(i: I, a: View<'_>, b: View<'_>, o: [f32; 2]) -> Side {
    if a.head.vertex_count == 1 {
        // A point has no edges.
        return Side { gap: -ANY, edge: 0, lower: -ANY, upper: -ANY };
    }
    let bound = (&Bound::new::<Whole>(a.head, b.head, o), 6.0 * a.head.error);
    let numbers = i.load(&NUMBERS, 0);
    let (mut gap, mut lower, mut upper) = gaps::<I, VERTICES>(i, (a, b), bound, o, 0);
    let mut number = numbers;
    if VERTICES == 0 {
        let edges = a.head.vertex_count as usize;
        let mut start = LANES;
        while start < edges {
            // The last register goes back to where it is full.
            let from = start.min(edges - LANES);
            let (next, next_lower, next_upper) = gaps::<I, VERTICES>(i, (a, b), bound, o, from);
            number = numbers.add(i.splat(from as f32)).where_less(gap, next, number);
            gap = gap.max(next);
            lower = lower.max(next_lower);
            upper = upper.max(next_upper);
            start += LANES;
        }
    }
    let greatest = gap.greatest();
    let edge = i.splat(f32::MAX).where_less(gap, i.splat(greatest), number).least() as u32;
    Side { gap: greatest, edge, lower: lower.greatest(), upper: upper.greatest() }
}

/// The numbers of the lanes.
const NUMBERS: [f32; LANES] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}
