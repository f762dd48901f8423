//! Aligns the stack frame of a function whose values do not all fit in registers.

/// A value with the size of a cache line.
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "only its place counts")] [u8; 64]);

/// Aligns the caller's stack frame to a cache line, so that each register that is saved on the stack lies in one cache
/// line. Compilers align variables, but not saved registers. Without this function, a saved register can lie in two
/// cache lines, depending on the depth of the call. The filter of small polygons then takes a third longer.
#[inline(always)]
pub(super) fn align_frame() {
    // The variable has a name and is written to, because otherwise the compiler would make it a constant.
    let mut line = Line([0; 64]);
    std::hint::black_box(&mut line);
}
