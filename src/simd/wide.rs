//! Sixteen f32 in one register, beside eight f64 in one: where the machine has them, a pair of polygons of up to eight vertices
//! fits few enough of them that it can be decided from the caller's own numbers.

#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
use super::doubles::DoubleInstructions;

/// Numbers of f32 that one register holds.
pub(crate) const SINGLES: usize = 16;

/// A set of wide vector instructions that the machine has.
pub(crate) trait WideInstructions: DoubleInstructions {
    /// Sixteen f32.
    type Singles: Singles;

    /// The same number in each lane.
    fn singles(self, x: f32) -> Self::Singles;

    /// The lanes of both, interleaved: the first of each, the second of each; rounded.
    fn rounded(self, a: Self::Doubles, b: Self::Doubles) -> Self::Singles;

    /// The eight numbers of two rows from `start` on, interleaved.
    fn interleaved(self, a: &[f32], b: &[f32], start: usize) -> Self::Singles;

    /// Two numbers, again and again.
    fn alternating(self, even: f32, odd: f32) -> Self::Singles;

    /// Numbers `2 k` and `2 k + 1`, again and again; k is below 8.
    fn pair(self, lanes: &Interleaved, k: usize) -> Self::Singles;
}

/// Lanes in memory, from where two of them are everywhere sooner than from a register.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interleaved(pub(super) [f32; SINGLES]);

/// Sixteen f32 side by side, none of them NaN.
pub(crate) trait Singles: Copy {
    fn sub(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    /// `self * factor + addend`, rounded once where the machine can.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    fn abs(self) -> Self;
    /// The lesser in each lane.
    fn min(self, other: Self) -> Self;
    /// The greater in each lane.
    fn max(self, other: Self) -> Self;
    /// The greater magnitude in each lane.
    fn greater_magnitude(self, other: Self) -> Self;
    /// The greatest lane, in each.
    fn greatest(self) -> Self;
    /// Each lane from the second after it, around: of interleaved ones the next of its own.
    fn next(self) -> Self;
    /// Lanes `2 k` and `2 k + 1` exchanged, in memory.
    fn exchanged(self) -> Interleaved;
    /// One bit a lane: whether it is greater than the other's.
    fn above(self, other: Self) -> u32;
    /// One bit a lane: whether it is not less than the other's.
    fn not_below(self, other: Self) -> u32;
    /// The lanes from the first to the last.
    fn to_array(self) -> [f32; SINGLES];
}

/// Work that gains from wide vectors. All of it must be inlined (`#[inline(always)]`) to be compiled for them.
pub(crate) trait Wide {
    /// What the work gives.
    type Output;

    /// Does it.
    fn run<I: WideInstructions>(self, instructions: I) -> Self::Output;
}

/// Whether the machine has wide vectors.
pub(crate) fn has_wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    return Avx512::detect().is_some();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Does the work by wide vectors. The caller has asked [`has_wide`].
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

/// Does the work by wide vectors, or by plain numbers where the machine has none.
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

    /// Every operation, in turn: all lanes of all results.
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
        // The first x and the second y.
        assert_eq!(
            found[..2],
            [u64::from((POINTS[3][0] as f32).to_bits()), u64::from((POINTS[4][1] as f32).to_bits())]
        );
    }
}
