//! Finds, among the edges of two polygons, the edge with the greatest gap to the other polygon. This gap is the
//! separation of the polygons.
//!
//! For an edge of A with the outward normal N through p, the gap is `g = min N.(b - p) / |N|` over the vertices b of B. Let
//! n be the normal of the packed edge, and let e be the bound on the error of the computed `N.(b - p)`, which
//! [`crate::kernels::cpu::simd`] derives. Let u = 2^-24 be the relative error of an f32 operation, and eA the packing error
//! of A.
//!
//! - The error of each coordinate of n is at most 2 eA plus rounding, so |N| differs from |n| by at most `3 eA + u |n|`.
//! - If `6 eA < |n|`, the relative difference of 1 / |N| and 1 / |n| is at most `6 eA / |n| + 2 u`.
//! - A square root, a division, a product and the squares add at most 4 u.
//!
//! With `rel = 6 eA / |n| + 8 u`,
//!
//! ```text
//! |g - computed| <= (1 + rel) e / |n| + rel |computed|
//! ```
//!
//! If `6 eA >= |n|`, the edge may have any gap. Each gap thus lies in an interval. The greatest gap lies between the
//! greatest lower end and the greatest upper end of all intervals. If these two ends are near each other, the greatest gap
//! is known. A short edge has a wide interval, because f32 does not represent its direction well. A wide interval matters
//! only if the gap of its edge might be the greatest.

use super::{size_of_pair, steps};
use crate::answers::bounds::FIGURE_BOUND;
use crate::kernels::cpu::simd::points::Points;
use crate::kernels::cpu::simd::{Bound, offset};
use crate::packed::records::{LANES, View};
use crate::simd::{HALF, Instructions, Lanes, negated};

/// A squared length greater than this is certainly accurate, in square quanta of the
/// [`Grid`](crate::packed::grid::Grid). A lesser squared length may be inaccurate because of underflow.
const LEAST_SQUARE: f32 = f32::from_bits((127 - 100) << 23);
/// A length, in quanta, that is greater than the magnitude of any gap.
const ANY: f32 = f32::from_bits((127 + 100) << 23);
/// The relative error that the square roots, divisions and products add to a gap.
const ROUNDINGS: f32 = 4.0 * f32::EPSILON;

/// An edge of one of two polygons, and the gap between its line and the other polygon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BestEdge {
    /// The gap between the line of the edge and the other polygon, in quanta. It is negative if the polygons overlap
    /// along the edge's normal.
    pub(crate) separation: f32,
    /// The index of the edge in its polygon.
    pub(crate) edge: u32,
    pub(crate) of_b: bool,
    /// Whether the separation is proven to be below 0.
    pub(crate) overlap: bool,
    /// Whether the separation is proven to be above 0.
    pub(crate) apart: bool,
    /// Whether the error of the separation is proven to be at most [`FIGURE_BOUND`] times the size of the pair.
    pub(crate) certain: bool,
}

/// Returns the edge with the greatest gap, among the edges of both polygons. If several edges have the same gap, an
/// edge of A comes first, then the edge with the least index.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(crate) fn best_edge<I: Instructions, const VERTICES: usize>(i: I, a: View<'_>, b: View<'_>) -> BestEdge {
    let o = offset(a.head, b.head);
    let (greatest, edge, of_b, lower, upper);
    let [of_a, of_b_too] = [a.head.vertex_count as usize, b.head.vertex_count as usize];
    let has_half = VERTICES == HALF || VERTICES == 0 && of_a.max(of_b_too) <= HALF;
    if has_half && of_a.min(of_b_too) > 1 {
        let gaps = gaps_of_both::<I>(i, a, b, o);
        (lower, upper) = (gaps.lower, gaps.upper);
        greatest = gaps.gap.greatest();
        let lane = first_lane(gaps.gap.at_least(greatest));
        (edge, of_b) = ((lane % HALF) as u32, lane >= HALF);
    } else {
        let by_a = side::<I, VERTICES>(i, a, b, o);
        let by_b = side::<I, VERTICES>(i, b, a, negated(o));
        // The results of both polygons are combined first, because a reduction of one register costs more than an
        // operation on eight lanes.
        (lower, upper) = (by_a.lower.max(by_b.lower), by_a.upper.max(by_b.upper));
        greatest = by_a.gap.max(by_b.gap).greatest();
        let lanes = [by_a.gap.at_least(greatest), by_b.gap.at_least(greatest)];
        of_b = lanes[0] == 0;
        if VERTICES > 0 {
            // One mask holds the lanes of both polygons: A's lanes are the lower bits, and B's lanes are the upper
            // bits.
            edge = (lanes[0] | lanes[1] << LANES).trailing_zeros() % LANES as u32;
        } else {
            let (gap, number) = if of_b { (by_b.gap, by_b.number) } else { (by_a.gap, by_a.number) };
            edge = i.splat(f32::MAX).where_less(gap, greatest, number).least().first() as u32;
        }
    }
    let separation = greatest.first();
    let within = FIGURE_BOUND as f32 * size_of_pair(a.head, b.head, o);
    let certain = (VERTICES > 0 || a.head.vertex_count.max(b.head.vertex_count) <= MOST_NUMBERED)
        & !upper.any_above(i.splat(separation + within))
        & lower.any_at_least(i.splat(separation - within));
    let overlap = !upper.any_at_least(i.splat(0.0));
    let apart = lower.any_above(i.splat(0.0));
    BestEdge { separation, edge, of_b, overlap, apart, certain }
}

/// Returns the index of the first lane whose bit is set in a mask. If no bit is set, returns the index of the last
/// lane.
#[inline(always)]
pub(super) fn first_lane(bits: u32) -> usize {
    (bits.trailing_zeros() as usize).min(LANES - 1)
}

/// Returns the outward unit normal of an edge. The length of the edge must not be 0.
#[inline(always)]
pub(crate) fn unit_normal(polygon: View<'_>, edge: u32) -> [f32; 2] {
    let k = edge as usize;
    let [x, y] = [polygon.y[k + 1] - polygon.y[k], polygon.x[k] - polygon.x[k + 1]];
    let length = (x * x + y * y).sqrt();
    [x / length, y / length]
}

/// The results for the edges of one polygon. The edges are tested in blocks of eight. Lane k has the results for edge k of
/// each block.
struct Side<L> {
    /// In each lane, the greatest gap of the lane's edges.
    gap: L,
    /// In each lane, the index of the edge with the greatest gap.
    number: L,
    /// In each lane, the greatest lower end of the intervals that contain the gaps.
    lower: L,
    /// In each lane, the greatest upper end of the intervals that contain the gaps.
    upper: L,
}

/// The greatest number of vertices for which a result can be certain. f32 represents all edge indices up to this number
/// exactly.
const MOST_NUMBERED: u32 = 1 << 22;

/// The values that are the same for all edges of one polygon in a test against another polygon. The code uses methods
/// of this struct and not closures, because the compiler would not compile closures for the machine's vectors.
#[derive(Clone, Copy)]
struct Against {
    bound: Bound,
    /// A bound on the error of an edge's direction, as a length. Divided by the length of the edge, it is the main part
    /// of the relative error of the gap over the edge. The documentation of the module calls it 6 eA.
    turn: f32,
    /// The vector from this polygon's anchor to the other polygon's anchor.
    o: [f32; 2],
}

/// The gaps of eight edges, with the lower end and the upper end of the interval that contains each gap.
struct Gaps<L> {
    gap: L,
    lower: L,
    upper: L,
}

impl Against {
    #[inline(always)]
    fn gaps<I: Instructions, const VERTICES: usize>(
        self,
        i: I,
        a: View<'_>,
        b: View<'_>,
        start: usize,
    ) -> Gaps<I::Lanes> {
        let count = if VERTICES == 0 { b.head.vertex_count as usize } else { VERTICES };
        let p = Points { x: i.load(a.x, start), y: i.load(a.y, start) };
        let normal = p.normal(Points { x: i.load(a.x, start + 1), y: i.load(a.y, start + 1) });
        let mut least = Points { x: i.splat(b.x[0]), y: i.splat(b.y[0]) }.dot(normal);
        for j in 1..count {
            least = least.min(Points { x: i.splat(b.x[j]), y: i.splat(b.y[j]) }.dot(normal));
        }
        let to_b = Points { x: i.splat(self.o[0]), y: i.splat(self.o[1]) }.minus(p);
        let of_normals = self.bound.of(i, normal);
        Gaps::of::<I>(i, normal, least.add(to_b.dot(normal)), of_normals, i.splat(self.turn))
    }
}

impl<L: Lanes> Gaps<L> {
    /// Returns the gaps of eight edges and the intervals that contain them. `normals` are the normals of the edges,
    /// `separations` are the gaps times the lengths of the normals, and `bound` is the bound on the error of a
    /// separation. `turn` is [`Against::turn`].
    #[inline(always)]
    fn of<I: Instructions<Lanes = L>>(i: I, normals: Points<L>, separations: L, bound: L, turn: L) -> Self {
        let square = normals.dot(normals);
        let per_length = i.splat(1.0).div(square.max(i.splat(LEAST_SQUARE)).sqrt());
        let gap = steps::gaps(i, separations).mul(per_length);
        let relative = per_length.mul_add(turn, i.splat(ROUNDINGS));
        let of_edge = bound.mul(per_length);
        let error = relative.mul_add(gap.abs().add(of_edge), of_edge);
        let error = error.where_less(relative, i.splat(1.0), i.splat(ANY));
        let error = error.where_less(i.splat(LEAST_SQUARE), square, i.splat(ANY));
        let error = steps::errors(i, error);
        Self { gap, lower: gap.sub(error), upper: gap.add(error) }
    }
}

/// Returns the gaps of the edges of two polygons with at most four edges each. A's edges are in the lower half of the
/// lanes, and B's edges are in the upper half.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn gaps_of_both<I: Instructions>(i: I, a: View<'_>, b: View<'_>, o: [f32; 2]) -> Gaps<I::Lanes> {
    let p = Points { x: i.load_halves(a.x, b.x, 0), y: i.load_halves(a.y, b.y, 0) };
    let normal = p.normal(Points { x: i.load_halves(a.x, b.x, 1), y: i.load_halves(a.y, b.y, 1) });
    let other = Points { x: i.load_halves(b.x, a.x, 0), y: i.load_halves(b.y, a.y, 0) };
    let first = other.of_half::<0>().dot(normal).min(other.of_half::<1>().dot(normal));
    let least = first.min(other.of_half::<2>().dot(normal).min(other.of_half::<3>().dot(normal)));
    let to_other = Points { x: i.splat_halves(o[0], -o[0]), y: i.splat_halves(o[1], -o[1]) }.minus(p);
    let bounds = [Bound::new(a.head, b.head, o), Bound::new(b.head, a.head, o)];
    let turn = i.splat_halves(6.0 * a.head.error, 6.0 * b.head.error);
    let of_normals = bounds[0].of_halves(bounds[1], i, normal);
    Gaps::of::<I>(i, normal, least.add(to_other.dot(normal)), of_normals, turn)
}

#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn side<I: Instructions, const VERTICES: usize>(
    i: I,
    a: View<'_>,
    b: View<'_>,
    o: [f32; 2],
) -> Side<I::Lanes> {
    if a.head.vertex_count == 1 {
        // A point has no edge.
        let none = i.splat(-ANY);
        return Side { gap: none, number: i.load(&NUMBERS, 0), lower: none, upper: none };
    }
    let against = Against { bound: Bound::new(a.head, b.head, o), turn: 6.0 * a.head.error, o };
    let numbers = i.load(&NUMBERS, 0);
    let Gaps { mut gap, mut lower, mut upper } = against.gaps::<I, VERTICES>(i, a, b, 0);
    let mut number = numbers;
    if VERTICES == 0 {
        let edges = a.head.vertex_count as usize;
        let mut start = LANES;
        while start < edges {
            // The last register starts earlier, so that it is full.
            let from = start.min(edges - LANES);
            let next = against.gaps::<I, VERTICES>(i, a, b, from);
            number = numbers.add(i.splat(from as f32)).where_less(gap, next.gap, number);
            gap = gap.max(next.gap);
            lower = lower.max(next.lower);
            upper = upper.max(next.upper);
            start += LANES;
        }
    }
    Side { gap, number, lower, upper }
}

/// The index of each lane, as f32.
pub(super) const NUMBERS: [f32; LANES] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
