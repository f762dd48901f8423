//! Memory that may be refused.
//!
//! What grows with the input asks here, and an error says so where the system refuses. Wherever else the system refuses
//! memory, the standard library ends the process; a program's own allocator can do that with an error message, and
//! `may_be_refused` tells it when not to.

#[cfg(feature = "cli")]
use std::cell::Cell;
use std::collections::TryReserveError;

#[cfg(feature = "cli")]
thread_local! {
    /// Whether what asks for memory on this thread can do without.
    static MAY_BE_REFUSED: Cell<bool> = const { Cell::new(false) };
}

/// As [`Vec::try_reserve`].
pub(crate) fn try_reserve<T>(values: &mut Vec<T>, more: usize) -> Result<(), TryReserveError> {
    if values.capacity() - values.len() >= more { Ok(()) } else { asking(|| values.try_reserve(more)) }
}

/// As [`Vec::try_reserve_exact`].
pub(crate) fn try_reserve_exact<T>(values: &mut Vec<T>, more: usize) -> Result<(), TryReserveError> {
    asking(|| values.try_reserve_exact(more))
}

#[cfg(not(feature = "cli"))]
fn asking<R>(ask: impl FnOnce() -> R) -> R {
    ask()
}

/// Tells the program's allocator, while `ask` runs.
#[cfg(feature = "cli")]
fn asking<R>(ask: impl FnOnce() -> R) -> R {
    MAY_BE_REFUSED.set(true);
    let answer = ask();
    MAY_BE_REFUSED.set(false);
    answer
}

/// Whether what asks for memory on this thread knows what to do without.
#[cfg(feature = "cli")]
pub(crate) fn may_be_refused() -> bool {
    // Where a thread ends, nothing asks here any more.
    MAY_BE_REFUSED.try_with(Cell::get).unwrap_or(false)
}
