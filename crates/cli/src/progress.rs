//! Shows progress on standard error, if standard error is a terminal.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressState, ProgressStyle};

use sat2d::Progress;
use sat2d_io::BytesRead;

/// A line that shows the progress. The line is invisible if standard error is not a terminal.
#[derive(Debug)]
pub(super) struct Bar {
    bar: ProgressBar,
    reading: Arc<Mutex<Option<Reading>>>,
}

/// A file that is being read: the counter of its bytes, and the time at which the reading began.
#[derive(Debug)]
struct Reading {
    bytes: Arc<BytesRead>,
    start: Instant,
}

/// Formats the number of bytes read, the size of the file if known, and the bytes read per second. Returns an empty text if
/// nothing was read.
fn text(read: u64, all: u64, time: Duration) -> String {
    if read == 0 {
        return String::new();
    }
    let of = if all == 0 { String::new() } else { format!(" of {}", HumanBytes(all)) };
    let rate = HumanBytes((read as f64 / time.as_secs_f64().max(1e-3)) as u64);
    format!(": {}{of}, {rate}/s", HumanBytes(read))
}

impl Bar {
    pub(super) fn new() -> Self {
        // The bar draws on standard error, and only if it is a terminal.
        let bar = ProgressBar::new_spinner();
        let reading: Arc<Mutex<Option<Reading>>> = Arc::default();
        let of_reading = reading.clone();
        // indicatif calls this closure each time it draws the progress line.
        let read = move |_: &ProgressState, line: &mut dyn std::fmt::Write| {
            if let Ok(reading) = of_reading.lock()
                && let Some(Reading { bytes, start }) = &*reading
            {
                // If the line cannot be written, it is not shown.
                let _ = line.write_str(&text(bytes.read(), bytes.all(), start.elapsed()));
            }
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}{read} [{elapsed}]") {
            bar.set_style(style.with_key("read", read));
        }
        // A steady tick needs its own thread, and indicatif panics if the system refuses the thread.
        if !bar.is_hidden() && std::thread::Builder::new().spawn(|| ()).is_ok() {
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        Self { bar, reading }
    }

    pub(super) fn message(&self, message: String) {
        self.show(message, None);
    }

    /// Shows that a file is being read, with `message`. Returns the counter in which the caller counts the bytes.
    pub(super) fn reading(&self, message: String) -> Arc<BytesRead> {
        let bytes = Arc::<BytesRead>::default();
        self.show(message, Some(Reading { bytes: bytes.clone(), start: Instant::now() }));
        bytes
    }

    fn show(&self, message: String, reading: Option<Reading>) {
        if let Ok(mut shown) = self.reading.lock() {
            *shown = reading;
        }
        self.bar.set_message(message);
    }

    /// Removes the progress line permanently.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Hides the progress line while `print` prints something else.
    pub(super) fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_read_shows_its_bytes_and_their_rate() {
        let second = Duration::from_secs(1);
        assert_eq!(text(0, 100, second), "");
        assert_eq!(text(3 << 20, 12 << 20, 2 * second), ": 3.00 MiB of 12.00 MiB, 1.50 MiB/s");
        assert_eq!(text(2048, 0, second), ": 2.00 KiB, 2.00 KiB/s");
        let bar = Bar::new();
        let bytes = bar.reading("reading a.geojson".into());
        assert!(Arc::ptr_eq(&bytes, &bar.reading.lock().unwrap().as_ref().unwrap().bytes));
        bar.message("packing".into());
        assert!(bar.reading.lock().unwrap().is_none());
    }
}
