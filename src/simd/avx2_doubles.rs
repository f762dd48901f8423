//! Eight f64 in two AVX2 registers. Each operation compiles to one or a few instructions for each register.
//! [`super::plain_wide`] is the scalar twin.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use glam::DVec2;

use super::avx2::Avx2;
use super::doubles::{DOUBLES, DoubleInstructions, Doubles};

/// Eight f64 lanes in two registers: the lower four lanes, then the upper four lanes. Only [`Avx2`] creates values of
/// this type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2Doubles([__m256d; 2]);

/// `AROUND[count][lane]` is the index of the point that goes to a lane if there are `count` points. After the last
/// point, the indices begin again with the first point.
static AROUND: [[u8; DOUBLES]; DOUBLES + 1] = {
    let mut table = [[0; DOUBLES]; DOUBLES + 1];
    let mut count = 1;
    while count <= DOUBLES {
        let mut lane = 0;
        while lane < DOUBLES {
            table[count][lane] = (lane % count) as u8;
            lane += 1;
        }
        count += 1;
    }
    table
};

/// Returns the x coordinates and the y coordinates of four points.
///
/// # Safety
/// The machine must have AVX2, and each pointer must point to a point.
#[inline(always)]
unsafe fn four(points: [*const DVec2; 4]) -> [__m256d; 2] {
    // SAFETY: the caller guarantees AVX2 and the pointers. A point consists of two f64 numbers.
    unsafe {
        let [a, b, c, d] = points;
        let (a, b) = (_mm_loadu_pd(a.cast()), _mm_loadu_pd(b.cast()));
        let (c, d) = (_mm_loadu_pd(c.cast()), _mm_loadu_pd(d.cast()));
        let (even, odd) = (_mm256_set_m128d(c, a), _mm256_set_m128d(d, b));
        [_mm256_unpacklo_pd(even, odd), _mm256_unpackhi_pd(even, odd)]
    }
}

/// Returns the x coordinates and the y coordinates of eight points.
///
/// # Safety
/// The machine must have AVX2, and `point` must return a pointer to a point for each lane.
#[inline(always)]
unsafe fn eight(point: impl Fn(usize) -> *const DVec2) -> [Avx2Doubles; 2] {
    // SAFETY: the caller guarantees AVX2 and the pointers.
    unsafe {
        let [low_x, low_y] = four([point(0), point(1), point(2), point(3)]);
        let [high_x, high_y] = four([point(4), point(5), point(6), point(7)]);
        [Avx2Doubles([low_x, high_x]), Avx2Doubles([low_y, high_y])]
    }
}

impl DoubleInstructions for Avx2 {
    type Doubles = Avx2Doubles;

    #[inline(always)]
    fn doubles(self, x: f64) -> Avx2Doubles {
        // SAFETY: `self` exists only if the machine has AVX2.
        Avx2Doubles([unsafe { _mm256_set1_pd(x) }; 2])
    }

    #[inline(always)]
    fn points(self, points: &[DVec2], start: usize) -> [Avx2Doubles; 2] {
        let points: &[DVec2] = &points[start..start + DOUBLES];
        // SAFETY: `self` exists only if the machine has AVX2. The slice has eight points.
        unsafe { eight(|lane| points.as_ptr().add(lane)) }
    }

    #[inline(always)]
    fn spread(self, points: &[DVec2]) -> [Avx2Doubles; 2] {
        let count = points.len();
        assert!(count >= DOUBLES);
        // SAFETY: `self` exists only if the machine has AVX2. For a lane below 8, `lane * count / 8` is below `count`.
        unsafe { eight(|lane| points.as_ptr().add(lane * count / DOUBLES)) }
    }

    #[inline(always)]
    fn around(self, points: &[DVec2], count: usize) -> [Avx2Doubles; 2] {
        // The slice and the table panic if `count` is too large.
        let (points, at) = (&points[..count], &AROUND[count]);
        assert!(count > 0);
        // SAFETY: `self` exists only if the machine has AVX2. The table has indices below `count`.
        unsafe { eight(|lane| points.as_ptr().add(usize::from(at[lane]))) }
    }

    #[inline(always)]
    fn both_around(self, a: &[DVec2], b: &[DVec2]) -> [Avx2Doubles; 2] {
        assert!((a.len() == 3) | (a.len() == 4) && (b.len() == 3) | (b.len() == 4));
        let last = |points: &[DVec2]| if points.len() == 4 { 3 } else { 0 };
        let at = [0, 1, 2, last(a), 0, 1, 2, last(b)];
        // SAFETY: `self` exists only if the machine has AVX2. Each slice has three points, and a fourth if its last lane reads it.
        unsafe { eight(|lane| if lane < 4 { a.as_ptr().add(at[lane]) } else { b.as_ptr().add(at[lane]) }) }
    }

    #[inline(always)]
    fn both(self, a: &[DVec2; 4], b: &[DVec2; 4]) -> [Avx2Doubles; 2] {
        // SAFETY: `self` exists only if the machine has AVX2.
        unsafe { eight(|lane| if lane < 4 { &raw const a[lane] } else { &raw const b[lane - 4] }) }
    }
}

impl Avx2Doubles {
    /// Returns the result of applying `of` to each of the two registers.
    #[inline(always)]
    fn each(self, of: impl Fn(__m256d) -> __m256d) -> Self {
        let [low, high] = self.0;
        Self([of(low), of(high)])
    }

    /// Returns the result of applying `of` to each register and the corresponding register of `other`.
    #[inline(always)]
    fn with(self, other: Self, of: impl Fn(__m256d, __m256d) -> __m256d) -> Self {
        let ([low, high], [other_low, other_high]) = (self.0, other.0);
        Self([of(low, other_low), of(high, other_high)])
    }

    /// Returns a mask with one bit for each lane. `of` compares a register with the corresponding register of `other`.
    #[inline(always)]
    fn mask(self, other: Self, of: impl Fn(__m256d, __m256d) -> __m256d) -> u32 {
        let [low, high] = self.with(other, of).0;
        // SAFETY: `self` came from an `Avx2`, which says that the machine has AVX2.
        unsafe { (_mm256_movemask_pd(low) | _mm256_movemask_pd(high) << 4) as u32 }
    }
}

/// Implements operations that are one instruction for each of the two registers. An operation is written as `add(other)
/// = _mm256_add_pd;`.
macro_rules! instructions_of_halves {
    ($($name:ident($($other:ident),*) = $instruction:ident;)*) => {
        $(
            #[inline(always)]
            fn $name(self, $($other: Self),*) -> Self {
                // SAFETY: a vector exists only on a machine that has its instructions.
                Self(unsafe {
                    [$instruction(self.0[0], $($other.0[0]),*), $instruction(self.0[1], $($other.0[1]),*)]
                })
            }
        )*
    };
}

// SAFETY, of every block below: `self` came from an `Avx2`, which exists only if the machine has AVX2 and FMA.
impl Doubles for Avx2Doubles {
    instructions_of_halves! {
        sub(other) = _mm256_sub_pd;
        add(other) = _mm256_add_pd;
        mul(other) = _mm256_mul_pd;
        div(other) = _mm256_div_pd;
        sqrt() = _mm256_sqrt_pd;
        mul_add(factor, addend) = _mm256_fmadd_pd;
        lost_by_product(factor, product) = _mm256_fmsub_pd;
        min(other) = _mm256_min_pd;
        max(other) = _mm256_max_pd;
    }

    #[inline(always)]
    fn greater_magnitude(self, other: Self) -> Self {
        self.with(other, |a, b| unsafe {
            let sign = _mm256_set1_pd(-0.0);
            _mm256_max_pd(_mm256_andnot_pd(sign, a), _mm256_andnot_pd(sign, b))
        })
    }

    #[inline(always)]
    fn rounded_into(self, out: &mut [f32; DOUBLES]) -> Self {
        let [low, high] = self.0;
        // The array is as long as two halves of registers. It need not be aligned.
        Self(unsafe {
            let (low, high) = (_mm256_cvtpd_ps(low), _mm256_cvtpd_ps(high));
            _mm_storeu_ps(out.as_mut_ptr(), low);
            _mm_storeu_ps(out.as_mut_ptr().add(DOUBLES / 2), high);
            [_mm256_cvtps_pd(low), _mm256_cvtps_pd(high)]
        })
    }

    #[inline(always)]
    fn store(self, out: &mut [f64]) {
        let out: &mut [f64] = &mut out[..DOUBLES];
        let ([low, high], first) = (self.0, out.as_mut_ptr());
        // The eight numbers need not be aligned.
        unsafe {
            _mm256_storeu_pd(first, low);
            _mm256_storeu_pd(first.add(DOUBLES / 2), high);
        }
    }

    #[inline(always)]
    fn next_closed_by(self, closing: f64) -> Self {
        let [low, high] = self.0;
        unsafe {
            // The first lane of `after` follows the other three lanes.
            let next = |lanes: __m256d, after: __m256d| {
                _mm256_permute4x64_pd::<0b00_11_10_01>(_mm256_blend_pd::<0b0001>(lanes, after))
            };
            Self([next(low, high), next(high, _mm256_set1_pd(closing))])
        }
    }

    #[inline(always)]
    fn next_in_half<const STEP: i32>(self) -> Self {
        const { assert!(STEP >= 1 && STEP <= 3) }
        self.each(|lanes| unsafe {
            match STEP {
                1 => _mm256_permute4x64_pd::<0b00_11_10_01>(lanes),
                2 => _mm256_permute4x64_pd::<0b01_00_11_10>(lanes),
                _ => _mm256_permute4x64_pd::<0b10_01_00_11>(lanes),
            }
        })
    }

    #[inline(always)]
    fn swapped(self) -> Self {
        let [low, high] = self.0;
        Self([high, low])
    }

    #[inline(always)]
    fn above(self, other: Self) -> u32 {
        self.mask(other, |a, b| unsafe { _mm256_cmp_pd::<_CMP_GT_OQ>(a, b) })
    }

    #[inline(always)]
    fn not_below(self, other: Self) -> u32 {
        self.mask(other, |a, b| unsafe { _mm256_cmp_pd::<_CMP_NLT_UQ>(a, b) })
    }

    #[inline(always)]
    fn with_difference(self, a: Self, b: Self) -> Self {
        let difference = a.with(b, |a, b| unsafe { _mm256_xor_pd(a, b) });
        self.with(difference, |marks, bits| unsafe { _mm256_or_pd(marks, bits) })
    }

    #[inline(always)]
    fn has_bits(self) -> bool {
        let [low, high] = self.0;
        unsafe {
            let any = _mm256_castpd_si256(_mm256_or_pd(low, high));
            _mm256_testz_si256(any, any) == 0
        }
    }

    #[inline(always)]
    fn least(self) -> f64 {
        let [low, high] = self.0;
        unsafe {
            let of_4 = _mm256_min_pd(low, high);
            let of_2 = _mm_min_pd(_mm256_castpd256_pd128(of_4), _mm256_extractf128_pd::<1>(of_4));
            _mm_cvtsd_f64(_mm_min_sd(of_2, _mm_unpackhi_pd(of_2, of_2)))
        }
    }

    #[inline(always)]
    fn greatest(self) -> f64 {
        let [low, high] = self.0;
        unsafe {
            let of_4 = _mm256_max_pd(low, high);
            let of_2 = _mm_max_pd(_mm256_castpd256_pd128(of_4), _mm256_extractf128_pd::<1>(of_4));
            _mm_cvtsd_f64(_mm_max_sd(of_2, _mm_unpackhi_pd(of_2, of_2)))
        }
    }
}
