//! Controls what the allocator does with freed memory.

use crate::AnyError;

/// The environment variable with the options of glibc's allocator.
const TUNABLES: &str = "GLIBC_TUNABLES";

/// Makes glibc's allocator keep freed memory, by starting this program once more with other options. Does nothing if
/// the caller has set `GLIBC_TUNABLES`, even to an empty text.
///
/// With the default options, the allocator may return freed memory to the system after some contenders and not after
/// others. The next contender would then sometimes lose time to new pages from the system.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn keep_memory() -> Result<(), AnyError> {
    use std::os::unix::process::CommandExt;
    /// The allocator keeps up to 1 GiB. The second option is the size up to which allocations come from the kept
    /// memory. 32 MiB is its maximum.
    const KEEP: &str = "glibc.malloc.trim_threshold=1073741824:glibc.malloc.mmap_threshold=33554432";
    /// The variable that marks the second start of this program. It is necessary because a system may remove `GLIBC_TUNABLES`
    /// at the second start.
    const AGAIN: &str = "SAT2D_PEERS_STARTED_AGAIN";
    if [TUNABLES, AGAIN].iter().any(|name| std::env::var_os(name).is_some()) {
        return Ok(());
    }
    let mut again = std::process::Command::new(std::env::current_exe()?);
    Err(again.args(std::env::args_os().skip(1)).env(TUNABLES, KEEP).env(AGAIN, "1").exec().into())
}

/// Does nothing, because only the allocator of glibc has these options.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn keep_memory() -> Result<(), AnyError> {
    Ok(())
}

/// Returns the options of glibc's allocator from the environment, or `None` if there are none.
pub(crate) fn told() -> Option<String> {
    std::env::var(TUNABLES).ok().filter(|told| !told.is_empty())
}
