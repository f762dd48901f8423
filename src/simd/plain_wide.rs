//! Wide vectors as arrays, for every machine. These scalar vectors are the twins of the wide vector instructions.

use glam::DVec2;

use super::doubles::{DOUBLES, DoubleInstructions, Doubles};
use super::plain::{Plain, lanes};
use super::wide::{Interleaved, SINGLES, Singles, WideInstructions};

#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainDoubles<const FUSED: bool>([f64; DOUBLES]);

#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainSingles<const FUSED: bool>([f32; SINGLES]);

/// Returns the x coordinates and the y coordinates of eight points. `point` returns the point of a lane.
#[cfg_attr(debug_assertions, inline(never))]
#[cfg_attr(not(debug_assertions), inline(always))]
fn apart<const FUSED: bool>(point: impl Fn(usize) -> DVec2) -> [PlainDoubles<FUSED>; 2] {
    [PlainDoubles(lanes!(8, i, point(i).x)), PlainDoubles(lanes!(8, i, point(i).y))]
}

impl<const FUSED: bool> DoubleInstructions for Plain<FUSED> {
    type Doubles = PlainDoubles<FUSED>;

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn doubles(self, x: f64) -> Self::Doubles {
        PlainDoubles([x; DOUBLES])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn points(self, points: &[DVec2], start: usize) -> [Self::Doubles; 2] {
        let points = &points[start..start + DOUBLES];
        apart(|i| points[i])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn spread(self, points: &[DVec2]) -> [Self::Doubles; 2] {
        assert!(points.len() >= DOUBLES);
        apart(|i| points[i * points.len() / DOUBLES])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn around(self, points: &[DVec2], count: usize) -> [Self::Doubles; 2] {
        assert!(count <= DOUBLES);
        apart(|i| points[i % count])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn both_around(self, a: &[DVec2], b: &[DVec2]) -> [Self::Doubles; 2] {
        assert!(matches!((a.len(), b.len()), (3..=4, 3..=4)));
        apart(|i| if i < DOUBLES / 2 { a[i % a.len()] } else { b[(i - DOUBLES / 2) % b.len()] })
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn both(self, a: &[DVec2; 4], b: &[DVec2; 4]) -> [Self::Doubles; 2] {
        apart(|i| if i < DOUBLES / 2 { a[i] } else { b[i - DOUBLES / 2] })
    }
}

impl<const FUSED: bool> WideInstructions for Plain<FUSED> {
    type Singles = PlainSingles<FUSED>;

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn singles(self, x: f32) -> Self::Singles {
        PlainSingles([x; SINGLES])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rounded(self, a: Self::Doubles, b: Self::Doubles) -> Self::Singles {
        interleaved(|i| a.0[i] as f32, |i| b.0[i] as f32)
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn interleaved(self, a: &[f32], b: &[f32], start: usize) -> Self::Singles {
        let (a, b) = (&a[start..start + DOUBLES], &b[start..start + DOUBLES]);
        interleaved(|i| a[i], |i| b[i])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn alternating(self, even: f32, odd: f32) -> Self::Singles {
        interleaved(|_| even, |_| odd)
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn pair(self, Interleaved(lanes): &Interleaved, k: usize) -> Self::Singles {
        interleaved(|_| lanes[2 * k], |_| lanes[2 * k + 1])
    }
}

/// Interleaves two rows of eight numbers. `a` and `b` return the number of a row at an index.
#[cfg_attr(debug_assertions, inline(never))]
#[cfg_attr(not(debug_assertions), inline(always))]
fn interleaved<const FUSED: bool>(a: impl Fn(usize) -> f32, b: impl Fn(usize) -> f32) -> PlainSingles<FUSED> {
    let (a, b) = (lanes!(8, i, a(i)), lanes!(8, i, b(i)));
    PlainSingles(lanes!(16, i, if i.is_multiple_of(2) { a[i / 2] } else { b[i / 2] }))
}

/// Returns a mask with one bit for each lane. The bit is set if `holds` returns true for the lane.
#[cfg_attr(debug_assertions, inline(never))]
#[cfg_attr(not(debug_assertions), inline(always))]
fn mask<const LANES: usize>(holds: impl Fn(usize) -> bool) -> u32 {
    let mut mask = 0;
    for i in 0..LANES {
        mask |= u32::from(holds(i)) << i;
    }
    mask
}

impl<const FUSED: bool> Doubles for PlainDoubles<FUSED> {
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn div(self, other: Self) -> Self {
        Self(lanes!(8, i, self.0[i] / other.0[i]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sqrt(self) -> Self {
        Self(lanes!(8, i, self.0[i].sqrt()))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn store(self, out: &mut [f64]) {
        out[..DOUBLES].copy_from_slice(&self.0);
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sub(self, other: Self) -> Self {
        Self(lanes!(8, i, self.0[i] - other.0[i]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add(self, other: Self) -> Self {
        Self(lanes!(8, i, self.0[i] + other.0[i]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul(self, other: Self) -> Self {
        Self(lanes!(8, i, self.0[i] * other.0[i]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Self(lanes!(8, i, {
            if FUSED {
                self.0[i].mul_add(factor.0[i], addend.0[i])
            } else {
                self.0[i] * factor.0[i] + addend.0[i]
            }
        }))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lost_by_product(self, factor: Self, product: Self) -> Self {
        Self(lanes!(8, i, self.0[i].mul_add(factor.0[i], -product.0[i])))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn min(self, other: Self) -> Self {
        Self(lanes!(8, i, if self.0[i] < other.0[i] { self.0[i] } else { other.0[i] }))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn max(self, other: Self) -> Self {
        Self(lanes!(8, i, if self.0[i] > other.0[i] { self.0[i] } else { other.0[i] }))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn greater_magnitude(self, other: Self) -> Self {
        Self(lanes!(8, i, self.0[i].abs())).max(Self(lanes!(8, i, other.0[i].abs())))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rounded_into(self, out: &mut [f32; DOUBLES]) -> Self {
        *out = lanes!(8, i, self.0[i] as f32);
        Self(lanes!(8, i, f64::from(out[i])))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next_closed_by(self, closing: f64) -> Self {
        Self(lanes!(8, i, if i < DOUBLES - 1 { self.0[(i + 1) % DOUBLES] } else { closing }))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next_in_half<const STEP: i32>(self) -> Self {
        const { assert!(STEP >= 1 && STEP <= 3) }
        Self(lanes!(8, i, self.0[i / 4 * 4 + (i + STEP as usize) % 4]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn swapped(self) -> Self {
        Self(lanes!(8, i, self.0[(i + DOUBLES / 2) % DOUBLES]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn above(self, other: Self) -> u32 {
        mask::<DOUBLES>(|i| self.0[i] > other.0[i])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::neg_cmp_op_on_partial_ord, reason = "true of NaN")]
    fn not_below(self, other: Self) -> u32 {
        mask::<DOUBLES>(|i| !(self.0[i] < other.0[i]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with_difference(self, a: Self, b: Self) -> Self {
        let bits = |lanes: Self, i: usize| lanes.0[i].to_bits();
        Self(lanes!(8, i, f64::from_bits(bits(self, i) | bits(a, i) ^ bits(b, i))))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn has_bits(self) -> bool {
        self.0.iter().any(|lane| lane.to_bits() != 0)
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn least(self) -> f64 {
        self.0.into_iter().fold(f64::INFINITY, |least, x| if x < least { x } else { least })
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn greatest(self) -> f64 {
        self.0.into_iter().fold(f64::NEG_INFINITY, |most, x| if x > most { x } else { most })
    }
}

impl<const FUSED: bool> Singles for PlainSingles<FUSED> {
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sub(self, other: Self) -> Self {
        Self(lanes!(16, i, self.0[i] - other.0[i]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add(self, other: Self) -> Self {
        Self(lanes!(16, i, self.0[i] + other.0[i]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul(self, other: Self) -> Self {
        Self(lanes!(16, i, self.0[i] * other.0[i]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn div(self, other: Self) -> Self {
        Self(lanes!(16, i, self.0[i] / other.0[i]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sqrt(self) -> Self {
        Self(lanes!(16, i, self.0[i].sqrt()))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Self(lanes!(16, i, {
            if FUSED {
                self.0[i].mul_add(factor.0[i], addend.0[i])
            } else {
                self.0[i] * factor.0[i] + addend.0[i]
            }
        }))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn abs(self) -> Self {
        Self(lanes!(16, i, self.0[i].abs()))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn min(self, other: Self) -> Self {
        Self(lanes!(16, i, if self.0[i] < other.0[i] { self.0[i] } else { other.0[i] }))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn max(self, other: Self) -> Self {
        Self(lanes!(16, i, if self.0[i] > other.0[i] { self.0[i] } else { other.0[i] }))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn greater_magnitude(self, other: Self) -> Self {
        Self(lanes!(16, i, {
            let [a, b] = [self.0[i].abs(), other.0[i].abs()];
            if a > b { a } else { b }
        }))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn greatest(self) -> Self {
        let greatest = self.0.into_iter().fold(f32::NEG_INFINITY, |most, x| if x > most { x } else { most });
        Self([greatest; SINGLES])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next(self) -> Self {
        Self(lanes!(16, i, self.0[(i + 2) % SINGLES]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn exchanged(self) -> Interleaved {
        Interleaved(lanes!(16, i, self.0[i ^ 1]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn above(self, other: Self) -> u32 {
        mask::<SINGLES>(|i| self.0[i] > other.0[i])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::neg_cmp_op_on_partial_ord, reason = "true of NaN")]
    fn not_below(self, other: Self) -> u32 {
        mask::<SINGLES>(|i| !(self.0[i] < other.0[i]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn to_array(self) -> [f32; SINGLES] {
        self.0
    }
}
