//! The command line of `sat2d`.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: sat2d::cli::Allocator = sat2d::cli::Allocator;

fn main() -> ExitCode {
    sat2d::cli::run(start::output_was_closed())
}

/// What the standard library hides: before `main` it opens `/dev/null` for each standard stream that is closed, so that an
/// answer would go nowhere without an error.
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod start {
    use std::sync::atomic::{AtomicBool, Ordering};

    static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

    /// Called by the loader, before the standard library begins: it asks the system, and no more.
    extern "C" fn look() {
        let is_closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
        WAS_CLOSED.store(is_closed, Ordering::Relaxed);
    }

    #[used]
    #[allow(
        unsafe_code,
        reason = "the loader calls what is in this section, which is a function that may be called at any time"
    )]
    #[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
    #[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
    static LOOK: extern "C" fn() = look;

    pub(super) fn output_was_closed() -> bool {
        WAS_CLOSED.load(Ordering::Relaxed)
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod start {
    pub(super) fn output_was_closed() -> bool {
        false
    }
}
