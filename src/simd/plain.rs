//! Vectors as arrays, for every machine. These scalar vectors are the twins of the vector instructions.

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

/// Inlines functions in optimised builds. In a debug build, inlined copies in every kernel would be most of the code to
/// compile.
macro_rules! inlined {
    ($($function:item)*) => {
        $(
            #[cfg_attr(debug_assertions, inline(never))]
            #[cfg_attr(not(debug_assertions), inline(always))]
            $function
        )*
    };
}
pub(super) use inlined;

/// Implements the operations that the vectors of all sizes share, for vectors of 8 or 16 lanes.
macro_rules! arithmetic {
    ($count:tt) => {
        $crate::simd::plain::inlined! {
            fn add(self, other: Self) -> Self {
                Self($crate::simd::plain::lanes!($count, i, self.0[i] + other.0[i]))
            }

            fn sub(self, other: Self) -> Self {
                Self($crate::simd::plain::lanes!($count, i, self.0[i] - other.0[i]))
            }

            fn mul(self, other: Self) -> Self {
                Self($crate::simd::plain::lanes!($count, i, self.0[i] * other.0[i]))
            }

            fn div(self, other: Self) -> Self {
                Self($crate::simd::plain::lanes!($count, i, self.0[i] / other.0[i]))
            }

            fn sqrt(self) -> Self {
                Self($crate::simd::plain::lanes!($count, i, self.0[i].sqrt()))
            }

            fn mul_add(self, factor: Self, addend: Self) -> Self {
                Self($crate::simd::plain::lanes!($count, i, {
                    if FUSED {
                        self.0[i].mul_add(factor.0[i], addend.0[i])
                    } else {
                        self.0[i] * factor.0[i] + addend.0[i]
                    }
                }))
            }

            fn min(self, other: Self) -> Self {
                let [a, b] = [self.0, other.0];
                Self($crate::simd::plain::lanes!($count, i, if a[i] < b[i] { a[i] } else { b[i] }))
            }

            fn max(self, other: Self) -> Self {
                let [a, b] = [self.0, other.0];
                Self($crate::simd::plain::lanes!($count, i, if a[i] > b[i] { a[i] } else { b[i] }))
            }
        }
    };
}
pub(super) use arithmetic;

/// Scalar code that uses only instructions of the build target. If `FUSED` is set, `mul_add` rounds once, after the
/// addition. Otherwise, it rounds the product and the sum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain<const FUSED: bool>;

#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainLanes<const FUSED: bool>([f32; LANES]);

impl<const FUSED: bool> Instructions for Plain<FUSED> {
    type Lanes = PlainLanes<FUSED>;

    fn apart<V: Vectorised>(self, part: V) -> V::Output {
        part.run(self)
    }

    inlined! {
        fn splat(self, x: f32) -> Self::Lanes {
            PlainLanes([x; LANES])
        }

        fn load(self, row: &[f32], start: usize) -> Self::Lanes {
            let row = &row[start..start + LANES];
            PlainLanes(lanes!(8, i, row[i]))
        }

        fn columns(self, rows: [&Row; LANES]) -> [Self::Lanes; LANES] {
            lanes!(8, column, PlainLanes(lanes!(8, row, rows[row].0[column])))
        }

        fn half_columns(self, rows: [&HalfRow; LANES]) -> [Self::Lanes; 4] {
            lanes!(4, column, PlainLanes(lanes!(8, row, rows[row].0[column])))
        }

        fn half_rows(self, columns: [Self::Lanes; 4]) -> [HalfRow; LANES] {
            lanes!(8, row, HalfRow(lanes!(4, column, columns[column].0[row])))
        }

        fn splat_halves(self, lower: f32, upper: f32) -> Self::Lanes {
            PlainLanes([lower, lower, lower, lower, upper, upper, upper, upper])
        }

        fn load_halves(self, lower: &[f32], upper: &[f32], start: usize) -> Self::Lanes {
            let (lower, upper) = (&lower[start..start + HALF], &upper[start..start + HALF]);
            PlainLanes([lower[0], lower[1], lower[2], lower[3], upper[0], upper[1], upper[2], upper[3]])
        }
    }
}

impl<const FUSED: bool> Lanes for PlainLanes<FUSED> {
    arithmetic! { 8 }

    inlined! {
        fn abs(self) -> Self {
            Self(lanes!(8, i, self.0[i].abs()))
        }

        fn where_less(self, a: Self, b: Self, others: Self) -> Self {
            Self(lanes!(8, i, if a.0[i] < b.0[i] { self.0[i] } else { others.0[i] }))
        }

        fn any_above(self, other: Self) -> bool {
            let mut any = false;
            for i in 0..LANES {
                any |= self.0[i] > other.0[i];
            }
            any
        }

        fn any_at_least(self, other: Self) -> bool {
            let mut any = false;
            for i in 0..LANES {
                any |= self.0[i] >= other.0[i];
            }
            any
        }

        fn at_least(self, other: Self) -> u32 {
            lanes!(8, i, u32::from(self.0[i] >= other.0[i]) << i).iter().fold(0, |mask, bit| mask | bit)
        }

        fn least(self) -> Self {
            // Reduces the lanes to one number: first to half of the lanes, then to half of these, and so on.
            let lesser = |a: f32, b: f32| if a < b { a } else { b };
            let [a, b, c, d, e, f, g, h] = self.0;
            let (ae, bf, cg, dh) = (lesser(a, e), lesser(b, f), lesser(c, g), lesser(d, h));
            Self([lesser(lesser(ae, cg), lesser(bf, dh)); LANES])
        }

        fn greatest(self) -> Self {
            Self([-Self(lanes!(8, i, -self.0[i])).least().0[0]; LANES])
        }

        fn first(self) -> f32 {
            self.0[0]
        }

        fn of_half<const LANE: usize>(self) -> Self {
            Self(lanes!(8, i, self.0[i / HALF * HALF + LANE % HALF]))
        }

        fn to_array(self) -> [f32; LANES] {
            self.0
        }
    }
}
