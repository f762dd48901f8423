//! Allocations that the system may refuse.
//!
//! Allocations that grow with the input use this module. If the system refuses such an allocation, the caller gets an error. For
//! any other allocation that the system refuses, the standard library ends the process. A program can install an allocator that
//! ends the process with an error message. If the system refuses an allocation, such an allocator calls `may_be_refused`. If the
//! result is `true`, the allocator returns null instead of ending the process, because the caller handles the refusal.

use std::cell::Cell;
use std::collections::TryReserveError;

thread_local! {
    /// Whether the code that requests memory on this thread handles a refusal.
    static MAY_BE_REFUSED: Cell<bool> = const { Cell::new(false) };
}

/// Reserves room for `more` additional values, as [`Vec::try_reserve`] does. Returns an error if the system has too little
/// memory.
pub fn try_reserve<T>(values: &mut Vec<T>, more: usize) -> Result<(), TryReserveError> {
    if values.capacity() - values.len() >= more { Ok(()) } else { asking(|| values.try_reserve(more)) }
}

/// Reserves room for exactly `more` additional values, as [`Vec::try_reserve_exact`] does. Returns an error if the system has too
/// little memory.
pub(crate) fn try_reserve_exact<T>(values: &mut Vec<T>, more: usize) -> Result<(), TryReserveError> {
    asking(|| values.try_reserve_exact(more))
}

/// Runs `ask`, and tells the program's allocator that `ask` handles a refusal.
fn asking<R>(ask: impl FnOnce() -> R) -> R {
    MAY_BE_REFUSED.set(true);
    let answer = ask();
    MAY_BE_REFUSED.set(false);
    answer
}

/// Returns whether the code that requests memory on this thread handles a refusal.
pub fn may_be_refused() -> bool {
    // While a thread ends, its thread-local value is gone, and no code handles a refusal.
    MAY_BE_REFUSED.try_with(Cell::get).unwrap_or(false)
}
