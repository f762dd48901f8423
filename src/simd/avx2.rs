//! Vectors with AVX2 and FMA instructions. Each operation compiles to one or a few instructions. [`super::plain`] is
//! the scalar twin.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::doubles::OnDoubles;
use super::frame::align_frame;
use super::{HALF, HalfRow, Instructions, LANES, Lanes, Row, Vectorised};

/// Proof that the machine has AVX2 and FMA. A value of this type exists only after a check of the machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2(());

/// Eight f32 lanes. Only [`Avx2`] creates values of this type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2Lanes(__m256);

impl Avx2 {
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        // The library looks up each feature once and remembers it.
        let has_all = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        has_all.then_some(Self(()))
    }

    #[inline]
    pub(super) fn run<V: Vectorised>(self, work: V) -> V::Output {
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        fn with_avx2<V: Vectorised>(avx2: Avx2, work: V) -> V::Output {
            align_frame();
            work.run(avx2)
        }
        // SAFETY: `self` exists only if the machine has the instructions that the function is compiled for.
        unsafe { with_avx2(self, work) }
    }

    #[inline]
    pub(super) fn run_on_doubles<W: OnDoubles>(self, work: W) -> W::Output {
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        fn with_avx2<W: OnDoubles>(avx2: Avx2, work: W) -> W::Output {
            align_frame();
            work.run(avx2)
        }
        // SAFETY: `self` exists only if the machine has the instructions that the function is compiled for.
        unsafe { with_avx2(self, work) }
    }
}

impl Instructions for Avx2 {
    type Lanes = Avx2Lanes;

    token_functions! { "avx2";
        splat(x: f32) -> Avx2Lanes = Avx2Lanes(_mm256_set1_ps(x));
        splat_halves(lower: f32, upper: f32) -> Avx2Lanes =
            Avx2Lanes(_mm256_set_m128(_mm_set1_ps(upper), _mm_set1_ps(lower)));
    }

    #[inline(always)]
    fn load(self, row: &[f32], start: usize) -> Avx2Lanes {
        let row = &row[start..start + LANES];
        // SAFETY: `self` exists only if the machine has AVX2. `row` is as long as a register, and need not be aligned.
        Avx2Lanes(unsafe { _mm256_loadu_ps(row.as_ptr()) })
    }

    #[inline(always)]
    fn columns(self, rows: [&Row; LANES]) -> [Avx2Lanes; LANES] {
        // Each register holds half of row r and half of row r + 4. All further moves then stay within halves of
        // registers.
        let [a, b, c, d] = self.four_columns([
            self.halves::<0>(rows[0], rows[4]),
            self.halves::<0>(rows[1], rows[5]),
            self.halves::<0>(rows[2], rows[6]),
            self.halves::<0>(rows[3], rows[7]),
        ]);
        let [e, f, g, h] = self.four_columns([
            self.halves::<4>(rows[0], rows[4]),
            self.halves::<4>(rows[1], rows[5]),
            self.halves::<4>(rows[2], rows[6]),
            self.halves::<4>(rows[3], rows[7]),
        ]);
        [
            Avx2Lanes(a),
            Avx2Lanes(b),
            Avx2Lanes(c),
            Avx2Lanes(d),
            Avx2Lanes(e),
            Avx2Lanes(f),
            Avx2Lanes(g),
            Avx2Lanes(h),
        ]
    }

    #[inline(always)]
    fn half_columns(self, rows: [&HalfRow; LANES]) -> [Avx2Lanes; 4] {
        let [x, y, z, w] = self.four_columns([
            self.both(rows[0], rows[4]),
            self.both(rows[1], rows[5]),
            self.both(rows[2], rows[6]),
            self.both(rows[3], rows[7]),
        ]);
        [Avx2Lanes(x), Avx2Lanes(y), Avx2Lanes(z), Avx2Lanes(w)]
    }

    #[inline(always)]
    fn half_rows(self, columns: [Avx2Lanes; 4]) -> [HalfRow; LANES] {
        let mut rows = [HalfRow::default(); LANES];
        // SAFETY: `self` exists only if the machine has AVX2. Half a row is as long as half a register, and aligned.
        unsafe {
            let [x, y, z, w] = columns;
            for (r, pair) in self.four_columns([x.0, y.0, z.0, w.0]).into_iter().enumerate() {
                _mm_store_ps(rows[r].0.as_mut_ptr(), _mm256_castps256_ps128(pair));
                _mm_store_ps(rows[r + 4].0.as_mut_ptr(), _mm256_extractf128_ps::<1>(pair));
            }
        }
        rows
    }

    #[inline(always)]
    fn load_halves(self, lower: &[f32], upper: &[f32], start: usize) -> Avx2Lanes {
        let [lower, upper] = [&lower[start..start + HALF], &upper[start..start + HALF]];
        // SAFETY: `self` exists only if the machine has AVX2. Each row is as long as half a register, and need not be aligned.
        Avx2Lanes(unsafe { _mm256_loadu2_m128(upper.as_ptr(), lower.as_ptr()) })
    }

    #[inline]
    fn apart<V: Vectorised>(self, part: V) -> V::Output {
        self.run(part)
    }
}

impl Avx2 {
    token_functions! { "avx2";
        // Transposes, in each half of the four registers, the four rows of four numbers. Applied twice, the function returns its
        // arguments.
        four_columns(rows: [__m256; 4]) -> [__m256; 4] = {
            let [a, b, c, d] = rows;
            let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
            let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
            [
                _mm256_shuffle_ps::<0b0100_0100>(ab_low, cd_low),
                _mm256_shuffle_ps::<0b1110_1110>(ab_low, cd_low),
                _mm256_shuffle_ps::<0b0100_0100>(ab_high, cd_high),
                _mm256_shuffle_ps::<0b1110_1110>(ab_high, cd_high),
            ]
        };
    }

    /// Loads half of each of two rows: four numbers, beginning with the number at the index `FROM`. The numbers of `low`
    /// go to the lower lanes, and the numbers of `high` to the upper lanes.
    #[inline(always)]
    fn halves<const FROM: usize>(self, low: &Row, high: &Row) -> __m256 {
        const { assert!(FROM == 0 || FROM == HALF) }
        // SAFETY: `self` exists only if the machine has AVX2. A row is aligned, and so are its halves.
        unsafe {
            _mm256_set_m128(_mm_load_ps(high.0.as_ptr().add(FROM)), _mm_load_ps(low.0.as_ptr().add(FROM)))
        }
    }

    /// Joins two half rows. The numbers of `low` go to the lower lanes, and the numbers of `high` to the upper lanes.
    #[inline(always)]
    fn both(self, low: &HalfRow, high: &HalfRow) -> __m256 {
        // SAFETY: `self` exists only if the machine has AVX2. Half a row is as long as half a register, and aligned.
        unsafe { _mm256_set_m128(_mm_load_ps(high.0.as_ptr()), _mm_load_ps(low.0.as_ptr())) }
    }
}

impl Lanes for Avx2Lanes {
    operations! { "avx2,fma", __m256;
        add(a, b) = _mm256_add_ps(a, b);
        sub(a, b) = _mm256_sub_ps(a, b);
        mul(a, b) = _mm256_mul_ps(a, b);
        div(a, b) = _mm256_div_ps(a, b);
        sqrt(a) = _mm256_sqrt_ps(a);
        mul_add(a, factor, addend) = _mm256_fmadd_ps(a, factor, addend);
        abs(a) = _mm256_andnot_ps(_mm256_set1_ps(-0.0), a);
        min(a, b) = _mm256_min_ps(a, b);
        max(a, b) = _mm256_max_ps(a, b);
        where_less(lanes, a, b, others) = _mm256_blendv_ps(others, lanes, _mm256_cmp_ps::<_CMP_LT_OQ>(a, b));
        any_above(a, b) -> bool = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(a, b)) != 0;
        any_at_least(a, b) -> bool = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(a, b)) != 0;
        at_least(a, b) -> u32 = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(a, b)) as u32;
        least(a) = {
            let of_2 = _mm256_min_ps(a, _mm256_permute2f128_ps::<1>(a, a));
            let of_4 = _mm256_min_ps(of_2, _mm256_permute_ps::<0b01_00_11_10>(of_2));
            _mm256_min_ps(of_4, _mm256_permute_ps::<0b10_11_00_01>(of_4))
        };
        greatest(a) = {
            let of_2 = _mm256_max_ps(a, _mm256_permute2f128_ps::<1>(a, a));
            let of_4 = _mm256_max_ps(of_2, _mm256_permute_ps::<0b01_00_11_10>(of_2));
            _mm256_max_ps(of_4, _mm256_permute_ps::<0b10_11_00_01>(of_4))
        };
        first(a) -> f32 = _mm256_cvtss_f32(a);
        of_half<const LANE: usize>(a) = match LANE {
            0 => _mm256_permute_ps::<0b00_00_00_00>(a),
            1 => _mm256_permute_ps::<0b01_01_01_01>(a),
            2 => _mm256_permute_ps::<0b10_10_10_10>(a),
            _ => _mm256_permute_ps::<0b11_11_11_11>(a),
        };
    }

    #[inline(always)]
    fn to_array(self) -> [f32; LANES] {
        let mut lanes = [0.0; LANES];
        // SAFETY: only an `Avx2` creates vectors. The array is as long as a register. It need not be aligned.
        unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), self.0) };
        lanes
    }
}
