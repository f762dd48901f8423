//! Signals that end a process: it ends as it would have, once its temporary files are removed.

/// Removes the temporary files of unfinished outputs where SIGINT or SIGTERM ends the process. SIGHUP is left alone, so
/// that `nohup` does what it says. SIGXFSZ, at a limit on the size of files, ends nothing: the write that it is about
/// fails, and that is an error like any other. Where there are no such signals, or they cannot be caught, nothing changes.
pub(super) fn clean_up_on_signals() {
    #[cfg(unix)]
    {
        use std::sync::Arc;

        use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
        use signal_hook::{iterator::Signals, low_level::emulate_default_handler};

        // To handle it at all is what counts; nobody reads the flag.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());

        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
        let wait = move || {
            for signal in signals.forever() {
                let _no_new_ones = crate::io::remove_unfinished();
                // Dying of the signal, rather than with a code, is what tells a shell to stop its loop.
                let _ = emulate_default_handler(signal);
            }
        };
        let _ = std::thread::Builder::new().name("signals".into()).spawn(wait);
    }
}
