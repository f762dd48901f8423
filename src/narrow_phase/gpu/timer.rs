//! How long a pass takes: by the device's clock where it has one, else by the host's, from submission to completion.

use std::time::Duration;

use super::device::{GpuDevice, one_line};
use super::wait::{Receiver, oneshot};
use crate::clock::Instant;
use crate::error::{Error, Result};

/// Begin and end of a pass, by the device's clock.
#[derive(Debug)]
pub(super) struct Timestamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
}

/// Bytes of a pair of timestamps.
pub(super) const TIMESTAMP_BYTES: u64 = 2 * wgpu::QUERY_SIZE as u64;

impl Timestamps {
    /// None where the device has no such clock.
    pub(super) async fn new(gpu: &GpuDevice) -> Result<Option<Self>> {
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
    pub(super) fn writes(&self) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }
    }

    /// Copies both to `offset` of a buffer.
    pub(super) fn copy_to(&self, encoder: &mut wgpu::CommandEncoder, buffer: &wgpu::Buffer, offset: u64) {
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, buffer, offset, TIMESTAMP_BYTES);
    }

    /// Begin and end in nanoseconds, from what was copied.
    pub(super) fn nanoseconds(gpu: &GpuDevice, bytes: &[u8]) -> [f64; 2] {
        let ticks = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default()) as f64;
        [ticks(0), ticks(8)].map(|t| t * f64::from(gpu.queue.get_timestamp_period()))
    }
}

/// Times passes, one after the other.
#[derive(Debug)]
pub(super) struct Timer {
    timestamps: Option<Timestamps>,
}

impl Timer {
    pub(super) async fn new(gpu: &GpuDevice) -> Result<Self> {
        Ok(Self { timestamps: Timestamps::new(gpu).await? })
    }

    pub(super) fn by_device_clock(&self) -> bool {
        self.timestamps.is_some()
    }

    /// Runs a pass to its end.
    pub(super) async fn time(
        &mut self,
        gpu: &GpuDevice,
        record: impl FnOnce(&mut wgpu::ComputePass<'_>),
    ) -> Result<Duration> {
        let start = Instant::now();
        let work = || {
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            {
                let timestamp_writes = self.timestamps.as_ref().map(Timestamps::writes);
                let descriptor = wgpu::ComputePassDescriptor { label: Some("sat2d timed"), timestamp_writes };
                record(&mut encoder.begin_compute_pass(&descriptor));
            }
            gpu.queue.submit([encoder.finish()]);
        };
        gpu.checked(0, work).await?;
        gpu.wait()?;
        let by_host = start.elapsed();
        let Some(timestamps) = &self.timestamps else { return Ok(by_host) };
        let size = TIMESTAMP_BYTES;
        let copy = gpu.read_back(size, |encoder, buffer| timestamps.copy_to(encoder, buffer, 0)).await?;
        let [begin, end] = Timestamps::nanoseconds(gpu, &copy);
        Ok(Duration::from_nanos((end - begin).max(0.0) as u64))
    }

    /// The words of a buffer.
    pub(super) async fn read(&self, gpu: &GpuDevice, buffer: &wgpu::Buffer) -> Result<Vec<u32>> {
        let size = buffer.size();
        let copy = |encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer| {
            encoder.copy_buffer_to_buffer(buffer, 0, to, 0, size);
        };
        let bytes = gpu.read_back(size, copy).await?;
        Ok(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    }
}

impl GpuDevice {
    /// Waits for all that was submitted. In a browser this does nothing.
    pub(super) fn wait(&self) -> Result<()> {
        self.wait_for(None)
    }

    /// Waits for a submission and those before it.
    fn wait_for(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<()> {
        let lost = |reason: String| Error::DeviceLost { reason: self.lost_reason().unwrap_or(reason) };
        let wait = wgpu::PollType::Wait { submission_index, timeout: None };
        self.device.poll(wait).map(drop).map_err(|e| lost(one_line(&e)))
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
        let submission = self.queue.submit([encoder.finish()]);
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
        gpu.wait_for(Some(self.submission))?;
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
