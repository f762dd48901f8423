//! Wide vectors: sixteen f32 in one register, and eight f64 in one register. On machines with wide vectors, a pair of
//! polygons with at most eight vertices fits into few registers. The filter can then decide the pair from the caller's
//! own coordinates.

#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
use super::doubles::DoubleInstructions;

/// The number of f32 lanes of a [`Singles`] vector.
pub(crate) const SINGLES: usize = 16;

/// A set of wide vector instructions that the machine has.
pub(crate) trait WideInstructions: DoubleInstructions {
    /// The type of sixteen f32 lanes.
    type Singles: Singles;

    /// Returns a vector with `x` in each lane.
    fn singles(self, x: f32) -> Self::Singles;

    /// Rounds the numbers of two vectors to f32, and interleaves the results: the first lane of `a`, the first lane of
    /// `b`, the second lane of `a`, and so on.
    fn rounded(self, a: Self::Doubles, b: Self::Doubles) -> Self::Singles;

    /// Returns eight numbers of each of two rows, interleaved. The numbers begin at the index `start`.
    fn interleaved(self, a: &[f32], b: &[f32], start: usize) -> Self::Singles;

    /// Returns a vector with `even` in the even lanes and `odd` in the odd lanes.
    fn alternating(self, even: f32, odd: f32) -> Self::Singles;

    /// Returns a vector with the numbers `2 k` and `2 k + 1` of `lanes` in every pair of lanes. `k` must be less than
    /// 8.
    fn pair(self, lanes: &Interleaved, k: usize) -> Self::Singles;
}

/// Sixteen f32 lanes in memory. Copying two of the lanes to all lanes is faster from memory than from a register.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interleaved(pub(super) [f32; SINGLES]);

/// Sixteen f32 lanes, none of them NaN.
pub(crate) trait Singles: Copy {
    fn sub(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    /// Returns `self * factor + addend` in each lane. On machines with a fused instruction, the result is rounded only
    /// once.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    fn abs(self) -> Self;
    /// Returns, in each lane, the lesser of the two numbers.
    fn min(self, other: Self) -> Self;
    /// Returns, in each lane, the greater of the two numbers.
    fn max(self, other: Self) -> Self;
    /// Returns, in each lane, the greater of the two magnitudes.
    fn greater_magnitude(self, other: Self) -> Self;
    /// Returns a vector with the greatest of the sixteen numbers in every lane.
    fn greatest(self) -> Self;
    /// Rotates the lanes by two: lane k receives lane k + 2. For two interleaved vectors, this rotates each vector by
    /// one lane.
    fn next(self) -> Self;
    /// Exchanges the lanes `2 k` and `2 k + 1`, and stores the result in memory.
    fn exchanged(self) -> Interleaved;
    /// Returns a mask with one bit for each lane. The bit is set if the number in the lane is greater than the number
    /// of `other`.
    fn above(self, other: Self) -> u32;
    /// Returns a mask with one bit for each lane. The bit is set if the number in the lane is not less than the number
    /// of `other`.
    fn not_below(self, other: Self) -> u32;
    /// Returns the numbers of all lanes, from the first lane to the last.
    fn to_array(self) -> [f32; SINGLES];
}

/// Work that is faster with wide vectors. All of its code must be `#[inline(always)]`, so that it is compiled for them.
pub(crate) trait Wide {
    /// The result of the work.
    type Output;

    /// Runs the work with the given instructions.
    fn run<I: WideInstructions>(self, instructions: I) -> Self::Output;
}

/// Returns true if the machine has wide vectors.
pub(crate) fn has_wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    return Avx512::detect().is_some();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Runs the work with wide vectors. The caller must have checked [`has_wide`].
#[inline]
pub(crate) fn wide<V: Wide>(work: V) -> V::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx512) = Avx512::detect() {
        return avx512.run(work);
    }
    #[cfg(not(target_arch = "x86_64"))]
    drop(work);
    unreachable!("the caller asks `has_wide` first")
}

/// Runs the work with wide vectors if the machine has them, otherwise with scalar code.
#[cfg(test)]
pub(crate) fn wide_or_plain<V: Wide>(work: V) -> V::Output {
    if has_wide() { wide(work) } else { work.run(super::Plain::<false>) }
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::super::Plain;
    use super::super::doubles::Doubles;
    use super::super::doubles::tests::POINTS;
    use super::*;

    /// Work that runs every operation on wide vectors. It collects the numbers of all lanes of all results.
    struct All<'a>(&'a mut Vec<u64>);

    impl All<'_> {
        #[inline(always)]
        fn singles<S: Singles>(&mut self, lanes: S) {
            self.0.extend(lanes.to_array().map(|x| u64::from(x.to_bits())));
        }
    }

    impl Wide for All<'_> {
        type Output = ();

        #[inline(always)]
        fn run<I: WideInstructions>(mut self, i: I) {
            let points = POINTS.map(DVec2::from);
            let [a, b] = i.points(&points, 3);
            self.singles(i.rounded(a, b.next_closed_by(0.5)));
            let rows: [[f32; 10]; 2] = [0.3, -0.7].map(|x| std::array::from_fn(|k| x * k as f32));
            let (a, b, c) = (i.rounded(a, b), i.rounded(b, a.mul(b)), i.singles(0.1));
            for lanes in [
                a,
                c,
                a.add(b),
                a.sub(b),
                a.mul(b),
                a.div(b),
                a.mul_add(b, c),
                a.abs(),
                a.min(b),
                a.max(b),
                a.abs().sqrt(),
                a.greater_magnitude(b),
                a.greatest(),
                a.next(),
                i.pair(&a.exchanged(), 0),
                i.pair(&a.exchanged(), 7),
                i.interleaved(&rows[0], &rows[1], 2),
                i.alternating(0.3, -0.7),
            ] {
                self.singles(lanes);
            }
            self.0.extend([u64::from(a.above(b)), u64::from(a.not_below(b)), u64::from(a.not_below(a))]);
        }
    }

    #[test]
    fn the_machines_wide_vectors_do_as_plain_numbers() {
        let (mut found, mut fused, mut apart) = (Vec::new(), Vec::new(), Vec::new());
        wide_or_plain(All(&mut found));
        All(&mut fused).run(Plain::<true>);
        All(&mut apart).run(Plain::<false>);
        assert!(found == fused || found == apart);
        // The first x coordinate and the second y coordinate.
        assert_eq!(
            found[..2],
            [u64::from((POINTS[3][0] as f32).to_bits()), u64::from((POINTS[4][1] as f32).to_bits())]
        );
    }
}
