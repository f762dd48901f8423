//! How long a pass takes: by the device's clock where it has one, else by the host's, from submission to completion.

use std::time::Duration;

use super::device::{GpuDevice, one_line};
use super::wait::{Receiver, oneshot};
use crate::base::clock::Instant;
use crate::base::error::{Error, Result};

/// Begin and end of a pass, by the device's clock.
#[derive(Debug)]
pub(crate) struct Timestamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
}

/// A trial that took so long by the host's clock is the last one.
const LONGEST_TRIAL: Duration = Duration::from_millis(100);
/// Bytes of a pair of timestamps.
pub(crate) const TIMESTAMP_BYTES: u64 = 2 * wgpu::QUERY_SIZE as u64;

impl Timestamps {
    /// None where the device has no such clock.
    pub(crate) async fn new(gpu: &GpuDevice) -> Result<Option<Self>> {
        use wgpu::BufferUsages as Usage;
        if !gpu.has_timestamps() {
            return Ok(None);
        }
        let made = gpu.checked(TIMESTAMP_BYTES, || Self {
            queries: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("sat2d timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            resolved: gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("sat2d timestamps"),
                size: TIMESTAMP_BYTES,
                usage: Usage::QUERY_RESOLVE | Usage::COPY_SRC,
                mapped_at_creation: false,
            }),
        });
        made.await.map(Some)
    }

    /// For the pass that is timed.
    pub(crate) fn writes(&self) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }
    }

    /// Copies both to `offset` of a buffer.
    pub(crate) fn copy_to(&self, encoder: &mut wgpu::CommandEncoder, buffer: &wgpu::Buffer, offset: u64) {
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, buffer, offset, TIMESTAMP_BYTES);
    }

    /// Begin and end in nanoseconds, from what was copied; a reversed interval stays reversed.
    pub(crate) fn nanoseconds(gpu: &GpuDevice, bytes: &[u8]) -> [f64; 2] {
        let [begin, end] = ticks_of(bytes);
        // The upper bits, of which some devices count since 1970, would take the place of the lower ones in an f64.
        let from = begin & LOW_TICKS;
        let to = from as f64 + end.wrapping_sub(begin).cast_signed() as f64;
        [from as f64, to].map(|ticks| ticks * f64::from(gpu.queue.get_timestamp_period()))
    }

    /// The time between both, from what was copied; none where the clock did not advance.
    fn between(gpu: &GpuDevice, bytes: &[u8]) -> Option<Duration> {
        duration_of(ticks_of(bytes), gpu.queue.get_timestamp_period())
    }
}

/// Ticks that an f64 holds exactly: weeks, in nanoseconds.
const LOW_TICKS: u64 = (1 << 52) - 1;

fn ticks_of(bytes: &[u8]) -> [u64; 2] {
    [0, 8].map(|at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default()))
}

/// `period`: nanoseconds of a tick. None for no time, or a negative one.
fn duration_of([begin, end]: [u64; 2], period: f32) -> Option<Duration> {
    let ticks = end.wrapping_sub(begin).cast_signed();
    let nanoseconds = ticks.max(0) as f64 * f64::from(period);
    (nanoseconds >= 1.0).then(|| Duration::from_nanos(nanoseconds as u64))
}

/// Times passes, one after the other.
#[derive(Debug)]
pub(crate) struct Timer {
    timestamps: Option<Timestamps>,
}

/// A pass that takes so long says more than what it costs by itself, and than a tick of the clock.
const LONG_ENOUGH: Duration = Duration::from_millis(1);
/// Repeats of what a pass does, at most.
const MOST_REPEATS: u32 = 4096;
/// An idle GPU takes about so long to come to its full clock.
pub(crate) const WARM_UP: Duration = Duration::from_millis(150);
/// What a submission of the warm-up is to take: in turns with the host an idle GPU would go on being idle.
const WARM_UP_PASS: Duration = Duration::from_millis(10);

/// The error of a device whose clock says nothing.
pub(crate) fn clock_stands() -> Error {
    Error::Device { reason: "its clock did not advance while it worked, so nothing was measured".into() }
}

impl Timer {
    pub(crate) async fn new(gpu: &GpuDevice) -> Result<Self> {
        Ok(Self { timestamps: Timestamps::new(gpu).await? })
    }

    pub(crate) fn by_device_clock(&self) -> bool {
        self.timestamps.is_some()
    }

    /// Runs a pass to its end, in which the same is done `repeats` times; the time of all, or none where the clock did not
    /// advance.
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
        Ok(Timestamps::between(gpu, &copy))
    }

    /// How often a pass must do the same to take long enough to be timed.
    pub(crate) async fn repeats(
        &mut self,
        gpu: &GpuDevice,
        record: impl Fn(&mut wgpu::ComputePass<'_>),
    ) -> Result<u32> {
        let mut repeats = 1;
        loop {
            let start = Instant::now();
            // Where the clock stands still, more repeats may move it; but no device is kept from all else for long.
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

/// Keeps a GPU at work until it runs at its full clock. Software has no other.
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

/// Submits a pass in which the same is done `repeats` times.
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

/// More repeats than `repeats`, which took `time`; none where that is long enough.
fn more_repeats(repeats: u32, time: Duration) -> Option<u32> {
    if time >= LONG_ENOUGH || repeats >= MOST_REPEATS {
        return None;
    }
    let factor = 1.2 * LONG_ENOUGH.as_secs_f64() / time.as_secs_f64().max(1e-9);
    // The first are the slowest: by them too many would be missing, not too many done.
    let more = (f64::from(repeats) * factor.clamp(2.0, 16.0)).ceil() as u32;
    Some(more.min(MOST_REPEATS))
}

impl GpuDevice {
    /// Words of a buffer.
    pub(crate) async fn read_words(&self, from: &wgpu::Buffer, offset: u64, bytes: u64) -> Result<Vec<u32>> {
        let copy = |encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer| {
            encoder.copy_buffer_to_buffer(from, offset, to, 0, bytes);
        };
        let read = self.read_back(bytes, copy).await?;
        Ok(read.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    }

    /// The bytes that `copy` puts in a buffer of its own.
    pub(crate) async fn read_back(
        &self,
        size: u64,
        copy: impl FnOnce(&mut wgpu::CommandEncoder, &wgpu::Buffer),
    ) -> Result<Vec<u8>> {
        // Asked for at once: in a browser each answer is waited for, of this and of what went wrong.
        self.checked(size, || self.ask(size, copy)).await?.bytes(self).await
    }

    /// Submits `copy` into a buffer of its own, and asks for its bytes. Nothing is waited for.
    pub(crate) fn ask(
        &self,
        size: u64,
        copy: impl FnOnce(&mut wgpu::CommandEncoder, &wgpu::Buffer),
    ) -> Asked {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let descriptor =
            wgpu::BufferDescriptor { label: Some("sat2d readback"), size, usage, mapped_at_creation: false };
        let buffer = self.device.create_buffer(&descriptor);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        copy(&mut encoder, &buffer);
        let submission = self.submit(encoder);
        let (sender, receiver) = oneshot();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| sender.send(result.is_ok()));
        Asked { buffer, receiver, submission }
    }
}

/// Bytes on their way from a device.
#[derive(Debug)]
pub(crate) struct Asked {
    buffer: wgpu::Buffer,
    receiver: Receiver,
    submission: wgpu::SubmissionIndex,
}

impl Asked {
    /// Whether they are there. Does not wait.
    #[cfg(feature = "sim")]
    pub(crate) fn is_ready(&self, gpu: &GpuDevice) -> bool {
        // What the device has lost is found by who asks for the bytes.
        self.receiver.is_ready() || gpu.device.poll(wgpu::PollType::Poll).is_err() || self.receiver.is_ready()
    }

    pub(crate) async fn bytes(self, gpu: &GpuDevice) -> Result<Vec<u8>> {
        gpu.wait_for(&self.submission, "bytes to read back")?;
        let lost = |reason: String| Error::DeviceLost { reason: gpu.lost_reason().unwrap_or(reason) };
        if !self.receiver.await {
            return Err(lost("the answer could not be mapped".into()));
        }
        let view = self.buffer.get_mapped_range(..).map_err(|error| lost(one_line(&error)))?;
        let bytes = view.to_vec();
        drop(view);
        // In a browser nothing else frees it before the garbage of the page is collected.
        self.buffer.destroy();
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_subtracted_before_they_are_rounded() {
        // Nanoseconds since 1970, of which an f64 has every 256th.
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
