//! The kernel for points in polygons: its pipelines, and a session that computes the codes of candidates.

use std::collections::VecDeque;
use std::sync::OnceLock;

use super::chunk::{DISPATCH_PAIRS, DISPATCH_WORK, Gathered, PAIR_WORK, PAIR_WORK_OF_SOFTWARE};
use super::relation_kernel::unpack;
use super::{GpuNarrowPhase, fits};
use crate::base::error::Result;
use crate::geometry::Pieces;
use crate::gpu::buffers::PolygonBuffers;
use crate::gpu::device::GpuDevice;
use crate::gpu::dispatch::{Flight, RING, Slot};
use crate::packed::grid::Grid;
use crate::packed::layout::{
    self, Block, CODES_PER_WORD, PointCandidate, PointParams, Polygon, UNCERTAIN, WORKGROUP_SIZE,
};
use crate::packed::pack::Packed;
use crate::packed::wgsl::wgsl;

/// Returns the WGSL source of the shader: the records, the shared geometry functions and the entry point. Rust adds the
/// constants later.
pub(super) fn shader() -> String {
    wgsl!("layout", "filter", "points").concat()
}

/// Returns the constants from Rust followed by `shader`. In WGSL, the order of declarations does not matter.
pub(super) fn source(shader: &str, posed: bool) -> String {
    layout::wgsl_constants() + &format!("const POSED: bool = {posed};\n") + shader
}

/// The pipelines of the kernel for points. Each pipeline is compiled when a query first needs it.
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
        let layout = gpu.checked(0, || gpu.bind_group_layout("sat2d points", &self.shader)).await?;
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

/// The polygons of a set on the device, for queries of points.
#[derive(Debug)]
pub(crate) struct PointSession<'a> {
    gpu: &'a GpuNarrowPhase,
    packed: Packed,
    /// The buffers of all polygons of the set. `None` if the polygons do not all fit on the device. Each dispatch then
    /// carries the polygons of its candidates.
    resident: Option<PolygonBuffers>,
    gathered: Gathered,
    free: Vec<Slot>,
}

impl GpuNarrowPhase {
    /// Begins a session: packs the pieces, and uploads them if they all fit on the device. Returns a device error if
    /// the upload fails for a reason other than a lack of memory, or if the device rejects the kernel.
    pub(crate) async fn point_session(&self, pieces: Pieces<'_>, grid: Grid) -> Result<PointSession<'_>> {
        let packed = Packed::new(pieces, None, grid);
        let records = &packed.records;
        let mut resident = None;
        if records.largest_bytes() <= self.device.binding_bytes() {
            let mut buffers = PolygonBuffers::default();
            resident = fits(buffers.write(&self.device, records).await)?.then_some(buffers);
        }
        self.points.pipeline(&self.device, records.is_posed()).await?;
        Ok(PointSession { gpu: self, packed, resident, gathered: Gathered::default(), free: Vec::new() })
    }
}

impl PointSession<'_> {
    /// Returns the records of the packed polygons.
    pub(crate) fn polygons(&self) -> &[Polygon] {
        &self.packed.records.polygons
    }

    /// Writes the filter's answer for every candidate to `codes`, in the order of the candidates. The answer is the
    /// code for outside, inside or uncertain. If a polygon is too large for the device, its candidates get the code for
    /// uncertain, and `oversized` counts them. Returns a device error if the device fails.
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
                let flight = self.submit(run).await?;
                pending.push_back((run.len(), flight));
            }
        }
        while !pending.is_empty() {
            self.finish(&mut pending, codes).await?;
        }
        Ok(())
    }

    /// Returns the number of candidates that one dispatch decides, from the first of `candidates` on. Returns 0 if the
    /// first candidate is too large even for a dispatch of its own.
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
            // The count of polygons assumes that each candidate names a different polygon.
            carried = [carried[0] + turns, carried[1] + 1];
            let is_full = self.resident.is_none() && (carried[0] > room[0] || carried[1] > room[1]);
            if turns == 0 || turns > most_work || is_full || (work > DISPATCH_WORK && length > 0) {
                return length;
            }
        }
        candidates.len().min(most)
    }

    async fn submit(&mut self, run: &[PointCandidate]) -> Result<Flight> {
        let gpu = &self.gpu.device;
        let kernel = &self.gpu.points;
        let mut slot = match self.free.pop() {
            Some(slot) => slot,
            None => Slot::new(gpu).await?,
        };
        if self.resident.is_some() {
            slot.input.write(gpu, run).await?;
        } else {
            let records = &self.packed.records;
            self.gathered.gather(&[], records, 0);
            let renumbered: Vec<PointCandidate> = run
                .iter()
                .map(|c| PointCandidate { polygon: self.gathered.index(c.polygon, records), ..*c })
                .collect();
            slot.carried.write(gpu, &self.gathered.records).await?;
            slot.input.write(gpu, &renumbered).await?;
        }
        let groups = gpu.groups(run.len() as u64);
        let bytes = (run.len().div_ceil(CODES_PER_WORD as usize) * size_of::<u32>()) as u64;
        let params = PointParams { candidate_count: run.len() as u32, groups_x: groups[0] };
        slot.write_params(gpu, 0, params).await?;
        slot.reserve(gpu, bytes).await?;
        let pipeline = kernel.pipeline(gpu, self.packed.records.is_posed()).await?;
        let layout = kernel.layout(gpu).await?;
        let PolygonBuffers { polygons, placements, blocks } = self.resident.as_ref().unwrap_or(&slot.carried);
        let bound = [&slot.params[0], polygons, placements, blocks, &slot.input, &slot.output];
        let group = gpu.bind_buffers("sat2d points", layout, bound)?;
        slot.submit(gpu, "sat2d points", &[(pipeline, group, groups)], bytes).await
    }

    /// Waits for the oldest dispatch in flight, and appends its codes to `codes`. Returns a device error if the device
    /// fails.
    async fn finish(&mut self, pending: &mut VecDeque<(usize, Flight)>, codes: &mut Vec<u8>) -> Result<()> {
        let Some((count, flight)) = pending.pop_front() else { return Ok(()) };
        let mut take = |words: &[u8]| unpack(words, count, codes);
        let landed = flight.land(&self.gpu.device, "the relations of points", &mut take).await?;
        self.free.push(landed.slot);
        Ok(())
    }
}
