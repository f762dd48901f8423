//! Worlds on a device.

use super::GpuWorld;
use super::kernels::Name;
use crate::answers::backend::{Backend, Choice};
use crate::base::error::{Error, Result};
use crate::gpu::adapter;
use crate::gpu::device::GpuDevice;
use crate::sim::{BodyContact, BodyId, StepReport, World, WorldOptions};

/// The buffer that holds the bodies of a world on its device. [`World::device_buffers`] returns it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeviceBuffers {
    /// For each body, a record of [`DeviceBuffers::STRIDE`] bytes with the layout of [`DeviceBuffers::WGSL`].
    /// [`World::record_index`] returns the index of a body's record. The buffer has the usages `STORAGE`, `VERTEX`,
    /// `COPY_SRC` and `COPY_DST`.
    pub states: wgpu::Buffer,
    /// Number of records, including the records of removed bodies.
    pub count: u32,
}

impl DeviceBuffers {
    /// Size of a body's record, in bytes.
    pub const STRIDE: u64 = size_of::<crate::sim::bodies::BodyState>() as u64;
    /// Declaration of the record, for the caller's shaders. The centre of mass is
    /// `origin + anchor * quantum + offset`, with [`WorldOptions::origin`] and [`World::quantum`]. `rotation` is the
    /// cosine and the sine of the angle.
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
    /// Creates an empty world on `backend`. On a GPU, the world creates its own device. [`Backend::Auto`] uses a
    /// hardware GPU if there is one. [`World::choice`] reports the backend and the reason. The documentation of the
    /// module says [how closely the two backends agree](crate::sim#the-cpu-and-a-device).
    ///
    /// # Errors
    /// Fails in the same cases as [`World::new`]. For [`Backend::Gpu`], also returns [`Error::NoAdapter`], [`Error::Device`]
    /// and [`Error::DeviceLimit`].
    #[cfg(not(target_family = "wasm"))]
    pub fn on(options: WorldOptions, backend: Backend) -> Result<Self> {
        pollster::block_on(Self::on_async(options, backend))
    }

    /// Async variant of [`World::on`].
    ///
    /// # Errors
    /// Fails in the same cases as [`World::on`].
    pub async fn on_async(options: WorldOptions, backend: Backend) -> Result<Self> {
        let because = |reason: String| Choice { backend: Backend::Cpu, adapter: None, reason };
        let (gpu, reason) = match backend {
            Backend::Cpu => return Self::new(options),
            Backend::Gpu => (
                GpuWorld::new(GpuDevice::request(&adapter::any().await?).await?, options.solver).await?,
                "requested",
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

    /// Creates an empty world on the caller's own device and queue. The device needs no optional feature. The world
    /// respects the limits of the device.
    ///
    /// # Errors
    /// Returns the errors of [`World::new`], [`Error::DeviceLimit`] and [`Error::Device`].
    pub async fn from_device(
        options: WorldOptions,
        device: wgpu::Device,
        queue: wgpu::Queue,
    ) -> Result<Self> {
        let gpu = GpuWorld::new(GpuDevice::of_caller(device, queue), options.solver).await?;
        Self::with_gpu(options, gpu, "the caller's device")
    }

    /// Creates an empty world on the same backend as this world. On a device, the new world shares the device, its queue and
    /// the compiled kernels with this world. Use this function for the second and all further worlds on a device: the first step
    /// of a world on a device of its own compiles all kernels of the world.
    ///
    /// # Errors
    /// Fails in the same cases as [`World::new`]. On a device, also returns [`Error::DeviceLost`] and other device errors.
    ///
    /// ```
    /// use sat2d::Backend;
    /// use sat2d::sim::{World, WorldOptions};
    ///
    /// let mut first = World::on(WorldOptions::default(), Backend::Auto)?;
    /// let mut second = first.beside(WorldOptions::default())?;
    /// first.step(1.0 / 60.0)?;
    /// second.step(1.0 / 60.0)?;
    /// assert_eq!(first.choice().backend, second.choice().backend);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    pub fn beside(&self, options: WorldOptions) -> Result<Self> {
        pollster::block_on(self.beside_async(options))
    }

    /// Async variant of [`World::beside`].
    ///
    /// # Errors
    /// Fails in the same cases as [`World::beside`].
    pub async fn beside_async(&self, options: WorldOptions) -> Result<Self> {
        let mut world = Self::with_choice(options, self.choice.clone())?;
        if let Some(gpu) = &self.gpu {
            world.gpu = Some(Box::new(gpu.beside(world.options.solver).await?));
        }
        Ok(world)
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

    /// Empties the world and sets its options. The world keeps its device, kernels and buffers. Ids that were returned
    /// before the call become invalid, or name new bodies. Steps that were recorded but not settled are discarded.
    ///
    /// # Errors
    /// Fails in the same cases as [`World::new`]. After an error, the world is unchanged.
    pub fn renew(&mut self, options: WorldOptions) -> Result<()> {
        let mut fresh = Self::with_choice(options, self.choice.clone())?;
        fresh.gpu = self.gpu.take();
        if let Some(gpu) = &mut fresh.gpu {
            gpu.renew(fresh.options.solver);
        }
        *self = fresh;
        Ok(())
    }

    /// Returns the buffer of the records of all bodies added so far. The caller's passes may read the records, and may
    /// write velocities and preferred velocities. No readback is needed. The host sees the written values after the
    /// next step, or after the next call of this method. If a body is added and the buffer is full, the world creates a
    /// new buffer. In this case, call this method again.
    ///
    /// # Errors
    /// Returns [`Error::Option`] for a world on the CPU. Also returns [`Error::OutOfDeviceMemory`] and other device
    /// errors.
    pub async fn device_buffers(&mut self) -> Result<DeviceBuffers> {
        self.settle_bodies();
        let (gpu, step) = self.on_device(0.0)?;
        gpu.flush(step).await?;
        // The host does not know the values that the caller's passes write.
        (gpu.is_current, gpu.is_shared) = (false, true);
        Ok(DeviceBuffers {
            states: gpu.buffers.get(Name::States).clone(),
            count: step.bodies.states.len() as u32,
        })
    }

    /// Returns the index of a body's record in [`DeviceBuffers::states`]. The index is valid until the body is removed.
    ///
    /// The order of the records depends on where the bodies are added, so the order of the calls of [`World::add`]
    /// between two steps has no effect on the steps. A new body gets its record at the next step, or at the next call
    /// of [`World::device_buffers`] or of this method.
    ///
    /// # Errors
    /// Returns [`Error::UnknownBody`] if the body is not in the world.
    pub fn record_index(&mut self, body: BodyId) -> Result<usize> {
        self.settle_bodies();
        self.bodies.row(body)
    }

    /// Returns the total size in bytes of the buffers that the world has on its device. Returns 0 for a world on the
    /// CPU.
    #[must_use]
    pub fn device_bytes(&self) -> u64 {
        self.gpu.as_ref().map_or(0, |gpu| gpu.buffers.total_bytes())
    }

    /// Returns the spacing of the grid that bodies are anchored to, in the caller's unit: a power of two.
    #[must_use]
    pub fn quantum(&self) -> f64 {
        self.grid.quantum
    }

    /// Records `count` steps of duration `dt` into the caller's encoder, between the caller's own passes. Changes of
    /// the world, such as another `dt` or gravity, take effect at the start of the next submission, even for steps that
    /// were recorded earlier. So submit the recorded steps before you record steps with another `dt` or gravity.
    ///
    /// If a buffer is too small for a step, this step and all later steps do nothing until [`World::settle_async`] is called.
    /// `settle_async` reports how many steps were taken. [`World::progress`] reports this number without waiting.
    ///
    /// # Errors
    /// Returns [`Error::Option`] for a world on the CPU or a world that records events. Also returns the errors of
    /// [`World::steps`] for an invalid `dt`, and device errors.
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
        self.settle_bodies();
        let (gpu, step) = self.on_device(dt)?;
        gpu.encode(encoder, count, step, false).await
    }

    /// Waits for the steps that [`World::encode_steps`] recorded since the last call, and reports them. Call this
    /// method after the steps have been submitted. If [`StepReport::steps`] is less than the number of recorded steps,
    /// a buffer was too small, and the call has enlarged the buffer.
    ///
    /// # Errors
    /// Returns [`Error::LeftWorld`] if a body would move beyond the world's grid. The world is then in the state after
    /// the last complete step. Returns [`Error::TooMany`] if there are too many pairs or contacts. Also returns device
    /// errors.
    pub async fn settle_async(&mut self) -> Result<StepReport> {
        if self.gpu.is_none() {
            return Ok(StepReport::default());
        }
        let (gpu, step) = self.on_device(0.0)?;
        Ok(report_of(gpu.settle(step).await?))
    }

    /// Async variant of [`World::steps`].
    ///
    /// # Errors
    /// Fails in the same cases as [`World::steps`].
    pub async fn steps_async(&mut self, count: u64, dt: f64) -> Result<StepReport> {
        super::super::world::check_dt(dt)?;
        if self.gpu.is_none() {
            return self.cpu_steps(count, dt);
        }
        self.settle_bodies();
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

    /// Copies the state of the bodies from the device to the host, for the methods that read this state. In a browser,
    /// call this method before you read the state. Does nothing on the CPU.
    ///
    /// # Errors
    /// Fails in the same cases as [`World::settle_async`].
    pub async fn sync_async(&mut self) -> Result<()> {
        if let Some(gpu) = &mut self.gpu {
            gpu.sync(&mut self.bodies, &self.shapes, &self.grid, &self.options).await?;
        }
        Ok(())
    }

    /// Async variant of [`World::contacts`].
    ///
    /// # Errors
    /// Fails in the same cases as [`World::contacts`].
    pub async fn contacts_async(&mut self) -> Result<Vec<BodyContact>> {
        if self.gpu.is_none() {
            return self.contacts();
        }
        self.sync_async().await?;
        let touches = self.device_touches().await?;
        Ok(self.contacts_of(&touches))
    }

    /// Async variant of [`World::candidate_pairs`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`World::candidate_pairs`].
    pub async fn candidate_pairs_async(&mut self) -> Result<Vec<[BodyId; 2]>> {
        if self.gpu.is_none() {
            return self.candidate_pairs();
        }
        self.settle_async().await?;
        let pairs = match &self.gpu {
            Some(gpu) => gpu.pairs().await?,
            None => Vec::new(),
        };
        Ok(self.pairs_of(&pairs))
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

/// Returns the error for a call that needs a device, if the world runs on the CPU.
pub(super) fn no_device() -> Error {
    let problem = "has no device; build the world with `World::on` or `World::from_device`";
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
