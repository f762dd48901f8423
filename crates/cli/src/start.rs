//! Code that must run before the first thread starts.

pub(crate) use streams::output_was_closed;

/// Turns off a Mesa layer if there is no desktop session. The layer sorts devices in the order that the desktop
/// prefers. Without a desktop, it fails to find a device, and prints a message to standard error each time adapters are
/// listed. `sat2d` has its own order of devices.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "no other thread runs yet that could read the environment")]
pub(crate) fn without_a_desktop() {
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() && std::env::var_os("NODEVICE_SELECT").is_none() {
        // SAFETY: `main` has started no thread.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn without_a_desktop() {}

/// Suppresses the message of a panic in a decoder of another crate. Such a panic becomes an error of the file, which is one line.
#[cfg(feature = "arrow")]
pub(crate) fn without_panics_of_decoders() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !sat2d_io::internal::is_guarded() {
            hook(panic);
        }
    }));
}

#[cfg(not(feature = "arrow"))]
pub(crate) fn without_panics_of_decoders() {}

/// Finds standard streams that are closed when the process begins. Before `main`, the standard library opens
/// `/dev/null` for each closed standard stream. An answer would then be lost without an error.
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod streams {
    use std::sync::atomic::{AtomicBool, Ordering};

    static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

    /// Records whether standard output is closed. The loader calls this function before the standard library starts, so the
    /// function only makes system calls.
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

    pub(crate) fn output_was_closed() -> bool {
        WAS_CLOSED.load(Ordering::Relaxed)
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod streams {
    pub(crate) fn output_was_closed() -> bool {
        false
    }
}
