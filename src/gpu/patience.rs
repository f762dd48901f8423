//! Waits for a device, with a limit on the waiting time. If the device finishes nothing for a minute, the wait returns
//! an error.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::device::{GpuDevice, one_line};
use crate::base::clock::Instant;
use crate::base::error::{Error, Result};

/// A wait of the host fails if the device finishes no submission for this long.
const PATIENCE: Duration = Duration::from_secs(60);
/// The number of times per [`PATIENCE`] that a wait checks whether the device has made progress.
const LOOKS: u32 = 60;

/// The progress of a device, and the limit on the time that a wait may take without progress.
#[derive(Debug)]
pub struct Watch {
    /// The number of submissions that the device has finished.
    finished: AtomicU64,
    /// Whether the handles of the device are kept until the process ends, so that the device is never freed.
    is_kept: AtomicBool,
    /// The longest time, in milliseconds, that a wait allows without progress. Tests shorten it.
    patience: AtomicU64,
    /// An injected fault. If it is set, every wait finds that the device has finished no submission.
    is_stuck: AtomicBool,
    /// The number of polls that found the injected fault, since the last call of [`Watch::inject`].
    stuck_polls: AtomicU64,
}

impl Default for Watch {
    fn default() -> Self {
        Self {
            finished: AtomicU64::new(0),
            is_kept: AtomicBool::new(false),
            patience: AtomicU64::new(PATIENCE.as_millis() as u64),
            is_stuck: AtomicBool::new(false),
            stuck_polls: AtomicU64::new(0),
        }
    }
}

impl Watch {
    fn patience(&self) -> Duration {
        Duration::from_millis(self.patience.load(Ordering::Relaxed))
    }

    pub(crate) fn finished(&self) -> u64 {
        self.finished.load(Ordering::Relaxed)
    }

    /// Injects faults for tests: waits give up after `patience`. If `is_stuck` is set, no wait sees any progress.
    #[doc(hidden)]
    pub fn inject(&self, is_stuck: bool, patience: Duration) {
        self.is_stuck.store(is_stuck, Ordering::Relaxed);
        self.stuck_polls.store(0, Ordering::Relaxed);
        self.patience.store(patience.as_millis() as u64, Ordering::Relaxed);
    }

    fn is_stuck(&self) -> bool {
        let is_stuck = self.is_stuck.load(Ordering::Relaxed);
        let polls = self.stuck_polls.fetch_add(u64::from(is_stuck), Ordering::Relaxed);
        assert!(polls < 10_000, "a wait without end");
        is_stuck
    }
}

impl GpuDevice {
    /// Submits the recorded commands. Counts the submission in `Watch` when the device has finished the commands.
    pub fn submit(&self, encoder: wgpu::CommandEncoder) -> wgpu::SubmissionIndex {
        let submission = self.queue.submit([encoder.finish()]);
        #[cfg(not(target_family = "wasm"))]
        {
            let watch = std::sync::Arc::clone(&self.watch);
            self.queue.on_submitted_work_done(move || {
                watch.finished.fetch_add(1, Ordering::Relaxed);
            });
        }
        submission
    }

    /// Waits for a submission and all earlier submissions. In a browser, the function does nothing, because callbacks
    /// come from the event loop. `what` names the awaited result in an error message.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the device has finished no submission of [`GpuDevice::submit`] for a minute. The
    /// device is then never freed, because wgpu would wait without end for its queue. Returns [`Error::DeviceLost`] if
    /// the device was lost.
    pub fn wait_for(&self, submission: &wgpu::SubmissionIndex, what: &str) -> Result<()> {
        let poll = |timeout: Duration| {
            if self.watch.is_stuck() {
                std::thread::sleep(timeout);
                return Ok(false);
            }
            let submission_index = Some(submission.clone());
            match self.device.poll(wgpu::PollType::Wait { submission_index, timeout: Some(timeout) }) {
                Ok(_) => Ok(true),
                Err(wgpu::PollError::Timeout) => Ok(false),
                Err(error) => {
                    Err(Error::DeviceLost { reason: self.lost_reason().unwrap_or(one_line(&error)) })
                }
            }
        };
        let patience = self.watch.patience();
        if poll_until_done(patience, || self.watch.finished(), poll)? {
            return Ok(());
        }
        if !self.watch.is_kept.swap(true, Ordering::Relaxed) {
            std::mem::forget((self.device.clone(), self.queue.clone()));
        }
        Err(Error::Device { reason: format!("no progress for {patience:?} while waiting for {what}") })
    }
}

/// Calls `poll` until it reports completion, and then returns true. `poll` waits at most for the time it is given.
/// Returns false if `finished` does not change for the time `patience`. If a call of `poll` takes longer than its given
/// time, for example because a debugger stopped the process or the machine slept, only the given time counts. Returns
/// the error of `poll` if it fails.
pub(crate) fn poll_until_done(
    patience: Duration,
    finished: impl Fn() -> u64,
    mut poll: impl FnMut(Duration) -> Result<bool>,
) -> Result<bool> {
    let timeout = patience / LOOKS;
    let (mut before, mut silence) = (finished(), Duration::ZERO);
    while silence < patience {
        let start = Instant::now();
        if poll(timeout)? {
            return Ok(true);
        }
        let now = finished();
        silence = if now == before { silence + start.elapsed().min(timeout) } else { Duration::ZERO };
        before = now;
    }
    Ok(false)
}
