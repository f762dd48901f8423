//! All tests of the library's interface, as one program. Separate programs would each link the library and wgpu.
//! `cargo test --test integration figures::` runs one module.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

// These tests need no feature of the crate.
mod broad_phase;
mod containment;
mod convex_polygon;
mod decomposition;
mod edges;
mod explain;
mod explain_points;
mod explain_separation;
mod fuzz_relation;
mod layers;
mod oracle;
mod points;
mod readme;

#[cfg(feature = "geo-types")]
mod geo_conversions;

#[cfg(feature = "serde")]
mod serialized;

#[cfg(feature = "sim")]
mod sim;

#[cfg(feature = "scenes")]
mod scenes;

#[cfg(all(feature = "gpu", feature = "scenes"))]
mod agreement;
#[cfg(all(feature = "gpu", feature = "scenes"))]
mod areas;
#[cfg(all(feature = "gpu", feature = "scenes"))]
mod figures;
#[cfg(all(feature = "gpu", feature = "scenes"))]
mod nearest;
