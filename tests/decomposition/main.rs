//! Concave polygons, polygons with holes and multipolygons as convex pieces.

#![allow(clippy::unwrap_used, reason = "a failed test panics")]

#[path = "../support/bounded.rs"]
mod bounded;
#[cfg(unix)]
mod bounded_tests;
mod errors;
mod exact;
mod hand_worked;
mod random;
mod scale;
mod slabs;
