//! Input, checked: polygons, objects, sets, poses, boxes, and exact predicates.

mod aabb;
mod clearly_clean;
mod columns;
#[cfg(feature = "geo-types")]
mod conversions;
mod convex_polygon;
pub(crate) mod decompose;
mod dissolve;
mod fill;
pub(crate) mod hull;
pub(crate) mod limits;
mod object;
pub(crate) mod outline;
mod pieces;
mod pose;
pub(crate) mod posed_image;
pub(crate) mod predicates;
mod region;
mod rounded;
#[cfg(feature = "serde")]
mod serialized;
mod set;
mod swept;

pub use aabb::Aabb;
pub use columns::{Coordinates, Offsets, PolygonColumns};
pub use convex_polygon::ConvexPolygon;
pub(crate) use dissolve::dissolved;
pub use fill::Fill;
pub use object::{Cleanup, PolygonObject};
pub use pieces::Pieces;
pub use pose::Pose;
pub use rounded::Rounded;
pub use rounded::{RoundedSet, RoundedShape, Shapes};
pub use set::Piece;
pub use set::{FromColumns, PolygonSet, RingParts, SetParts, set_of_outlines};

/// The smallest magnitude of a coordinate that is not 0: 2^-142. Exact predicates could underflow for a coordinate with
/// a smaller magnitude.
pub const MIN_COORDINATE: f64 = 1.793_662_034_335_766e-43;
/// The largest magnitude of a coordinate: 2^201. Exact predicates could overflow for a coordinate with a larger
/// magnitude.
pub const MAX_COORDINATE: f64 = 3.213_876_088_517_980_6e60;
