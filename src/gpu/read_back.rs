//! Reads bytes back from the device to the host.

use super::device::{GpuDevice, one_line};
use super::wait::{Receiver, oneshot};
use crate::base::error::{Error, Result};

impl GpuDevice {
    /// Reads `bytes` bytes of the buffer `from`, from byte `offset` on, as little-endian words. Returns a device error
    /// if the device fails.
    pub async fn read_words(&self, from: &wgpu::Buffer, offset: u64, bytes: u64) -> Result<Vec<u32>> {
        let copy = |encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer| {
            encoder.copy_buffer_to_buffer(from, offset, to, 0, bytes);
        };
        let read = self.read_back(bytes, copy).await?;
        Ok(read.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    }

    /// Creates a buffer of `size` bytes, lets `copy` record the commands that fill it, and reads it back. Returns a
    /// device error if the device fails.
    pub async fn read_back(
        &self,
        size: u64,
        copy: impl FnOnce(&mut wgpu::CommandEncoder, &wgpu::Buffer),
    ) -> Result<Vec<u8>> {
        // The bytes and the errors are requested together, because each request takes a wait in a browser.
        self.checked(size, || self.ask(size, copy)).await?.bytes(self).await
    }

    /// Creates a buffer, submits the commands that `copy` records to fill it, and requests the bytes of the buffer,
    /// without waiting.
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

/// Bytes that were requested from a device.
#[derive(Debug)]
pub(crate) struct Asked {
    buffer: wgpu::Buffer,
    receiver: Receiver,
    submission: wgpu::SubmissionIndex,
}

impl Asked {
    /// Returns true if the bytes have arrived. Does not wait.
    #[cfg(feature = "sim")]
    pub(crate) fn is_ready(&self, gpu: &GpuDevice) -> bool {
        // If the device is lost, the result is also true, and `bytes` then reports the error.
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
        // Frees the buffer now, because a browser would free it only at its next garbage collection.
        self.buffer.destroy();
        Ok(bytes)
    }
}
