//! The base of all rooms: errors, the clock, the thread pool, sorting, memory and text.

pub(crate) mod angles;
pub(crate) mod clock;
#[cfg(test)]
pub(crate) mod draw;
pub(crate) mod error;
pub(crate) mod large_pages;
pub(crate) mod memory;
pub(crate) mod parallel;
pub(crate) mod room;
pub(crate) mod shown;
pub(crate) mod side;
#[cfg(test)]
pub(crate) mod soak;
pub(crate) mod sorting;
