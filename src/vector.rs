//! Vector instructions, chosen when the program runs: safe code, compiled once for each set of them.

/// Work that gains from vector instructions. All of it must be inlined (`#[inline(always)]`) to be compiled for them.
pub(crate) trait Vectorised {
    /// What the work gives.
    type Output;

    /// Does it. `FUSED`: whether `mul_add` is one instruction.
    fn run<const FUSED: bool>(self) -> Self::Output;
}

/// Does the work with the widest vectors that the machine has.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[inline]
pub(crate) fn vectorised<V: Vectorised>(work: V) -> V::Output {
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    fn with_avx2<V: Vectorised>(work: V) -> V::Output {
        work.run::<true>()
    }
    // Each is looked up once and then remembered.
    let has_all = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    if has_all {
        // SAFETY: the machine has what the function is compiled for.
        unsafe { with_avx2(work) }
    } else {
        work.run::<false>()
    }
}

/// Does the work; machines of the other kinds have the vectors that the compiler assumes (NEON on aarch64, which fuses).
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) fn vectorised<V: Vectorised>(work: V) -> V::Output {
    work.run::<{ cfg!(target_arch = "aarch64") }>()
}

/// Asks for the cache lines of a value that will be read soon.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
pub(crate) fn prefetch<T: ?Sized>(value: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let start = std::ptr::from_ref(value).cast::<i8>();
    for line in 0..size_of_val(value).div_ceil(64) {
        // SAFETY: a prefetch reads nothing that the program could see, and never faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(64 * line)) }
    }
}

/// Leaves it to the machine.
#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn prefetch<T: ?Sized>(_value: &T) {}
