//! The library as a page in a browser calls it: plain objects in, plain objects out, and no geometry of its own.

pub mod simulation;

use wasm_bindgen::prelude::*;

/// Called once, as the module is loaded.
#[wasm_bindgen(start)]
pub fn start() {
    #[cfg(target_family = "wasm")]
    console_error_panic_hook::set_once();
}

/// The version of the library.
#[wasm_bindgen]
#[must_use]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").into()
}
