//! The border between the host and the kernels: the grid, the layout of records, and their packing.

pub(crate) mod grid;
#[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "a CPU needs the codes alone"))]
pub(crate) mod layout;
#[cfg(any(feature = "gpu", all(test, feature = "scenes")))]
#[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "tests pack all at once"))]
pub(crate) mod pack;
pub(crate) mod records;
#[cfg(any(feature = "gpu", all(feature = "sim", feature = "scenes")))]
pub(crate) mod wgsl;
