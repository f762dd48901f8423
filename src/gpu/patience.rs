//! Waits for a device that end: a device that finishes nothing for a minute is an error.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::device::{GpuDevice, one_line};
use crate::base::clock::Instant;
use crate::base::error::{Error, Result};

/// How long a device may finish nothing while the host waits for it.
const PATIENCE: Duration = Duration::from_secs(60);
/// A wait looks so often, within that time, whether anything has been finished.
const LOOKS: u32 = 60;

/// What a device has finished, and how long it may finish nothing.
#[derive(Debug)]
pub(crate) struct Watch {
    /// Counts submissions that the device has finished.
    finished: AtomicU64,
    /// Whether handles of the device are kept until the process ends.
    is_kept: AtomicBool,
    /// In milliseconds; tests shorten it.
    patience: AtomicU64,
    /// Fault injection: every wait finds that nothing has been finished.
    #[cfg(test)]
    is_stuck: AtomicBool,
    /// Polls since then.
    #[cfg(test)]
    stuck_polls: AtomicU64,
}

impl Default for Watch {
    fn default() -> Self {
        Self {
            finished: AtomicU64::new(0),
            is_kept: AtomicBool::new(false),
            patience: AtomicU64::new(PATIENCE.as_millis() as u64),
            #[cfg(test)]
            is_stuck: AtomicBool::new(false),
            #[cfg(test)]
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

    /// Fault injection: from now on waits are given up after `patience`; with `is_stuck` no wait sees any progress.
    #[cfg(all(test, feature = "scenes"))]
    pub(crate) fn inject(&self, is_stuck: bool, patience: Duration) {
        self.is_stuck.store(is_stuck, Ordering::Relaxed);
        self.stuck_polls.store(0, Ordering::Relaxed);
        self.patience.store(patience.as_millis() as u64, Ordering::Relaxed);
    }

    #[cfg(test)]
    fn is_stuck(&self) -> bool {
        let is_stuck = self.is_stuck.load(Ordering::Relaxed);
        let polls = self.stuck_polls.fetch_add(u64::from(is_stuck), Ordering::Relaxed);
        assert!(polls < 10_000, "a wait without end");
        is_stuck
    }

    #[cfg(not(test))]
    fn is_stuck(&self) -> bool {
        false
    }
}

impl GpuDevice {
    /// Submits what was recorded, and counts it once the device has finished it.
    pub(crate) fn submit(&self, encoder: wgpu::CommandEncoder) -> wgpu::SubmissionIndex {
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

    /// Waits for a submission and those before it. In a browser this does nothing: callbacks come from the event loop. `what` is
    /// waited for, for the message.
    ///
    /// # Errors
    /// [`Error::Device`] where the device has finished no submission of [`GpuDevice::submit`] for a minute. The device is then never
    /// freed, since wgpu would wait without end for its queue. [`Error::DeviceLost`].
    pub(crate) fn wait_for(&self, submission: &wgpu::SubmissionIndex, what: &str) -> Result<()> {
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

/// Whether `poll`, which waits for at most as long as it is told, says that all is done before `finished` has stood still for
/// `patience`. A poll that took longer than it was told counts as if it had not: the process was stopped meanwhile, by a debugger
/// or since the machine slept.
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
