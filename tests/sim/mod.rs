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

use sat2d::Backend;
use sat2d::sim::{World, WorldOptions};

/// Returns a world on `backend`. All worlds on a device share the device and its compiled kernels, because compiling takes longer
/// than many tests.
fn world_on(options: WorldOptions, backend: Backend) -> World {
    #[cfg(feature = "gpu")]
    if backend == Backend::Gpu {
        use std::sync::{Mutex, PoisonError};
        static FIRST: Mutex<Option<World>> = Mutex::new(None);
        let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
        let first = first.get_or_insert_with(|| World::on(WorldOptions::default(), backend).unwrap());
        return first.beside(options).unwrap();
    }
    World::on(options, backend).unwrap()
}
