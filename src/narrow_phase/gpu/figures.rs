//! Figures on a device: a kernel each, all with the same bindings; from pairs to records on the host.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use bytemuck::pod_read_unaligned;

use super::buffers::{Growable, PolygonBuffers};
use super::chunk::Cut;
use super::device::{Binding, GpuDevice, one_line};
use super::wait::oneshot;
use super::{Session, Slot};
use crate::error::{Error, Result};
use crate::layout::{self, FigureParams};
use crate::narrow_phase::figures::Figure;
use crate::pack::Packed;
use crate::results::Timings;

/// Group 0: params, polygons, placements, blocks, pairs, figures.
const BINDINGS: [Binding; 6] =
    [Binding::Uniform, Binding::Input, Binding::Input, Binding::Input, Binding::Input, Binding::Output];

/// The whole shader of a figure: constants from Rust, what all have, and its own.
pub(super) fn source<F: Figure>(posed: bool) -> String {
    layout::wgsl_constants()
        + &format!("const POSED: bool = {posed};\n")
        + concat!(
            include_str!("../../../shaders/layout.wgsl"),
            include_str!("../../../shaders/filter.wgsl"),
            include_str!("../../../shaders/figure.wgsl"),
            include_str!("../../../shaders/edges.wgsl"),
        )
        + F::SHADER.1
}

/// The pipelines of a device, each made when it is first needed.
#[derive(Debug, Default)]
pub(super) struct FigureKernels {
    pipelines: Mutex<HashMap<(TypeId, bool), Arc<FigureKernel>>>,
}

#[derive(Debug)]
struct FigureKernel {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
}

impl FigureKernels {
    async fn get<F: Figure>(&self, gpu: &GpuDevice, posed: bool) -> Result<Arc<FigureKernel>> {
        let key = (TypeId::of::<F>(), posed);
        if let Some(kernel) = self.pipelines.lock().ok().and_then(|p| p.get(&key).cloned()) {
            return Ok(kernel);
        }
        let (label, _) = F::SHADER;
        let made = gpu.checked(0, || {
            let layout = gpu.bind_group_layout(label, &BINDINGS);
            let module = gpu.shader_module(label, source::<F>(posed));
            FigureKernel { pipeline: gpu.compute_pipeline(label, &layout, &module), layout }
        });
        let kernel = Arc::new(made.await?);
        if let Ok(mut pipelines) = self.pipelines.lock() {
            pipelines.insert(key, Arc::clone(&kernel));
        }
        Ok(kernel)
    }
}

impl Session<'_> {
    /// The record of every pair, in the order of `pairs`; none for a pair that is too large for the device.
    pub(crate) async fn figures<F: Figure>(
        &mut self,
        packed: &Packed,
        pairs: &[[u32; 2]],
        parameter: f32,
        timings: &mut Timings,
    ) -> Result<Vec<Option<F::Record>>> {
        self.idle = false;
        let records = Arc::clone(&self.records);
        let b_offset = packed.b_offset;
        let kernel = self.gpu.figures.get::<F>(&self.gpu.device, records.is_posed()).await?;
        let most = (self.gpu.device.binding_bytes() / size_of::<F::Record>() as u64).max(1) as usize;
        let mut cut = Cut::for_figures(&self.gpu.device, &records, b_offset, self.resident);
        let mut out = Vec::with_capacity(pairs.len());
        let mut rest = pairs;
        while !rest.is_empty() {
            let start = Instant::now();
            let length = cut.run_length(&rest[..rest.len().min(most)]);
            if length == 0 {
                out.push(None);
                rest = &rest[1..];
                continue;
            }
            let (run, tail) = rest.split_at(length);
            rest = tail;
            let mut slot = match self.buffers.free.pop() {
                Some(slot) => slot,
                None => Slot::new(&self.gpu.device).await?,
            };
            let params = FigureParams { pair_count: 0, groups_x: 0, b_offset: 0, parameter };
            self.measure::<F>(&kernel, &mut slot, packed, run, params, &mut out).await?;
            self.buffers.free.push(slot);
            timings.kernel += start.elapsed();
        }
        self.idle = true;
        Ok(out)
    }

    /// Uploads a run of pairs, has it measured, and appends the records to `out`.
    async fn measure<F: Figure>(
        &mut self,
        kernel: &FigureKernel,
        slot: &mut Slot,
        packed: &Packed,
        run: &[[u32; 2]],
        params: FigureParams,
        out: &mut Vec<Option<F::Record>>,
    ) -> Result<()> {
        let gpu = &self.gpu.device;
        let records = Arc::clone(&self.records);
        if self.resident {
            slot.pairs.write(gpu, run).await?;
        } else {
            self.gathered.gather(run, &records, packed.b_offset);
            slot.carried.write(gpu, &self.gathered.records).await?;
            slot.pairs.write(gpu, &self.gathered.pairs).await?;
        }
        let [groups_x, groups_y] = gpu.groups(run.len() as u64);
        // Carried polygons are numbered anew, as one pool.
        let b_offset = if self.resident { packed.b_offset } else { 0 };
        let params = FigureParams { pair_count: run.len() as u32, groups_x, b_offset, ..params };
        let bytes = size_of::<F::Record>() as u64 * run.len() as u64;
        slot.figure_params.write(gpu, &[params]).await?;
        slot.codes.reserve(gpu, bytes).await?;
        slot.readback.reserve(gpu, bytes).await?;
        let PolygonBuffers { polygons, placements, blocks } =
            if self.resident { &self.buffers.resident } else { &slot.carried };
        let bound: [&Growable; 6] =
            [&slot.figure_params, polygons, placements, blocks, &slot.pairs, &slot.codes];
        let mut entries = Vec::with_capacity(bound.len());
        for buffer in bound {
            entries.push(buffer.get()?.as_entire_binding());
        }
        let group = gpu.bind_group(F::SHADER.0, &kernel.layout, &entries);
        let (figures, readback) = (slot.codes.get()?, slot.readback.get()?);
        let submission = gpu.checked(0, || {
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            {
                let descriptor =
                    wgpu::ComputePassDescriptor { label: Some(F::SHADER.0), timestamp_writes: None };
                let mut pass = encoder.begin_compute_pass(&descriptor);
                pass.set_pipeline(&kernel.pipeline);
                pass.set_bind_group(0, &group, &[]);
                pass.dispatch_workgroups(groups_x, groups_y, 1);
            }
            encoder.copy_buffer_to_buffer(figures, 0, readback, 0, bytes);
            gpu.queue.submit([encoder.finish()])
        });
        let submission = submission.await?;
        let (sender, mapped) = oneshot();
        readback.map_async(wgpu::MapMode::Read, ..bytes, move |result| sender.send(result.is_ok()));
        let lost = |reason: String| Error::DeviceLost { reason: gpu.lost_reason().unwrap_or(reason) };
        // In a browser this does nothing, and the callback comes from the event loop.
        let wait = wgpu::PollType::Wait { submission_index: Some(submission), timeout: None };
        gpu.device.poll(wait).map_err(|e| lost(one_line(&e)))?;
        if !mapped.await {
            return Err(lost("the answer could not be mapped".into()));
        }
        let view = readback.get_mapped_range(..bytes).map_err(|e| lost(one_line(&e)))?;
        out.extend(view.chunks_exact(size_of::<F::Record>()).map(|bytes| Some(pod_read_unaligned(bytes))));
        drop(view);
        readback.unmap();
        Ok(())
    }
}
