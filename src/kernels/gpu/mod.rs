//! The GPU backend. It runs the certified filter as a WGSL kernel, through wgpu.
//!
//! If the polygons of a join fit the device's bindings, they are uploaded once. Otherwise, each chunk of pairs is
//! uploaded with the polygons of its pairs. If a polygon of a pair is too large for the device, the device does not
//! decide the pair. Exact arithmetic decides these pairs, and the backend counts them. Several chunks are processed at
//! once, each with its own buffers. While the device works on one chunk, the host uploads the next chunk and reads the
//! results of the previous chunk.

#[cfg(not(target_family = "wasm"))]
pub(crate) mod areas;
#[cfg(all(test, feature = "scenes"))]
mod areas_tests;
mod chunk;
mod containment;
pub(crate) mod encoder;
#[cfg(test)]
mod encoder_tests;
pub(crate) mod figures;
#[cfg(all(test, feature = "scenes"))]
mod figures_tests;
mod hits_kernel;
#[cfg(test)]
mod layout_tests;
#[cfg(all(test, feature = "scenes"))]
mod patience_tests;
mod points_kernel;
#[cfg(all(test, feature = "scenes"))]
mod points_tests;
pub(crate) mod read_hits;
pub(crate) mod relation_kernel;
pub(crate) mod sorted;
#[cfg(all(test, feature = "scenes"))]
mod tests;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock};

use crate::answers::results::{Counts, StageSpan, Timings};
use crate::base::clock::Instant;
use crate::base::error::{Error, Result};
use crate::geometry::Pieces;
use crate::gpu::adapter;
use crate::gpu::buffers::{Motions, PolygonBuffers};
use crate::gpu::device::GpuDevice;
use crate::gpu::dispatch::{Flight, RING, Slot};
use crate::gpu::lanes::Lanes;
use crate::gpu::timeline::Recorder;
use crate::packed::grid::Grid;
use crate::packed::layout::UNCERTAIN;
use crate::packed::pack::{Packed, Packing, Records};
use chunk::{Cut, Gathered};
use points_kernel::PointKernel;
pub(crate) use points_kernel::PointSession;
use relation_kernel::{RelationKernel, Variant, unpack};
use sorted::{Part, Sorted, Sorter};

/// The number of polygon records in one upload, which is about 8 MiB. While the device copies these records, the host
/// packs the next records.
const UPLOAD_RECORDS: usize = 1 << 18;

/// The GPU backend: a device, the pipelines of a kernel, and the buffers that joins reuse. Each pipeline is compiled
/// once. A buffer that is too small is replaced by a larger one.
#[derive(Debug)]
pub struct GpuNarrowPhase {
    /// The device that runs the kernels.
    pub device: GpuDevice,
    kernel: RelationKernel,
    figures: figures::FigureKernels,
    points: PointKernel,
    /// The buffers that joins reuse. A join takes them until it ends, so a second join at the same time creates its own
    /// buffers.
    buffers: Mutex<Option<Buffers>>,
    /// The backend with the containment kernel on the same device. It is empty until a query needs this kernel.
    containment: OnceLock<Box<Self>>,
    /// The backend with the area kernel on the same device. It is empty until a query needs this kernel.
    #[cfg(not(target_family = "wasm"))]
    areas: OnceLock<Box<Self>>,
}

/// The buffers that a join on the device uses.
#[derive(Debug, Default)]
struct Buffers {
    resident: PolygonBuffers,
    /// The motions of all polygons of the join, or of the polygons that a run carries.
    motions: Motions,
    /// The dispatch slots that are not in flight.
    free: Vec<Slot>,
    /// The host's memory for packed polygons. It is empty while a join uses it.
    records: Records,
}

impl Buffers {
    /// Returns a free slot for a dispatch. If all slots are in flight, creates one. Returns a device error if the
    /// creation fails.
    async fn slot(&mut self, gpu: &GpuDevice) -> Result<Slot> {
        match self.free.pop() {
            Some(slot) => Ok(slot),
            None => Slot::new(gpu).await,
        }
    }
}

impl GpuNarrowPhase {
    /// Creates the backend on the first hardware adapter, or on the first adapter if there is no hardware adapter.
    /// Returns [`Error::NoAdapter`] if there is no adapter, [`Error::DeviceLimit`] if a limit of the adapter is too
    /// small, and another device error if the adapter cannot be used.
    pub(crate) async fn new() -> Result<Self> {
        Self::from_adapter(&adapter::any().await?).await
    }

    pub(crate) async fn from_adapter(adapter: &wgpu::Adapter) -> Result<Self> {
        Self::on_device(GpuDevice::request(adapter).await?).await
    }

    pub(crate) async fn from_device(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self> {
        Self::on_device(GpuDevice::of_caller(device, queue)).await
    }

    async fn on_device(device: GpuDevice) -> Result<Self> {
        let shader = relation_kernel::shader(Lanes::for_codes(&device));
        Self::on(device, &shader).await
    }

    async fn on(device: GpuDevice, shader: &str) -> Result<Self> {
        device.check_limits()?;
        let kernel = RelationKernel::new(&device, shader).await?;
        let figures = figures::FigureKernels::default();
        let (buffers, containment) = (Mutex::new(None), OnceLock::new());
        let points = PointKernel::new(points_kernel::shader());
        Ok(Self {
            device,
            kernel,
            points,
            figures,
            buffers,
            containment,
            #[cfg(not(target_family = "wasm"))]
            areas: OnceLock::new(),
        })
    }

    /// Drops the buffers that the backend keeps between joins.
    pub(crate) fn free_buffers(&self) {
        if let Ok(mut spare) = self.buffers.lock() {
            *spare = None;
        }
        if let Some(containment) = self.containment.get() {
            containment.free_buffers();
        }
        #[cfg(not(target_family = "wasm"))]
        if let Some(areas) = self.areas.get() {
            areas.free_buffers();
        }
    }

    pub(crate) fn adapter_description(&self) -> String {
        adapter::describe(&self.device.device.adapter_info())
    }

    /// Begins a join. Packs the polygons part by part, and uploads them if they all fit on the device. Returns a device
    /// error if an upload fails for a reason other than a lack of memory, or if the device rejects the kernel.
    pub(crate) async fn session<'a>(
        &'a self,
        a: Pieces<'_>,
        b: Option<Pieces<'_>>,
        grid: Grid,
        timings: &mut Timings,
    ) -> Result<Session<'a>> {
        let mut recorder = Recorder::default();
        let start = Instant::now();
        let spare = self.buffers.lock().ok().and_then(|mut spare| spare.take());
        let mut buffers = spare.unwrap_or_default();
        let mut packing = Packing::new(a, b, grid, std::mem::take(&mut buffers.records));
        timings.pack += start.elapsed();
        let start = Instant::now();
        let bytes = packing.bytes();
        let mut resident = bytes.into_iter().max() <= Some(self.device.binding_bytes());
        if resident && !fits(buffers.resident.reserve(&self.device, bytes).await)? {
            (buffers, resident) = (Buffers::default(), false);
        }
        timings.upload += start.elapsed();
        for part in 0.. {
            let start = Instant::now();
            let Some(packed) = packing.next_part(UPLOAD_RECORDS) else { break };
            let made = Instant::now();
            timings.pack += recorder.span(part, "pack", start, made);
            if resident {
                let more = !packing.is_done();
                if !fits(buffers.resident.write_part(&self.device, packing.records(), &packed, more).await)? {
                    (buffers, resident) = (Buffers::default(), false);
                }
                timings.upload += recorder.span(part, "upload polygons", made, Instant::now());
            }
        }
        let start = Instant::now();
        let packed = packing.finish();
        // A polygon without a record does not affect the choice of the variant, because its pairs stay on the host.
        let variant = Variant::of(packed.records.most_vertices, packed.records.is_posed());
        let sorter = Sorter::of(&packed.records);
        self.kernel.pipeline(&self.device, variant).await?;
        timings.upload += start.elapsed();
        Ok(Session {
            gpu: self,
            buffers,
            packed: Arc::new(packed),
            variant,
            sorter,
            thresholds: [0.0; 2],
            orders: Vec::new(),
            codes: Vec::new(),
            resident,
            gathered: Gathered::default(),
            pending: VecDeque::new(),
            ready: Vec::new(),
            recorder,
            idle: true,
        })
    }
}

/// Returns whether polygons were stored on the device. If the device has too little memory for all polygons, each dispatch
/// carries the polygons of its pairs. Returns every other error.
fn fits(stored: Result<()>) -> Result<bool> {
    match stored {
        Err(Error::OutOfDeviceMemory { .. }) => Ok(false),
        stored => stored.map(|()| true),
    }
}

/// One join on the device, with its polygons and the runs of pairs in flight. A *run* consists of the pairs that one
/// dispatch decides.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    gpu: &'a GpuNarrowPhase,
    buffers: Buffers,
    packed: Arc<Packed>,
    /// The variant of the kernel that accepts all polygons of the join.
    variant: Variant,
    /// The sorter of pairs by the sizes of their polygons, or `None` if no polygon has more than 8 vertices.
    sorter: Option<Sorter>,
    /// The thresholds that the area kernel reads. All other kernels ignore them.
    thresholds: [f32; 2],
    /// The orders of sorted runs that are no longer in flight. Later runs reuse their memory.
    orders: Vec<Sorted>,
    /// Memory for the codes of a sorted run, before they are put back in the original order.
    codes: Vec<u8>,
    /// Whether all polygons of the join are on the device.
    resident: bool,
    gathered: Gathered,
    /// The runs whose codes the host has not read yet, in the order of their pairs.
    pending: VecDeque<Pending>,
    /// Codes that the host has read, but that the caller has not collected yet.
    ready: Vec<u8>,
    recorder: Recorder,
    /// Whether no dispatch uses the buffers, so that the next join can reuse them. After an error or an abandoned wait,
    /// a dispatch may still use a buffer.
    idle: bool,
}

/// A run of pairs whose codes the host has not read yet.
#[derive(Debug)]
enum Pending {
    OnDevice {
        chunk: u32,
        count: usize,
        flight: Box<Flight>,
        /// The order of the pairs of the dispatch, or `None` if they were not sorted.
        order: Option<Sorted>,
    },
    /// A pair that is too large for the device, so the device does not decide it.
    Oversized,
}

impl Session<'_> {
    /// Writes the filter's answer for every pair to `codes`, in the order of `pairs`. The answer is the code for
    /// disjoint, overlapping or uncertain. Returns a device error if the device fails.
    #[cfg(all(test, feature = "scenes"))]
    pub(crate) async fn filter_codes(
        &mut self,
        pairs: &[[u32; 2]],
        codes: &mut Vec<u8>,
        counts: &mut Counts,
        timings: &mut Timings,
    ) -> Result<()> {
        self.submit(pairs, counts, timings).await?;
        self.collect(pairs.len(), codes, timings).await
    }

    /// Submits pairs to the device, and returns when the last of these pairs is in flight. A caller can submit pairs
    /// before it collects the pairs of an earlier call. The device then decides the new pairs while the caller works on
    /// the earlier pairs. Returns a device error if the device fails.
    pub(crate) async fn submit(
        &mut self,
        pairs: &[[u32; 2]],
        counts: &mut Counts,
        timings: &mut Timings,
    ) -> Result<()> {
        self.idle = false;
        let packed = Arc::clone(&self.packed);
        let mut cut = Cut::new(&self.gpu.device, &packed.records, packed.b_offset, self.resident);
        let mut rest = pairs;
        while !rest.is_empty() {
            if self.pending.len() >= RING {
                self.finish_oldest(timings).await?;
            }
            let start = Instant::now();
            let (run, tail) = rest.split_at(cut.run_length(rest));
            rest = tail;
            if run.is_empty() {
                // The next pair is too large even for a dispatch of its own.
                rest = &rest[1..];
                counts.oversized += 1;
                self.pending.push_back(Pending::Oversized);
            } else {
                let pending = self.dispatch(&packed, run, timings, start).await?;
                self.pending.push_back(pending);
            }
        }
        Ok(())
    }

    /// Waits for the first `count` pairs that were submitted and not collected yet, and writes their codes to `codes`,
    /// in the order of the pairs. Returns a device error if the device fails.
    pub(crate) async fn collect(
        &mut self,
        count: usize,
        codes: &mut Vec<u8>,
        timings: &mut Timings,
    ) -> Result<()> {
        while self.ready.len() < count && !self.pending.is_empty() {
            self.finish_oldest(timings).await?;
        }
        codes.clear();
        if self.ready.len() == count {
            std::mem::swap(codes, &mut self.ready);
        } else {
            codes.extend(self.ready.drain(..count.min(self.ready.len())));
        }
        self.idle = self.pending.is_empty();
        Ok(())
    }

    /// Forgets the pairs that were submitted and not collected. Their buffers are not used again, because the device
    /// may still write to them.
    pub(crate) fn forget_submitted(&mut self) {
        self.pending.clear();
        self.ready.clear();
    }

    /// Waits for the oldest run in flight, and appends its codes to [`Session::ready`]. Returns a device error if the
    /// device fails.
    async fn finish_oldest(&mut self, timings: &mut Timings) -> Result<()> {
        match self.pending.pop_front() {
            None => {}
            Some(Pending::Oversized) => self.ready.push(UNCERTAIN as u8),
            Some(Pending::OnDevice { chunk, count, flight, order }) => {
                let submitted = flight.at;
                let gpu = self.gpu;
                self.codes.clear();
                let codes = if order.is_some() { &mut self.codes } else { &mut self.ready };
                let mut take = |words: &[u8]| unpack(words, count, codes);
                let landed = flight.land(&gpu.device, "the relations of pairs", &mut take).await?;
                if let Some(order) = order {
                    order.put_back(&self.codes, &mut self.ready);
                    self.orders.push(order);
                }
                let read = Instant::now();
                self.buffers.free.push(landed.slot);
                self.recorder.kernel(chunk, submitted, landed.done, landed.on_device, timings);
                self.recorder.readback(chunk, landed.done, read, timings);
            }
        }
        Ok(())
    }

    /// Returns the packed polygons of both sides and their placements.
    pub(crate) fn packed(&self) -> &Packed {
        &self.packed
    }

    /// Returns the time span of each stage of each chunk, relative to `start`, the beginning of the join.
    pub(crate) fn timeline(&self, start: Instant) -> Vec<StageSpan> {
        self.recorder.spans_since(start)
    }

    /// Uploads a run of pairs and submits it. Returns a device error if the device rejects the upload or the commands.
    async fn dispatch(
        &mut self,
        packed: &Packed,
        run: &[[u32; 2]],
        timings: &mut Timings,
        start: Instant,
    ) -> Result<Pending> {
        let gpu = self.gpu;
        let b_offset = packed.b_offset;
        let mut slot = self.buffers.slot(&gpu.device).await?;
        let order = self.sorter.as_mut().map(|sorter| {
            let mut order = self.orders.pop().unwrap_or_default();
            sorter.sort(run, b_offset, &mut order);
            order
        });
        let whole = [Part { variant: self.variant, end: run.len() as u32 }];
        let (run, parts) =
            order.as_ref().map_or((run, &whole[..]), |order| (&order.pairs[..], &order.parts[..]));
        if self.resident {
            slot.input.write(&gpu.device, run).await?;
        } else {
            self.gathered.gather(run, &packed.records, b_offset);
            slot.carried.write(&gpu.device, &self.gathered.records).await?;
            slot.input.write(&gpu.device, &self.gathered.pairs).await?;
        }
        // The carried polygons of both sides are in one list, so both indices of a pair refer to the same list.
        let b_offset = if self.resident { b_offset } else { 0 };
        let resident = self.resident.then_some(&self.buffers.resident);
        let count = run.len();
        let flight = gpu.kernel.submit(&gpu.device, parts, slot, resident, b_offset, self.thresholds).await?;
        let chunk = self.recorder.upload(start, flight.at, timings);
        Ok(Pending::OnDevice { chunk, count, flight: Box::new(flight), order })
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if let Some(packed) = Arc::get_mut(&mut self.packed) {
            self.buffers.records = std::mem::take(&mut packed.records);
        }
        if self.idle
            && let Ok(mut spare) = self.gpu.buffers.lock()
        {
            *spare = Some(std::mem::take(&mut self.buffers));
        }
    }
}
