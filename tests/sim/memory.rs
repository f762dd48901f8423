//! Worlds that take a large part of a machine's memory, one at a time.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// While it is held no other test has such a world. A test that failed with it is no hindrance.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static LARGE: Mutex<()> = Mutex::new(());
    LARGE.lock().unwrap_or_else(PoisonError::into_inner)
}
