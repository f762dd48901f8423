//! Concave polygons and polygons with holes into convex pieces.

use glam::DVec2;

use super::{Cleanup, ConvexPolygon};
use crate::error::Result;

/// The convex pieces of the even-odd interior of `rings`, and what was tidied.
pub(crate) fn polygon(rings: &[Vec<DVec2>]) -> Result<(Vec<ConvexPolygon>, Cleanup)> {
    let polygon = ConvexPolygon::new(&rings[0])?;
    let cleanup = polygon.cleanup();
    Ok((vec![polygon], cleanup))
}
