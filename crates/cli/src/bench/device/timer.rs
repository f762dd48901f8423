//! Times passes: by the clock of the device if it has one, otherwise by the clock of the host, from submission to completion.

use std::time::Duration;

use sat2d::internal::Instant;
use sat2d::internal::device::{GpuDevice, TIMESTAMP_BYTES, Timestamps, ticks_of};
use sat2d::{Error, Result};

/// The limit on the time of a trial, by the host's clock. After a trial that takes longer, the number of repeats does
/// not grow further.
const LONGEST_TRIAL: Duration = Duration::from_millis(100);
/// Measures the time of compute passes.
#[derive(Debug)]
pub(crate) struct Timer {
    timestamps: Option<Timestamps>,
}

/// The least time of a timed pass. The overhead of a pass and a tick of the clock are much shorter.
const LONG_ENOUGH: Duration = Duration::from_millis(1);
/// The greatest number of repeats of a dispatch in one pass.
const MOST_REPEATS: u32 = 4096;
/// The time that an idle GPU needs to reach its full clock.
pub(crate) const WARM_UP: Duration = Duration::from_millis(150);
/// The least time of a submission of the warm-up. Between shorter submissions, the GPU would be idle.
const WARM_UP_PASS: Duration = Duration::from_millis(10);

/// Returns the error for a device whose clock does not advance.
pub(crate) fn clock_stands() -> Error {
    let reason = "its clock did not advance while it worked, so nothing was measured".into();
    Error::Device { reason }
}

impl Timer {
    pub(crate) async fn new(gpu: &GpuDevice) -> Result<Self> {
        Ok(Self { timestamps: Timestamps::new(gpu).await? })
    }

    pub(crate) fn by_device_clock(&self) -> bool {
        self.timestamps.is_some()
    }

    /// Runs a pass that calls `record` `repeats` times, and waits for the end of the pass. Returns the time of the whole pass,
    /// or `None` if the device's clock did not advance. Returns an error if the device fails.
    pub(crate) async fn time(
        &mut self,
        gpu: &GpuDevice,
        repeats: u32,
        record: impl Fn(&mut wgpu::ComputePass<'_>),
    ) -> Result<Option<Duration>> {
        let start = Instant::now();
        let timestamp_writes = self.timestamps.as_ref().map(Timestamps::writes);
        let submission = submit(gpu, timestamp_writes, repeats, record).await?;
        gpu.wait_for(&submission, "a timed pass")?;
        let by_host = start.elapsed();
        let Some(timestamps) = &self.timestamps else { return Ok(Some(by_host)) };
        let size = TIMESTAMP_BYTES;
        let copy = gpu.read_back(size, |encoder, buffer| timestamps.copy_to(encoder, buffer, 0)).await?;
        Ok(duration_of(ticks_of(&copy), gpu.queue.get_timestamp_period()))
    }

    /// Returns the number of calls of `record` that make a pass long enough to be timed. Runs trials with growing
    /// numbers of calls. Returns an error if the device fails.
    pub(crate) async fn repeats(
        &mut self,
        gpu: &GpuDevice,
        record: impl Fn(&mut wgpu::ComputePass<'_>),
    ) -> Result<u32> {
        let mut repeats = 1;
        loop {
            let start = Instant::now();
            // If the device's clock did not advance, the time counts as 0, because more repeats may help.
            // `LONGEST_TRIAL` keeps the trials from blocking the device for long.
            let time = self.time(gpu, repeats, &record).await?.unwrap_or_default();
            if start.elapsed() > LONGEST_TRIAL {
                return Ok(repeats);
            }
            match more_repeats(repeats, time) {
                Some(more) => repeats = more,
                None => return Ok(repeats),
            }
        }
    }
}

/// Keeps a GPU busy until it runs at its full clock. Returns an error if the device fails. Does nothing for a software adapter.
pub(crate) async fn warm_up(gpu: &GpuDevice, record: impl Fn(&mut wgpu::ComputePass<'_>)) -> Result<()> {
    let start = Instant::now();
    let mut repeats = 1;
    while gpu.is_hardware() && start.elapsed() < WARM_UP {
        let pass = Instant::now();
        let submission = submit(gpu, None, repeats, &record).await?;
        gpu.wait_for(&submission, "a timed pass")?;
        if pass.elapsed() < WARM_UP_PASS {
            repeats = (2 * repeats).min(MOST_REPEATS);
        }
    }
    Ok(())
}

/// Submits a pass that calls `record` `repeats` times. Returns an error if the device rejects the pass.
async fn submit(
    gpu: &GpuDevice,
    timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    repeats: u32,
    record: impl Fn(&mut wgpu::ComputePass<'_>),
) -> Result<wgpu::SubmissionIndex> {
    let work = || {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let descriptor = wgpu::ComputePassDescriptor { label: Some("sat2d timed"), timestamp_writes };
            let mut pass = encoder.begin_compute_pass(&descriptor);
            (0..repeats).for_each(|_| record(&mut pass));
        }
        gpu.submit(encoder)
    };
    gpu.checked(0, work).await
}

/// Returns the number of repeats for the next trial. The pass of the last trial had `repeats` repeats and took `time`.
/// Returns `None` if `time` is long enough or `repeats` is at the maximum.
fn more_repeats(repeats: u32, time: Duration) -> Option<u32> {
    if time >= LONG_ENOUGH || repeats >= MOST_REPEATS {
        return None;
    }
    let factor = 1.2 * LONG_ENOUGH.as_secs_f64() / time.as_secs_f64().max(1e-9);
    // Early trials are the slowest, so they suggest too few repeats rather than too many. A later trial then adds the missing
    // repeats.
    let more = (f64::from(repeats) * factor.clamp(2.0, 16.0)).ceil() as u32;
    Some(more.min(MOST_REPEATS))
}

/// Returns the time between two timestamps of the device. `period` is the length of a tick in nanoseconds. Returns `None` if
/// the time is below 1 ns or negative.
fn duration_of([begin, end]: [u64; 2], period: f32) -> Option<Duration> {
    let ticks = end.wrapping_sub(begin).cast_signed();
    let nanoseconds = ticks.max(0) as f64 * f64::from(period);
    (nanoseconds >= 1.0).then(|| Duration::from_nanos(nanoseconds as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_subtracted_before_they_are_rounded() {
        // The time is in nanoseconds since 1970. Two adjacent f64 values of this size differ by 256.
        let now = 1_780_000_000_123_456_789;
        assert_eq!(duration_of([now, now + 100], 1.0), Some(Duration::from_nanos(100)));
        assert_eq!(duration_of([u64::MAX - 9, 10], 2.0), Some(Duration::from_nanos(40)));
        for end in [now, now - 1, now - (1 << 40)] {
            assert_eq!(duration_of([now, end], 1.0), None);
        }
        assert_eq!(duration_of([now, now + 1], 0.5), None);
    }

    #[test]
    fn what_is_over_too_soon_is_repeated() {
        let micros = Duration::from_micros;
        assert_eq!(more_repeats(1, micros(1000)), None);
        assert_eq!(more_repeats(1, micros(300)), Some(4));
        assert_eq!(more_repeats(10, micros(990)), Some(20));
        assert_eq!([more_repeats(1, micros(2)), more_repeats(4, Duration::ZERO)], [Some(16), Some(64)]);
        assert_eq!(
            [more_repeats(4000, micros(9)), more_repeats(MOST_REPEATS, micros(9))],
            [Some(MOST_REPEATS), None]
        );
    }
}
