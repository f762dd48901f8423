//! Vectors in AVX-512. Each operation compiles to one or a few instructions. [`super::plain_wide`] is the scalar twin.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use glam::DVec2;

use super::doubles::{DOUBLES, DoubleInstructions, Doubles, OnDoubles};
use super::wide::{Interleaved, SINGLES, Singles, Wide, WideInstructions};

/// Proof that the machine has AVX-512. A value of this type exists only after a check of the machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx512 {
    /// The number 0, hidden from the compiler. If the compiler knew the number, it would replace single instructions by
    /// slower ones: several instructions for one permutation of lanes, and permutations instead of loads from memory.
    zero: usize,
}

/// Eight f64 lanes in one register. Only [`Avx512`] creates values of this type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512Doubles(__m512d);

/// Sixteen f32 lanes in one register. Only [`Avx512`] creates values of this type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512Singles(__m512);

impl Avx512 {
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        // The library looks up each feature once and remembers it. The compiler assumes that a machine with AVX-512
        // also has AVX2 and FMA.
        let has_all = !cfg!(sat2d_no_avx512)
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        has_all.then(|| Self { zero: std::hint::black_box(0) })
    }

    #[inline(always)]
    fn interleave(self, a: __m256, b: __m256) -> Avx512Singles {
        // SAFETY: `self` exists only if the machine has AVX-512.
        unsafe {
            let at = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            let at = _mm512_add_epi32(at, _mm512_set1_epi32(self.zero as i32));
            let (a, b) = (_mm512_castps256_ps512(a), _mm512_castps256_ps512(b));
            Avx512Singles(_mm512_permutex2var_ps(a, at, b))
        }
    }

    #[inline]
    pub(super) fn run<V: Wide>(self, work: V) -> V::Output {
        #[target_feature(enable = "avx512f,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
        fn with_avx512<V: Wide>(avx512: Avx512, work: V) -> V::Output {
            work.run(avx512)
        }
        // SAFETY: `self` exists only if the machine has the instructions that the function is compiled for.
        unsafe { with_avx512(self, work) }
    }

    #[inline]
    pub(super) fn run_on_doubles<W: OnDoubles>(self, work: W) -> W::Output {
        #[target_feature(enable = "avx512f,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
        fn with_avx512<W: OnDoubles>(avx512: Avx512, work: W) -> W::Output {
            work.run(avx512)
        }
        // SAFETY: `self` exists only if the machine has the instructions that the function is compiled for.
        unsafe { with_avx512(self, work) }
    }
}

/// `AROUND[count]` has two permutations, for `count` points in two registers of four points each. The first permutation
/// selects the x coordinates, and the second selects the y coordinates. After the last point, a permutation begins
/// again with the first point.
static AROUND: [[[i64; DOUBLES]; 2]; DOUBLES + 1] = {
    let mut table = [[[0; DOUBLES]; 2]; DOUBLES + 1];
    let mut count = 1;
    while count <= DOUBLES {
        let mut lane = 0;
        while lane < DOUBLES {
            let x = 2 * (lane % count) as i64;
            (table[count][0][lane], table[count][1][lane]) = (x, x + 1);
            lane += 1;
        }
        count += 1;
    }
    table
};

/// The permutations that select the coordinates of two polygons with three or four points each. Bit 1 of the index is
/// set if the first polygon has four points, and bit 0 is set if the second polygon has four points.
static BOTH_AROUND: [[i64; DOUBLES]; 4] = [
    [0, 2, 4, 0, 8, 10, 12, 8],
    [0, 2, 4, 0, 8, 10, 12, 14],
    [0, 2, 4, 6, 8, 10, 12, 8],
    [0, 2, 4, 6, 8, 10, 12, 14],
];

impl Avx512 {
    token_functions! { "avx512f";
        // Returns the x coordinates and the y coordinates of the points in two registers. `at` is the permutation that
        // selects the x coordinates.
        apart(low: __m512d, high: __m512d, at: __m512i) -> [Avx512Doubles; 2] = {
            let at_y = _mm512_or_si512(at, _mm512_set1_epi64(1));
            [
                Avx512Doubles(_mm512_permutex2var_pd(low, at, high)),
                Avx512Doubles(_mm512_permutex2var_pd(low, at_y, high)),
            ]
        };
        // Returns the permutation that selects the x coordinates of all points in two registers.
        all_x() -> __m512i = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    }

    /// Returns the coordinates of four points, in their order in memory.
    #[inline(always)]
    fn load_four(self, points: &[DVec2; 4]) -> __m512d {
        // SAFETY: `self` exists only if the machine has AVX-512. Four points are eight f64 numbers, and need not be aligned.
        unsafe { _mm512_loadu_pd(points.as_ptr().cast()) }
    }
}

impl DoubleInstructions for Avx512 {
    type Doubles = Avx512Doubles;

    token_functions! { "avx512f";
        doubles(x: f64) -> Avx512Doubles = Avx512Doubles(_mm512_set1_pd(x));
    }

    #[inline(always)]
    fn points(self, points: &[DVec2], start: usize) -> [Avx512Doubles; 2] {
        let (fours, _) = points[start..start + DOUBLES].as_chunks();
        self.apart(self.load_four(&fours[0]), self.load_four(&fours[1]), self.all_x())
    }

    #[inline(always)]
    fn spread(self, points: &[DVec2]) -> [Avx512Doubles; 2] {
        let count = points.len();
        assert!(count >= DOUBLES);
        let first = points.as_ptr();
        // SAFETY: `self` exists only if the machine has AVX-512. For k below 8, `k * count / 8` is below `count`. A point
        // consists of two f64 numbers.
        unsafe {
            let at = |k: usize| _mm_loadu_pd(first.add(k * count / DOUBLES).cast::<f64>());
            let four = |k: usize| {
                let points = _mm512_castpd128_pd512(at(k));
                let points = _mm512_mask_broadcast_f64x2(points, 0b0000_1100, at(k + 1));
                let points = _mm512_mask_broadcast_f64x2(points, 0b0011_0000, at(k + 2));
                _mm512_mask_broadcast_f64x2(points, 0b1100_0000, at(k + 3))
            };
            self.apart(four(0), four(4), self.all_x())
        }
    }

    #[inline(always)]
    fn around(self, points: &[DVec2], count: usize) -> [Avx512Doubles; 2] {
        // The table panics if `count` is too large.
        let [at_x, at_y] = &AROUND[count];
        // SAFETY: `self` exists only if the machine has AVX-512. Eight points are sixteen f64 numbers, and need not be
        // aligned. If there are fewer points, the lanes after them are masked, so they are not read. The rows of the
        // table are as long as a register.
        unsafe {
            let [low, high] = if points.len() >= DOUBLES {
                let first = points.as_ptr().cast::<f64>();
                [_mm512_loadu_pd(first), _mm512_loadu_pd(first.add(DOUBLES))]
            } else {
                let first = points[..count].as_ptr().cast::<f64>();
                let mask = (1u32 << (2 * count)) - 1;
                let high = _mm512_maskz_loadu_pd((mask >> DOUBLES) as u8, first.wrapping_add(DOUBLES));
                [_mm512_maskz_loadu_pd(mask as u8, first), high]
            };
            // Without inlining, a closure would be compiled without these vectors, so this code uses none.
            let at_x = _mm512_loadu_si512(at_x.as_ptr().cast());
            let at_y = _mm512_loadu_si512(at_y.as_ptr().cast());
            let (x, y) = (_mm512_permutex2var_pd(low, at_x, high), _mm512_permutex2var_pd(low, at_y, high));
            [Avx512Doubles(x), Avx512Doubles(y)]
        }
    }

    #[inline(always)]
    fn both_around(self, a: &[DVec2], b: &[DVec2]) -> [Avx512Doubles; 2] {
        assert!((a.len() == 3) | (a.len() == 4) && (b.len() == 3) | (b.len() == 4));
        let at = &BOTH_AROUND[2 * usize::from(a.len() == 4) + usize::from(b.len() == 4)];
        let mask = |points: &[DVec2]| ((1u32 << (2 * points.len())) - 1) as u8;
        // SAFETY: `self` exists only if the machine has AVX-512. The lanes after the points are masked, so they are not
        // read. The row of the table is as long as a register.
        unsafe {
            let a = _mm512_maskz_loadu_pd(mask(a), a.as_ptr().cast());
            let b = _mm512_maskz_loadu_pd(mask(b), b.as_ptr().cast());
            self.apart(a, b, _mm512_loadu_si512(at.as_ptr().cast()))
        }
    }

    #[inline(always)]
    fn both(self, a: &[DVec2; 4], b: &[DVec2; 4]) -> [Avx512Doubles; 2] {
        self.apart(self.load_four(a), self.load_four(b), self.all_x())
    }
}

impl WideInstructions for Avx512 {
    type Singles = Avx512Singles;

    token_functions! { "avx512f";
        singles(x: f32) -> Avx512Singles = Avx512Singles(_mm512_set1_ps(x));
        alternating(even: f32, odd: f32) -> Avx512Singles =
            Avx512Singles(_mm512_mask_blend_ps(0xaaaa, _mm512_set1_ps(even), _mm512_set1_ps(odd)));
    }

    #[inline(always)]
    fn rounded(self, a: Avx512Doubles, b: Avx512Doubles) -> Avx512Singles {
        self.interleave(a.to_f32(), b.to_f32())
    }

    #[inline(always)]
    fn interleaved(self, a: &[f32], b: &[f32], start: usize) -> Avx512Singles {
        let (a, b) = (&a[start..start + DOUBLES], &b[start..start + DOUBLES]);
        // SAFETY: `self` exists only if the machine has AVX-512. The eight numbers need not be aligned.
        unsafe { self.interleave(_mm256_loadu_ps(a.as_ptr()), _mm256_loadu_ps(b.as_ptr())) }
    }

    #[inline(always)]
    fn pair(self, Interleaved(lanes): &Interleaved, k: usize) -> Avx512Singles {
        assert!(k < DOUBLES);
        // SAFETY: `self` exists only if the machine has AVX-512. `zero` is 0, so the lanes `2 k` and `2 k + 1` exist.
        unsafe {
            let pair = lanes.as_ptr().add(2 * k + self.zero).cast::<f64>().read();
            Avx512Singles(_mm512_castpd_ps(_mm512_set1_pd(pair)))
        }
    }
}

impl Doubles for Avx512Doubles {
    operations! { "avx512f,avx512dq", __m512d;
        sub(a, b) = _mm512_sub_pd(a, b);
        add(a, b) = _mm512_add_pd(a, b);
        mul(a, b) = _mm512_mul_pd(a, b);
        div(a, b) = _mm512_div_pd(a, b);
        sqrt(a) = _mm512_sqrt_pd(a);
        mul_add(a, factor, addend) = _mm512_fmadd_pd(a, factor, addend);
        lost_by_product(a, factor, product) = _mm512_fmsub_pd(a, factor, product);
        min(a, b) = _mm512_min_pd(a, b);
        max(a, b) = _mm512_max_pd(a, b);
        // In each lane, the greater of the two absolute values.
        greater_magnitude(a, b) = _mm512_range_pd::<0b1011>(a, b);
        next_closed_by(a; closing: f64) = {
            let closing = _mm512_castpd_si512(_mm512_set1_pd(closing));
            _mm512_castsi512_pd(_mm512_alignr_epi64::<1>(closing, _mm512_castpd_si512(a)))
        };
        next_in_half<const STEP: i32>(a) = {
            const { assert!(STEP >= 1 && STEP <= 3) }
            match STEP {
                1 => _mm512_permutex_pd::<0b00_11_10_01>(a),
                2 => _mm512_permutex_pd::<0b01_00_11_10>(a),
                _ => _mm512_permutex_pd::<0b10_01_00_11>(a),
            }
        };
        swapped(a) = _mm512_shuffle_f64x2::<0b01_00_11_10>(a, a);
        above(a, b) -> u32 = u32::from(_mm512_cmp_pd_mask::<_CMP_GT_OQ>(a, b));
        not_below(a, b) -> u32 = u32::from(_mm512_cmp_pd_mask::<_CMP_NLT_UQ>(a, b));
        with_difference(marks, a, b) = {
            let (marks, a, b) = (_mm512_castpd_si512(marks), _mm512_castpd_si512(a), _mm512_castpd_si512(b));
            // Computes marks | (a ^ b), bit by bit.
            _mm512_castsi512_pd(_mm512_ternarylogic_epi64::<0b1111_0110>(marks, a, b))
        };
        has_bits(a) -> bool = _mm512_test_epi64_mask(_mm512_castpd_si512(a), _mm512_castpd_si512(a)) != 0;
        least(a) -> f64 = _mm512_reduce_min_pd(a);
        greatest(a) -> f64 = _mm512_reduce_max_pd(a);
    }

    #[inline(always)]
    fn rounded_into(self, out: &mut [f32; DOUBLES]) -> Self {
        // SAFETY: only an `Avx512` creates vectors. The array is as long as half a register. It need not be aligned.
        Self(unsafe {
            let rounded = _mm512_cvtpd_ps(self.0);
            _mm256_storeu_ps(out.as_mut_ptr(), rounded);
            _mm512_cvtps_pd(rounded)
        })
    }

    #[inline(always)]
    fn store(self, out: &mut [f64]) {
        let out: &mut [f64] = &mut out[..DOUBLES];
        // SAFETY: only an `Avx512` creates vectors. The eight numbers need not be aligned.
        unsafe { _mm512_storeu_pd(out.as_mut_ptr(), self.0) }
    }
}

impl Avx512Doubles {
    operations! { "avx512f", __m512d;
        to_f32(a) -> __m256 = _mm512_cvtpd_ps(a);
    }
}

impl Singles for Avx512Singles {
    operations! { "avx512f,avx512dq", __m512;
        sub(a, b) = _mm512_sub_ps(a, b);
        add(a, b) = _mm512_add_ps(a, b);
        mul(a, b) = _mm512_mul_ps(a, b);
        div(a, b) = _mm512_div_ps(a, b);
        sqrt(a) = _mm512_sqrt_ps(a);
        mul_add(a, factor, addend) = _mm512_fmadd_ps(a, factor, addend);
        abs(a) = _mm512_abs_ps(a);
        min(a, b) = _mm512_min_ps(a, b);
        max(a, b) = _mm512_max_ps(a, b);
        // In each lane, the greater of the two absolute values.
        greater_magnitude(a, b) = _mm512_range_ps::<0b1011>(a, b);
        greatest(a) = {
            let of_2 = _mm512_max_ps(a, _mm512_shuffle_f32x4::<0b01_00_11_10>(a, a));
            let of_4 = _mm512_max_ps(of_2, _mm512_shuffle_f32x4::<0b10_11_00_01>(of_2, of_2));
            let of_8 = _mm512_max_ps(of_4, _mm512_permute_ps::<0b01_00_11_10>(of_4));
            _mm512_max_ps(of_8, _mm512_permute_ps::<0b10_11_00_01>(of_8))
        };
        above(a, b) -> u32 = u32::from(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b));
        not_below(a, b) -> u32 = u32::from(_mm512_cmp_ps_mask::<_CMP_NLT_UQ>(a, b));
        next(a) = {
            let lanes = _mm512_castps_si512(a);
            _mm512_castsi512_ps(_mm512_alignr_epi64::<1>(lanes, lanes))
        };
    }

    #[inline(always)]
    fn exchanged(self) -> Interleaved {
        Interleaved(self.with_pairs_exchanged().to_array())
    }

    #[inline(always)]
    fn to_array(self) -> [f32; SINGLES] {
        let mut lanes = [0.0; SINGLES];
        // SAFETY: only an `Avx512` creates vectors. The array is as long as a register. It need not be aligned.
        unsafe { _mm512_storeu_ps(lanes.as_mut_ptr(), self.0) };
        lanes
    }
}

impl Avx512Singles {
    operations! { "avx512f", __m512;
        with_pairs_exchanged(a) = _mm512_permute_ps::<0b10_11_00_01>(a);
    }
}
