//! Makes the library available to a page in a browser. The functions convert JavaScript values, and leave the geometry
//! to the library.

mod answer;
pub mod benchmark;
pub mod explore;
pub mod page;
pub mod simulation;
