//! Worlds of bodies: what must hold of them, whatever the solver.
#![allow(clippy::unwrap_used)]

mod fast;
mod push;
mod rigid;
