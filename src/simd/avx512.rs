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

/// Returns the x coordinates and the y coordinates of the points in two registers. `at` is the permutation that selects
/// the x coordinates.
///
/// # Safety
/// The machine must have AVX-512.
#[inline(always)]
unsafe fn apart(low: __m512d, high: __m512d, at: __m512i) -> [Avx512Doubles; 2] {
    // SAFETY: the caller guarantees AVX-512.
    unsafe {
        let at_y = _mm512_or_si512(at, _mm512_set1_epi64(1));
        [
            Avx512Doubles(_mm512_permutex2var_pd(low, at, high)),
            Avx512Doubles(_mm512_permutex2var_pd(low, at_y, high)),
        ]
    }
}

impl DoubleInstructions for Avx512 {
    type Doubles = Avx512Doubles;

    #[inline(always)]
    fn doubles(self, x: f64) -> Avx512Doubles {
        // SAFETY: `self` exists only if the machine has AVX-512.
        Avx512Doubles(unsafe { _mm512_set1_pd(x) })
    }

    #[inline(always)]
    fn points(self, points: &[DVec2], start: usize) -> [Avx512Doubles; 2] {
        let points: &[DVec2] = &points[start..start + DOUBLES];
        let first = points.as_ptr().cast::<f64>();
        // SAFETY: `self` exists only if the machine has AVX-512. Eight points are sixteen f64 numbers, and need not be aligned.
        unsafe {
            let (low, high) = (_mm512_loadu_pd(first), _mm512_loadu_pd(first.add(DOUBLES)));
            apart(low, high, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14))
        }
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
            apart(four(0), four(4), _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14))
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
            apart(a, b, _mm512_loadu_si512(at.as_ptr().cast()))
        }
    }

    #[inline(always)]
    fn both(self, a: &[DVec2; 4], b: &[DVec2; 4]) -> [Avx512Doubles; 2] {
        // SAFETY: `self` exists only if the machine has AVX-512. Four points are eight f64 numbers, and need not be aligned.
        unsafe {
            let (a, b) = (_mm512_loadu_pd(a.as_ptr().cast()), _mm512_loadu_pd(b.as_ptr().cast()));
            apart(a, b, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14))
        }
    }
}

impl WideInstructions for Avx512 {
    type Singles = Avx512Singles;

    #[inline(always)]
    fn singles(self, x: f32) -> Avx512Singles {
        // SAFETY: `self` exists only if the machine has AVX-512.
        Avx512Singles(unsafe { _mm512_set1_ps(x) })
    }

    #[inline(always)]
    fn rounded(self, a: Avx512Doubles, b: Avx512Doubles) -> Avx512Singles {
        // SAFETY: `self` exists only if the machine has AVX-512.
        unsafe { self.interleave(_mm512_cvtpd_ps(a.0), _mm512_cvtpd_ps(b.0)) }
    }

    #[inline(always)]
    fn interleaved(self, a: &[f32], b: &[f32], start: usize) -> Avx512Singles {
        let (a, b) = (&a[start..start + DOUBLES], &b[start..start + DOUBLES]);
        // SAFETY: `self` exists only if the machine has AVX-512. The eight numbers need not be aligned.
        unsafe { self.interleave(_mm256_loadu_ps(a.as_ptr()), _mm256_loadu_ps(b.as_ptr())) }
    }

    #[inline(always)]
    fn alternating(self, even: f32, odd: f32) -> Avx512Singles {
        // SAFETY: `self` exists only if the machine has AVX-512.
        Avx512Singles(unsafe { _mm512_mask_blend_ps(0xaaaa, _mm512_set1_ps(even), _mm512_set1_ps(odd)) })
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

// SAFETY, of every block below: `self` came from an `Avx512`, which exists only if the machine has AVX-512.
impl Doubles for Avx512Doubles {
    single_instructions! {
        sub(other) = _mm512_sub_pd;
        add(other) = _mm512_add_pd;
        mul(other) = _mm512_mul_pd;
        div(other) = _mm512_div_pd;
        sqrt() = _mm512_sqrt_pd;
        mul_add(factor, addend) = _mm512_fmadd_pd;
        lost_by_product(factor, product) = _mm512_fmsub_pd;
        min(other) = _mm512_min_pd;
        max(other) = _mm512_max_pd;
    }

    #[inline(always)]
    fn greater_magnitude(self, other: Self) -> Self {
        // In each lane, the greater of the two absolute values.
        Self(unsafe { _mm512_range_pd::<0b1011>(self.0, other.0) })
    }

    #[inline(always)]
    fn rounded_into(self, out: &mut [f32; DOUBLES]) -> Self {
        // The array is as long as half a register. It need not be aligned.
        Self(unsafe {
            let rounded = _mm512_cvtpd_ps(self.0);
            _mm256_storeu_ps(out.as_mut_ptr(), rounded);
            _mm512_cvtps_pd(rounded)
        })
    }

    #[inline(always)]
    fn store(self, out: &mut [f64]) {
        let out: &mut [f64] = &mut out[..DOUBLES];
        // The eight numbers need not be aligned.
        unsafe { _mm512_storeu_pd(out.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn next_closed_by(self, closing: f64) -> Self {
        Self(unsafe {
            let closing = _mm512_castpd_si512(_mm512_set1_pd(closing));
            _mm512_castsi512_pd(_mm512_alignr_epi64::<1>(closing, _mm512_castpd_si512(self.0)))
        })
    }

    #[inline(always)]
    fn next_in_half<const STEP: i32>(self) -> Self {
        const { assert!(STEP >= 1 && STEP <= 3) }
        Self(unsafe {
            match STEP {
                1 => _mm512_permutex_pd::<0b00_11_10_01>(self.0),
                2 => _mm512_permutex_pd::<0b01_00_11_10>(self.0),
                _ => _mm512_permutex_pd::<0b10_01_00_11>(self.0),
            }
        })
    }

    #[inline(always)]
    fn swapped(self) -> Self {
        Self(unsafe { _mm512_shuffle_f64x2::<0b01_00_11_10>(self.0, self.0) })
    }

    #[inline(always)]
    fn above(self, other: Self) -> u32 {
        u32::from(unsafe { _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn not_below(self, other: Self) -> u32 {
        u32::from(unsafe { _mm512_cmp_pd_mask::<_CMP_NLT_UQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn with_difference(self, a: Self, b: Self) -> Self {
        Self(unsafe {
            let marks = _mm512_castpd_si512(self.0);
            let (a, b) = (_mm512_castpd_si512(a.0), _mm512_castpd_si512(b.0));
            // Computes marks | (a ^ b), bit by bit.
            _mm512_castsi512_pd(_mm512_ternarylogic_epi64::<0b1111_0110>(marks, a, b))
        })
    }

    #[inline(always)]
    fn has_bits(self) -> bool {
        unsafe {
            let lanes = _mm512_castpd_si512(self.0);
            _mm512_test_epi64_mask(lanes, lanes) != 0
        }
    }

    #[inline(always)]
    fn least(self) -> f64 {
        unsafe { _mm512_reduce_min_pd(self.0) }
    }

    #[inline(always)]
    fn greatest(self) -> f64 {
        unsafe { _mm512_reduce_max_pd(self.0) }
    }
}

// SAFETY, of every block below: `self` came from an `Avx512`, which exists only if the machine has AVX-512.
impl Singles for Avx512Singles {
    single_instructions! {
        sub(other) = _mm512_sub_ps;
        add(other) = _mm512_add_ps;
        mul(other) = _mm512_mul_ps;
        div(other) = _mm512_div_ps;
        sqrt() = _mm512_sqrt_ps;
        mul_add(factor, addend) = _mm512_fmadd_ps;
        abs() = _mm512_abs_ps;
        min(other) = _mm512_min_ps;
        max(other) = _mm512_max_ps;
    }

    #[inline(always)]
    fn greater_magnitude(self, other: Self) -> Self {
        // In each lane, the greater of the two absolute values.
        Self(unsafe { _mm512_range_ps::<0b1011>(self.0, other.0) })
    }

    #[inline(always)]
    fn greatest(self) -> Self {
        Self(unsafe {
            let of_2 = _mm512_max_ps(self.0, _mm512_shuffle_f32x4::<0b01_00_11_10>(self.0, self.0));
            let of_4 = _mm512_max_ps(of_2, _mm512_shuffle_f32x4::<0b10_11_00_01>(of_2, of_2));
            let of_8 = _mm512_max_ps(of_4, _mm512_permute_ps::<0b01_00_11_10>(of_4));
            _mm512_max_ps(of_8, _mm512_permute_ps::<0b10_11_00_01>(of_8))
        })
    }

    #[inline(always)]
    fn above(self, other: Self) -> u32 {
        u32::from(unsafe { _mm512_cmp_ps_mask::<_CMP_GT_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn not_below(self, other: Self) -> u32 {
        u32::from(unsafe { _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn next(self) -> Self {
        Self(unsafe {
            let lanes = _mm512_castps_si512(self.0);
            _mm512_castsi512_ps(_mm512_alignr_epi64::<1>(lanes, lanes))
        })
    }

    #[inline(always)]
    fn exchanged(self) -> Interleaved {
        Interleaved(Self(unsafe { _mm512_permute_ps::<0b10_11_00_01>(self.0) }).to_array())
    }

    #[inline(always)]
    fn to_array(self) -> [f32; SINGLES] {
        let mut lanes = [0.0; SINGLES];
        // The array is as long as a register. It need not be aligned.
        unsafe { _mm512_storeu_ps(lanes.as_mut_ptr(), self.0) };
        lanes
    }
}
