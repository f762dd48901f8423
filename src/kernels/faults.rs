//! Fault injection: a test breaks a kernel on purpose, to show that the checks of the kernel detect the fault.
//!
//! The kernels check for an injected fault only in builds for tests with the feature `scenes`. In all other builds, [`has`]
//! is constantly false. A fault exists only on the thread that injects it.

/// The kernels that have faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// The kernels for relations of polygons, which read the caller's f64 vertices.
    Direct,
    /// The kernels for relations of polygons, which read f32 records.
    Records,
    /// The kernels for containment, which read f32 records.
    Containment,
    /// The kernels for measurements in f32 and for times of impact.
    Figures,
    /// The code for contact points of measurements in f64.
    Manifold,
    /// The kernels for points in polygons.
    Points,
    /// The code for areas in f64.
    Areas,
}

/// A fault that a test can inject into a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The computed separations have the wrong sign.
    FlippedSign,
    /// The kernel does not project the last vertex, or the last block of vertices.
    NoLastVertex,
    /// The kernel does not test the first edges of a polygon or of a block.
    NoFirstEdges,
    /// The kernel does not test one edge of each group of four, or the last edge of a polygon.
    NoLastEdges,
    /// The kernel tests only the first block of edges of a polygon.
    FirstBlock,
    /// The bound on the error is a tenth of the correct bound.
    TenthOfTheBound,
    /// The bound on the error is 0, so the kernel is certain even where rounding may have changed the result.
    NoErrors,
    /// The search for the nearest points treats edges as infinite lines.
    Lines,
    /// The reference edge ends one vertex too late.
    NextEdge,
    /// The kernel does not clip the incident edge.
    NoCuts,
    /// Edges that meet only at a corner are clipped like edges that lie over each other.
    NoCorners,
    /// In the search for a time of impact, steps in time are 1.5 times as long as the proven steps.
    Hasty,
}

#[cfg(all(test, feature = "scenes"))]
thread_local! {
    /// The fault that is injected on this thread: the kernel, the fault, and the part of the kernel. `None` if no fault
    /// is injected.
    static INJECTED: std::cell::Cell<Option<(Kernel, Fault, u8)>> = const { std::cell::Cell::new(None) };
}

/// Returns true if `fault` is injected into `kernel` on this thread. In a kernel with several parts, the fault is in
/// part 0.
#[inline(always)]
pub(crate) fn has(kernel: Kernel, fault: Fault) -> bool {
    has_in(kernel, fault, 0)
}

/// Returns true if `fault` is injected into the part `part` of `kernel` on this thread.
#[inline(always)]
pub(crate) fn has_in(kernel: Kernel, fault: Fault, part: u8) -> bool {
    #[cfg(all(test, feature = "scenes"))]
    return INJECTED.get() == Some((kernel, fault, part));
    #[cfg(not(all(test, feature = "scenes")))]
    {
        let _ = (kernel, fault, part);
        false
    }
}

/// Returns the first count of `wrong` that is above 0, or 0 if there is none. The function tests no scene after the first wrong one.
#[cfg(all(test, feature = "scenes"))]
pub(crate) fn first_wrong(mut wrong: impl Iterator<Item = usize>) -> usize {
    wrong.find(|&wrong| wrong > 0).unwrap_or(0)
}

/// Injects a fault while `wrong` runs and counts wrong answers. Panics if no answer is wrong. Prints a row of the table
/// of faults, with the wrong answers that `wrong` returns. `cargo test -- --nocapture broken_kernels` prints the whole table.
#[cfg(all(test, feature = "scenes"))]
pub(crate) fn assert_caught(kernel: Kernel, fault: Fault, context: &str, wrong: impl FnOnce() -> usize) {
    assert_caught_in(kernel, fault, 0, context, wrong);
}

/// Injects a fault into one part of a kernel while `wrong` runs and counts wrong answers. Panics if no answer is wrong.
/// Prints a row of the table of faults.
#[cfg(all(test, feature = "scenes"))]
pub(crate) fn assert_caught_in(
    kernel: Kernel,
    fault: Fault,
    part: u8,
    context: &str,
    wrong: impl FnOnce() -> usize,
) {
    INJECTED.set(Some((kernel, fault, part)));
    let wrong = wrong();
    INJECTED.set(None);
    println!("{:12} {:16} {context:40} {wrong:8} wrong answers", format!("{kernel:?}"), format!("{fault:?}"));
    assert!(wrong > 0, "{fault:?} of {kernel:?} was not caught, {context}");
}
