//! Backends, and the choice of the backend that ran a query.

#[cfg(doc)]
use crate::Engine;
use std::fmt;

use crate::base::error::{Error, Result};

/// The hardware that runs a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Backend {
    /// Chooses a hardware GPU for a query with many pairs, and the CPU for a query with few pairs. [`Engine::new`]
    /// measures the number of pairs from which the GPU is faster. There are three exceptions. Without a hardware GPU,
    /// the CPU runs every query. Queries of points run on the CPU. [`Engine::prepare`] chooses the GPU for any number
    /// of pairs. [`Engine::choice`] and [`crate::Answers::choice`] report the backend and the reason.
    #[default]
    Auto,
    /// The CPU: the current `rayon` thread pool.
    Cpu,
    /// A GPU: a hardware adapter if there is one, otherwise a software adapter.
    Gpu,
}

impl Backend {
    /// Returns the name of the backend on the command line: `auto`, `cpu` or `gpu`.
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

/// A backend, and the reason for choosing it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Choice {
    /// The chosen backend: [`Backend::Cpu`] or [`Backend::Gpu`].
    pub backend: Backend,
    /// Name, driver and kind of the GPU adapter. The field may be `None` if the backend is the CPU.
    pub adapter: Option<String>,
    /// The reason for the choice, as one sentence.
    pub reason: String,
}

impl std::str::FromStr for Backend {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        [Self::Auto, Self::Cpu, Self::Gpu].into_iter().find(|b| b.name() == name).ok_or_else(|| {
            Error::Option { option: "backend", value: name.into(), problem: "must be auto, cpu or gpu" }
        })
    }
}
