//! `sat2d` finds which 2D polygons overlap, for millions of candidate pairs at once, with the separating axis theorem.

pub mod broad_phase;
mod error;
mod geometry;
mod results;

pub use error::{Error, Result};
pub use geometry::{
    Aabb, Cleanup, ConvexPolygon, MAX_COORDINATE, MIN_COORDINATE, PolygonObject, PolygonSet, Pose,
};
pub use glam;
pub use results::Relation;
