//! Buffers that are kept from join to join, and grown by doubling.

use bytemuck::{NoUninit, cast_slice};

use super::device::GpuDevice;
use super::records::Records;
use crate::error::{Error, Result};
use crate::layout::Placement;

/// A buffer that is kept, and replaced by one of twice the size when it is too small.
#[derive(Debug)]
pub(super) struct Growable {
    label: &'static str,
    usage: wgpu::BufferUsages,
    buffer: Option<wgpu::Buffer>,
}

impl Growable {
    pub(super) fn new(label: &'static str, usage: wgpu::BufferUsages) -> Self {
        Self { label, usage, buffer: None }
    }

    pub(super) fn input(label: &'static str) -> Self {
        Self::new(label, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST)
    }

    pub(super) fn get(&self) -> Result<&wgpu::Buffer> {
        self.buffer
            .as_ref()
            .ok_or_else(|| Error::Device { reason: format!("{} was never written", self.label) })
    }

    /// Room for `bytes`.
    pub(super) async fn reserve(&mut self, gpu: &GpuDevice, bytes: u64) -> Result<()> {
        if self.buffer.as_ref().is_some_and(|b| b.size() >= bytes) {
            return Ok(());
        }
        // The old one goes first, so that both are never held at once.
        self.buffer = None;
        let limit = gpu.binding_bytes();
        let size = bytes
            .max(256)
            .next_power_of_two()
            .min(limit)
            .max(bytes)
            .next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
        let descriptor = wgpu::BufferDescriptor {
            label: Some(self.label),
            size,
            usage: self.usage,
            mapped_at_creation: false,
        };
        self.buffer = Some(gpu.checked(size, || gpu.device.create_buffer(&descriptor)).await?);
        Ok(())
    }

    pub(super) async fn write<T: NoUninit>(&mut self, gpu: &GpuDevice, data: &[T]) -> Result<()> {
        self.write_bytes(gpu, cast_slice(data)).await
    }

    async fn write_bytes(&mut self, gpu: &GpuDevice, bytes: &[u8]) -> Result<()> {
        self.reserve(gpu, bytes.len() as u64).await?;
        let buffer = self.get()?;
        gpu.checked(bytes.len() as u64, || gpu.queue.write_buffer(buffer, 0, bytes)).await
    }
}

/// The polygons that a dispatch reads.
#[derive(Debug)]
pub(super) struct PolygonBuffers {
    pub(super) polygons: Growable,
    pub(super) placements: Growable,
    pub(super) blocks: Growable,
}

/// How the polygons of a dispatch move.
#[derive(Debug)]
pub(super) struct Motions(pub(super) Growable);

impl Default for Motions {
    fn default() -> Self {
        Self(Growable::input("sat2d motions"))
    }
}

impl Default for PolygonBuffers {
    fn default() -> Self {
        Self {
            polygons: Growable::input("sat2d polygons"),
            placements: Growable::input("sat2d placements"),
            blocks: Growable::input("sat2d blocks"),
        }
    }
}

impl PolygonBuffers {
    pub(super) async fn write(&mut self, gpu: &GpuDevice, records: &Records) -> Result<()> {
        self.write_places(gpu, records).await?;
        self.blocks.write(gpu, &records.blocks).await
    }

    /// All but the vertices.
    pub(super) async fn write_places(&mut self, gpu: &GpuDevice, records: &Records) -> Result<()> {
        self.polygons.write(gpu, &records.polygons).await?;
        // A binding may not be empty.
        let none = [Placement::default()];
        let placements = if records.is_posed() { &records.placements[..] } else { &none };
        self.placements.write(gpu, placements).await
    }
}
