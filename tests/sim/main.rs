//! Worlds of bodies: what must hold of them, whatever the solver.
#![allow(clippy::unwrap_used)]

#[cfg(all(feature = "gpu", feature = "scenes"))]
mod device;
mod fast;
#[cfg(feature = "gpu")]
mod own_loop;
mod push;
mod rigid;
