//! Wide vectors as arrays, for every machine. These scalar vectors are the twins of the wide vector instructions.

use glam::DVec2;

use super::doubles::{DOUBLES, DoubleInstructions, Doubles};
use super::plain::{Plain, arithmetic, inlined, lanes};
use super::wide::{Interleaved, SINGLES, Singles, WideInstructions};

#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainDoubles<const FUSED: bool>([f64; DOUBLES]);

#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainSingles<const FUSED: bool>([f32; SINGLES]);

inlined! {
    /// Returns the x coordinates and the y coordinates of eight points. `point` returns the point of a lane.
    fn apart<const FUSED: bool>(point: impl Fn(usize) -> DVec2) -> [PlainDoubles<FUSED>; 2] {
        [PlainDoubles(lanes!(8, i, point(i).x)), PlainDoubles(lanes!(8, i, point(i).y))]
    }
}

impl<const FUSED: bool> DoubleInstructions for Plain<FUSED> {
    type Doubles = PlainDoubles<FUSED>;

    inlined! {
        fn doubles(self, x: f64) -> Self::Doubles {
            PlainDoubles([x; DOUBLES])
        }

        fn points(self, points: &[DVec2], start: usize) -> [Self::Doubles; 2] {
            let points = &points[start..start + DOUBLES];
            apart(|i| points[i])
        }

        fn spread(self, points: &[DVec2]) -> [Self::Doubles; 2] {
            assert!(points.len() >= DOUBLES);
            apart(|i| points[i * points.len() / DOUBLES])
        }

        fn around(self, points: &[DVec2], count: usize) -> [Self::Doubles; 2] {
            assert!(count <= DOUBLES);
            apart(|i| points[i % count])
        }

        fn both_around(self, a: &[DVec2], b: &[DVec2]) -> [Self::Doubles; 2] {
            assert!(matches!((a.len(), b.len()), (3..=4, 3..=4)));
            apart(|i| if i < DOUBLES / 2 { a[i % a.len()] } else { b[(i - DOUBLES / 2) % b.len()] })
        }

        fn both(self, a: &[DVec2; 4], b: &[DVec2; 4]) -> [Self::Doubles; 2] {
            apart(|i| if i < DOUBLES / 2 { a[i] } else { b[i - DOUBLES / 2] })
        }
    }
}

impl<const FUSED: bool> WideInstructions for Plain<FUSED> {
    type Singles = PlainSingles<FUSED>;

    inlined! {
        fn singles(self, x: f32) -> Self::Singles {
            PlainSingles([x; SINGLES])
        }

        fn rounded(self, a: Self::Doubles, b: Self::Doubles) -> Self::Singles {
            interleaved(|i| a.0[i] as f32, |i| b.0[i] as f32)
        }

        fn interleaved(self, a: &[f32], b: &[f32], start: usize) -> Self::Singles {
            let (a, b) = (&a[start..start + DOUBLES], &b[start..start + DOUBLES]);
            interleaved(|i| a[i], |i| b[i])
        }

        fn alternating(self, even: f32, odd: f32) -> Self::Singles {
            interleaved(|_| even, |_| odd)
        }

        fn pair(self, Interleaved(lanes): &Interleaved, k: usize) -> Self::Singles {
            interleaved(|_| lanes[2 * k], |_| lanes[2 * k + 1])
        }
    }
}

inlined! {
    /// Interleaves two rows of eight numbers. `a` and `b` return the number of a row at an index.
    fn interleaved<const FUSED: bool>(a: impl Fn(usize) -> f32, b: impl Fn(usize) -> f32) -> PlainSingles<FUSED> {
        let (a, b) = (lanes!(8, i, a(i)), lanes!(8, i, b(i)));
        PlainSingles(lanes!(16, i, if i.is_multiple_of(2) { a[i / 2] } else { b[i / 2] }))
    }

    /// Returns a mask with one bit for each lane. The bit is set if `holds` returns true for the lane.
    fn mask<const LANES: usize>(holds: impl Fn(usize) -> bool) -> u32 {
        let mut mask = 0;
        for i in 0..LANES {
            mask |= u32::from(holds(i)) << i;
        }
        mask
    }
}

impl<const FUSED: bool> Doubles for PlainDoubles<FUSED> {
    arithmetic! { 8 }

    inlined! {
        fn store(self, out: &mut [f64]) {
            out[..DOUBLES].copy_from_slice(&self.0);
        }

        fn lost_by_product(self, factor: Self, product: Self) -> Self {
            Self(lanes!(8, i, self.0[i].mul_add(factor.0[i], -product.0[i])))
        }

        fn greater_magnitude(self, other: Self) -> Self {
            Self(lanes!(8, i, self.0[i].abs())).max(Self(lanes!(8, i, other.0[i].abs())))
        }

        fn rounded_into(self, out: &mut [f32; DOUBLES]) -> Self {
            *out = lanes!(8, i, self.0[i] as f32);
            Self(lanes!(8, i, f64::from(out[i])))
        }

        fn next_closed_by(self, closing: f64) -> Self {
            Self(lanes!(8, i, if i < DOUBLES - 1 { self.0[(i + 1) % DOUBLES] } else { closing }))
        }

        fn next_in_half<const STEP: i32>(self) -> Self {
            const { assert!(STEP >= 1 && STEP <= 3) }
            Self(lanes!(8, i, self.0[i / 4 * 4 + (i + STEP as usize) % 4]))
        }

        fn swapped(self) -> Self {
            Self(lanes!(8, i, self.0[(i + DOUBLES / 2) % DOUBLES]))
        }

        fn above(self, other: Self) -> u32 {
            mask::<DOUBLES>(|i| self.0[i] > other.0[i])
        }

        #[allow(clippy::neg_cmp_op_on_partial_ord, reason = "true of NaN")]
        fn not_below(self, other: Self) -> u32 {
            mask::<DOUBLES>(|i| !(self.0[i] < other.0[i]))
        }

        fn with_difference(self, a: Self, b: Self) -> Self {
            let bits = |lanes: Self, i: usize| lanes.0[i].to_bits();
            Self(lanes!(8, i, f64::from_bits(bits(self, i) | bits(a, i) ^ bits(b, i))))
        }

        fn has_bits(self) -> bool {
            self.0.iter().any(|lane| lane.to_bits() != 0)
        }

        fn least(self) -> f64 {
            self.0.into_iter().fold(f64::INFINITY, |least, x| if x < least { x } else { least })
        }

        fn greatest(self) -> f64 {
            self.0.into_iter().fold(f64::NEG_INFINITY, |most, x| if x > most { x } else { most })
        }
    }
}

impl<const FUSED: bool> Singles for PlainSingles<FUSED> {
    arithmetic! { 16 }

    inlined! {
        fn abs(self) -> Self {
            Self(lanes!(16, i, self.0[i].abs()))
        }

        fn greater_magnitude(self, other: Self) -> Self {
            Self(lanes!(16, i, {
                let [a, b] = [self.0[i].abs(), other.0[i].abs()];
                if a > b { a } else { b }
            }))
        }

        fn greatest(self) -> Self {
            let greatest = self.0.into_iter().fold(f32::NEG_INFINITY, |most, x| if x > most { x } else { most });
            Self([greatest; SINGLES])
        }

        fn next(self) -> Self {
            Self(lanes!(16, i, self.0[(i + 2) % SINGLES]))
        }

        fn exchanged(self) -> Interleaved {
            Interleaved(lanes!(16, i, self.0[i ^ 1]))
        }

        fn above(self, other: Self) -> u32 {
            mask::<SINGLES>(|i| self.0[i] > other.0[i])
        }

        #[allow(clippy::neg_cmp_op_on_partial_ord, reason = "true of NaN")]
        fn not_below(self, other: Self) -> u32 {
            mask::<SINGLES>(|i| !(self.0[i] < other.0[i]))
        }

        fn to_array(self) -> [f32; SINGLES] {
            self.0
        }
    }
}
