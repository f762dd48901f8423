//! The library as a page in a browser calls it: plain objects in, plain objects out, and no geometry of its own.

pub mod explore;
pub mod page;
pub mod simulation;
