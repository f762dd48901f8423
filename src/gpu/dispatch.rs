//! Runs dispatches, from buffers on the device to bytes on the host. Several dispatches can be in flight at once.

use bytemuck::NoUninit;

use super::buffers::{Growable, PolygonBuffers};
use super::device::{GpuDevice, one_line};
use super::timestamps::{TIMESTAMP_BYTES, Timestamps};
use super::wait::{Receiver, oneshot};
use crate::base::clock::Instant;
use crate::base::error::{Error, Result};

/// The number of dispatches in flight. While the device works on one dispatch, the host prepares the next dispatch and
/// reads the results of the previous dispatch.
pub(crate) const RING: usize = 3;

/// The buffers of one dispatch. A slot is reused by a later dispatch.
#[derive(Debug)]
pub(crate) struct Slot {
    /// The parameters of the steps: one buffer for each step of the dispatch.
    pub(crate) params: Vec<Growable>,
    /// The pairs or the points that the dispatch decides or measures.
    pub(crate) input: Growable,
    /// The buffer that the steps of the dispatch write.
    pub(crate) output: Growable,
    readback: Growable,
    /// Buffers for the polygons that are uploaded with this dispatch because the device does not hold all polygons of
    /// the join.
    pub(crate) carried: PolygonBuffers,
    timestamps: Option<Timestamps>,
}

/// A step of a dispatch: a pipeline, its bindings, and its size. The size is the number of workgroups in a row, and the
/// number of rows.
pub(crate) type Step<'a> = (&'a wgpu::ComputePipeline, wgpu::BindGroup, [u32; 2]);

impl GpuDevice {
    /// Creates a bind group of whole buffers, in the order of the bindings. Returns [`Error::Device`] if a buffer does
    /// not exist, because it was neither reserved nor written.
    pub(crate) fn bind_buffers<'b>(
        &self,
        label: &str,
        layout: &wgpu::BindGroupLayout,
        buffers: impl IntoIterator<Item = &'b Growable>,
    ) -> Result<wgpu::BindGroup> {
        let mut bound = Vec::new();
        for buffer in buffers {
            bound.push(buffer.get()?.as_entire_binding());
        }
        Ok(self.bind_group(label, layout, &bound))
    }
}

impl Slot {
    pub(crate) async fn new(gpu: &GpuDevice) -> Result<Self> {
        use wgpu::BufferUsages as Usage;
        Ok(Self {
            params: Vec::new(),
            input: Growable::input("sat2d input"),
            output: Growable::new("sat2d output", Usage::STORAGE | Usage::COPY_SRC),
            readback: Growable::new("sat2d readback", Usage::MAP_READ | Usage::COPY_DST),
            carried: PolygonBuffers::default(),
            timestamps: Timestamps::new(gpu).await?,
        })
    }

    /// Makes room for `bytes` bytes in the output buffer. Returns a device error if the device has no memory for the
    /// buffer.
    pub(crate) async fn reserve(&mut self, gpu: &GpuDevice, bytes: u64) -> Result<()> {
        self.output.reserve(gpu, bytes).await?;
        self.readback.reserve(gpu, bytes + TIMESTAMP_BYTES).await
    }

    /// Writes the parameters of the step with index `step`. Returns a device error if the upload fails.
    pub(crate) async fn write_params<P: NoUninit>(
        &mut self,
        gpu: &GpuDevice,
        step: usize,
        params: P,
    ) -> Result<()> {
        use wgpu::BufferUsages as Usage;
        while self.params.len() <= step {
            self.params.push(Growable::new("sat2d params", Usage::UNIFORM | Usage::COPY_DST));
        }
        self.params[step].write(gpu, &[params]).await
    }

    /// Submits the steps, and requests the first `bytes` bytes of the output buffer, without waiting. [`Slot::reserve`]
    /// must have made room for these bytes. Returns a device error if the device rejects the commands.
    pub(crate) async fn submit(
        self,
        gpu: &GpuDevice,
        label: &'static str,
        steps: &[Step<'_>],
        bytes: u64,
    ) -> Result<Flight> {
        let (output, readback) = (self.output.get()?, self.readback.get()?);
        let at = Instant::now();
        let submission = gpu.checked(0, || {
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            {
                let timestamp_writes = self.timestamps.as_ref().map(Timestamps::writes);
                let descriptor = wgpu::ComputePassDescriptor { label: Some(label), timestamp_writes };
                let mut pass = encoder.begin_compute_pass(&descriptor);
                for (pipeline, group, [x, y]) in steps {
                    pass.set_pipeline(pipeline);
                    pass.set_bind_group(0, group, &[]);
                    pass.dispatch_workgroups(*x, *y, 1);
                }
            }
            encoder.copy_buffer_to_buffer(output, 0, readback, 0, bytes);
            if let Some(timestamps) = &self.timestamps {
                timestamps.copy_to(&mut encoder, readback, bytes);
            }
            gpu.submit(encoder)
        });
        let submission = submission.await?;
        let (sender, mapped) = oneshot();
        let read = bytes + TIMESTAMP_BYTES;
        readback.map_async(wgpu::MapMode::Read, ..read, move |result| sender.send(result.is_ok()));
        Ok(Flight { slot: self, at, bytes, submission, mapped })
    }
}

/// A dispatch that was submitted, and whose output the host has not read yet.
#[derive(Debug)]
pub(crate) struct Flight {
    slot: Slot,
    /// The time at which the dispatch was submitted.
    pub(crate) at: Instant,
    bytes: u64,
    submission: wgpu::SubmissionIndex,
    mapped: Receiver,
}

/// A dispatch that has finished, with its slot and its times. The slot can be used again.
#[derive(Debug)]
pub(crate) struct Landed {
    pub(crate) slot: Slot,
    /// The time at which the host noticed that the dispatch was finished.
    pub(crate) done: Instant,
    /// The beginning and the end of the compute pass by the device's clock, in nanoseconds, or `None` if the device has
    /// no timestamps.
    pub(crate) on_device: Option<[f64; 2]>,
}

impl Flight {
    /// Waits for the dispatch, and passes the bytes of its output to `take`. `what` names the awaited result in an
    /// error message. Returns the errors of [`GpuDevice::wait_for`], or [`Error::DeviceLost`] if the output cannot be
    /// read.
    pub(crate) async fn land(
        self,
        gpu: &GpuDevice,
        what: &'static str,
        take: &mut (dyn FnMut(&[u8]) + Send),
    ) -> Result<Landed> {
        let Self { slot, bytes, submission, mapped, .. } = self;
        let lost = |reason: String| Error::DeviceLost { reason: gpu.lost_reason().unwrap_or(reason) };
        gpu.wait_for(&submission, what)?;
        let mapped = mapped.await;
        let done = Instant::now();
        if !mapped {
            return Err(lost("the answer could not be mapped".into()));
        }
        let readback = slot.readback.get()?;
        let on_device = match readback.get_mapped_range(..bytes + TIMESTAMP_BYTES) {
            Ok(view) => {
                let (output, stamps) = view.split_at(bytes as usize);
                take(output);
                slot.timestamps.is_some().then(|| Timestamps::nanoseconds(gpu, stamps))
            }
            Err(error) => return Err(lost(one_line(&error))),
        };
        readback.unmap();
        Ok(Landed { slot, done, on_device })
    }
}
