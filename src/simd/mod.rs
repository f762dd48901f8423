//! Vector instructions: code that is written once, compiled for each instruction set, and chosen at run time.

#[cfg(target_arch = "x86_64")]
#[macro_use]
mod operations;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_doubles;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod doubles;
#[cfg(target_arch = "x86_64")]
mod frame;
mod plain;
mod plain_wide;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(feature = "sim")]
mod unfused;
mod wide;

pub(crate) use doubles::{
    DOUBLES, DoubleInstructions, Doubles, OnDoubles, has_doubles, on_doubles, on_doubles_or_plain,
    on_split_doubles,
};
#[cfg_attr(
    target_arch = "wasm32",
    allow(unused_imports, reason = "where there are vectors they are used")
)]
pub(crate) use plain::Plain;
#[cfg(all(test, feature = "scenes", feature = "sim"))]
pub(crate) use unfused::set_only_plain;
#[cfg(feature = "sim")]
pub(crate) use unfused::vectorised_alike;
#[cfg(all(test, feature = "scenes"))]
pub(crate) use wide::wide_or_plain;
pub(crate) use wide::{Interleaved, SINGLES, Singles, Wide, WideInstructions, has_wide, wide};

/// The number of f32 lanes of a [`Lanes`] vector.
pub(crate) const LANES: usize = 8;
/// Half of the number of f32 lanes of a [`Lanes`] vector.
pub(crate) const HALF: usize = LANES / 2;

/// Whether the library has several variants of its inner loops: a fast one for each frequent number of vertices or
/// boxes, and a slower one for any number. All variants give the same answers. In a browser, the library has only the
/// general variant, because a browser would have to load the code of all variants.
pub(crate) const FORMS: bool = !cfg!(target_family = "wasm");

/// Returns the vector with the opposite direction.
#[inline(always)]
pub(crate) fn negated([x, y]: [f32; 2]) -> [f32; 2] {
    [-x, -y]
}

#[cfg(feature = "sim")]
#[inline(always)]
pub(crate) fn difference(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

#[cfg(feature = "sim")]
#[inline(always)]
pub(crate) fn dot(a: [f32; 2], b: [f32; 2]) -> f32 {
    a[0] * b[0] + a[1] * b[1]
}

/// A set of vector instructions that the machine has.
pub(crate) trait Instructions: Copy {
    /// The type of eight f32 lanes.
    type Lanes: Lanes;

    /// Returns a vector with `x` in each lane.
    fn splat(self, x: f32) -> Self::Lanes;

    /// Returns the eight numbers of `row` from the index `start` on.
    fn load(self, row: &[f32], start: usize) -> Self::Lanes;

    /// Transposes eight rows. The first result has the first number of each row, the second result has the second
    /// number of each row, and so on.
    #[cfg_attr(not(feature = "sim"), allow(dead_code, reason = "bodies are rows"))]
    fn columns(self, rows: [&Row; LANES]) -> [Self::Lanes; LANES];

    /// Transposes eight half rows of four numbers. The result with index k has the number k of each half row.
    #[cfg_attr(not(feature = "sim"), allow(dead_code, reason = "bodies are rows"))]
    fn half_columns(self, rows: [&HalfRow; LANES]) -> [Self::Lanes; 4];

    /// Transposes four columns: returns the first half of each of eight rows. `columns` are the first four columns of
    /// these rows.
    #[cfg_attr(not(feature = "sim"), allow(dead_code, reason = "bodies are rows"))]
    fn half_rows(self, columns: [Self::Lanes; 4]) -> [HalfRow; LANES];

    /// Returns `lower` in each lane of the lower half, and `upper` in each lane of the upper half.
    fn splat_halves(self, lower: f32, upper: f32) -> Self::Lanes;

    /// Returns a vector with four numbers of `lower` in the lower half, and four numbers of `upper` in the upper half.
    /// The numbers begin at the index `start`.
    fn load_halves(self, lower: &[f32], upper: &[f32], start: usize) -> Self::Lanes;

    /// Runs a part of the work in a function of its own. Several callers share the code of this function. The function
    /// also limits the stack in builds without optimisation, in which a stack frame has room for every value of all
    /// inlined code.
    #[cfg_attr(not(feature = "sim"), allow(dead_code, reason = "contacts of bodies are such parts"))]
    fn apart<V: Vectorised>(self, part: V) -> V::Output;
}

/// A row of eight f32 numbers, aligned for vector loads.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Row(pub(crate) [f32; LANES]);

/// Half of a [`Row`].
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct HalfRow(pub(crate) [f32; LANES / 2]);

/// Eight f32 lanes, none of them NaN.
pub(crate) trait Lanes: Copy {
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
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
    /// Selects a number in each lane: the number of `self` if `a` is less than `b` in the lane, otherwise the number of
    /// `others`.
    fn where_less(self, a: Self, b: Self, others: Self) -> Self;
    /// Returns true if any lane is greater than the corresponding lane of `other`.
    fn any_above(self, other: Self) -> bool;
    /// Returns true if, in any lane, the number is at least the number of `other`.
    fn any_at_least(self, other: Self) -> bool;
    /// Returns a mask with one bit for each lane, the lowest bit for the first lane. The bit is set if the number in
    /// the lane is at least the number of `other`.
    fn at_least(self, other: Self) -> u32;
    /// Returns a vector with the least of the eight numbers in every lane.
    fn least(self) -> Self;
    /// Returns a vector with the greatest of the eight numbers in every lane.
    fn greatest(self) -> Self;
    /// Returns the number in the first lane.
    fn first(self) -> f32;
    /// Copies one number of each half of the lanes to all lanes of the same half. The copied number is in lane `LANE`
    /// of the half.
    fn of_half<const LANE: usize>(self) -> Self;
    /// Returns the numbers of all lanes, from the first lane to the last.
    fn to_array(self) -> [f32; LANES];
}

/// Work that is faster with vector instructions. All of its code must be `#[inline(always)]`, so that the compiler
/// compiles it for these instructions.
pub(crate) trait Vectorised {
    /// The type of the result of the work.
    type Output;

    /// Runs the work with the given instructions.
    fn run<I: Instructions>(self, instructions: I) -> Self::Output;
}

/// Runs the work with vectors of eight f32 lanes: in AVX2 or in WebAssembly's vectors, if the machine has them.
/// Otherwise, runs the work on arrays.
#[inline]
pub(crate) fn vectorised<V: Vectorised>(work: V) -> V::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = avx2::Avx2::detect() {
        return avx2.run(work);
    }
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    return work.run(simd128::Simd128);
    // On other machines, the work runs on arrays, which the compiler can turn into vectors of the build target. On
    // aarch64, a product and a sum are rounded once, because NEON has fused instructions.
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    work.run(Plain::<{ cfg!(target_arch = "aarch64") }>)
}

/// Returns the greater of two numbers. Returns `b` if `a` is NaN or if the numbers are equal. On x86-64, the function
/// compiles to one instruction. Unlike `f64::max`, it treats 0 and -0 in the same way on every machine.
#[inline(always)]
pub(crate) fn greater<T: Copy + PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// Returns the lesser of two numbers. Returns `b` if `a` is NaN or if the numbers are equal. The function treats 0 and
/// -0 in the same way on every machine.
#[inline(always)]
pub(crate) fn lesser<T: Copy + PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// Prefetches the cache lines of a value that will be read soon.
#[inline(always)]
pub(crate) fn prefetch<T: ?Sized>(value: &T) {
    let start = std::ptr::from_ref(value).cast::<u8>();
    for line in 0..size_of_val(value).div_ceil(64) {
        prefetch_byte(start.wrapping_add(64 * line));
    }
}

/// Prefetches `lines` cache lines, beginning with the value at the index `first`. If `lines` is a constant, the
/// processor mispredicts no branch of the loop. If the slice has no value at this index, the call prefetches unrelated
/// lines, which has no effect on results.
#[inline(always)]
pub(crate) fn prefetch_lines<T>(values: &[T], first: usize, lines: usize) {
    let first = values.as_ptr().wrapping_add(first).cast::<u8>();
    for line in 0..lines {
        prefetch_byte(first.wrapping_add(64 * line));
    }
}

#[inline(always)]
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn prefetch_byte(byte: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch has no effect that the program can observe, and never faults, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(byte.cast()) }
}

/// Does nothing, because the library prefetches only on x86-64.
#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
fn prefetch_byte(_byte: *const u8) {}

/// Prefetches the cache line of the value at the index `index`. If the slice has no such value, the call prefetches an
/// unrelated line, which has no effect on results.
#[inline(always)]
pub(crate) fn prefetch_at<T>(values: &[T], index: usize) {
    prefetch_byte(values.as_ptr().wrapping_add(index).cast());
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f32; 10] = [1.5, -2.0, 0.0, 3.25, -0.75, 8.0, 1e-30, -1e30, 5.0, 7.0];
    const B: [f32; 10] = [-1.5, 2.5, 0.0, 3.0, -0.5, 1.0 / 3.0, 1e-30, 1e30, 0.1, -7.0];

    /// Work that runs every operation on vectors of f32. It collects the numbers of all results.
    struct All;

    impl Vectorised for All {
        type Output = (Vec<[f32; LANES]>, Vec<f32>, Vec<u32>);

        #[inline(always)]
        fn run<I: Instructions>(self, i: I) -> Self::Output {
            let (a, b, c) = (i.load(&A, 0), i.load(&B, 2), i.splat(0.1));
            let lanes = [
                a,
                b,
                c,
                a.add(b),
                a.sub(b),
                a.mul(b),
                a.mul_add(b, c),
                a.div(c),
                a.abs(),
                a.abs().sqrt(),
                a.min(b),
                a.max(b),
                a.where_less(b, c, b),
                i.splat_halves(A[0], B[1]),
                i.load_halves(&A, &B, 6),
                a.of_half::<0>(),
                a.of_half::<1>(),
                a.of_half::<2>(),
                a.of_half::<3>(),
            ];
            let ends =
                lanes.iter().flat_map(|x| [x.least(), x.greatest()]).flat_map(I::Lanes::to_array).collect();
            let above = lanes
                .iter()
                .flat_map(|x| [x.any_above(c).into(), x.any_at_least(c).into(), x.at_least(c)])
                .collect();
            (lanes.iter().map(|x| x.to_array()).collect(), ends, above)
        }
    }

    #[test]
    fn the_machines_vectors_do_as_plain_numbers() {
        let found = vectorised(All);
        assert!(found == All.run(Plain::<true>) || found == All.run(Plain::<false>));
        assert_eq!(All.run(Plain::<false>).1[..16], [[-1e30; LANES], [8.0; LANES]].concat());
    }

    #[test]
    fn rows_become_columns_and_halves_rows_again() {
        struct Turned;
        impl Vectorised for Turned {
            type Output = ();
            #[inline(always)]
            fn run<I: Instructions>(self, i: I) {
                let rows: [Row; LANES] =
                    std::array::from_fn(|r| Row(std::array::from_fn(|c| (10 * r + c) as f32)));
                let columns = i.columns(rows.each_ref());
                for (c, column) in columns.iter().enumerate() {
                    assert_eq!(column.to_array(), std::array::from_fn(|r| (10 * r + c) as f32));
                }
                let [x, y, z, w, ..] = columns;
                let halves = i.half_rows([x, y, z, w]);
                for (half, row) in halves.iter().zip(rows) {
                    assert_eq!(half.0, row.0[..4]);
                }
                for (half, column) in i.half_columns(halves.each_ref()).iter().zip(columns) {
                    assert_eq!(half.to_array(), column.to_array());
                }
            }
        }
        vectorised(Turned);
        Turned.run(Plain::<false>);
    }

    #[test]
    #[should_panic(expected = "range")]
    fn nothing_is_read_beyond_a_row() {
        struct Beyond;
        impl Vectorised for Beyond {
            type Output = f32;
            #[inline(always)]
            fn run<I: Instructions>(self, i: I) -> f32 {
                i.load(&A, 3).first()
            }
        }
        vectorised(Beyond);
    }
}
