//! Shows progress on standard error, if standard error is a terminal.

use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressStyle};

use sat2d::Progress;

/// A line that shows the progress. The line is invisible if standard error is not a terminal.
#[derive(Debug)]
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new() -> Self {
        // Draws on standard error, and only on a terminal.
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]") {
            bar.set_style(style);
        }
        // It ticks on a thread of its own, and takes for granted that there can be one.
        if !bar.is_hidden() && std::thread::Builder::new().spawn(|| ()).is_ok() {
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        Self(bar)
    }

    pub(super) fn message(&self, message: String) {
        self.0.set_message(message);
    }

    /// Takes the line away, for good.
    pub(super) fn clear(&self) {
        self.0.finish_and_clear();
    }

    /// Prints something else without a broken line.
    pub(super) fn suspend(&self, print: impl FnOnce()) {
        self.0.suspend(print);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Progress for Bar {
    fn stage(&self, name: &'static str) {
        self.message(name.into());
    }

    fn decided(&self, pairs: u64) {
        self.message(format!("narrow phase: {} candidate pairs", HumanCount(pairs)));
    }
}
