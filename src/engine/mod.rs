//! The engine: the caller's entry to all queries.

#[cfg(feature = "gpu")]
pub(crate) mod auto;
#[cfg(feature = "gpu")]
mod encoder;
mod queries;

use crate::answers::backend::{Backend, Choice};
#[cfg(not(feature = "gpu"))]
use crate::base::error::Error;
#[cfg(all(doc, feature = "gpu"))]
use crate::base::error::Error;
use crate::base::error::Result;
#[cfg(feature = "gpu")]
use crate::gpu::adapter;
use crate::kernels::backends::Backends;
#[cfg(feature = "gpu")]
use crate::kernels::gpu::GpuNarrowPhase;

/// Runs queries on a backend: the CPU or a GPU. The answers do not depend on the backend.
///
/// ```
/// use sat2d::{Backend, Engine, PolygonSet, Relation, Relations};
///
/// let set = PolygonSet::from_convex_rings(&[
///     vec![[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]],
///     vec![[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [1.0, 3.0]],
///     vec![[3.0, 0.0], [4.0, 0.0], [4.0, 1.0], [3.0, 1.0]],
/// ])?;
/// let engine = Engine::new(Backend::Cpu)?;
/// let meeting = engine.self_join(&set).query(Relations)?;
/// let found: Vec<_> = meeting.iter().map(|p| (p.a, p.b, p.relation)).collect();
/// assert_eq!(found, [(0, 1, Relation::Overlapping), (1, 2, Relation::Touching)]);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    pub(crate) backends: Backends,
}

impl Engine {
    /// Creates an engine on `backend`. On a GPU, the engine creates its own device.
    ///
    /// With [`Backend::Gpu`], returns [`Error::NoAdapter`] if there is no adapter or the crate was built without the
    /// feature `gpu`. Returns [`Error::DeviceLimit`] if a limit of the adapter is too small, or another device error if
    /// the adapter cannot be used. With [`Backend::Auto`], the engine runs on the CPU if the hardware GPU cannot be
    /// used. [`Engine::choice`] then names the problem.
    #[cfg(not(target_family = "wasm"))]
    pub fn new(backend: Backend) -> Result<Self> {
        #[cfg(feature = "gpu")]
        return pollster::block_on(Self::new_async(backend));
        #[cfg(not(feature = "gpu"))]
        Self::without_gpu(backend)
    }

    /// Async variant of [`Engine::new`].
    ///
    /// # Errors
    /// Fails in the same cases as [`Engine::new`].
    #[cfg(not(feature = "gpu"))]
    pub async fn new_async(backend: Backend) -> Result<Self> {
        Self::without_gpu(backend)
    }

    /// Async variant of [`Engine::new`].
    ///
    /// # Errors
    /// Fails in the same cases as [`Engine::new`].
    #[cfg(feature = "gpu")]
    pub async fn new_async(backend: Backend) -> Result<Self> {
        match backend {
            Backend::Cpu => Ok(Self::cpu("requested")),
            Backend::Gpu => {
                let gpu = GpuNarrowPhase::new().await?;
                Ok(Self::with_gpu(gpu, "requested"))
            }
            Backend::Auto => match adapter::hardware().await {
                None => Ok(Self::cpu("no hardware GPU adapter was found")),
                Some(adapter) => match GpuNarrowPhase::from_adapter(&adapter).await {
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
    /// use sat2d::{Engine, PolygonSet, Relations, wgpu};
    ///
    /// async fn meeting(device: &wgpu::Device, queue: &wgpu::Queue, set: &PolygonSet) -> sat2d::Result<usize> {
    ///     // The handles are counted references, so the caller can still use its own.
    ///     let engine = Engine::from_device(device.clone(), queue.clone()).await?;
    ///     Ok(engine.self_join(set).query_async(Relations).await?.len())
    /// }
    /// ```
    #[cfg(feature = "gpu")]
    pub async fn from_device(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self> {
        Ok(Self::with_gpu(GpuNarrowPhase::from_device(device, queue).await?, "the caller's device"))
    }

    /// Returns each adapter with an engine on it, or with an error if the adapter provides no device. The adapters are in the
    /// order of [`crate::adapters`].
    #[cfg(feature = "gpu")]
    pub(crate) async fn on_every_adapter() -> Vec<(crate::Adapter, Result<Self>)> {
        let mut engines = Vec::new();
        for (description, adapter) in adapter::described().await {
            let gpu = GpuNarrowPhase::from_adapter(&adapter).await;
            engines.push((description, gpu.map(|gpu| Self::with_gpu(gpu, "requested"))));
        }
        engines
    }

    pub(crate) fn cpu(reason: &str) -> Self {
        Self { backends: Backends::cpu(reason) }
    }

    #[cfg(feature = "gpu")]
    pub(crate) fn with_gpu(gpu: GpuNarrowPhase, reason: &str) -> Self {
        Self { backends: Backends::with_gpu(gpu, reason) }
    }

    /// Measures the break-even point of a GPU. Returns an engine that runs queries with fewer pairs than the break-even point on
    /// the CPU. If the measurement fails, the engine runs all queries on the CPU, and its choice names the error.
    #[cfg(feature = "gpu")]
    async fn measured(gpu: GpuNarrowPhase) -> Self {
        let engine = Self::with_gpu(gpu, "a hardware GPU adapter was found");
        match auto::break_even(&engine.backends).await {
            Ok(break_even) => engine.with_break_even(break_even),
            Err(error) => Self::cpu(&format!("the GPU cannot be used: {error}")),
        }
    }

    #[cfg(feature = "gpu")]
    pub(crate) fn with_break_even(self, break_even: u64) -> Self {
        Self { backends: self.backends.with_break_even(break_even) }
    }

    /// Frees the memory that the engine keeps from one query to the next. On a GPU, also frees the buffers on the device. On the
    /// host, the engine keeps at most about 260 bytes for each polygon of up to 8 vertices, and less than 100 MB for pairs. Each
    /// further vertex adds 12 bytes.
    pub fn free_buffers(&self) {
        self.backends.free_buffers();
    }

    /// Returns the backend that the engine runs on, and the reason for the choice.
    #[must_use]
    pub fn choice(&self) -> &Choice {
        &self.backends.choice
    }
}
