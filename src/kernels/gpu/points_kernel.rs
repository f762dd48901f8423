//! The kernel of points in polygons: its pipelines, and the path from lists of candidates to codes on the host.

use std::collections::VecDeque;
use std::sync::OnceLock;

use super::chunk::{DISPATCH_PAIRS, DISPATCH_WORK, Gathered, PAIR_WORK, PAIR_WORK_OF_SOFTWARE};
use super::relation_kernel::unpack;
use super::{GpuNarrowPhase, RING};
use crate::base::error::{Error, Result};
use crate::geometry::Pieces;
use crate::gpu::buffers::{Growable, PolygonBuffers};
use crate::gpu::device::{Binding, GpuDevice, one_line};
use crate::gpu::wait::{Receiver, oneshot};
use crate::packed::grid::Grid;
use crate::packed::layout::{
    self, Block, CODES_PER_WORD, PointCandidate, PointParams, Polygon, UNCERTAIN, WORKGROUP_SIZE,
};
use crate::packed::pack::Packed;
use crate::packed::wgsl::wgsl;

/// The shader without the constants: records, pure geometry, entry point.
pub(super) fn shader() -> String {
    wgsl!("layout", "filter", "points").concat()
}

/// Constants from Rust, then `shader`. Module scope is independent of order.
pub(super) fn source(shader: &str, posed: bool) -> String {
    layout::wgsl_constants() + &format!("const POSED: bool = {posed};\n") + shader
}

/// Group 0: params, polygons, placements, blocks, candidates, codes.
const BINDINGS: [Binding; 6] =
    [Binding::Uniform, Binding::Input, Binding::Input, Binding::Input, Binding::Input, Binding::Output];

/// The pipelines, each compiled when it is first needed.
#[derive(Debug)]
pub(super) struct PointKernel {
    shader: String,
    layout: OnceLock<wgpu::BindGroupLayout>,
    pipelines: [OnceLock<wgpu::ComputePipeline>; 2],
}

impl PointKernel {
    pub(super) fn new(shader: String) -> Self {
        Self { shader, layout: OnceLock::new(), pipelines: Default::default() }
    }

    async fn layout(&self, gpu: &GpuDevice) -> Result<&wgpu::BindGroupLayout> {
        if let Some(layout) = self.layout.get() {
            return Ok(layout);
        }
        let layout = gpu.checked(0, || gpu.bind_group_layout("sat2d points", &BINDINGS)).await?;
        Ok(self.layout.get_or_init(|| layout))
    }

    async fn pipeline(&self, gpu: &GpuDevice, posed: bool) -> Result<&wgpu::ComputePipeline> {
        let slot = &self.pipelines[usize::from(posed)];
        if let Some(pipeline) = slot.get() {
            return Ok(pipeline);
        }
        let layout = self.layout(gpu).await?;
        let label = "sat2d points";
        let make =
            || gpu.compute_pipeline(label, layout, &gpu.shader_module(label, source(&self.shader, posed)));
        let pipeline = gpu.checked(0, make).await?;
        Ok(slot.get_or_init(|| pipeline))
    }
}

/// The buffers of one dispatch.
#[derive(Debug)]
struct Slot {
    params: Growable,
    candidates: Growable,
    codes: Growable,
    readback: Growable,
    carried: PolygonBuffers,
}

impl Default for Slot {
    fn default() -> Self {
        use wgpu::BufferUsages as Usage;
        Self {
            params: Growable::new("sat2d params", Usage::UNIFORM | Usage::COPY_DST),
            candidates: Growable::input("sat2d candidates"),
            codes: Growable::new("sat2d codes", Usage::STORAGE | Usage::COPY_SRC),
            readback: Growable::new("sat2d readback", Usage::MAP_READ | Usage::COPY_DST),
            carried: PolygonBuffers::default(),
        }
    }
}

/// A dispatch that was submitted.
#[derive(Debug)]
struct Submitted {
    slot: Slot,
    count: usize,
    bytes: u64,
    submission: wgpu::SubmissionIndex,
    mapped: Receiver,
}

/// The polygons of a set on the device, for queries of points.
#[derive(Debug)]
pub(crate) struct PointSession<'a> {
    gpu: &'a GpuNarrowPhase,
    packed: Packed,
    /// The buffers of all polygons. `None` if the polygons do not all fit; each dispatch then carries the polygons that
    /// it names.
    resident: Option<PolygonBuffers>,
    gathered: Gathered,
    free: Vec<Slot>,
}

impl GpuNarrowPhase {
    /// Packs the pieces, and uploads them if they fit.
    pub(crate) async fn point_session(&self, pieces: Pieces<'_>, grid: Grid) -> Result<PointSession<'_>> {
        let packed = Packed::new(pieces, None, grid);
        let records = &packed.records;
        let mut resident = None;
        if records.largest_bytes() <= self.device.binding_bytes() {
            let mut buffers = PolygonBuffers::default();
            match buffers.write(&self.device, records).await {
                Ok(()) => resident = Some(buffers),
                // What does not fit at once may fit in parts.
                Err(Error::OutOfDeviceMemory { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        self.points.pipeline(&self.device, records.is_posed()).await?;
        Ok(PointSession { gpu: self, packed, resident, gathered: Gathered::default(), free: Vec::new() })
    }
}

impl PointSession<'_> {
    /// The polygons as they are packed.
    pub(crate) fn polygons(&self) -> &[Polygon] {
        &self.packed.records.polygons
    }

    /// Writes the filter's code of every candidate to `codes`, in order. If a polygon is too large for the device, its
    /// candidates are uncertain, and `oversized` counts them.
    pub(crate) async fn codes(
        &mut self,
        candidates: &[PointCandidate],
        codes: &mut Vec<u8>,
        oversized: &mut u64,
    ) -> Result<()> {
        codes.clear();
        let mut pending = VecDeque::new();
        let mut rest = candidates;
        while !rest.is_empty() {
            if pending.len() == RING {
                self.finish(&mut pending, codes).await?;
            }
            let (run, tail) = rest.split_at(self.run_length(rest));
            rest = tail;
            if run.is_empty() {
                while !pending.is_empty() {
                    self.finish(&mut pending, codes).await?;
                }
                *oversized += 1;
                codes.push(UNCERTAIN as u8);
                rest = &rest[1..];
            } else {
                let submitted = self.submit(run).await?;
                pending.push_back(submitted);
            }
        }
        while !pending.is_empty() {
            self.finish(&mut pending, codes).await?;
        }
        Ok(())
    }

    /// The number of the first candidates that one dispatch takes, or 0 if the first candidate alone is too large.
    fn run_length(&self, candidates: &[PointCandidate]) -> usize {
        let device = &self.gpu.device;
        let bytes = device.binding_bytes();
        let groups = u64::from(device.limits.max_compute_workgroups_per_dimension).pow(2);
        let most = (bytes / size_of::<PointCandidate>() as u64)
            .min(groups.saturating_mul(WORKGROUP_SIZE.into()))
            .min(DISPATCH_PAIRS) as usize;
        let most_work = if device.is_hardware() { PAIR_WORK } else { PAIR_WORK_OF_SOFTWARE };
        let room = [bytes / size_of::<Block>() as u64, bytes / size_of::<Polygon>() as u64];
        let (mut work, mut carried) = (0, [0, 0]);
        for (length, candidate) in candidates.iter().enumerate().take(most) {
            let turns = u64::from(self.packed.records.polygons[candidate.polygon as usize].block_count());
            work += turns;
            // As if each named a polygon of its own.
            carried = [carried[0] + turns, carried[1] + 1];
            let is_full = self.resident.is_none() && (carried[0] > room[0] || carried[1] > room[1]);
            if turns == 0 || turns > most_work || is_full || (work > DISPATCH_WORK && length > 0) {
                return length;
            }
        }
        candidates.len().min(most)
    }

    async fn submit(&mut self, run: &[PointCandidate]) -> Result<Submitted> {
        let gpu = &self.gpu.device;
        let kernel = &self.gpu.points;
        let mut slot = self.free.pop().unwrap_or_default();
        let polygons = match &self.resident {
            Some(resident) => {
                slot.candidates.write(gpu, run).await?;
                resident
            }
            None => {
                let records = &self.packed.records;
                self.gathered.gather(&[], records, 0);
                let renumbered: Vec<PointCandidate> = run
                    .iter()
                    .map(|c| PointCandidate { polygon: self.gathered.index(c.polygon, records), ..*c })
                    .collect();
                slot.carried.write(gpu, &self.gathered.records).await?;
                slot.candidates.write(gpu, &renumbered).await?;
                &slot.carried
            }
        };
        let [groups_x, groups_y] = gpu.groups(run.len() as u64);
        let bytes = (run.len().div_ceil(CODES_PER_WORD as usize) * size_of::<u32>()) as u64;
        slot.params.write(gpu, &[PointParams { candidate_count: run.len() as u32, groups_x }]).await?;
        slot.codes.reserve(gpu, bytes).await?;
        slot.readback.reserve(gpu, bytes).await?;
        let pipeline = kernel.pipeline(gpu, self.packed.records.is_posed()).await?;
        let layout = kernel.layout(gpu).await?;
        let PolygonBuffers { polygons, placements, blocks } = polygons;
        let bound = [
            slot.params.get()?,
            polygons.get()?,
            placements.get()?,
            blocks.get()?,
            slot.candidates.get()?,
            slot.codes.get()?,
        ];
        let bound = bound.map(|buffer| buffer.as_entire_binding());
        let (codes, readback) = (slot.codes.get()?, slot.readback.get()?);
        let submission = gpu.checked(0, || {
            let group = gpu.bind_group("sat2d points", layout, &bound);
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            {
                let descriptor =
                    wgpu::ComputePassDescriptor { label: Some("sat2d points"), timestamp_writes: None };
                let mut pass = encoder.begin_compute_pass(&descriptor);
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, &group, &[]);
                pass.dispatch_workgroups(groups_x, groups_y, 1);
            }
            encoder.copy_buffer_to_buffer(codes, 0, readback, 0, bytes);
            gpu.submit(encoder)
        });
        let submission = submission.await?;
        let (sender, mapped) = oneshot();
        readback.map_async(wgpu::MapMode::Read, ..bytes, move |result| sender.send(result.is_ok()));
        Ok(Submitted { slot, count: run.len(), bytes, submission, mapped })
    }

    /// Waits for the dispatch that was submitted first, and appends its codes.
    async fn finish(&mut self, pending: &mut VecDeque<Submitted>, codes: &mut Vec<u8>) -> Result<()> {
        let Some(Submitted { slot, count, bytes, submission, mapped }) = pending.pop_front() else {
            return Ok(());
        };
        let gpu = &self.gpu.device;
        let lost = |reason: String| Error::DeviceLost { reason: gpu.lost_reason().unwrap_or(reason) };
        gpu.wait_for(&submission, "the relations of points")?;
        if !mapped.await {
            return Err(lost("the answer could not be mapped".into()));
        }
        let readback = slot.readback.get()?;
        match readback.get_mapped_range(..bytes) {
            Ok(words) => unpack(&words, count, codes),
            Err(error) => return Err(lost(one_line(&error))),
        }
        readback.unmap();
        self.free.push(slot);
        Ok(())
    }
}
