//! The engine: owns a backend and runs any number of queries.

use std::fmt;
use std::sync::Mutex;

use crate::error::{Error, Result};
use crate::narrow_phase::Spare;
#[cfg(feature = "gpu")]
use crate::narrow_phase::gpu;

/// The hardware that decides pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// Chooses a hardware GPU for large joins, and the CPU for everything else. If there is no hardware GPU, the CPU
    /// runs all joins. [`Engine::new`] measures from which number of pairs the GPU is faster. [`Engine::choice`] and
    /// [`crate::Join::choice`] report the backend and the reason.
    #[default]
    Auto,
    /// The CPU: the current `rayon` thread pool.
    Cpu,
    /// A GPU: a hardware adapter if there is one, otherwise a software adapter.
    Gpu,
}

impl Backend {
    /// Returns the name on the command line: `auto`, `cpu` or `gpu`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A backend, and the reason why it was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choice {
    /// [`Backend::Cpu`] or [`Backend::Gpu`].
    pub backend: Backend,
    /// Name, driver and kind of the GPU adapter. The field may be `None` if the backend is the CPU.
    pub adapter: Option<String>,
    /// The reason for the choice, as one sentence.
    pub reason: String,
}

/// Runs queries on a backend: the CPU or a GPU. The answers do not depend on the backend.
///
/// ```
/// use sat2d::{Backend, Engine, JoinOptions, PolygonSet, Relation};
///
/// let set = PolygonSet::from_convex_rings(&[
///     vec![[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]],
///     vec![[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [1.0, 3.0]],
///     vec![[3.0, 0.0], [4.0, 0.0], [4.0, 1.0], [3.0, 1.0]],
/// ])?;
/// let engine = Engine::new(Backend::Cpu)?;
/// let join = engine.self_join(&set, &JoinOptions::default())?;
/// let found: Vec<_> = join.pairs.iter().map(|p| (p.a, p.b, p.relation)).collect();
/// assert_eq!(found, [(0, 1, Relation::Overlapping), (1, 2, Relation::Touching)]);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    pub(crate) choice: Choice,
    #[cfg(feature = "gpu")]
    pub(crate) gpu: Option<gpu::GpuNarrowPhase>,
    /// Candidate pairs from which on the GPU is used.
    #[cfg(feature = "gpu")]
    break_even: u64,
    /// Kept from one join to the next.
    pub(crate) spare: Mutex<Spare>,
}

impl Engine {
    /// Creates an engine on `backend`. On a GPU, the engine creates its own device.
    ///
    /// # Errors
    /// With [`Backend::Gpu`], returns [`Error::NoAdapter`] if there is no adapter, and [`Error::Device`] or
    /// [`Error::DeviceLimit`] if the adapter cannot be used. With [`Backend::Auto`], the engine runs on the CPU if the
    /// hardware GPU cannot be used. [`Engine::choice`] then names the problem.
    #[cfg(not(target_family = "wasm"))]
    pub fn new(backend: Backend) -> Result<Self> {
        #[cfg(feature = "gpu")]
        return pollster::block_on(Self::new_async(backend));
        #[cfg(not(feature = "gpu"))]
        Self::without_gpu(backend)
    }

    /// Async form of [`Engine::new`].
    ///
    /// # Errors
    /// Returns the errors of [`Engine::new`].
    #[cfg(not(feature = "gpu"))]
    pub async fn new_async(backend: Backend) -> Result<Self> {
        Self::without_gpu(backend)
    }

    /// Async form of [`Engine::new`].
    ///
    /// # Errors
    /// Returns the errors of [`Engine::new`].
    #[cfg(feature = "gpu")]
    pub async fn new_async(backend: Backend) -> Result<Self> {
        match backend {
            Backend::Cpu => Ok(Self::cpu("requested")),
            Backend::Gpu => {
                let gpu = gpu::GpuNarrowPhase::new().await?;
                Ok(Self::with_gpu(gpu, "requested"))
            }
            Backend::Auto => match gpu::adapter::hardware().await {
                None => Ok(Self::cpu("no hardware GPU adapter was found")),
                Some(adapter) => match gpu::GpuNarrowPhase::from_adapter(&adapter).await {
                    Ok(gpu) => Ok(Self::measured(gpu).await),
                    Err(error) => Ok(Self::cpu(&format!("the GPU cannot be used: {error}"))),
                },
            },
        }
    }

    #[cfg(not(feature = "gpu"))]
    fn without_gpu(backend: Backend) -> Result<Self> {
        match backend {
            Backend::Cpu => Ok(Self::cpu("requested")),
            Backend::Auto => Ok(Self::cpu("built without the `gpu` feature")),
            Backend::Gpu => {
                Err(Error::NoAdapter { reason: "built without the `gpu` feature; build with it".into() })
            }
        }
    }

    /// Creates an engine on the caller's own device and queue.
    ///
    /// The device needs no optional feature. The engine stays within the limits of the device. The engine does not set
    /// the error callback or the lost-device callback of the device.
    ///
    /// # Errors
    /// Returns [`Error::DeviceLimit`] if a limit of the device is too small. Returns [`Error::Device`] if the device
    /// cannot be used for another reason.
    ///
    /// ```no_run
    /// use sat2d::{Engine, JoinOptions, PolygonSet, wgpu};
    ///
    /// async fn meeting(device: &wgpu::Device, queue: &wgpu::Queue, set: &PolygonSet) -> sat2d::Result<usize> {
    ///     // Handles are counted references: the caller goes on using its own.
    ///     let engine = Engine::from_device(device.clone(), queue.clone()).await?;
    ///     Ok(engine.self_join_async(set, &JoinOptions::default()).await?.pairs.len())
    /// }
    /// ```
    #[cfg(feature = "gpu")]
    pub async fn from_device(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self> {
        Ok(Self::with_gpu(gpu::GpuNarrowPhase::from_device(device, queue).await?, "the caller's device"))
    }

    /// An engine on each adapter, in the order of [`crate::adapters`]; an error where one gives no device.
    #[cfg(all(feature = "gpu", feature = "cli"))]
    pub(crate) async fn on_every_adapter() -> Vec<(crate::Adapter, Result<Self>)> {
        let mut engines = Vec::new();
        for (description, adapter) in gpu::adapter::described().await {
            let gpu = gpu::GpuNarrowPhase::from_adapter(&adapter).await;
            engines.push((description, gpu.map(|gpu| Self::with_gpu(gpu, "requested"))));
        }
        engines
    }

    fn cpu(reason: &str) -> Self {
        let choice = Choice { backend: Backend::Cpu, adapter: None, reason: reason.into() };
        Self {
            choice,
            #[cfg(feature = "gpu")]
            gpu: None,
            #[cfg(feature = "gpu")]
            break_even: 0,
            spare: Mutex::default(),
        }
    }

    #[cfg(feature = "gpu")]
    pub(crate) fn with_gpu(gpu: gpu::GpuNarrowPhase, reason: &str) -> Self {
        let adapter = Some(gpu.adapter_description());
        let choice = Choice { backend: Backend::Gpu, adapter, reason: reason.into() };
        Self { choice, gpu: Some(gpu), break_even: 0, spare: Mutex::default() }
    }

    /// An engine that leaves small joins to the CPU.
    #[cfg(feature = "gpu")]
    async fn measured(gpu: gpu::GpuNarrowPhase) -> Self {
        let engine = Self::with_gpu(gpu, "a hardware GPU adapter was found");
        match crate::auto::break_even(&engine).await {
            Ok(break_even) => engine.with_break_even(break_even),
            Err(error) => Self::cpu(&format!("the GPU cannot be used: {error}")),
        }
    }

    #[cfg(feature = "gpu")]
    pub(crate) fn with_break_even(mut self, break_even: u64) -> Self {
        self.choice.reason = match break_even {
            u64::MAX => "a hardware GPU adapter was found, but the CPU is faster, as measured".into(),
            pairs => format!(
                "a hardware GPU adapter was found; it is used from {pairs} candidate pairs on, as measured"
            ),
        };
        if break_even == u64::MAX {
            self.choice.backend = Backend::Cpu;
        }
        self.break_even = break_even;
        self
    }

    /// Where so many candidate pairs are decided, at least `least` of them; they are counted only if that tells, and as far as it
    /// does: `count` is given a number from which on it need not go on.
    pub(crate) fn choice_for(&self, least: u64, count: impl FnOnce(u64) -> u64) -> Choice {
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() && self.choice.backend == Backend::Gpu && least < self.break_even {
            let count = count(self.break_even);
            if count < self.break_even {
                let reason = format!(
                    "{count} candidate pairs; the GPU is faster from {} on, as measured",
                    self.break_even
                );
                return Choice { backend: Backend::Cpu, adapter: None, reason };
            }
        }
        #[cfg(not(feature = "gpu"))]
        let _ = (least, count);
        self.choice.clone()
    }

    /// Where points in polygons are decided. A candidate takes a CPU less time than it takes to hand it to a device, so that the
    /// engine's own choice is the CPU.
    pub(crate) fn choice_for_points(&self) -> Choice {
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() && self.break_even > 0 {
            let reason =
                "the CPU decides points faster than they can be sent to the GPU; request the GPU to use it";
            return Choice { backend: Backend::Cpu, adapter: None, reason: reason.into() };
        }
        self.choice.clone()
    }

    /// Frees the memory that the engine keeps from one join for the next join. On a GPU, also frees the buffers on the
    /// device. On the host, the engine keeps at most about 200 bytes for each polygon of up to 8 vertices. Each further
    /// vertex adds 12 bytes.
    pub fn free_buffers(&self) {
        if let Ok(mut spare) = self.spare.lock() {
            *spare = Spare::default();
        }
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu {
            gpu.free_buffers();
        }
    }

    /// Returns the backend that the engine runs on, and the reason for the choice.
    #[must_use]
    pub fn choice(&self) -> &Choice {
        &self.choice
    }
}

impl std::str::FromStr for Backend {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        [Self::Auto, Self::Cpu, Self::Gpu].into_iter().find(|b| b.name() == name).ok_or_else(|| {
            Error::Option { option: "backend", value: name.into(), problem: "must be auto, cpu or gpu" }
        })
    }
}
