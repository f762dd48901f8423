//! Functions that concern the whole module.

use wasm_bindgen::prelude::*;

/// Sets up the module. The module calls this function once, when it is loaded.
#[wasm_bindgen(start)]
pub fn start() {
    #[cfg(target_family = "wasm")]
    console_error_panic_hook::set_once();
}

/// Returns the version of the library.
#[wasm_bindgen]
#[must_use]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").into()
}
