//! The relation kernel: buffers, dispatch, readback.

use std::time::Instant;

use bytemuck::{NoUninit, cast_slice};

use super::device::{GpuDevice, one_line};
use crate::error::{Error, Result};
use crate::layout::{
    self, BITS_PER_CODE, CODES_PER_WORD, Instance, RelationParams, Shape, UNCERTAIN, WORKGROUP_SIZE,
};
use crate::results::Timings;

/// The shader: constants from Rust, records, pure geometry, entry point. Module scope is independent of order.
pub(super) fn source() -> String {
    layout::wgsl_constants()
        + concat!(
            include_str!("../../../shaders/layout.wgsl"),
            include_str!("../../../shaders/filter.wgsl"),
            include_str!("../../../shaders/relation.wgsl")
        )
}

/// Bindings of group 0, in order.
const PARAMS: u32 = 0;
const INSTANCES: u32 = 1;
const SHAPES: u32 = 2;
const VERTICES: u32 = 3;
const PAIRS: u32 = 4;
const CODES: u32 = 5;

/// The compiled pipeline.
#[derive(Debug)]
pub(super) struct RelationKernel {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

impl RelationKernel {
    pub(super) async fn new(gpu: &GpuDevice, source: &str) -> Result<Self> {
        gpu.checked(0, || {
            let device = &gpu.device;
            let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
                count: None,
            };
            let storage = |read_only| wgpu::BufferBindingType::Storage { read_only };
            let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("sat2d relation"),
                entries: &[
                    entry(PARAMS, wgpu::BufferBindingType::Uniform),
                    entry(INSTANCES, storage(true)),
                    entry(SHAPES, storage(true)),
                    entry(VERTICES, storage(true)),
                    entry(PAIRS, storage(true)),
                    entry(CODES, storage(false)),
                ],
            });
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("sat2d relation"),
                source: wgpu::ShaderSource::Wgsl(source.into()),
            });
            let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("sat2d relation"),
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("sat2d relation"),
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            });
            Self { pipeline, layout }
        })
        .await
    }

    /// Decides the `count` pairs that were written last, and appends a code a pair to `codes`.
    pub(super) async fn run(
        &self,
        gpu: &GpuDevice,
        buffers: &mut Buffers,
        count: usize,
        codes: &mut Vec<u8>,
        timings: &mut Timings,
    ) -> Result<()> {
        let start = Instant::now();
        let groups = (count as u64).div_ceil(WORKGROUP_SIZE.into()) as u32;
        let groups_x = groups.min(gpu.limits.max_compute_workgroups_per_dimension);
        let groups_y = groups.div_ceil(groups_x);
        let words = count.div_ceil(CODES_PER_WORD as usize);
        let bytes = (words * size_of::<u32>()) as u64;
        let params = RelationParams { pair_count: count as u32, groups_x, padding: [0; 2] };
        buffers.params.write(gpu, &[params]).await?;
        buffers.codes.reserve(gpu, bytes).await?;
        buffers.readback.reserve(gpu, bytes).await?;
        let group = self.bind_group(gpu, buffers)?;
        let readback = buffers.readback.get()?;
        gpu.checked(0, || {
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                pass.set_pipeline(&self.pipeline);
                pass.set_bind_group(0, &group, &[]);
                pass.dispatch_workgroups(groups_x, groups_y, 1);
            }
            if let Ok(codes) = buffers.codes.get() {
                encoder.copy_buffer_to_buffer(codes, 0, readback, 0, bytes);
            }
            gpu.queue.submit([encoder.finish()]);
        })
        .await?;
        let words = map_words(gpu, readback, bytes, start, timings).await?;
        let start = Instant::now();
        unpack(&words, count, codes);
        timings.readback += start.elapsed();
        Ok(())
    }

    fn bind_group(&self, gpu: &GpuDevice, buffers: &Buffers) -> Result<wgpu::BindGroup> {
        let entry = |binding, buffer: &Growable| -> Result<(u32, wgpu::Buffer)> { Ok((binding, buffer.get()?.clone())) };
        let bound = [
            entry(PARAMS, &buffers.params)?,
            entry(INSTANCES, &buffers.instances)?,
            entry(SHAPES, &buffers.shapes)?,
            entry(VERTICES, &buffers.vertices)?,
            entry(PAIRS, &buffers.pairs)?,
            entry(CODES, &buffers.codes)?,
        ];
        let entries: Vec<_> = bound
            .iter()
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding: *binding, resource: buffer.as_entire_binding() })
            .collect();
        Ok(gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("sat2d relation"),
            layout: &self.layout,
            entries: &entries,
        }))
    }
}

/// Waits for the device, then reads `bytes` of `buffer`.
async fn map_words(
    gpu: &GpuDevice,
    buffer: &wgpu::Buffer,
    bytes: u64,
    start: Instant,
    timings: &mut Timings,
) -> Result<Vec<u32>> {
    let lost = |reason: String| Error::DeviceLost { reason: gpu.lost_reason().unwrap_or(reason) };
    let (sender, receiver) = oneshot();
    buffer.map_async(wgpu::MapMode::Read, ..bytes, move |result| sender.send(result.is_ok()));
    // In a browser this does nothing, and the callback comes from the event loop.
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| lost(one_line(&e)))?;
    let mapped = receiver.await;
    timings.kernel += start.elapsed();
    let start = Instant::now();
    if !mapped {
        return Err(lost("the answer could not be mapped".into()));
    }
    let words = match buffer.get_mapped_range(..bytes) {
        Ok(view) => view.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
        Err(error) => return Err(lost(one_line(&error))),
    };
    buffer.unmap();
    timings.readback += start.elapsed();
    Ok(words)
}

/// A code a pair from 2 bits each.
fn unpack(words: &[u32], count: usize, codes: &mut Vec<u8>) {
    let code = |k: usize| {
        let shift = BITS_PER_CODE * (k as u32 % CODES_PER_WORD);
        (words[k / CODES_PER_WORD as usize] >> shift) as u8 & UNCERTAIN as u8
    };
    codes.extend((0..count).map(code));
}

/// The buffers of a join.
#[derive(Debug)]
pub(super) struct Buffers {
    params: Growable,
    instances: Growable,
    shapes: Growable,
    vertices: Growable,
    pairs: Growable,
    codes: Growable,
    readback: Growable,
}

impl Default for Buffers {
    fn default() -> Self {
        use wgpu::BufferUsages as Usage;
        let input = |label| Growable::new(label, Usage::STORAGE | Usage::COPY_DST);
        Self {
            params: Growable::new("sat2d params", Usage::UNIFORM | Usage::COPY_DST),
            instances: input("sat2d instances"),
            shapes: input("sat2d shapes"),
            vertices: input("sat2d vertices"),
            pairs: input("sat2d pairs"),
            codes: Growable::new("sat2d codes", Usage::STORAGE | Usage::COPY_SRC),
            readback: Growable::new("sat2d readback", Usage::MAP_READ | Usage::COPY_DST),
        }
    }
}

impl Buffers {
    pub(super) async fn write_polygons(
        &mut self,
        gpu: &GpuDevice,
        vertices: &[[f32; 2]],
        shapes: &[Shape],
        instances: &[Instance],
    ) -> Result<()> {
        self.vertices.write(gpu, vertices).await?;
        self.shapes.write(gpu, shapes).await?;
        self.instances.write(gpu, instances).await
    }

    pub(super) async fn write_pairs(&mut self, gpu: &GpuDevice, pairs: &[[u32; 2]]) -> Result<()> {
        self.pairs.write(gpu, pairs).await
    }
}

/// A buffer that is kept, and replaced by one of twice the size when it is too small.
#[derive(Debug)]
struct Growable {
    label: &'static str,
    usage: wgpu::BufferUsages,
    buffer: Option<wgpu::Buffer>,
}

impl Growable {
    fn new(label: &'static str, usage: wgpu::BufferUsages) -> Self {
        Self { label, usage, buffer: None }
    }

    fn get(&self) -> Result<&wgpu::Buffer> {
        self.buffer.as_ref().ok_or_else(|| Error::Device { reason: format!("{} was never written", self.label) })
    }

    /// Room for `bytes`.
    async fn reserve(&mut self, gpu: &GpuDevice, bytes: u64) -> Result<()> {
        if self.buffer.as_ref().is_some_and(|b| b.size() >= bytes) {
            return Ok(());
        }
        // The old one goes first, so that both are never held at once.
        self.buffer = None;
        let limit = gpu.binding_bytes();
        let size = bytes.max(256).next_power_of_two().min(limit).max(bytes).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
        let descriptor =
            wgpu::BufferDescriptor { label: Some(self.label), size, usage: self.usage, mapped_at_creation: false };
        self.buffer = Some(gpu.checked(size, || gpu.device.create_buffer(&descriptor)).await?);
        Ok(())
    }

    async fn write<T: NoUninit>(&mut self, gpu: &GpuDevice, data: &[T]) -> Result<()> {
        let bytes: &[u8] = cast_slice(data);
        self.reserve(gpu, bytes.len() as u64).await?;
        let buffer = self.get()?;
        gpu.checked(bytes.len() as u64, || gpu.queue.write_buffer(buffer, 0, bytes)).await
    }
}

/// A value that one side sends and the other awaits.
fn oneshot() -> (Sender, Receiver) {
    let shared = std::sync::Arc::new(std::sync::Mutex::new(Slot::default()));
    (Sender(shared.clone()), Receiver(shared))
}

#[derive(Default)]
struct Slot {
    value: Option<bool>,
    waker: Option<std::task::Waker>,
}

struct Sender(std::sync::Arc<std::sync::Mutex<Slot>>);
struct Receiver(std::sync::Arc<std::sync::Mutex<Slot>>);

impl Sender {
    fn send(self, value: bool) {
        if let Ok(mut slot) = self.0.lock() {
            slot.value = Some(value);
            if let Some(waker) = slot.waker.take() {
                waker.wake();
            }
        }
    }
}

impl Future for Receiver {
    type Output = bool;

    fn poll(self: std::pin::Pin<&mut Self>, context: &mut std::task::Context<'_>) -> std::task::Poll<bool> {
        match self.0.lock() {
            Ok(mut slot) => match slot.value {
                Some(value) => std::task::Poll::Ready(value),
                None => {
                    slot.waker = Some(context.waker().clone());
                    std::task::Poll::Pending
                }
            },
            // A panic in the callback: as if it had failed.
            Err(_) => std::task::Poll::Ready(false),
        }
    }
}
