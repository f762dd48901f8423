//! Kernels on the CPU and on a device, and the dispatch to a backend: from candidate pairs to relations and measurements.

pub(crate) mod area;
pub(crate) mod backends;
pub(crate) mod containment;
pub(crate) mod cpu;
pub(crate) mod edges;
pub(crate) mod faults;
#[cfg(feature = "gpu")]
pub(crate) mod gpu;
pub(crate) mod impacts;
#[cfg(all(test, feature = "scenes"))]
mod lists_tests;
pub(crate) mod log;
pub(crate) mod measurements;
#[cfg(all(test, feature = "scenes"))]
mod nested_scenes;
pub(crate) mod point;
pub(crate) mod proposer;
#[cfg(all(test, feature = "scenes"))]
pub(crate) mod test_scenes;
