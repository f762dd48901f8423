//! What the page asks of the module as a whole.

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
