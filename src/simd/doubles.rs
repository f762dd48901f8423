//! Vectors of eight f64, in one register or in two. They process polygons with few vertices, directly from the caller's
//! coordinates.

use glam::DVec2;

#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
use super::plain::Plain;

/// The number of f64 lanes of a [`Doubles`] vector.
pub(crate) const DOUBLES: usize = 8;

/// A set of instructions for vectors of [`DOUBLES`] f64 numbers. A value exists only if the machine has the
/// instructions.
pub(crate) trait DoubleInstructions: Copy {
    /// The type of eight f64 lanes.
    type Doubles: Doubles;

    /// Returns a vector with `x` in each lane.
    fn doubles(self, x: f64) -> Self::Doubles;

    /// Returns the x coordinates and the y coordinates of the eight points from the index `start` on.
    fn points(self, points: &[DVec2], start: usize) -> [Self::Doubles; 2];

    /// Returns the x coordinates and the y coordinates of eight points that are spread over `points`: the points at the
    /// indices `k * count / 8`, where `count` is the number of points. There must be at least eight points.
    fn spread(self, points: &[DVec2]) -> [Self::Doubles; 2];

    /// Returns the x coordinates and the y coordinates of the first `count` points, from one to eight. The lanes after
    /// the last point begin again with the first point. The load is fastest if the slice has at least eight points.
    fn around(self, points: &[DVec2], count: usize) -> [Self::Doubles; 2];

    /// Returns the x coordinates and the y coordinates of two polygons with three or four points each. The first
    /// polygon is in the lower four lanes, and the second polygon is in the upper four lanes. A lane after the last of
    /// three points has the first point.
    fn both_around(self, a: &[DVec2], b: &[DVec2]) -> [Self::Doubles; 2];

    /// Returns the x coordinates and the y coordinates of two polygons with four points each. The first polygon is in
    /// the lower four lanes, and the second polygon is in the upper four lanes.
    fn both(self, a: &[DVec2; 4], b: &[DVec2; 4]) -> [Self::Doubles; 2];
}

/// Eight f64 lanes. With NaN, only the comparisons give the same result on all machines: `above` is false, and
/// `not_below` is true.
pub(crate) trait Doubles: Copy {
    fn sub(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    /// Returns `self * factor + addend` in each lane. On machines with a fused instruction, the result is rounded only
    /// once.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// Returns `self * factor - product` in each lane, rounded once. If `product` is the rounded product of `self` and
    /// `factor`, the result is its exact rounding error.
    fn lost_by_product(self, factor: Self, product: Self) -> Self;
    /// Returns, in each lane, the lesser of the two numbers.
    fn min(self, other: Self) -> Self;
    /// Returns, in each lane, the greater of the two numbers.
    fn max(self, other: Self) -> Self;
    /// Returns, in each lane, the greater of the two magnitudes.
    fn greater_magnitude(self, other: Self) -> Self;
    /// Rounds the number in each lane to f32, writes the rounded numbers to `out`, and returns them.
    fn rounded_into(self, out: &mut [f32; DOUBLES]) -> Self;
    /// Writes the numbers of the eight lanes to the first eight elements of `out`.
    fn store(self, out: &mut [f64]);
    /// Moves each lane down by one: lane k receives lane k + 1. The last lane becomes `closing`.
    fn next_closed_by(self, closing: f64) -> Self;
    /// Rotates the lanes of each half by `STEP` lanes: a lane receives the number of the lane `STEP` places after it.
    /// `STEP` is a constant from 1 to 3.
    fn next_in_half<const STEP: i32>(self) -> Self;
    /// Returns the vector with its lower half and its upper half of lanes exchanged.
    fn swapped(self) -> Self;
    /// Returns a mask with one bit for each lane. The bit is set if the number in the lane is greater than the number
    /// of `other`.
    fn above(self, other: Self) -> u32;
    /// Returns a mask with one bit for each lane. The bit is set if the number in the lane is not less than the number
    /// of `other`.
    fn not_below(self, other: Self) -> u32;
    /// Returns the bits of `self`, and also sets each bit in which `a` and `b` differ. `self` and the result are masks,
    /// not numbers.
    fn with_difference(self, a: Self, b: Self) -> Self;
    /// Returns true if any bit of any lane is set.
    fn has_bits(self) -> bool;
    /// Returns the least of the eight numbers.
    fn least(self) -> f64;
    /// Returns the greatest of the eight numbers.
    fn greatest(self) -> f64;
}

/// Work that is faster with vectors of f64. All of its code must be `#[inline(always)]`, so that the compiler compiles
/// it for the instructions of these vectors.
pub(crate) trait OnDoubles {
    /// The result of the work.
    type Output;

    /// Runs the work with the given instructions.
    fn run<I: DoubleInstructions>(self, instructions: I) -> Self::Output;
}

/// Returns true if the machine has vectors of f64 with a fused instruction, which computes a product and a sum and
/// rounds once.
pub(crate) fn has_doubles() -> bool {
    #[cfg(target_arch = "x86_64")]
    return Avx2::detect().is_some();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Runs the work with the widest vectors of f64 that the machine has. The caller must have checked [`has_doubles`].
#[inline]
pub(crate) fn on_doubles<W: OnDoubles>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(avx512) = Avx512::detect() {
            return avx512.run_on_doubles(work);
        }
        if let Some(avx2) = Avx2::detect() {
            return avx2.run_on_doubles(work);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    drop(work);
    unreachable!("the caller asks `has_doubles` first")
}

/// Runs the work with vectors of f64 in AVX2, even if the machine has wider vectors. Such work has another variant for wide
/// vectors, so the caller must have checked both [`super::has_wide`] and [`has_doubles`].
#[inline]
pub(crate) fn on_split_doubles<W: OnDoubles>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = Avx2::detect() {
        return avx2.run_on_doubles(work);
    }
    #[cfg(not(target_arch = "x86_64"))]
    drop(work);
    unreachable!("the caller asks `has_doubles` first")
}

/// Runs the work with the widest vectors of f64 that the machine has, or with scalar code if
/// [`has_doubles`] returns false.
pub(crate) fn on_doubles_or_plain<W: OnDoubles>(work: W) -> W::Output {
    if has_doubles() { on_doubles(work) } else { work.run(Plain::<false>) }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    #[cfg(target_arch = "x86_64")]
    use crate::simd::avx2::Avx2;

    pub(in super::super) const POINTS: [[f64; 2]; 11] = [
        [1.5, -2.0],
        [0.1, 3.25],
        [-0.75, 8.0],
        [1e-30, -1e30],
        [5.0, 7.0],
        [-1.0 / 3.0, 0.2],
        [0.0, 0.5],
        [9.0, -9.5],
        [2.0, 4.0],
        [-6.0, 0.3],
        [11.0, 12.0],
    ];

    /// Work that runs every operation on vectors of f64. It collects the numbers of all lanes of all results.
    struct All<'a>(&'a mut Vec<u64>);

    impl All<'_> {
        #[inline(always)]
        fn lanes<D: Doubles>(&mut self, i: impl DoubleInstructions<Doubles = D>, lanes: D) {
            // Reads the lanes one at a time, with operations that distinguish lanes.
            let (mut rest, mut least) = (lanes, f64::INFINITY);
            for _ in 0..DOUBLES {
                let first = rest.next_closed_by(f64::NEG_INFINITY);
                let only = i.doubles(f64::NEG_INFINITY).next_closed_by(f64::NEG_INFINITY);
                self.0.push(u64::from(rest.above(first)) << 32 | u64::from(rest.not_below(only)));
                self.0.push(rest.greatest().to_bits());
                least = if least < rest.greatest() { least } else { rest.greatest() };
                rest = first;
            }
            self.0.push(lanes.least().to_bits());
            assert!(lanes.least() <= lanes.greatest() && least >= lanes.least());
        }
    }

    impl OnDoubles for All<'_> {
        type Output = ();

        #[inline(always)]
        fn run<I: DoubleInstructions>(mut self, i: I) {
            let points = POINTS.map(DVec2::from);
            for count in 3..=8 {
                for lanes in [i.around(&points, count), i.around(&points[..count], count)].concat() {
                    self.lanes(i, lanes);
                }
            }
            for (a, b) in [(3, 3), (3, 4), (4, 3), (4, 4)] {
                let [x, y] = i.both_around(&points[..a], &points[5..5 + b]);
                self.lanes(i, x);
                self.lanes(i, y);
            }
            let fours = points.as_chunks().0;
            for lanes in i.both(&fours[0], &fours[1]) {
                self.lanes(i, lanes);
            }
            for count in 8..=11 {
                let [x, y] = i.spread(&points[..count]);
                self.lanes(i, x);
                self.lanes(i, y);
            }
            let ([a, b], c) = (i.points(&points, 3), i.doubles(0.1));
            for lanes in [
                a,
                b,
                c,
                a.add(b),
                a.sub(b),
                a.mul(b),
                a.div(b),
                a.mul(a).sqrt(),
                a.mul_add(b, c),
                a.lost_by_product(b, a.mul(b)),
                a.min(b),
                a.max(b),
                a.greater_magnitude(b),
                a.next_closed_by(0.25),
                a.next_in_half::<1>(),
                a.next_in_half::<2>(),
                a.next_in_half::<3>(),
                a.swapped(),
            ] {
                self.lanes(i, lanes);
            }
            let mut stored = [0.0; DOUBLES + 1];
            a.store(&mut stored);
            self.0.extend(stored.map(f64::to_bits));
            let mut rounded = [0.0; DOUBLES];
            for lanes in [a.rounded_into(&mut rounded), c.rounded_into(&mut [0.0; DOUBLES])] {
                self.lanes(i, lanes);
            }
            self.0.extend(rounded.map(|x| u64::from(x.to_bits())));
            self.0.extend([u64::from(a.above(b)), u64::from(a.not_below(b)), u64::from(a.not_below(a))]);
            let zero = i.doubles(0.0);
            for marks in [zero, a, zero.with_difference(a, a), zero.with_difference(a, a.max(b))] {
                self.0.push(marks.has_bits().into());
                self.0.push(marks.with_difference(a, b).has_bits().into());
            }
        }
    }

    #[test]
    fn all_machines_do_as_plain_numbers() {
        let (mut found, mut fused, mut apart) = (Vec::new(), Vec::new(), Vec::new());
        on_doubles_or_plain(All(&mut found));
        All(&mut fused).run(Plain::<true>);
        All(&mut apart).run(Plain::<false>);
        assert!(found == fused || found == apart);
        // If the machine has wider vectors, AVX2 is tested too.
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = Avx2::detect() {
            let mut by_two = Vec::new();
            avx2.run_on_doubles(All(&mut by_two));
            assert!(by_two == fused);
        }
        // The x coordinate of the first triangle.
        assert_eq!(found[1], 1.5f64.to_bits());
    }

    #[test]
    #[should_panic(expected = "range")]
    fn nothing_is_read_beyond_the_points() {
        struct Beyond;
        impl OnDoubles for Beyond {
            type Output = ();

            #[inline(always)]
            fn run<I: DoubleInstructions>(self, i: I) {
                i.points(&POINTS.map(DVec2::from), 4);
            }
        }
        on_doubles_or_plain(Beyond);
    }
}
