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

impl Avx2 {
    /// Returns the x coordinates and the y coordinates of four points.
    #[inline(always)]
    fn four(self, [a, b, c, d]: [&DVec2; 4]) -> [__m256d; 2] {
        let first = |point: &DVec2| std::ptr::from_ref(point).cast::<f64>();
        // SAFETY: `self` exists only if the machine has AVX2. A point consists of two f64 numbers.
        unsafe {
            let (a, b) = (_mm_loadu_pd(first(a)), _mm_loadu_pd(first(b)));
            let (c, d) = (_mm_loadu_pd(first(c)), _mm_loadu_pd(first(d)));
            let (even, odd) = (_mm256_set_m128d(c, a), _mm256_set_m128d(d, b));
            [_mm256_unpacklo_pd(even, odd), _mm256_unpackhi_pd(even, odd)]
        }
    }

    /// Returns the x coordinates and the y coordinates of eight points. `point` returns the point for a lane.
    #[inline(always)]
    fn eight<'a>(self, point: impl Fn(usize) -> &'a DVec2) -> [Avx2Doubles; 2] {
        let [low_x, low_y] = self.four([point(0), point(1), point(2), point(3)]);
        let [high_x, high_y] = self.four([point(4), point(5), point(6), point(7)]);
        [Avx2Doubles([low_x, high_x]), Avx2Doubles([low_y, high_y])]
    }
}

impl DoubleInstructions for Avx2 {
    type Doubles = Avx2Doubles;

    token_functions! { "avx2";
        doubles(x: f64) -> Avx2Doubles = Avx2Doubles([_mm256_set1_pd(x); 2]);
    }

    #[inline(always)]
    fn points(self, points: &[DVec2], start: usize) -> [Avx2Doubles; 2] {
        let points: &[DVec2] = &points[start..start + DOUBLES];
        self.eight(|lane| &points[lane])
    }

    #[inline(always)]
    fn spread(self, points: &[DVec2]) -> [Avx2Doubles; 2] {
        let count = points.len();
        assert!(count >= DOUBLES);
        // SAFETY: for a lane below 8, `lane * count / 8` is below `count`.
        self.eight(|lane| unsafe { &*points.as_ptr().add(lane * count / DOUBLES) })
    }

    #[inline(always)]
    fn around(self, points: &[DVec2], count: usize) -> [Avx2Doubles; 2] {
        // The slice and the table panic if `count` is too large.
        let (points, at) = (&points[..count], &AROUND[count]);
        assert!(count > 0);
        // SAFETY: the table has indices below `count`.
        self.eight(|lane| unsafe { &*points.as_ptr().add(usize::from(at[lane])) })
    }

    #[inline(always)]
    fn both_around(self, a: &[DVec2], b: &[DVec2]) -> [Avx2Doubles; 2] {
        assert!((a.len() == 3) | (a.len() == 4) && (b.len() == 3) | (b.len() == 4));
        let last = |points: &[DVec2]| if points.len() == 4 { 3 } else { 0 };
        let at = [0, 1, 2, last(a), 0, 1, 2, last(b)];
        // SAFETY: each slice has three points, and a fourth if its last lane reads it.
        self.eight(|lane| unsafe { &*if lane < 4 { a } else { b }.as_ptr().add(at[lane]) })
    }

    #[inline(always)]
    fn both(self, a: &[DVec2; 4], b: &[DVec2; 4]) -> [Avx2Doubles; 2] {
        self.eight(|lane| if lane < 4 { &a[lane] } else { &b[lane - 4] })
    }
}

impl Avx2Doubles {
    operations_of_halves! { "avx2", __m256d;
        // Both set all bits of a lane if the comparison is true, and no bits otherwise.
        lanes_above(a, b) = _mm256_cmp_pd::<_CMP_GT_OQ>(a, b);
        lanes_not_below(a, b) = _mm256_cmp_pd::<_CMP_NLT_UQ>(a, b);
    }

    operations! { "avx2", [__m256d; 2];
        // Returns a mask with one bit for each lane: the sign bit of the lane.
        signs([low, high]) -> u32 = (_mm256_movemask_pd(low) | _mm256_movemask_pd(high) << 4) as u32;
    }
}

impl Doubles for Avx2Doubles {
    operations_of_halves! { "avx2,fma", __m256d;
        sub(a, b) = _mm256_sub_pd(a, b);
        add(a, b) = _mm256_add_pd(a, b);
        mul(a, b) = _mm256_mul_pd(a, b);
        div(a, b) = _mm256_div_pd(a, b);
        sqrt(a) = _mm256_sqrt_pd(a);
        mul_add(a, factor, addend) = _mm256_fmadd_pd(a, factor, addend);
        lost_by_product(a, factor, product) = _mm256_fmsub_pd(a, factor, product);
        min(a, b) = _mm256_min_pd(a, b);
        max(a, b) = _mm256_max_pd(a, b);
        greater_magnitude(a, b) = {
            let sign = _mm256_set1_pd(-0.0);
            _mm256_max_pd(_mm256_andnot_pd(sign, a), _mm256_andnot_pd(sign, b))
        };
        next_in_half<const STEP: i32>(a) = {
            const { assert!(STEP >= 1 && STEP <= 3) }
            match STEP {
                1 => _mm256_permute4x64_pd::<0b00_11_10_01>(a),
                2 => _mm256_permute4x64_pd::<0b01_00_11_10>(a),
                _ => _mm256_permute4x64_pd::<0b10_01_00_11>(a),
            }
        };
        with_difference(marks, a, b) = _mm256_or_pd(marks, _mm256_xor_pd(a, b));
    }

    operations! { "avx2", [__m256d; 2];
        next_closed_by([low, high]; closing: f64) = {
            // The first lane of `after` follows the other three lanes.
            let next = |lanes: __m256d, after: __m256d| {
                _mm256_permute4x64_pd::<0b00_11_10_01>(_mm256_blend_pd::<0b0001>(lanes, after))
            };
            [next(low, high), next(high, _mm256_set1_pd(closing))]
        };
        has_bits([low, high]) -> bool = {
            let any = _mm256_castpd_si256(_mm256_or_pd(low, high));
            _mm256_testz_si256(any, any) == 0
        };
        least([low, high]) -> f64 = {
            let of_4 = _mm256_min_pd(low, high);
            let of_2 = _mm_min_pd(_mm256_castpd256_pd128(of_4), _mm256_extractf128_pd::<1>(of_4));
            _mm_cvtsd_f64(_mm_min_sd(of_2, _mm_unpackhi_pd(of_2, of_2)))
        };
        greatest([low, high]) -> f64 = {
            let of_4 = _mm256_max_pd(low, high);
            let of_2 = _mm_max_pd(_mm256_castpd256_pd128(of_4), _mm256_extractf128_pd::<1>(of_4));
            _mm_cvtsd_f64(_mm_max_sd(of_2, _mm_unpackhi_pd(of_2, of_2)))
        };
    }

    #[inline(always)]
    fn swapped(self) -> Self {
        let [low, high] = self.0;
        Self([high, low])
    }

    #[inline(always)]
    fn above(self, other: Self) -> u32 {
        self.lanes_above(other).signs()
    }

    #[inline(always)]
    fn not_below(self, other: Self) -> u32 {
        self.lanes_not_below(other).signs()
    }

    #[inline(always)]
    fn rounded_into(self, out: &mut [f32; DOUBLES]) -> Self {
        let [low, high] = self.0;
        // SAFETY: only an `Avx2` creates vectors. The array is as long as two halves of registers. It need not be aligned.
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
        // SAFETY: only an `Avx2` creates vectors. The eight numbers need not be aligned.
        unsafe {
            _mm256_storeu_pd(first, low);
            _mm256_storeu_pd(first.add(DOUBLES / 2), high);
        }
    }
}
