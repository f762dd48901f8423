//! Tests of worlds of bodies, with every solver.

mod behaviour;
mod bounce;
#[cfg(feature = "scenes")]
mod checksums;
#[cfg(all(feature = "gpu", feature = "scenes"))]
mod device;
mod fast;
mod memory;
mod motion;
#[cfg(feature = "gpu")]
mod own_loop;
mod push;
#[cfg(feature = "scenes")]
mod quality_billiards;
mod quality_churn;
#[cfg(feature = "scenes")]
mod quality_crowd;
#[cfg(feature = "scenes")]
mod quality_funnel;
#[cfg(feature = "scenes")]
mod quality_hail;
mod quality_particles;
#[cfg(feature = "scenes")]
mod quality_pile;
mod rigid;
mod threads;
