//! The device: adapters, buffers, dispatches, waits and clocks.

pub(crate) mod adapter;
pub(crate) mod bindings;
pub(crate) mod buffers;
pub(crate) mod device;
pub(crate) mod dispatch;
pub(crate) mod lanes;
pub(crate) mod patience;
pub(crate) mod read_back;
pub(crate) mod timeline;
pub(crate) mod timestamps;
pub(crate) mod wait;
