//! The GPU backend: the certified filter as a WGSL kernel, through wgpu.
//!
//! The polygons of a join are uploaded once where they fit the device's bindings; else each chunk of pairs carries
//! the polygons that it names. Pairs that the device should not decide go to the CPU filter and are counted.

pub(crate) mod adapter;
mod chunk;
mod device;
#[cfg(test)]
mod layout_tests;
mod relation_kernel;
#[cfg(all(test, feature = "scenes"))]
mod tests;

use std::sync::Mutex;
use std::time::Instant;

use super::cpu::filter::{self, Native, Shapes};
use crate::error::{Error, Result};
use crate::layout::{Instance, Shape};
use crate::pack::Packed;
use crate::results::{Counts, Timings};
use chunk::{Cut, Gathered};
use device::GpuDevice;
use relation_kernel::{Buffers, RelationKernel};

/// The pipelines of a device, made once, and its buffers, reused and grown by doubling.
#[derive(Debug)]
pub(crate) struct GpuNarrowPhase {
    device: GpuDevice,
    kernel: RelationKernel,
    /// Taken for the length of a join; a second join at the same time makes its own.
    buffers: Mutex<Option<Buffers>>,
}

impl GpuNarrowPhase {
    /// A device of its own: the first hardware adapter, else the first of any kind.
    pub(crate) async fn new() -> Result<Self> {
        Self::from_adapter(&adapter::any().await?).await
    }

    pub(crate) async fn from_adapter(adapter: &wgpu::Adapter) -> Result<Self> {
        Self::on(GpuDevice::request(adapter).await?, &relation_kernel::source()).await
    }

    pub(crate) async fn from_device(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self> {
        Self::on(GpuDevice::of_caller(device, queue), &relation_kernel::source()).await
    }

    async fn on(device: GpuDevice, source: &str) -> Result<Self> {
        device.check_limits()?;
        let kernel = RelationKernel::new(&device, source).await?;
        Ok(Self { device, kernel, buffers: Mutex::new(None) })
    }

    pub(crate) fn adapter_description(&self) -> String {
        adapter::describe(&self.device.device.adapter_info())
    }

    /// Begins a join: uploads the polygons if they fit.
    pub(crate) async fn session<'a>(&'a self, packed: &Packed, timings: &mut Timings) -> Result<Session<'a>> {
        let start = Instant::now();
        let spare = self.buffers.lock().ok().and_then(|mut spare| spare.take());
        let mut buffers = spare.unwrap_or_default();
        let mut resident = fits(&self.device, packed);
        if resident {
            let Packed { vertices, shapes, instances, .. } = packed;
            match buffers.write_polygons(&self.device, vertices, shapes, instances).await {
                Ok(()) => {}
                // What does not fit at once may fit in parts.
                Err(Error::OutOfDeviceMemory { .. }) => {
                    buffers = Buffers::default();
                    resident = false;
                }
                Err(error) => return Err(error),
            }
        }
        timings.upload += start.elapsed();
        Ok(Session { gpu: self, buffers, resident, gathered: Gathered::default(), idle: true })
    }
}

/// One join on the device.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    gpu: &'a GpuNarrowPhase,
    buffers: Buffers,
    /// Whether all polygons of the join are on the device.
    resident: bool,
    gathered: Gathered,
    /// Whether no buffer is in use; after an error or an abandoned wait one may be.
    idle: bool,
}

impl Session<'_> {
    /// The filter's code of every pair, into `codes`, in the order of `pairs`.
    pub(crate) async fn filter_codes(
        &mut self,
        packed: &Packed,
        pairs: &[[u32; 2]],
        codes: &mut Vec<u8>,
        counts: &mut Counts,
        timings: &mut Timings,
    ) -> Result<()> {
        codes.clear();
        codes.reserve(pairs.len());
        self.idle = false;
        let gpu = self.gpu;
        let mut cut = Cut::new(&gpu.device, packed, self.resident);
        let mut rest = pairs;
        while !rest.is_empty() {
            let start = Instant::now();
            let (run, tail) = rest.split_at(cut.run_length(rest));
            rest = tail;
            if run.is_empty() {
                // The next pair alone is too large for the device.
                let (pair, tail) = rest.split_at(1);
                rest = tail;
                counts.oversized += 1;
                codes.push(on_cpu(packed, pair[0]));
                timings.kernel += start.elapsed();
                continue;
            }
            if self.resident {
                self.gathered.name_pairs(run, packed.b_offset);
            } else {
                self.gathered.gather(run, packed);
                let Gathered { vertices, shapes, instances, .. } = &self.gathered;
                self.buffers.write_polygons(&gpu.device, vertices, shapes, instances).await?;
            }
            self.buffers.write_pairs(&gpu.device, &self.gathered.pairs).await?;
            timings.upload += start.elapsed();
            gpu.kernel.run(&gpu.device, &mut self.buffers, run.len(), codes, timings).await?;
        }
        self.idle = true;
        Ok(())
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if self.idle
            && let Ok(mut spare) = self.gpu.buffers.lock()
        {
            *spare = Some(std::mem::take(&mut self.buffers));
        }
    }
}

fn on_cpu(packed: &Packed, [a, b]: [u32; 2]) -> u8 {
    let scene = Shapes { shapes: &packed.shapes, vertices: &packed.vertices };
    let (a, b) = (&packed.instances[a as usize], &packed.instances[(b + packed.b_offset) as usize]);
    filter::relation::<Native>(scene, a, b) as u8
}

/// Whether all polygons fit the device's bindings at once.
fn fits(device: &GpuDevice, packed: &Packed) -> bool {
    let limit = device.binding_bytes();
    size_of_val(&packed.vertices[..]) as u64 <= limit
        && packed.shapes.len() as u64 * size_of::<Shape>() as u64 <= limit
        && packed.instances.len() as u64 * size_of::<Instance>() as u64 <= limit
}
