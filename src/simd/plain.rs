//! Vectors as arrays, for every machine. These scalar vectors are the twins of the vector instructions.
//!
//! The operations are inlined only in optimised builds. In a debug build, inlined copies in every kernel would be most
//! of the code to compile.

use super::{HALF, HalfRow, Instructions, LANES, Lanes, Row, Vectorised};

/// Makes an array of 4, 8 or 16 lanes, with the value of an expression for each lane. The macro writes out the
/// elements, because a loop or a closure would be compiled again for each operation of each kernel.
macro_rules! lanes {
    (4, $i:ident, $of:expr) => {
        $crate::simd::plain::lanes!(@ $i, $of, 0 1 2 3)
    };
    (8, $i:ident, $of:expr) => {
        $crate::simd::plain::lanes!(@ $i, $of, 0 1 2 3 4 5 6 7)
    };
    (16, $i:ident, $of:expr) => {
        $crate::simd::plain::lanes!(@ $i, $of, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@ $i:ident, $of:expr, $($lane:literal)*) => {
        [$({
            let $i: usize = $lane;
            $of
        }),*]
    };
}
pub(super) use lanes;

/// Scalar code that uses only instructions of the build target. If `FUSED` is set, `mul_add` rounds once, after the
/// addition. Otherwise, it rounds the product and the sum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain<const FUSED: bool>;

#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainLanes<const FUSED: bool>([f32; LANES]);

impl<const FUSED: bool> Instructions for Plain<FUSED> {
    type Lanes = PlainLanes<FUSED>;

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn splat(self, x: f32) -> Self::Lanes {
        PlainLanes([x; LANES])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn load(self, row: &[f32], start: usize) -> Self::Lanes {
        let row = &row[start..start + LANES];
        PlainLanes(lanes!(8, i, row[i]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns(self, rows: [&Row; LANES]) -> [Self::Lanes; LANES] {
        lanes!(8, column, PlainLanes(lanes!(8, row, rows[row].0[column])))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn half_columns(self, rows: [&HalfRow; LANES]) -> [Self::Lanes; 4] {
        lanes!(4, column, PlainLanes(lanes!(8, row, rows[row].0[column])))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn half_rows(self, columns: [Self::Lanes; 4]) -> [HalfRow; LANES] {
        lanes!(8, row, HalfRow(lanes!(4, column, columns[column].0[row])))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn splat_halves(self, lower: f32, upper: f32) -> Self::Lanes {
        PlainLanes([lower, lower, lower, lower, upper, upper, upper, upper])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn load_halves(self, lower: &[f32], upper: &[f32], start: usize) -> Self::Lanes {
        let (lower, upper) = (&lower[start..start + HALF], &upper[start..start + HALF]);
        PlainLanes([lower[0], lower[1], lower[2], lower[3], upper[0], upper[1], upper[2], upper[3]])
    }

    fn apart<V: Vectorised>(self, part: V) -> V::Output {
        part.run(self)
    }
}

impl<const FUSED: bool> Lanes for PlainLanes<FUSED> {
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add(self, other: Self) -> Self {
        Self(lanes!(8, i, self.0[i] + other.0[i]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sub(self, other: Self) -> Self {
        Self(lanes!(8, i, self.0[i] - other.0[i]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul(self, other: Self) -> Self {
        Self(lanes!(8, i, self.0[i] * other.0[i]))
    }

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
    fn abs(self) -> Self {
        Self(lanes!(8, i, self.0[i].abs()))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn min(self, other: Self) -> Self {
        self.where_less(self, other, other)
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn max(self, other: Self) -> Self {
        self.where_less(other, self, other)
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn where_less(self, a: Self, b: Self, others: Self) -> Self {
        Self(lanes!(8, i, if a.0[i] < b.0[i] { self.0[i] } else { others.0[i] }))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn any_above(self, other: Self) -> bool {
        let mut any = false;
        for i in 0..LANES {
            any |= self.0[i] > other.0[i];
        }
        any
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn any_at_least(self, other: Self) -> bool {
        let mut any = false;
        for i in 0..LANES {
            any |= self.0[i] >= other.0[i];
        }
        any
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn at_least(self, other: Self) -> u32 {
        lanes!(8, i, u32::from(self.0[i] >= other.0[i]) << i).iter().fold(0, |mask, bit| mask | bit)
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn least(self) -> Self {
        // Reduces the lanes to one number: first to half of the lanes, then to half of these, and so on.
        let lesser = |a: f32, b: f32| if a < b { a } else { b };
        let [a, b, c, d, e, f, g, h] = self.0;
        let (ae, bf, cg, dh) = (lesser(a, e), lesser(b, f), lesser(c, g), lesser(d, h));
        Self([lesser(lesser(ae, cg), lesser(bf, dh)); LANES])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn greatest(self) -> Self {
        Self([-Self(lanes!(8, i, -self.0[i])).least().0[0]; LANES])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn first(self) -> f32 {
        self.0[0]
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of_half<const LANE: usize>(self) -> Self {
        Self(lanes!(8, i, self.0[i / HALF * HALF + LANE % HALF]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn to_array(self) -> [f32; LANES] {
        self.0
    }
}
