//! The thread pool of a browser without shared memory. The pool has only the calling thread.

use super::Run;

pub(crate) fn current_num_threads() -> usize {
    1
}

/// Calls both closures, one after the other.
pub(crate) fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}

/// Calls `run` on the calling thread.
#[cfg(feature = "sim")]
pub(crate) fn in_pool<R>(run: impl FnOnce() -> R) -> R {
    run()
}

/// Calls `lead` only, because the pool has no other thread that could help.
#[cfg(feature = "sim")]
pub(crate) fn beside(_: usize, _: impl Fn(usize), lead: impl FnOnce()) {
    lead();
}

/// Calls `run` with the whole range `0..count`, on the calling thread.
#[inline(always)]
pub(super) fn in_parts(count: usize, _: usize, _: usize, run: &Run<'_>) {
    if count > 0 {
        run(0..count);
    }
}

pub(super) fn is_one_part(_: usize, _: usize) -> bool {
    true
}
