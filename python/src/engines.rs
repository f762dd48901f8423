//! Engines that are kept from call to call.

use std::sync::{Arc, Mutex, PoisonError};

use sat2d::{Backend, Engine};

use crate::failure::Failure;

/// The engines of the backends `auto` and `gpu`, for the next call. Creating such an engine takes about a second.
static ENGINES: Mutex<[Option<Arc<Engine>>; 2]> = Mutex::new([None, None]);

/// Returns the engine of a backend: the stored one, or a new one. Returns the error of a new engine.
pub(crate) fn engine(backend: Backend) -> Result<Arc<Engine>, Failure> {
    let place = match backend {
        Backend::Cpu => return Ok(Arc::new(Engine::new(Backend::Cpu)?)),
        Backend::Auto => 0,
        Backend::Gpu => 1,
    };
    let mut engines = ENGINES.lock().unwrap_or_else(PoisonError::into_inner);
    // A cancelled call may leave the device busy, so an engine is taken out for a call, and stored again only after success.
    match engines[place].take() {
        Some(engine) => Ok(engine),
        None => Ok(Arc::new(Engine::new(backend)?)),
    }
}

/// Stores the engine of a backend for the next call, and frees the engine's buffers.
pub(crate) fn keep_engine(backend: Backend, engine: Arc<Engine>) {
    let place = match backend {
        Backend::Cpu => return,
        Backend::Auto => 0,
        Backend::Gpu => 1,
    };
    engine.free_buffers();
    ENGINES.lock().unwrap_or_else(PoisonError::into_inner)[place] = Some(engine);
}
