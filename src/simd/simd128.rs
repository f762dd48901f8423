//! The vectors of WebAssembly. Two registers with four numbers each hold eight lanes. Each operation compiles to a few
//! instructions. The scalar twin is [`super::plain`] without fused operations.

#![allow(clippy::redundant_closure, reason = "what needs a feature of the target is no `Fn`")]

use std::arch::wasm32::*;

use bytemuck::must_cast;

use super::{HALF, HalfRow, Instructions, LANES, Lanes, Row, Vectorised};

/// The vector instructions of WebAssembly. The whole WebAssembly module is compiled for them, so a browser without them
/// cannot load it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simd128;

/// Eight f32 lanes in two registers: the lower four lanes, then the upper four lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simd128Lanes([v128; 2]);

impl Simd128Lanes {
    #[inline(always)]
    fn each(self, other: Self, does: impl Fn(v128, v128) -> v128) -> Self {
        Self([does(self.0[0], other.0[0]), does(self.0[1], other.0[1])])
    }

    #[inline(always)]
    fn map(self, does: impl Fn(v128) -> v128) -> Self {
        Self([does(self.0[0]), does(self.0[1])])
    }

    #[inline(always)]
    fn any(self, other: Self, holds: impl Fn(v128, v128) -> v128) -> bool {
        let Self([lower, upper]) = self.each(other, holds);
        v128_any_true(v128_or(lower, upper))
    }

    /// Combines the numbers of all lanes with `does`, and returns the result in every lane. First combines the two
    /// registers, then the two halves of the result, and so on.
    #[inline(always)]
    fn reduced(self, does: impl Fn(v128, v128) -> v128) -> Self {
        let of_2 = does(self.0[0], self.0[1]);
        let of_4 = does(of_2, i32x4_shuffle::<2, 3, 0, 1>(of_2, of_2));
        let of_8 = does(of_4, i32x4_shuffle::<1, 0, 3, 2>(of_4, of_4));
        Self([i32x4_shuffle::<0, 0, 0, 0>(of_8, of_8); 2])
    }
}

/// Returns, in each lane, the lesser of two numbers. If `a` is not less, returns `b`.
#[inline(always)]
fn lesser(a: v128, b: v128) -> v128 {
    f32x4_pmin(b, a)
}

/// Returns, in each lane, the greater of two numbers. If `a` is not greater, returns `b`.
#[inline(always)]
fn greater(a: v128, b: v128) -> v128 {
    f32x4_pmax(b, a)
}

#[inline(always)]
fn four(row: &[f32; HALF]) -> v128 {
    must_cast(*row)
}

#[inline(always)]
fn four_from(row: &[f32], start: usize) -> v128 {
    let (row, _) = row[start..].split_first_chunk().expect("a row of four numbers");
    four(row)
}

#[inline(always)]
fn numbers(four: v128) -> [f32; HALF] {
    must_cast(four)
}

/// Transposes four rows of four numbers. Applied twice, the function returns its arguments.
#[inline(always)]
fn four_columns([a, b, c, d]: [v128; 4]) -> [v128; 4] {
    let (ab_low, ab_high) = (i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<2, 6, 3, 7>(a, b));
    let (cd_low, cd_high) = (i32x4_shuffle::<0, 4, 1, 5>(c, d), i32x4_shuffle::<2, 6, 3, 7>(c, d));
    [
        i32x4_shuffle::<0, 1, 4, 5>(ab_low, cd_low),
        i32x4_shuffle::<2, 3, 6, 7>(ab_low, cd_low),
        i32x4_shuffle::<0, 1, 4, 5>(ab_high, cd_high),
        i32x4_shuffle::<2, 3, 6, 7>(ab_high, cd_high),
    ]
}

/// Joins two transposed groups of four rows. The first group goes to the lower lanes, and the second group to the upper
/// lanes.
#[inline(always)]
fn joined([a, b, c, d]: [v128; 4], [e, f, g, h]: [v128; 4]) -> [Simd128Lanes; 4] {
    [Simd128Lanes([a, e]), Simd128Lanes([b, f]), Simd128Lanes([c, g]), Simd128Lanes([d, h])]
}

impl Instructions for Simd128 {
    type Lanes = Simd128Lanes;

    #[inline(always)]
    fn splat(self, x: f32) -> Simd128Lanes {
        Simd128Lanes([f32x4_splat(x); 2])
    }

    #[inline(always)]
    fn load(self, row: &[f32], start: usize) -> Simd128Lanes {
        let row = &row[start..start + LANES];
        Simd128Lanes([four_from(row, 0), four_from(row, HALF)])
    }

    #[inline(always)]
    fn columns(self, rows: [&Row; LANES]) -> [Simd128Lanes; LANES] {
        let [a, b, c, d, e, f, g, h] = rows;
        let quarter = |rows: [&Row; 4], from: usize| {
            let [a, b, c, d] = rows;
            four_columns([
                four_from(&a.0, from),
                four_from(&b.0, from),
                four_from(&c.0, from),
                four_from(&d.0, from),
            ])
        };
        let (first, last) = ([a, b, c, d], [e, f, g, h]);
        let [a, b, c, d] = joined(quarter(first, 0), quarter(last, 0));
        let [e, f, g, h] = joined(quarter(first, HALF), quarter(last, HALF));
        [a, b, c, d, e, f, g, h]
    }

    #[inline(always)]
    fn half_columns(self, rows: [&HalfRow; LANES]) -> [Simd128Lanes; 4] {
        let [a, b, c, d, e, f, g, h] = rows;
        let four_rows = |a: &HalfRow, b: &HalfRow, c: &HalfRow, d: &HalfRow| {
            four_columns([four(&a.0), four(&b.0), four(&c.0), four(&d.0)])
        };
        joined(four_rows(a, b, c, d), four_rows(e, f, g, h))
    }

    #[inline(always)]
    fn half_rows(self, columns: [Simd128Lanes; 4]) -> [HalfRow; LANES] {
        let [x, y, z, w] = columns;
        let [a, b, c, d] = four_columns([x.0[0], y.0[0], z.0[0], w.0[0]]);
        let [e, f, g, h] = four_columns([x.0[1], y.0[1], z.0[1], w.0[1]]);
        let row = |four: v128| HalfRow(numbers(four));
        [row(a), row(b), row(c), row(d), row(e), row(f), row(g), row(h)]
    }

    #[inline(always)]
    fn splat_halves(self, lower: f32, upper: f32) -> Simd128Lanes {
        Simd128Lanes([f32x4_splat(lower), f32x4_splat(upper)])
    }

    #[inline(always)]
    fn load_halves(self, lower: &[f32], upper: &[f32], start: usize) -> Simd128Lanes {
        Simd128Lanes([four_from(lower, start), four_from(upper, start)])
    }

    fn apart<V: Vectorised>(self, part: V) -> V::Output {
        part.run(self)
    }
}

impl Lanes for Simd128Lanes {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.each(other, |a, b| f32x4_add(a, b))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.each(other, |a, b| f32x4_sub(a, b))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.each(other, |a, b| f32x4_mul(a, b))
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.each(other, |a, b| f32x4_div(a, b))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(|x| f32x4_sqrt(x))
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        self.mul(factor).add(addend)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.map(|x| f32x4_abs(x))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.each(other, lesser)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.each(other, greater)
    }

    #[inline(always)]
    fn where_less(self, a: Self, b: Self, others: Self) -> Self {
        let less = a.each(b, |a, b| f32x4_lt(a, b));
        Self([
            v128_bitselect(self.0[0], others.0[0], less.0[0]),
            v128_bitselect(self.0[1], others.0[1], less.0[1]),
        ])
    }

    #[inline(always)]
    fn any_above(self, other: Self) -> bool {
        self.any(other, |a, b| f32x4_gt(a, b))
    }

    #[inline(always)]
    fn any_at_least(self, other: Self) -> bool {
        self.any(other, |a, b| f32x4_ge(a, b))
    }

    #[inline(always)]
    fn at_least(self, other: Self) -> u32 {
        let Self([lower, upper]) = self.each(other, |a, b| f32x4_ge(a, b));
        u32::from(i32x4_bitmask(lower)) | u32::from(i32x4_bitmask(upper)) << HALF
    }

    #[inline(always)]
    fn least(self) -> Self {
        self.reduced(lesser)
    }

    #[inline(always)]
    fn greatest(self) -> Self {
        self.reduced(greater)
    }

    #[inline(always)]
    fn first(self) -> f32 {
        f32x4_extract_lane::<0>(self.0[0])
    }

    #[inline(always)]
    fn of_half<const LANE: usize>(self) -> Self {
        self.map(|x| match LANE {
            0 => i32x4_shuffle::<0, 0, 0, 0>(x, x),
            1 => i32x4_shuffle::<1, 1, 1, 1>(x, x),
            2 => i32x4_shuffle::<2, 2, 2, 2>(x, x),
            _ => i32x4_shuffle::<3, 3, 3, 3>(x, x),
        })
    }

    #[inline(always)]
    fn to_array(self) -> [f32; LANES] {
        let [[a, b, c, d], [e, f, g, h]] = [numbers(self.0[0]), numbers(self.0[1])];
        [a, b, c, d, e, f, g, h]
    }
}
