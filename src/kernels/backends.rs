//! The backends of an engine. Chooses the backend of each query, and keeps buffers for the next query.

use std::sync::Mutex;

#[cfg(feature = "gpu")]
use super::gpu::GpuNarrowPhase;
use super::proposer::Spare;
use crate::answers::backend::{Backend, Choice};

/// The CPU and, if there is one, the GPU of an engine. Decides where a query runs, and lends its buffers.
#[derive(Debug)]
pub(crate) struct Backends {
    pub(crate) choice: Choice,
    #[cfg(feature = "gpu")]
    pub(crate) gpu: Option<GpuNarrowPhase>,
    /// A query uses the GPU if it has at least this many candidate pairs. With 0, every query
    /// uses the GPU if there is one. With `u64::MAX`, no query uses the GPU.
    #[cfg(feature = "gpu")]
    break_even: u64,
    /// Buffers that an earlier join has left, and that the next join reuses.
    pub(crate) spare: Mutex<Spare>,
}

impl Backends {
    /// Returns the backends of an engine that uses only the CPU. `reason` is the reason for this choice.
    pub(crate) fn cpu(reason: &str) -> Self {
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

    /// Returns the backends of an engine that uses the device for queries of any size. `reason` is the reason for this
    /// choice.
    #[cfg(feature = "gpu")]
    pub(crate) fn with_gpu(gpu: GpuNarrowPhase, reason: &str) -> Self {
        let adapter = Some(gpu.adapter_description());
        let choice = Choice { backend: Backend::Gpu, adapter, reason: reason.into() };
        Self { choice, gpu: Some(gpu), break_even: 0, spare: Mutex::default() }
    }

    /// Makes the CPU decide queries with fewer than `break_even` candidate pairs. With `u64::MAX`, the CPU decides all
    /// queries.
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

    /// Chooses the backend for a query that has at least `least` candidate pairs. If the choice depends on the exact
    /// number of candidate pairs, calls `count(limit)` to get it. `count` may stop counting at `limit`.
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

    /// Returns true if the engine uses the GPU for queries of any size, because the caller requested the GPU.
    pub(crate) fn is_gpu_requested(&self) -> bool {
        #[cfg(feature = "gpu")]
        return self.gpu.is_some() && self.break_even == 0;
        #[cfg(not(feature = "gpu"))]
        false
    }

    /// Chooses the backend for queries of points in polygons. With [`Backend::Auto`], this is the CPU, because the CPU
    /// decides a candidate in less time than its upload to the device takes.
    pub(crate) fn choice_for_points(&self) -> Choice {
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() && self.break_even > 0 {
            let reason =
                "the CPU decides points faster than they can be sent to the GPU; request the GPU to use it";
            return Choice { backend: Backend::Cpu, adapter: None, reason: reason.into() };
        }
        self.choice.clone()
    }

    /// Frees the buffers that are kept on the host and on the device for later queries.
    pub(crate) fn free_buffers(&self) {
        if let Ok(mut spare) = self.spare.lock() {
            *spare = Spare::default();
        }
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu {
            gpu.free_buffers();
        }
    }
}
