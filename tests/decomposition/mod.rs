//! Decomposition of concave polygons, polygons with holes and multipolygons into convex pieces.

#[cfg(unix)]
mod bounded_tests;
mod errors;
mod exact;
mod hand_worked;
pub(crate) mod random;
mod scale;
mod slabs;
