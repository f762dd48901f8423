//! `sat2d` finds which 2D polygons overlap, for millions of candidate pairs at once, with the separating axis theorem.

mod error;
mod geometry;
#[cfg(feature = "io")]
pub mod io;
mod results;

pub use error::{Error, Result};
pub use geometry::{
    Aabb, Cleanup, ConvexPolygon, MAX_COORDINATE, MIN_COORDINATE, PolygonObject, PolygonSet, Pose,
};
pub use glam;
pub use results::Relation;
