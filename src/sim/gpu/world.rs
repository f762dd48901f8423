//! Worlds on a device.

use super::GpuWorld;
use super::kernels::Name;
use crate::engine::{Backend, Choice};
use crate::error::{Error, Result};
use crate::narrow_phase::gpu::adapter;
use crate::narrow_phase::gpu::device::GpuDevice;
use crate::sim::{BodyContact, BodyId, StepReport, World, WorldOptions};

/// Where a world's bodies are on its device: see [`World::device_buffers`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeviceBuffers {
    /// A record of [`DeviceBuffers::STRIDE`] bytes for each [`crate::sim::BodyId::index`], as laid out by
    /// [`DeviceBuffers::WGSL`]; of usage `STORAGE`, `VERTEX`, `COPY_SRC` and `COPY_DST`.
    pub states: wgpu::Buffer,
    /// Records that there are, those of removed bodies among them.
    pub count: u32,
}

impl DeviceBuffers {
    /// Bytes of a body's record.
    pub const STRIDE: u64 = size_of::<crate::sim::bodies::BodyState>() as u64;
    /// The record, for the caller's shaders: `origin + anchor * quantum + offset` is the centre of mass, about
    /// [`WorldOptions::origin`], with the [`World::quantum`]; `rotation` is cosine and sine.
    pub const WGSL: &str = "struct BodyState {
  anchor: vec2i,
  offset: vec2f,
  rotation: vec2f,
  velocity: vec2f,
  angular_velocity: f32,
  preferred_velocity: array<f32, 2>,
  padding: f32,
}
";
}

impl World {
    /// An empty world on `backend`, with a device of its own where that is a GPU. [`Backend::Auto`] takes a hardware GPU if
    /// there is one: [`World::choice`] says what it took, and why. How near the outcomes of the two come is told
    /// [in the module's documentation](crate::sim#the-cpu-and-a-device).
    ///
    /// # Errors
    /// As [`World::new`]; for [`Backend::Gpu`] [`Error::NoAdapter`], [`Error::Device`] and [`Error::DeviceLimit`].
    #[cfg(not(target_family = "wasm"))]
    pub fn on(options: WorldOptions, backend: Backend) -> Result<Self> {
        pollster::block_on(Self::on_async(options, backend))
    }

    /// [`World::on`], for callers that are async.
    ///
    /// # Errors
    /// As [`World::on`].
    pub async fn on_async(options: WorldOptions, backend: Backend) -> Result<Self> {
        let because = |reason: String| Choice { backend: Backend::Cpu, adapter: None, reason };
        let (gpu, reason) = match backend {
            Backend::Cpu => return Self::new(options),
            Backend::Gpu => (
                GpuWorld::new(GpuDevice::request(&adapter::any().await?).await?, options.solver).await?,
                "asked for",
            ),
            Backend::Auto => {
                let Some(adapter) = adapter::hardware().await else {
                    return Self::with_choice(options, because("no hardware GPU adapter was found".into()));
                };
                let gpu = match GpuDevice::request(&adapter).await {
                    Ok(device) => GpuWorld::new(device, options.solver).await,
                    Err(error) => Err(error),
                };
                match gpu {
                    Ok(gpu) => (gpu, "a hardware GPU adapter was found"),
                    Err(error) => {
                        return Self::with_choice(
                            options,
                            because(format!("the GPU cannot be used: {error}")),
                        );
                    }
                }
            }
        };
        Self::with_gpu(options, gpu, reason)
    }

    /// An empty world on the caller's own device and queue. The device needs no feature; its limits are kept to.
    ///
    /// # Errors
    /// As [`World::new`]; [`Error::DeviceLimit`], [`Error::Device`].
    pub async fn from_device(
        options: WorldOptions,
        device: wgpu::Device,
        queue: wgpu::Queue,
    ) -> Result<Self> {
        let gpu = GpuWorld::new(GpuDevice::of_caller(device, queue), options.solver).await?;
        Self::with_gpu(options, gpu, "the caller's device")
    }

    fn with_choice(options: WorldOptions, choice: Choice) -> Result<Self> {
        let mut world = Self::new(options)?;
        world.choice = choice;
        Ok(world)
    }

    fn with_gpu(options: WorldOptions, gpu: GpuWorld, reason: &str) -> Result<Self> {
        let adapter = Some(gpu.description());
        let choice = Choice { backend: Backend::Gpu, adapter, reason: reason.into() };
        let mut world = Self::with_choice(options, choice)?;
        world.gpu = Some(Box::new(gpu));
        Ok(world)
    }

    /// Empties the world, for other options and other bodies, on the device that it has, whose kernels and buffers it keeps. Ids
    /// from before name none of its bodies, or others; steps that nobody asked after are forgotten.
    ///
    /// # Errors
    /// As [`World::new`]; the world then stays as it was.
    pub fn renew(&mut self, options: WorldOptions) -> Result<()> {
        let mut fresh = Self::with_choice(options, self.choice.clone())?;
        fresh.gpu = self.gpu.take();
        if let Some(gpu) = &mut fresh.gpu {
            gpu.renew(fresh.options.solver);
        }
        *self = fresh;
        Ok(())
    }

    /// The records of the bodies on the device, of every body that was added so far. The caller's passes may read them, and
    /// write velocities and preferred velocities; nothing need be read back. The buffer is another one once bodies are added
    /// beyond its size: ask again then. What the caller's passes write there, the host sees after the next step, or when this is
    /// called again.
    ///
    /// # Errors
    /// [`Error::Option`] for a world on the CPU; [`Error::OutOfDeviceMemory`] and the device's other errors.
    pub async fn device_buffers(&mut self) -> Result<DeviceBuffers> {
        let (gpu, step) = self.on_device(0.0)?;
        gpu.flush(step).await?;
        // What the caller's passes write there is not what the host knows.
        (gpu.is_current, gpu.is_shared) = (false, true);
        Ok(DeviceBuffers {
            states: gpu.buffers.get(Name::States).clone(),
            count: step.bodies.states.len() as u32,
        })
    }

    /// Bytes of the buffers that the world holds on its device as of its last step; 0 for a world on the CPU.
    #[must_use]
    pub fn device_bytes(&self) -> u64 {
        self.gpu.as_ref().map_or(0, |gpu| gpu.buffers.total_bytes())
    }

    /// The distance of neighbouring points of the grid on which bodies are anchored: a power of two.
    #[must_use]
    pub fn quantum(&self) -> f64 {
        self.grid.quantum
    }

    /// Records `count` steps into the caller's encoder, between its own passes. Changes that were made to the world are
    /// written by the queue, before what is submitted next: submit before recording more with another `dt` or gravity.
    ///
    /// Where a buffer turns out to be too small, this and all later steps do nothing until [`World::settle_async`] is called,
    /// which says how many steps were taken; [`World::progress`] tells of it without waiting.
    ///
    /// # Errors
    /// [`Error::Option`] for a world on the CPU or one that records events; those of [`World::steps`] for `dt`; the device's.
    pub async fn encode_steps(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        count: u64,
        dt: f64,
    ) -> Result<()> {
        super::super::world::check_dt(dt)?;
        if self.options.events {
            let problem = "needs the host after every step; call `steps`";
            return Err(Error::Option { option: "events", value: "true".into(), problem });
        }
        let (gpu, step) = self.on_device(dt)?;
        gpu.encode(encoder, count, step, false).await
    }

    /// What became of the steps that [`World::encode_steps`] recorded since the last call, once they are submitted. Where
    /// [`StepReport::steps`] is less than was recorded, a buffer was too small; it has grown.
    ///
    /// # Errors
    /// [`Error::LeftWorld`] where a body would go beyond the world's grid, which stays as after the last whole step; the
    /// device's.
    pub async fn settle_async(&mut self) -> Result<StepReport> {
        if self.gpu.is_none() {
            return Ok(StepReport::default());
        }
        let (gpu, step) = self.on_device(0.0)?;
        Ok(report_of(gpu.settle(step).await?))
    }

    /// [`World::steps`], for callers that are async.
    ///
    /// # Errors
    /// As [`World::steps`].
    pub async fn steps_async(&mut self, count: u64, dt: f64) -> Result<StepReport> {
        super::super::world::check_dt(dt)?;
        if self.gpu.is_none() {
            return self.cpu_steps(count, dt);
        }
        let mut report = StepReport::default();
        let batch = if self.options.events { 1 } else { count };
        while report.steps < count {
            let (gpu, step) = self.on_device(dt)?;
            let before = report.steps;
            let done = report_of(gpu.steps(batch.min(count - before), step).await?);
            let (steps, regrown) = (before + done.steps, report.regrown + done.regrown);
            let mut times = report.times;
            times += done.times;
            report = StepReport { steps, regrown, times, ..done };
            if self.options.events && done.steps > 0 {
                let touches = self.device_touches().await?;
                self.record_events(&touches);
            }
        }
        Ok(report)
    }

    /// Brings what a device knows of the bodies to the host, where it is asked of. Nothing is to be done on the CPU.
    ///
    /// # Errors
    /// As [`World::settle_async`].
    pub async fn sync_async(&mut self) -> Result<()> {
        if let Some(gpu) = &mut self.gpu {
            gpu.sync(&mut self.bodies, &self.shapes, &self.grid, &self.options).await?;
        }
        Ok(())
    }

    /// [`World::contacts`], for callers that are async.
    ///
    /// # Errors
    /// As [`World::contacts`].
    pub async fn contacts_async(&mut self) -> Result<Vec<BodyContact>> {
        if self.gpu.is_none() {
            return self.contacts();
        }
        self.sync_async().await?;
        let touches = self.device_touches().await?;
        Ok(touches.iter().map(|touch| self.contact(touch)).collect())
    }

    /// [`World::candidate_pairs`], for callers that are async.
    ///
    /// # Errors
    /// As [`World::candidate_pairs`].
    pub async fn candidate_pairs_async(&mut self) -> Result<Vec<[BodyId; 2]>> {
        if self.gpu.is_none() {
            return self.candidate_pairs();
        }
        self.settle_async().await?;
        let pairs = match &self.gpu {
            Some(gpu) => gpu.pairs().await?,
            None => Vec::new(),
        };
        Ok(pairs.iter().map(|pair| pair.map(|slot| self.bodies.id(slot as usize))).collect())
    }

    async fn device_touches(&self) -> Result<Vec<crate::sim::cpu::Touch>> {
        match &self.gpu {
            Some(gpu) => gpu.touches().await,
            None => Ok(Vec::new()),
        }
    }

    fn on_device(&mut self, dt: f64) -> Result<(&mut GpuWorld, super::Step<'_>)> {
        let Some(gpu) = &mut self.gpu else { return Err(no_device()) };
        let step = super::Step {
            bodies: &self.bodies,
            shapes: &self.shapes,
            grid: &self.grid,
            options: &self.options,
            dt: dt as f32,
        };
        Ok((gpu, step))
    }
}

/// Of a world on the CPU.
pub(super) fn no_device() -> Error {
    let problem = "has no device; make the world by `World::on` or `World::from_device`";
    Error::Option { option: "backend", value: "cpu".into(), problem }
}

pub(super) fn report_of(counts: super::Counts) -> StepReport {
    StepReport {
        steps: counts.steps,
        candidates: counts.pairs.into(),
        contacts: counts.touches.into(),
        regrown: counts.regrown,
        times: counts.times,
        ..StepReport::default()
    }
}
