//! Buffers that are kept from one join to the next. A larger buffer replaces a buffer that is too small. The size of a
//! buffer is a power of two, or the limit of the device if this limit is less.

use bytemuck::{NoUninit, cast_slice};

use super::device::GpuDevice;
use crate::base::error::{Error, Result};
#[cfg(not(target_family = "wasm"))]
use crate::base::parallel::prelude::*;
use crate::packed::layout::{Block, Placement, Polygon};
use crate::packed::pack::{PackedPart, Records};

/// A buffer that is kept from one join to the next. If the buffer is too small, a new buffer replaces it. The size of
/// the new buffer is the next power of two, but at least 256 bytes. If the limit of a binding is less than this power
/// of two, the size is this limit. A request above the limit gives a buffer of the requested size.
#[derive(Debug)]
pub(crate) struct Growable {
    label: &'static str,
    usage: wgpu::BufferUsages,
    buffer: Option<wgpu::Buffer>,
}

impl Growable {
    pub(crate) fn new(label: &'static str, usage: wgpu::BufferUsages) -> Self {
        Self { label, usage, buffer: None }
    }

    pub(crate) fn input(label: &'static str) -> Self {
        Self::new(label, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST)
    }

    pub(crate) fn get(&self) -> Result<&wgpu::Buffer> {
        self.buffer
            .as_ref()
            .ok_or_else(|| Error::Device { reason: format!("{} was never written", self.label) })
    }

    /// Makes sure that the buffer has room for `bytes` bytes. If the buffer is replaced, its contents are lost. Returns
    /// a device error if the device has no memory for the new buffer.
    pub(crate) async fn reserve(&mut self, gpu: &GpuDevice, bytes: u64) -> Result<()> {
        if self.buffer.as_ref().is_some_and(|b| b.size() >= bytes) {
            return Ok(());
        }
        // Drops the old buffer first, so that the device need not hold both buffers at once.
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

    pub(crate) async fn write<T: NoUninit>(&mut self, gpu: &GpuDevice, data: &[T]) -> Result<()> {
        self.write_bytes(gpu, cast_slice(data)).await
    }

    async fn write_bytes(&mut self, gpu: &GpuDevice, bytes: &[u8]) -> Result<()> {
        self.reserve(gpu, bytes.len() as u64).await?;
        let buffer = self.get()?;
        gpu.checked(bytes.len() as u64, || upload(&gpu.queue, buffer, 0, bytes)).await
    }
}

/// Copies bytes to a buffer through staging memory. For large copies, all threads of the pool take part, because one
/// thread is slower than a fast device. In WebAssembly, one thread does all copies.
fn upload(queue: &wgpu::Queue, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
    #[cfg(not(target_family = "wasm"))]
    if bytes.len() >= COPIED_BY_ALL
        && let Some(size) = wgpu::BufferSize::new(bytes.len() as u64)
        && let Some(mut staged) = queue.write_buffer_with(buffer, offset, size)
    {
        let (whole, mut last) = staged.slice(..).into_chunks::<COPIED_BY_ONE>();
        let (parts, rest) = bytes.as_chunks::<COPIED_BY_ONE>();
        let parts: Vec<_> = whole.into_iter().zip(parts).collect();
        parts
            .into_par_iter()
            .for_each(|(out, part)| wgpu::WriteOnly::<[u8]>::from(out).copy_from_slice(part));
        last.copy_from_slice(rest);
        return;
    }
    // If wgpu had no room for the copy, this call reports the error.
    queue.write_buffer(buffer, offset, bytes);
}

/// All threads take part in a copy of at least this many bytes.
#[cfg(not(target_family = "wasm"))]
const COPIED_BY_ALL: usize = 1 << 20;
/// The number of bytes that one thread copies at a time, in a copy in which all threads take part.
#[cfg(not(target_family = "wasm"))]
const COPIED_BY_ONE: usize = 1 << 17;

/// The buffers of the polygons that a dispatch reads.
#[derive(Debug)]
pub struct PolygonBuffers {
    pub(crate) polygons: Growable,
    pub(crate) placements: Growable,
    pub(crate) blocks: Growable,
}

/// The buffer of the motions of the polygons that a dispatch reads.
#[derive(Debug)]
pub(crate) struct Motions(pub(crate) Growable);

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
    /// Makes room for polygons, placements and blocks of vertices. `bytes` has the size of each of the three in bytes.
    /// [`PolygonBuffers::write_part`] fills this room. Returns a device error if the device has no memory for the
    /// buffers.
    pub(crate) async fn reserve(&mut self, gpu: &GpuDevice, bytes: [u64; 3]) -> Result<()> {
        // A binding must not be empty.
        let least = size_of::<Placement>() as u64;
        for (buffer, bytes) in
            [&mut self.polygons, &mut self.placements, &mut self.blocks].into_iter().zip(bytes)
        {
            buffer.reserve(gpu, bytes.max(least)).await?;
        }
        Ok(())
    }

    /// Uploads a part of the polygons, placements and blocks to its place in the buffers. If `begin` is set, the device
    /// copies the part to its memory at once. Otherwise, the device copies the part together with the next submission.
    /// Returns a device error if the upload fails.
    pub(crate) async fn write_part(
        &self,
        gpu: &GpuDevice,
        records: &Records,
        part: &PackedPart,
        begin: bool,
    ) -> Result<()> {
        let (polygons, blocks) = (part.polygons.clone(), part.blocks.clone());
        let placements = if records.is_posed() { &records.placements[polygons.clone()] } else { &[] };
        let parts: [(&Growable, usize, &[u8]); 3] = [
            (
                &self.polygons,
                polygons.start * size_of::<Polygon>(),
                cast_slice(&records.polygons[polygons.clone()]),
            ),
            (&self.placements, polygons.start * size_of::<Placement>(), cast_slice(placements)),
            (&self.blocks, blocks.start * size_of::<Block>(), cast_slice(&records.blocks[blocks])),
        ];
        let bytes = parts.iter().map(|(_, _, bytes)| bytes.len() as u64).sum();
        let mut writes = Vec::with_capacity(parts.len());
        for (buffer, offset, bytes) in parts.into_iter().filter(|(_, _, bytes)| !bytes.is_empty()) {
            writes.push((buffer.get()?, offset as u64, bytes));
        }
        let upload = || {
            for (buffer, offset, bytes) in writes {
                upload(&gpu.queue, buffer, offset, bytes);
            }
            if begin {
                gpu.queue.submit([]);
            }
        };
        gpu.checked(bytes, upload).await
    }

    /// Uploads all polygons, placements and blocks of `records`. The device copies them together with the next
    /// submission. Returns a device error if the device has no memory for them.
    pub async fn write(&mut self, gpu: &GpuDevice, records: &Records) -> Result<()> {
        let bytes = [
            size_of_val(&records.polygons[..]),
            size_of_val(&records.placements[..]),
            size_of_val(&records.blocks[..]),
        ];
        self.reserve(gpu, bytes.map(|bytes| bytes as u64)).await?;
        let whole = PackedPart { polygons: 0..records.polygons.len(), blocks: 0..records.blocks.len() };
        self.write_part(gpu, records, &whole, false).await
    }

    /// Uploads the polygons and placements, but not the blocks of vertices. Returns a device error if the upload
    /// fails.
    pub(crate) async fn write_places(&mut self, gpu: &GpuDevice, records: &Records) -> Result<()> {
        self.polygons.write(gpu, &records.polygons).await?;
        // A binding must not be empty.
        let none = [Placement::default()];
        let placements = if records.is_posed() { &records.placements[..] } else { &none };
        self.placements.write(gpu, placements).await
    }
}

#[cfg(test)]
mod tests {
    use super::super::adapter;
    use super::*;

    #[test]
    fn what_all_threads_copy_arrives_whole() {
        let gpu = pollster::block_on(async {
            let adapter = adapter::any().await.unwrap_or_else(|error| panic!("{error}"));
            GpuDevice::request(&adapter).await.expect("a device")
        });
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        for length in [4, COPIED_BY_ALL - 4, COPIED_BY_ALL, COPIED_BY_ALL + 4, 3 * COPIED_BY_ALL + 100] {
            let bytes: Vec<u8> =
                (0..length as u32).map(|k| (k.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
            let mut buffer = Growable::new("test", usage);
            pollster::block_on(buffer.reserve(&gpu, 8 + length as u64)).expect("there is room");
            let buffer = buffer.get().expect("it was made");
            upload(&gpu.queue, buffer, 8, &bytes);
            let submission = gpu.queue.submit([]);
            buffer.map_async(wgpu::MapMode::Read, .., |mapped| mapped.expect("it is mapped"));
            gpu.wait_for(&submission, "a copy").expect("the device answers");
            let found = buffer.get_mapped_range(8..8 + length as u64).expect("it is mapped");
            assert!(found[..] == bytes[..], "{length}");
        }
    }
}
