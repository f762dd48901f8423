//! Vectors as arrays: what every machine can, and the twin of what some can faster.

use std::array::from_fn;

use super::{HALF, HalfRow, Instructions, LANES, Lanes, Row};

/// No instructions but those that the compiler assumes. `FUSED`: whether products and sums are rounded together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain<const FUSED: bool>;

#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainLanes<const FUSED: bool>([f32; LANES]);

impl<const FUSED: bool> Instructions for Plain<FUSED> {
    type Lanes = PlainLanes<FUSED>;

    #[inline(always)]
    fn splat(self, x: f32) -> Self::Lanes {
        PlainLanes([x; LANES])
    }

    #[inline(always)]
    fn load(self, row: &[f32], start: usize) -> Self::Lanes {
        let row = &row[start..start + LANES];
        PlainLanes(from_fn(|i| row[i]))
    }

    #[inline(always)]
    fn columns(self, rows: [&Row; LANES]) -> [Self::Lanes; LANES] {
        from_fn(|column| PlainLanes(rows.map(|row| row.0[column])))
    }

    #[inline(always)]
    fn half_columns(self, rows: [&HalfRow; LANES]) -> [Self::Lanes; 4] {
        from_fn(|column| PlainLanes(rows.map(|row| row.0[column])))
    }

    #[inline(always)]
    fn half_rows(self, columns: [Self::Lanes; 4]) -> [HalfRow; LANES] {
        from_fn(|row| HalfRow(columns.map(|column| column.0[row])))
    }

    #[inline(always)]
    fn splat_halves(self, lower: f32, upper: f32) -> Self::Lanes {
        PlainLanes(from_fn(|i| if i < HALF { lower } else { upper }))
    }

    #[inline(always)]
    fn load_halves(self, lower: &[f32], upper: &[f32], start: usize) -> Self::Lanes {
        let [lower, upper] = [lower, upper].map(|row| &row[start..start + HALF]);
        PlainLanes(from_fn(|i| if i < HALF { lower[i] } else { upper[i - HALF] }))
    }
}

impl<const FUSED: bool> Lanes for PlainLanes<FUSED> {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] + other.0[i]))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] - other.0[i]))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] * other.0[i]))
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] / other.0[i]))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Self(from_fn(|i| {
            if FUSED {
                self.0[i].mul_add(factor.0[i], addend.0[i])
            } else {
                self.0[i] * factor.0[i] + addend.0[i]
            }
        }))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(f32::abs))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.where_less(self, other, other)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.where_less(other, self, other)
    }

    #[inline(always)]
    fn where_less(self, a: Self, b: Self, others: Self) -> Self {
        Self(from_fn(|i| if a.0[i] < b.0[i] { self.0[i] } else { others.0[i] }))
    }

    #[inline(always)]
    fn any_above(self, other: Self) -> bool {
        let mut any = false;
        for i in 0..LANES {
            any |= self.0[i] > other.0[i];
        }
        any
    }

    #[inline(always)]
    fn any_at_least(self, other: Self) -> bool {
        let mut any = false;
        for i in 0..LANES {
            any |= self.0[i] >= other.0[i];
        }
        any
    }

    #[inline(always)]
    fn at_least(self, other: Self) -> u32 {
        (0..LANES).map(|i| u32::from(self.0[i] >= other.0[i]) << i).sum()
    }

    #[inline(always)]
    fn least(self) -> Self {
        // By halves.
        let lesser = |a: f32, b: f32| if a < b { a } else { b };
        let [a, b, c, d, e, f, g, h] = self.0;
        let (ae, bf, cg, dh) = (lesser(a, e), lesser(b, f), lesser(c, g), lesser(d, h));
        Self([lesser(lesser(ae, cg), lesser(bf, dh)); LANES])
    }

    #[inline(always)]
    fn greatest(self) -> Self {
        Self(Self(self.0.map(|x| -x)).least().0.map(|x| -x))
    }

    #[inline(always)]
    fn first(self) -> f32 {
        self.0[0]
    }

    #[inline(always)]
    fn of_half<const LANE: usize>(self) -> Self {
        Self(from_fn(|i| self.0[i / HALF * HALF + LANE % HALF]))
    }

    #[inline(always)]
    fn to_array(self) -> [f32; LANES] {
        self.0
    }
}
