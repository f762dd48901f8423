//! The inner steps of a scan, compiled for each instruction set and chosen at run time.
//!
//! Work for vector instructions is a [`Task`]. [`on_widest`] runs the task inside a function that is compiled for the
//! widest vector instructions of the machine. The task receives a [`Vectors`] value, which implements the inner steps
//! with these instructions. Every function between [`on_widest`] and the steps must be `#[inline(always)]`.

use super::lanes::{LANES, Lanes};
use crate::Aabb;

/// The steps of a scan that use vector instructions. A value of an implementing type exists only if the machine has the
/// instructions.
pub(super) trait Vectors: Copy {
    /// Returns one bit for each lane, with lane 0 in the lowest bit. The bit is set if the closed box of the lane has a
    /// common point with `bounds`. The result is exact.
    fn meeting(self, lanes: &Lanes, bounds: &Aabb) -> u32;

    /// Writes the pairs of `met`, in the order of the lanes, to the start of `out`. The rest of `out` may hold any
    /// values.
    fn emit(self, met: Met<'_>, out: &mut [[u32; 2]; LANES]);
}

/// The boxes of a leaf, and which of them meet a query box.
#[derive(Clone, Copy)]
pub(super) struct Met<'a> {
    /// The caller's index of the query box.
    pub(super) query: u32,
    /// The caller's index of each box of the leaf.
    pub(super) targets: &'a [u32; LANES],
    /// One bit for each box of the leaf. The bit is set if the box meets the query box.
    pub(super) mask: u32,
    /// Whether the lesser index of a pair comes first, as in a self-join. Otherwise, the index of the query box comes
    /// first.
    pub(super) is_self_join: bool,
}

/// Work that [`on_widest`] runs with vectors.
pub(super) trait Task {
    /// The result of the task.
    type Output;
    /// Does the work. Implementations must use `#[inline(always)]`.
    fn run<V: Vectors>(self, vectors: V) -> Self::Output;
}

/// The implementation of [`Vectors`] that uses only instructions of the build target, which every machine of the target
/// has.
#[derive(Clone, Copy)]
pub(super) struct Plain;

impl Vectors for Plain {
    #[inline(always)]
    fn meeting(self, lanes: &Lanes, bounds: &Aabb) -> u32 {
        let mut mask = 0;
        for lane in 0..LANES {
            let meets = (lanes.min_x[lane] <= bounds.max.x)
                & (lanes.max_x[lane] >= bounds.min.x)
                & (lanes.min_y[lane] <= bounds.max.y)
                & (lanes.max_y[lane] >= bounds.min.y);
            mask |= u32::from(meets) << lane;
        }
        mask
    }

    #[inline(always)]
    fn emit(self, met: Met<'_>, out: &mut [[u32; 2]; LANES]) {
        let (a, mut mask) = (met.query, met.mask);
        for pair in out {
            if mask == 0 {
                return;
            }
            let b = met.targets[mask.trailing_zeros() as usize % LANES];
            *pair = if met.is_self_join { [a.min(b), a.max(b)] } else { [a, b] };
            mask &= mask - 1;
        }
    }
}

/// Runs `task` with the widest vectors that the machine has.
#[cfg(target_arch = "x86_64")]
pub(super) fn on_widest<T: Task>(task: T) -> T::Output {
    if let Some(vectors) = x86::Avx512::of_this_machine() {
        vectors.run(task)
    } else if let Some(vectors) = x86::Avx2::of_this_machine() {
        vectors.run(task)
    } else {
        task.run(Plain)
    }
}

/// Runs `task` with [`Plain`]. The compiler can vectorise its loops for the build target, for example with NEON on
/// aarch64.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn on_widest<T: Task>(task: T) -> T::Output {
    task.run(Plain)
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Aabb, LANES, Lanes, Met, Task, Vectors};

    /// The steps with AVX-512 instructions: vectors of eight f64 numbers, with bit masks as results of comparisons.
    #[derive(Clone, Copy)]
    pub(super) struct Avx512(());

    impl Avx512 {
        pub(super) fn of_this_machine() -> Option<Self> {
            // The compiler assumes that a machine with AVX-512 also has AVX2 and FMA.
            let has = !cfg!(sat2d_no_avx512)
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt");
            has.then_some(Self(()))
        }

        pub(super) fn run<T: Task>(self, task: T) -> T::Output {
            #[target_feature(enable = "avx512f,bmi1,bmi2,popcnt")]
            fn with_vectors<T: Task>(task: T, vectors: Avx512) -> T::Output {
                task.run(vectors)
            }
            // SAFETY: `self` exists only if the machine has the instructions that the function is compiled for.
            unsafe { with_vectors(task, self) }
        }
    }

    impl Vectors for Avx512 {
        #[inline(always)]
        fn meeting(self, lanes: &Lanes, bounds: &Aabb) -> u32 {
            #[inline]
            #[target_feature(enable = "avx512f")]
            fn meeting(lanes: &Lanes, bounds: &Aabb) -> u32 {
                let half = |lanes: &[f64; LANES], at: usize| {
                    let lanes = &lanes[at..at + LANES / 2];
                    _mm512_setr_pd(
                        lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6], lanes[7],
                    )
                };
                let (min_x, max_x) = (_mm512_set1_pd(bounds.min.x), _mm512_set1_pd(bounds.max.x));
                let (min_y, max_y) = (_mm512_set1_pd(bounds.min.y), _mm512_set1_pd(bounds.max.y));
                // Each comparison writes its own mask. A chain of masked comparisons would wait for each result.
                let meeting = |at: usize| {
                    let left = _mm512_cmp_pd_mask::<_CMP_LE_OQ>(half(&lanes.min_x, at), max_x);
                    let right = _mm512_cmp_pd_mask::<_CMP_GE_OQ>(half(&lanes.max_x, at), min_x);
                    let below = _mm512_cmp_pd_mask::<_CMP_LE_OQ>(half(&lanes.min_y, at), max_y);
                    let above = _mm512_cmp_pd_mask::<_CMP_GE_OQ>(half(&lanes.max_y, at), min_y);
                    u32::from((left & right) & (below & above))
                };
                meeting(0) | meeting(LANES / 2) << (LANES / 2)
            }
            // SAFETY: `self` exists only if the machine has the instructions that the function is compiled for.
            unsafe { meeting(lanes, bounds) }
        }

        #[inline(always)]
        fn emit(self, met: Met<'_>, out: &mut [[u32; 2]; LANES]) {
            #[inline]
            #[target_feature(enable = "avx512f")]
            fn emit(met: Met<'_>, out: &mut [[u32; 2]; LANES]) {
                // SAFETY: `met.targets` has 64 bytes.
                let targets = unsafe { _mm512_loadu_si512(met.targets.as_ptr().cast()) };
                let targets = _mm512_maskz_compress_epi32(met.mask as u16, targets);
                let query = _mm512_set1_epi32(met.query as i32);
                let (first, second) = if met.is_self_join {
                    (_mm512_min_epu32(query, targets), _mm512_max_epu32(query, targets))
                } else {
                    (query, targets)
                };
                let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
                let high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
                let out: *mut [[u32; 2]; LANES] = out;
                // SAFETY: `out` has 128 bytes, and every bit pattern is a valid value.
                unsafe {
                    _mm512_storeu_si512(out.cast(), _mm512_permutex2var_epi32(first, low, second));
                    let rest = _mm512_permutex2var_epi32(first, high, second);
                    _mm512_storeu_si512(out.cast::<[[u32; 2]; LANES / 2]>().add(1).cast(), rest);
                }
            }
            // SAFETY: `self` exists only if the machine has the instructions that the function is compiled for.
            unsafe { emit(met, out) }
        }
    }

    /// The steps with AVX2 instructions: vectors of four f64 numbers.
    #[derive(Clone, Copy)]
    pub(super) struct Avx2(());

    impl Avx2 {
        pub(super) fn of_this_machine() -> Option<Self> {
            let has = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt");
            has.then_some(Self(()))
        }

        pub(super) fn run<T: Task>(self, task: T) -> T::Output {
            #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
            fn with_vectors<T: Task>(task: T, vectors: Avx2) -> T::Output {
                task.run(vectors)
            }
            // SAFETY: `self` exists only if the machine has the instructions that the function is compiled for.
            unsafe { with_vectors(task, self) }
        }
    }

    impl Vectors for Avx2 {
        #[inline(always)]
        fn meeting(self, lanes: &Lanes, bounds: &Aabb) -> u32 {
            #[inline]
            #[target_feature(enable = "avx2")]
            fn meeting(lanes: &Lanes, bounds: &Aabb) -> u32 {
                let four = |lanes: &[f64; LANES], at: usize| {
                    _mm256_setr_pd(lanes[at], lanes[at + 1], lanes[at + 2], lanes[at + 3])
                };
                let (min_x, max_x) = (_mm256_set1_pd(bounds.min.x), _mm256_set1_pd(bounds.max.x));
                let (min_y, max_y) = (_mm256_set1_pd(bounds.min.y), _mm256_set1_pd(bounds.max.y));
                let quarter = |at: usize| {
                    let x = _mm256_and_pd(
                        _mm256_cmp_pd::<_CMP_LE_OQ>(four(&lanes.min_x, at), max_x),
                        _mm256_cmp_pd::<_CMP_GE_OQ>(four(&lanes.max_x, at), min_x),
                    );
                    let y = _mm256_and_pd(
                        _mm256_cmp_pd::<_CMP_LE_OQ>(four(&lanes.min_y, at), max_y),
                        _mm256_cmp_pd::<_CMP_GE_OQ>(four(&lanes.max_y, at), min_y),
                    );
                    _mm256_movemask_pd(_mm256_and_pd(x, y)) as u32
                };
                quarter(0) | quarter(4) << 4 | quarter(8) << 8 | quarter(12) << 12
            }
            // SAFETY: `self` exists only if the machine has the instructions that the function is compiled for.
            unsafe { meeting(lanes, bounds) }
        }

        #[inline(always)]
        fn emit(self, met: Met<'_>, out: &mut [[u32; 2]; LANES]) {
            super::Plain.emit(met, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the caller's indices of the boxes of a leaf. Some are below 2^31 and some above.
    fn indices(query: u32) -> [u32; LANES] {
        std::array::from_fn(|lane| (query + lane as u32).wrapping_mul(0x9e37_79b9))
    }

    /// A task that runs every operation of [`Vectors`] on every case, and collects the results.
    struct Steps<'a>(&'a [(Lanes, Aabb)]);

    impl Task for Steps<'_> {
        type Output = Vec<(u32, Vec<[u32; 2]>)>;

        #[inline(always)]
        fn run<V: Vectors>(self, vectors: V) -> Self::Output {
            let mut out = [[0; 2]; LANES];
            let steps = self.0.iter().zip(0..).map(|((lanes, bounds), query)| {
                let mask = vectors.meeting(lanes, bounds);
                let targets = indices(query);
                let met = Met { query: 1 << 31, targets: &targets, mask, is_self_join: query % 2 == 0 };
                vectors.emit(met, &mut out);
                (mask, out[..mask.count_ones() as usize].to_vec())
            });
            steps.collect()
        }
    }

    /// Returns boxes on a small grid. Many touch, some are one ulp off, some are infinite, and many leaves are not
    /// full.
    fn cases() -> Vec<(Lanes, Aabb)> {
        let mut state = 7_u32;
        let mut next = |count: u32| {
            state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            (state >> 16) % count
        };
        let mut aabb = || {
            let mut side = || {
                let min = f64::from(next(6)) - 3.0;
                let max = min + f64::from(next(3));
                match next(8) {
                    0 => (min.next_down(), max.next_down()),
                    1 => (min, max.next_up()),
                    2 => (f64::NEG_INFINITY, max),
                    _ => (min, max),
                }
            };
            let ((min_x, max_x), (min_y, max_y)) = (side(), side());
            Aabb { min: [min_x, min_y].into(), max: [max_x, max_y].into() }
        };
        (0..4000).map(|i| (Lanes::of((0..i % (LANES + 1)).map(|_| aabb())), aabb())).collect()
    }

    #[test]
    fn plain_steps_are_those_of_boxes() {
        let cases = cases();
        let found = (0..).zip(cases.iter().zip(Steps(&cases).run(Plain)));
        for (query, ((lanes, bounds), (mask, pairs))) in found {
            let meets = |lane: &u32| {
                let other = lanes.get(*lane as usize);
                !other.min.x.is_nan() && other.meets(*bounds)
            };
            let expected: Vec<u32> = (0..LANES as u32).filter(meets).collect();
            assert_eq!((0..32).filter(|lane| mask >> lane & 1 == 1).collect::<Vec<_>>(), expected);
            let pair = |&lane: &u32| {
                let target = indices(query)[lane as usize];
                if query % 2 == 0 && target < 1 << 31 { [target, 1 << 31] } else { [1 << 31, target] }
            };
            assert_eq!(pairs, expected.iter().map(pair).collect::<Vec<_>>());
        }
    }

    #[test]
    fn vectors_answer_as_the_plain_steps() {
        let cases = cases();
        let plain = Steps(&cases).run(Plain);
        assert!(on_widest(Steps(&cases)) == plain);
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(vectors) = x86::Avx512::of_this_machine() {
                assert!(vectors.run(Steps(&cases)) == plain);
            }
            if let Some(vectors) = x86::Avx2::of_this_machine() {
                assert!(vectors.run(Steps(&cases)) == plain);
            }
        }
    }
}
