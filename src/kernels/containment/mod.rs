//! Exact containment: decides whether one of two objects covers the other.

mod convex;
pub(crate) mod filter;
mod line;
mod region;

pub(crate) use region::decide;
