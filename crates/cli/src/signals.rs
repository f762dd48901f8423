//! Handles signals that end the process. The handler removes the temporary files. Then the process ends as it would
//! have ended without the handler.

/// Removes the temporary files of unfinished outputs if SIGINT, SIGTERM or SIGHUP ends the process. If the parent
/// process set a signal to be ignored, as `nohup` does with SIGHUP, the signal stays ignored. SIGXFSZ, at a limit on
/// the size of files, does not end the process: the write fails with an ordinary error. If the system has no such
/// signals, or they cannot be caught, the function does nothing.
pub(super) fn clean_up_on_signals() {
    #[cfg(unix)]
    {
        use std::sync::Arc;

        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
        use signal_hook::{iterator::Signals, low_level::emulate_default_handler};

        // To handle it at all is what counts; nobody reads the flag.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());

        let ending = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal));
        let ending: Vec<i32> = ending.collect();
        let (caught, is_caught) = std::sync::mpsc::channel();
        let wait = move || {
            // By the thread that waits for them: without one, where the system refuses it, they are left as they are.
            let Ok(mut signals) = Signals::new(ending) else { return };
            let _ = caught.send(());
            for signal in signals.forever() {
                sat2d_io::internal::remove_unfinished();
                // Dying of the signal, rather than with a code, is what tells a shell to stop its loop.
                let _ = emulate_default_handler(signal);
            }
        };
        if std::thread::Builder::new().name("signals".into()).spawn(wait).is_ok() {
            let _ = is_caught.recv();
        }
    }
}

/// Whether the process ignores a signal.
#[cfg(unix)]
#[expect(unsafe_code)]
fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action nothing changes, and the present one is written where there is room for it.
    let told = unsafe { libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: an action that was not told is zeroes, which are the default action.
    let action = unsafe { action.assume_init() };
    told == 0 && action.sa_sigaction == libc::SIG_IGN
}
