//! Measurements on a device, from pairs to records on the host. Each measurement has its own kernel. All kernels have
//! the same bindings, except that only kernels of moving polygons have the binding for motions.

use std::any::TypeId;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use bytemuck::pod_read_unaligned;

use super::Session;
use super::chunk::Cut;
use crate::answers::results::Timings;
use crate::base::clock::Instant;
use crate::base::error::Result;
use crate::gpu::buffers::PolygonBuffers;
use crate::gpu::device::GpuDevice;
use crate::gpu::dispatch::{Flight, RING};
use crate::kernels::measurements::Shader;
use crate::packed::layout::{self, FigureParams, MotionRecord};
use crate::packed::wgsl::wgsl;

/// The properties of a [`Shader`], as values instead of types. The code that uses them is compiled only once for all
/// shaders.
#[derive(Clone, Copy)]
struct Spec {
    id: TypeId,
    label: &'static str,
    files: &'static [&'static str],
    moves: bool,
    record_bytes: usize,
}

impl Spec {
    fn of<F: Shader>() -> Self {
        let (label, files) = F::SOURCE;
        let (id, record_bytes) = (TypeId::of::<F>(), size_of::<F::Record>());
        Self { id, label, files, moves: F::MOVES, record_bytes }
    }

    fn source(self, posed: bool) -> String {
        layout::wgsl_constants()
            + &format!("const POSED: bool = {posed};\n")
            + &wgsl!("layout", "filter", "figure", "polygon", "edges").concat()
            + &if self.moves { wgsl!("moving") } else { wgsl!("still") }.concat()
            + &self.files.concat()
    }
}

/// Returns the whole source of the shader of a measurement: the constants from Rust, the shared files, and the shader's
/// own files.
#[cfg(any(feature = "sim", test))]
pub(crate) fn source<F: Shader>(posed: bool) -> String {
    Spec::of::<F>().source(posed)
}

/// The compiled measurement kernels of a device. Each pipeline is created when a query first needs it.
#[derive(Debug, Default)]
pub(super) struct FigureKernels {
    pipelines: Mutex<HashMap<(TypeId, bool), Arc<FigureKernel>>>,
    /// The fault that tests inject into shaders: the text to replace, and its replacement. `None` if there is no fault.
    #[cfg(test)]
    pub(super) fault: Mutex<Option<(&'static str, &'static str)>>,
}

#[derive(Debug)]
struct FigureKernel {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
}

impl FigureKernels {
    fn source(&self, spec: Spec, posed: bool) -> String {
        let source = spec.source(posed);
        #[cfg(test)]
        if let Some((original, broken)) = *self.fault.lock().expect("no test panics while it breaks a shader")
        {
            assert!(source.contains(original), "the line to break is in the shader: {original}");
            return source.replace(original, broken);
        }
        source
    }

    /// Drops all compiled pipelines, so that later queries compile them again.
    #[cfg(all(test, feature = "scenes"))]
    pub(super) fn forget(&self) {
        self.pipelines.lock().expect("no test panics while it makes a pipeline").clear();
    }

    async fn get(&self, gpu: &GpuDevice, spec: Spec, posed: bool) -> Result<Arc<FigureKernel>> {
        let key = (spec.id, posed);
        if let Some(kernel) = self.pipelines.lock().ok().and_then(|p| p.get(&key).cloned()) {
            return Ok(kernel);
        }
        let label = spec.label;
        let made = gpu.checked(0, || {
            let (pipeline, layout) = gpu.compute_kernel(label, self.source(spec, posed));
            FigureKernel { layout, pipeline }
        });
        let kernel = Arc::new(made.await?);
        if let Ok(mut pipelines) = self.pipelines.lock() {
            pipelines.insert(key, Arc::clone(&kernel));
        }
        Ok(kernel)
    }
}

/// The input of one dispatch: a run of pairs, and the data of their polygons.
struct Run<'a> {
    pairs: &'a [[u32; 2]],
    motions: Option<[&'a [MotionRecord]; 2]>,
    /// Whether the device holds all polygons and motions of the join.
    resident: bool,
}

/// A function that receives the bytes of the records of a run of pairs. It receives `None` for a pair that is too large
/// for the device.
type Out<'a> = dyn FnMut(Option<&[u8]>) + Send + 'a;

impl Session<'_> {
    /// Measures every pair on the device. `motions` are the motions of the polygons of A and of B, for a kernel whose
    /// polygons move. Returns the records in the order of `pairs`, with `None` for a pair that is too large for the
    /// device. Returns a device error if the device fails.
    pub(crate) async fn figures<F: Shader>(
        &mut self,
        pairs: &[[u32; 2]],
        parameter: f32,
        motions: Option<[&[MotionRecord]; 2]>,
        timings: &mut Timings,
    ) -> Result<Vec<Option<F::Record>>> {
        let mut out = Vec::with_capacity(pairs.len());
        let mut take = |run: Option<&[u8]>| match run {
            None => out.push(None),
            Some(run) => {
                let records = run.chunks_exact(size_of::<F::Record>());
                out.extend(records.map(|record| Some(pod_read_unaligned(record))));
            }
        };
        self.measure_all(Spec::of::<F>(), pairs, parameter, motions, timings, &mut take).await?;
        Ok(out)
    }

    /// Measures every pair on the device. Passes the bytes of the records to `out`, one run of pairs at a time. Passes
    /// `None` for a pair that is too large for the device. Returns a device error if the device fails.
    #[allow(clippy::too_many_arguments)]
    async fn measure_all(
        &mut self,
        spec: Spec,
        pairs: &[[u32; 2]],
        parameter: f32,
        motions: Option<[&[MotionRecord]; 2]>,
        timings: &mut Timings,
        out: &mut Out<'_>,
    ) -> Result<()> {
        self.idle = false;
        let packed = Arc::clone(&self.packed);
        let (records, b_offset) = (&packed.records, packed.b_offset);
        let kernel = self.gpu.figures.get(&self.gpu.device, spec, records.is_posed()).await?;
        let most = (self.gpu.device.binding_bytes() / spec.record_bytes as u64).max(1) as usize;
        let all: Vec<MotionRecord> = motions.into_iter().flatten().flatten().copied().collect();
        let resident = self.resident && size_of_val(&all[..]) as u64 <= self.gpu.device.binding_bytes();
        let mut cut = if spec.moves {
            Cut::for_moving(&self.gpu.device, records, b_offset, resident)
        } else {
            Cut::for_figures(&self.gpu.device, records, b_offset, resident)
        };
        if resident && !all.is_empty() {
            self.buffers.motions.0.write(&self.gpu.device, &all).await?;
        }
        let start = Instant::now();
        // `None` stands for a pair that is too large for the device.
        let mut pending: VecDeque<Option<Flight>> = VecDeque::new();
        let mut rest = pairs;
        while !rest.is_empty() {
            if pending.len() >= RING {
                self.land(pending.pop_front().flatten(), out).await?;
            }
            let length = cut.run_length(&rest[..rest.len().min(most)]);
            let (run, tail) = rest.split_at(length.max(1));
            rest = tail;
            if length == 0 {
                pending.push_back(None);
                continue;
            }
            let motion_offset = motions.map_or(0, |[a, _]| a.len() as u32);
            let params = FigureParams { parameter, motion_offset, ..FigureParams::default() };
            let flight = self.measure(spec, &kernel, Run { pairs: run, motions, resident }, params).await?;
            pending.push_back(Some(flight));
        }
        for flight in pending {
            self.land(flight, out).await?;
        }
        timings.kernel += start.elapsed();
        self.idle = true;
        Ok(())
    }

    /// Waits for a dispatch, and passes its records to `out`. If `flight` is `None`, passes `None`. Returns a device
    /// error if the device fails.
    async fn land(&mut self, flight: Option<Flight>, out: &mut Out<'_>) -> Result<()> {
        let Some(flight) = flight else {
            out(None);
            return Ok(());
        };
        let mut take = |records: &[u8]| out(Some(records));
        let landed = flight.land(&self.gpu.device, "the measurements of pairs", &mut take).await?;
        self.buffers.free.push(landed.slot);
        Ok(())
    }

    /// Uploads a run of pairs, and submits the dispatch that measures them. Returns a device error if the device
    /// rejects the upload or the commands.
    async fn measure(
        &mut self,
        spec: Spec,
        kernel: &FigureKernel,
        Run { pairs: run, motions, resident }: Run<'_>,
        mut params: FigureParams,
    ) -> Result<Flight> {
        let gpu = &self.gpu.device;
        let mut slot = self.buffers.slot(gpu).await?;
        let packed = Arc::clone(&self.packed);
        if resident {
            slot.input.write(gpu, run).await?;
        } else {
            self.gathered.gather(run, &packed.records, packed.b_offset);
            slot.carried.write(gpu, &self.gathered.records).await?;
            slot.input.write(gpu, &self.gathered.pairs).await?;
            if let Some([a, b]) = motions {
                let named = self.gathered.motions(a, b, packed.b_offset);
                params.motion_offset = named.len() as u32 / 2;
                // The queue writes these motions after all earlier dispatches, which read the motions of their own
                // pairs.
                self.buffers.motions.0.write(gpu, &named).await?;
            }
        }
        let groups = gpu.groups(run.len() as u64);
        // The carried polygons of both sides are in one list, so both indices of a pair refer to the same list.
        let b_offset = if resident { packed.b_offset } else { 0 };
        params = FigureParams { pair_count: run.len() as u32, groups_x: groups[0], b_offset, ..params };
        let bytes = spec.record_bytes as u64 * run.len() as u64;
        slot.write_params(gpu, 0, params).await?;
        slot.reserve(gpu, bytes).await?;
        let PolygonBuffers { polygons, placements, blocks } =
            if resident { &self.buffers.resident } else { &slot.carried };
        let motions = spec.moves.then_some(&self.buffers.motions.0);
        let bound = [&slot.params[0], polygons, placements, blocks, &slot.input];
        let bound = bound.into_iter().chain(motions).chain([&slot.output]);
        let group = gpu.bind_buffers(spec.label, &kernel.layout, bound)?;
        slot.submit(gpu, spec.label, &[(&kernel.pipeline, group, groups)], bytes).await
    }
}
