//! Makes the library available to a page in a browser. Functions take and return plain objects, and contain no geometry of their
//! own.

mod answer;
pub mod benchmark;
pub mod explore;
pub mod page;
pub mod simulation;
