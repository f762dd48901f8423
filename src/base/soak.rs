//! The number of cases of random tests.

/// Returns `all` under `scripts/soak`, which sets `SAT2D_SOAK`. Otherwise, returns `some`, because the test would take too long
/// with `all`.
pub(crate) fn in_soak<T>(all: T, some: T) -> T {
    if std::env::var_os("SAT2D_SOAK").is_some() { all } else { some }
}
