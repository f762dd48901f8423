//! The plain data that queries return: relations, measurements, pairs, counts and timings.

pub(crate) mod area;
pub(crate) mod backend;
pub(crate) mod bounds;
pub(crate) mod check;
pub(crate) mod containment;
pub(crate) mod distance;
pub(crate) mod envelope;
pub(crate) mod impact;
pub(crate) mod manifold;
pub(crate) mod measured;
pub(crate) mod pair;
pub(crate) mod penetration;
pub(crate) mod points;
pub(crate) mod results;
#[cfg(feature = "serde")]
mod serialized;
