//! The clock of the machine. In a browser, where the standard library has no clock, it is the clock of the browser.

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;
#[cfg(target_family = "wasm")]
pub use web_time::Instant;
