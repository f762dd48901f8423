//! What the allocator does with memory that is given back.

use crate::AnyError;

/// Where glibc's allocator is told.
const TUNABLES: &str = "GLIBC_TUNABLES";

/// Has the allocator keep what contenders give back, by starting this program once more, unless the caller has said what it
/// should do (an empty `GLIBC_TUNABLES` leaves it as it is). It would otherwise give memory back to the system, or not, by what the
/// contender before left behind, and have the next one wait for pages that another would have had.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn keep_memory() -> Result<(), AnyError> {
    use std::os::unix::process::CommandExt;
    /// Up to 1 GiB, of allocations up to 32 MiB, the most that it takes from what it keeps.
    const KEEP: &str = "glibc.malloc.trim_threshold=1073741824:glibc.malloc.mmap_threshold=33554432";
    /// Says that it was started again: a system may take the other variable away.
    const AGAIN: &str = "SAT2D_PEERS_STARTED_AGAIN";
    if [TUNABLES, AGAIN].iter().any(|name| std::env::var_os(name).is_some()) {
        return Ok(());
    }
    let mut again = std::process::Command::new(std::env::current_exe()?);
    Err(again.args(std::env::args_os().skip(1)).env(TUNABLES, KEEP).env(AGAIN, "1").exec().into())
}

/// Other allocators are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn keep_memory() -> Result<(), AnyError> {
    Ok(())
}

/// What the allocator was told.
pub(crate) fn told() -> Option<String> {
    std::env::var(TUNABLES).ok().filter(|told| !told.is_empty())
}
