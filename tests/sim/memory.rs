//! A lock for tests whose worlds take a large part of a machine's memory, so that they run one at a time.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Returns a guard. While a test holds the guard, no other test has a large world. If a test fails and poisons the lock, other
/// tests still get the guard.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static LARGE: Mutex<()> = Mutex::new(());
    LARGE.lock().unwrap_or_else(PoisonError::into_inner)
}
