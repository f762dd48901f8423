//! Orders points so that an incremental triangulation is fast on any input.
//!
//! The points are divided into random rounds. Each round is about twice as large as the round before it. In a round,
//! the points follow a space-filling curve (Amenta, Choi and Rote 2003, "Incremental constructions con BRIO"). The
//! random rounds make the expected number of flips linear for any input. The curve puts each point near the point
//! before it.

use std::cmp::{Ordering, Reverse};

use glam::DVec2;

/// A list of at most this many points keeps its order, because another order would not save time.
const SMALL: usize = 48;

/// Returns the indices of `points` in an order in which an incremental triangulation is fast. The order is the same in
/// every run.
pub(super) fn insertion_order(points: &[DVec2]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    if points.len() <= SMALL {
        return order;
    }
    let round = |&i: &u32| Reverse(mixed(i).trailing_zeros());
    crate::base::sorting::sort_by_key(&mut order, round);
    for run in order.chunk_by_mut(|a, b| round(a) == round(b)) {
        sort_along_curve(points, run, true, [true, true]);
    }
    order
}

/// Returns the indices of `points` in their order along a space-filling curve. No coordinate may be NaN.
pub(in crate::geometry) fn along_curve(points: &[DVec2]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    sort_along_curve(points, &mut order, true, [true, true]);
    order
}

/// Returns the indices from 0 up to, but not including, `count` in a pseudo-random order. The order is the same in
/// every run.
pub(super) fn stirred(count: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    crate::base::sorting::sort_by_key(&mut order, |&i| mixed(i));
    order
}

/// Returns pseudo-random bits of an index (the finaliser of MurmurHash3, Appleby 2011, public domain).
fn mixed(index: u32) -> u32 {
    let mut h = index.wrapping_add(0x9e37_79b9);
    h = (h ^ (h >> 16)).wrapping_mul(0x85eb_ca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// Sorts points along a Hilbert curve whose cells are split at medians, so that the order is good for any distribution
/// of the points. `by_x` says whether the first split is by x. `rising` has two flags: whether the curve goes upward
/// along the axis of the first split, and whether it goes upward along the other axis.
fn sort_along_curve(points: &[DVec2], range: &mut [u32], by_x: bool, rising: [bool; 2]) {
    if range.len() <= 2 {
        return;
    }
    let [first, second] = rising;
    let (low, high) = halves(points, range, by_x, first);
    let (a, b) = halves(points, low, !by_x, second);
    let (c, d) = halves(points, high, !by_x, !second);
    sort_along_curve(points, a, !by_x, [second, first]);
    sort_along_curve(points, b, by_x, [first, second]);
    sort_along_curve(points, c, by_x, [first, second]);
    sort_along_curve(points, d, !by_x, [!second, !first]);
}

fn halves<'a>(
    points: &[DVec2],
    range: &'a mut [u32],
    by_x: bool,
    rising: bool,
) -> (&'a mut [u32], &'a mut [u32]) {
    let middle = range.len() / 2;
    if range.len() > 1 {
        range.select_nth_unstable_by(middle, |&a, &b| {
            let key = |i: u32| {
                let p = points[i as usize];
                if by_x { [p.x, p.y] } else { [p.y, p.x] }
            };
            let ascending = key(a).partial_cmp(&key(b)).unwrap_or(Ordering::Equal);
            if rising { ascending } else { ascending.reverse() }
        });
    }
    range.split_at_mut(middle)
}
