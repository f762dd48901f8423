//! Where a function keeps on the stack what no longer fits its registers.

/// A cache line.
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "only its place counts")] [u8; 64]);

/// Has the caller's frame begin with a cache line, so that registers kept on the stack lie in one each. Compilers see to that for
/// variables, but not for what they find no register for: by how deep a call is, such values lie across two lines, and the
/// filter of small polygons takes a third longer.
#[inline(always)]
pub(super) fn align_frame() {
    // Named and written to, or it would be a constant.
    let mut line = Line([0; 64]);
    std::hint::black_box(&mut line);
}
