//! Handles signals that end the process. The handler removes the temporary files. Then the process ends as it would
//! have ended without the handler.

/// Removes the temporary files of unfinished outputs if SIGINT, SIGTERM or SIGHUP ends the process. A signal that the
/// parent process ignores stays ignored (`nohup` makes a process ignore SIGHUP). If a file reaches the size limit of the
/// process, SIGXFSZ does not end the process, and the write fails with an ordinary error. If the system has no such
/// signals, or they cannot be caught, the function does nothing.
pub(super) fn clean_up_on_signals() {
    #[cfg(unix)]
    {
        use std::sync::Arc;

        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
        use signal_hook::{iterator::Signals, low_level::emulate_default_handler};

        // The handler keeps the process alive. Nothing reads the flag.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());

        let ending = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal));
        let ending: Vec<i32> = ending.collect();
        let (caught, is_caught) = std::sync::mpsc::channel();
        let wait = move || {
            // This thread waits for the signals. If the signals cannot be caught, their default actions stay.
            let Ok(mut signals) = Signals::new(ending) else { return };
            let _ = caught.send(());
            for signal in signals.forever() {
                sat2d_io::internal::remove_unfinished();
                // The process must die of the signal and not return an exit code. Only then does a shell end a loop of
                // commands.
                let _ = emulate_default_handler(signal);
            }
        };
        if std::thread::Builder::new().name("signals".into()).spawn(wait).is_ok() {
            let _ = is_caught.recv();
        }
    }
}

/// Returns whether the process ignores a signal.
#[cfg(unix)]
#[expect(unsafe_code)]
fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: Without a new action, the call changes nothing. It writes the current action to memory that has room for it.
    let told = unsafe { libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: If the call failed, the memory is all zeros, which is a valid action.
    let action = unsafe { action.assume_init() };
    told == 0 && action.sa_sigaction == libc::SIG_IGN
}
