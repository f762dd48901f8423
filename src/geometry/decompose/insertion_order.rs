//! An order of points in which incremental triangulation is fast on any input.
//!
//! Rounds of random membership, each about twice as large as the one before, and along a curve within a round
//! (Amenta, Choi and Rote 2003, "Incremental constructions con BRIO"): the first makes the expected number of flips
//! linear whatever the input, the second makes each point lie near the one before.

use std::cmp::{Ordering, Reverse};

use glam::DVec2;

/// Below this many points the order does not pay.
const SMALL: usize = 48;

/// The indices of `points`, each once; the same on every run.
pub(super) fn insertion_order(points: &[DVec2]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    if points.len() <= SMALL {
        return order;
    }
    let round = |&i: &u32| Reverse(mixed(i).trailing_zeros());
    crate::base::sorting::sort_by_key(&mut order, round);
    for run in order.chunk_by_mut(|a, b| round(a) == round(b)) {
        along_curve(points, run, true, [true, true]);
    }
    order
}

/// So many indices, each once, in an order that looks random; the same on every run.
pub(super) fn stirred(count: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    crate::base::sorting::sort_by_key(&mut order, |&i| mixed(i));
    order
}

/// Bits that look random (the finaliser of MurmurHash3, Appleby 2011, public domain).
fn mixed(index: u32) -> u32 {
    let mut h = index.wrapping_add(0x9e37_79b9);
    h = (h ^ (h >> 16)).wrapping_mul(0x85eb_ca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// Sorts along a Hilbert curve whose cells are split at medians, so that no spread of the points degrades it.
/// `by_x`: the first split is by x; `rising`: whether the curve goes first along that axis, and the other, upward.
fn along_curve(points: &[DVec2], range: &mut [u32], by_x: bool, rising: [bool; 2]) {
    if range.len() <= 2 {
        return;
    }
    let [first, second] = rising;
    let (low, high) = halves(points, range, by_x, first);
    let (a, b) = halves(points, low, !by_x, second);
    let (c, d) = halves(points, high, !by_x, !second);
    along_curve(points, a, !by_x, [second, first]);
    along_curve(points, b, by_x, [first, second]);
    along_curve(points, c, by_x, [first, second]);
    along_curve(points, d, !by_x, [!second, !first]);
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
