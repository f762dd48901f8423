//! Accepts a ring if f64 arithmetic proves that the ring is strictly convex and counter-clockwise, and winds only once.
//! Tests eight vertices at a time.

use glam::DVec2;

use super::{Aabb, MAX_COORDINATE, MIN_COORDINATE};
use crate::simd::{DOUBLES, DoubleInstructions, Doubles};

/// The bound on the error of a computed turn. A turn is the cross product of two vectors, each between two points, and
/// therefore the difference of two products. The error is at most this number times the sum of the magnitudes of the two
/// products. With `e = 2^-53`, the number is `(3 + 16 e) e` (Shewchuk 1997, "Adaptive Precision Floating-Point Arithmetic
/// and Fast Robust Geometric Predicates").
pub(super) const TURN: f64 = (3.0 + 8.0 * f64::EPSILON) * f64::EPSILON / 2.0;

/// Returns the bounding box of a ring if f64 arithmetic proves that the ring is clean: its coordinates are accepted,
/// and it is strictly convex, counter-clockwise and winds once. Otherwise, returns `None`.
#[inline(always)]
pub(super) fn box_if_clearly_clean<I: DoubleInstructions>(i: I, ring: &[DVec2]) -> Option<Aabb> {
    const ALL: u32 = (1 << DOUBLES) - 1;
    let count = ring.len();
    if count < 3 {
        return None;
    }
    let (zero, least_accepted) = (i.doubles(0.0), i.doubles(MIN_COORDINATE));
    // `TURN` is relative to the sum of two products. The sum is at most twice the greater product, so the bound is
    // doubled.
    let turn_bound = i.doubles(2.0 * TURN);
    let (mut min_x, mut min_y) = (i.doubles(f64::INFINITY), i.doubles(f64::INFINITY));
    let (mut max_x, mut max_y) = (i.doubles(f64::NEG_INFINITY), i.doubles(f64::NEG_INFINITY));
    let (mut turns_left, mut too_small, mut maxima) = (ALL, 0, 0);
    for start in (0..count).step_by(DOUBLES) {
        // If the last vertices do not fill a block, the last block begins earlier and overlaps the block before it. A
        // ring with fewer vertices than lanes is repeated to fill the block.
        let (at, [x, y], fresh) = match count.checked_sub(DOUBLES) {
            Some(last) => {
                let at = start.min(last);
                (at, i.points(ring, at), ALL << (start - at) & ALL)
            }
            None => (0, i.around(ring, ring.len()), (1 << count) - 1),
        };
        let (after, second_after) =
            (ring[wrapped(at + DOUBLES, count)], ring[wrapped(at + DOUBLES + 1, count)]);
        let (x_1, y_1) = (x.next_closed_by(after.x), y.next_closed_by(after.y));
        let (x_2, y_2) = (x_1.next_closed_by(second_after.x), y_1.next_closed_by(second_after.y));
        let left = x_1.sub(x).mul(y_2.sub(y_1));
        let right = y_1.sub(y).mul(x_2.sub(x_1));
        // The comparison is false for NaN and after an overflow, so such a ring is not accepted here.
        turns_left &= left.sub(right).above(left.greater_magnitude(right).mul(turn_bound));
        let rises = is_less((x, y), (x_1, y_1));
        maxima += (rises & !is_less((x_1, y_1), (x_2, y_2)) & fresh).count_ones();
        for coordinate in [x, y] {
            let magnitude = coordinate.greater_magnitude(zero);
            too_small |= magnitude.above(zero) & least_accepted.above(magnitude);
        }
        (min_x, min_y) = (min_x.min(x), min_y.min(y));
        (max_x, max_y) = (max_x.max(x), max_y.max(y));
    }
    let aabb = Aabb {
        min: DVec2::new(min_x.least(), min_y.least()),
        max: DVec2::new(max_x.greatest(), max_y.greatest()),
    };
    let is_within = (aabb.min.min_element() >= -MAX_COORDINATE) & (aabb.max.max_element() <= MAX_COORDINATE);
    ((turns_left == ALL) & (too_small == 0) & (maxima == 1) & is_within).then_some(aabb)
}

/// Returns the bounding boxes of two rings with four vertices each, if f64 arithmetic proves that both rings are clean:
/// their coordinates are accepted, and each ring is strictly convex, counter-clockwise and winds once. Otherwise, returns
/// `None`. Each ring takes one half of the lanes.
#[inline(always)]
pub(super) fn boxes_if_clearly_clean<I: DoubleInstructions>(
    i: I,
    rings: [&[DVec2; 4]; 2],
) -> Option<[Aabb; 2]> {
    const ALL: u32 = (1 << DOUBLES) - 1;
    let [x, y] = i.both(rings[0], rings[1]);
    let (x_1, y_1) = (x.next_in_half::<1>(), y.next_in_half::<1>());
    let (x_2, y_2) = (x.next_in_half::<2>(), y.next_in_half::<2>());
    let left = x_1.sub(x).mul(y_2.sub(y_1));
    let right = y_1.sub(y).mul(x_2.sub(x_1));
    // The comparison is false for NaN and after an overflow, so such rings are not accepted here.
    let turns_left = left.sub(right).above(left.greater_magnitude(right).mul(i.doubles(2.0 * TURN)));
    let rises = is_less((x, y), (x_1, y_1));
    // Shifts the bits by one lane. The last lane of each half gets the bit of the first lane of the half.
    let rises_next = rises >> 1 & 0x77 | rises << 3 & 0x88;
    let maxima = rises & !rises_next;
    let winds_once = (maxima & 0xf).is_power_of_two() & (maxima >> 4 & 0xf).is_power_of_two();
    let (zero, least_accepted) = (i.doubles(0.0), i.doubles(MIN_COORDINATE));
    let too_small = |coordinate: I::Doubles| {
        let magnitude = coordinate.greater_magnitude(zero);
        magnitude.above(zero) & least_accepted.above(magnitude)
    };
    let is_in_range = too_small(x) | too_small(y) == 0;
    let (min_x, min_y, max_x, max_y) = (x.min(x_1), y.min(y_1), x.max(x_1), y.max(y_1));
    let mut ends = [[0.0; DOUBLES]; 4];
    min_x.min(min_x.next_in_half::<2>()).store(&mut ends[0]);
    min_y.min(min_y.next_in_half::<2>()).store(&mut ends[1]);
    max_x.max(max_x.next_in_half::<2>()).store(&mut ends[2]);
    max_y.max(max_y.next_in_half::<2>()).store(&mut ends[3]);
    let most = i.doubles(MAX_COORDINATE);
    let too_great = x.greater_magnitude(y).above(most);
    let of = |lane: usize| Aabb {
        min: DVec2::new(ends[0][lane], ends[1][lane]),
        max: DVec2::new(ends[2][lane], ends[3][lane]),
    };
    ((turns_left == ALL) & winds_once & is_in_range & (too_great == 0)).then(|| [of(0), of(4)])
}

/// Compares the points `a` and `b` of each lane by x, then by y. Returns one bit for each lane, which is 1 if `a` is
/// before `b`.
#[inline(always)]
fn is_less<D: Doubles>(a: (D, D), b: (D, D)) -> u32 {
    b.0.above(a.0) | !a.0.above(b.0) & b.1.above(a.1)
}

/// `REMAINDERS[count][index]` is `index % count`, for rings with fewer vertices than lanes.
const REMAINDERS: [[u8; 2 * DOUBLES]; DOUBLES] = {
    let mut table = [[0; 2 * DOUBLES]; DOUBLES];
    let mut at = 0;
    while at < DOUBLES * 2 * DOUBLES {
        let (count, index) = (at / (2 * DOUBLES), at % (2 * DOUBLES));
        if count > 0 {
            table[count][index] = (index % count) as u8;
        }
        at += 1;
    }
    table
};

/// Wraps an index to a ring of `count` vertices. If `count` is less than the number of lanes, the index must be less
/// than `2 * DOUBLES`. Otherwise, it must be less than `2 * count`.
#[inline(always)]
fn wrapped(index: usize, count: usize) -> usize {
    if count >= DOUBLES {
        if index >= count { index - count } else { index }
    } else {
        // A table is faster than a division.
        usize::from(REMAINDERS[count][index % REMAINDERS[count].len()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{OnDoubles, Plain, on_doubles_or_plain};

    struct BoxOf<'a>(&'a [DVec2]);

    impl OnDoubles for BoxOf<'_> {
        type Output = Option<Aabb>;

        #[inline(always)]
        fn run<I: DoubleInstructions>(self, i: I) -> Option<Aabb> {
            box_if_clearly_clean(i, self.0)
        }
    }

    struct BoxesOf<'a>([&'a [DVec2; 4]; 2]);

    impl OnDoubles for BoxesOf<'_> {
        type Output = Option<[Aabb; 2]>;

        #[inline(always)]
        fn run<I: DoubleInstructions>(self, i: I) -> Option<[Aabb; 2]> {
            boxes_if_clearly_clean(i, self.0)
        }
    }

    /// Returns the box of a ring, or `None` if the ring is not clearly clean. Asserts that vector code and scalar code
    /// return the same result, also if a ring of four vertices is checked together with another ring.
    fn box_of(points: &[DVec2]) -> Option<Aabb> {
        if let Ok(four) = points.try_into() {
            let other = ring(4, 1);
            let other: &[DVec2; 4] = other[..].try_into().unwrap();
            let around = Aabb::around(other);
            let single = on_doubles_or_plain(BoxOf(points));
            for (rings, expected) in [
                ([four, other], single.map(|bounds| [bounds, around])),
                ([other, four], single.map(|bounds| [around, bounds])),
            ] {
                assert_eq!(on_doubles_or_plain(BoxesOf(rings)), expected, "{rings:?}");
                assert_eq!(BoxesOf(rings).run(Plain::<false>), expected);
                assert_eq!(BoxesOf(rings).run(Plain::<true>), expected);
            }
        }
        let ring = points;
        let found = on_doubles_or_plain(BoxOf(ring));
        assert_eq!(found, BoxOf(ring).run(Plain::<false>));
        assert_eq!(found, BoxOf(ring).run(Plain::<true>));
        found
    }

    /// Returns a ring that winds `turns` times around the origin.
    fn ring(count: usize, turns: usize) -> Vec<DVec2> {
        let angle = |k: usize| (k * turns) as f64 / count as f64 * std::f64::consts::TAU + 0.1;
        // The coordinates have few bits, so that midpoints of vertices are exact.
        let short = |x: f64| (x * 1048576.0).round() / 1048576.0;
        (0..count).map(|k| DVec2::new(short(3.0 * angle(k).cos()), short(2.0 * angle(k).sin()))).collect()
    }

    #[test]
    fn what_is_clean_is_seen_and_gets_its_box() {
        for count in 3..40 {
            for first in 0..count {
                let mut clean = ring(count, 1);
                clean.rotate_left(first);
                assert_eq!(box_of(&clean), Some(Aabb::around(&clean)), "{clean:?}");
            }
        }
    }

    #[test]
    fn what_is_not_clean_is_refused_wherever_it_is() {
        for count in 3..40 {
            let clean = ring(count, 1);
            let mut reversed = clean.clone();
            reversed.reverse();
            assert_eq!(box_of(&reversed), None);
            for turns in 2..count / 2 {
                assert_eq!(box_of(&ring(count, turns)), None, "{count} vertices, {turns} turns");
            }
            for at in 0..count {
                let (before, here) = (clean[(at + count - 1) % count], clean[at]);
                let with = |vertex: DVec2| {
                    let mut ring = clean.clone();
                    ring[at] = vertex;
                    ring
                };
                for x in
                    [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300, -1e300, 2f64.powi(202), 2f64.powi(-150)]
                {
                    assert_eq!(box_of(&with(DVec2::new(x, here.y))), None, "x {x} at {at}");
                    assert_eq!(box_of(&with(DVec2::new(here.x, x))), None, "y {x} at {at}");
                }
                let mut repeated = clean.clone();
                repeated.insert(at, here);
                let mut collinear = clean.clone();
                collinear.insert(at, before.midpoint(here));
                for ring in [repeated, collinear, with(-here)] {
                    assert_eq!(box_of(&ring), None, "{ring:?}");
                }
            }
        }
        assert_eq!(box_of(&ring(3, 1)[..2]), None);
        assert_eq!(box_of(&[]), None);
    }
}
