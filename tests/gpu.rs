//! What tests through the library's interface ask of a GPU, as one program: `scripts/gpu-check` brings it to machines that have one
//! and nothing else. `cargo test` runs the same tests where they stand.
#![allow(unused, reason = "each file needs a part of what they share")]

#[path = "agreement.rs"]
mod agreement;
#[path = "counties.rs"]
mod counties;
#[path = "figures/main.rs"]
mod figures;
#[path = "points.rs"]
mod points;
#[path = "sim/main.rs"]
mod sim;
