//! Code that several integration tests share. Each of them uses a part of it.
#![allow(dead_code)]

pub(crate) mod areas;
pub(crate) mod bounded;
pub(crate) mod cases;
pub(crate) mod covers;
pub(crate) mod oracle;
pub(crate) mod random;
pub(crate) mod strategies;

/// Returns `all` under `scripts/soak`, which sets `SAT2D_SOAK`. Otherwise, returns `some`, because the test would take too long
/// with `all`.
pub(crate) fn in_soak<T>(all: T, some: T) -> T {
    if std::env::var_os("SAT2D_SOAK").is_some() { all } else { some }
}
