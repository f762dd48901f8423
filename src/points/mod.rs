//! Points in polygons: finds, for each point, the objects that have the point in their interior or on their boundary.
//!
//! For each cell of a grid over the polygons, [`index`] lists the edges with which the code compares a point in the
//! cell. An f64 filter ([`filter`]) decides nearly all points. Exact predicates decide the other points. If there are
//! few points, [`search`] finds all objects near a point by their boxes, without the grid. For any number of points,
//! [`search`] also finds the crossed objects, whose rings cross and whose pieces are rounded.
//! `kernels::point::reference` is the slow and simple implementation. Tests compare this code with it.

mod cells;
mod check;
#[cfg(not(target_family = "wasm"))]
mod covered;
pub(crate) mod device;
mod direct;
mod filter;
mod index;
pub(crate) mod join;
mod occupied;
mod outlined;
mod raster;
mod resolution;
mod scan;
mod search;
#[cfg(all(test, feature = "scenes"))]
mod tests;
#[cfg(not(target_family = "wasm"))]
mod within;

pub use check::{PointCheck, PointDisagreement};
#[cfg(not(target_family = "wasm"))]
pub use within::PointsWithin;

#[cfg(doc)]
use crate::PointJoin;
use crate::answers::points::KeepPoints;
use crate::queries::progress::Progress;

/// Options of [`Points::query`](crate::Points::query). The query computes only the requested results. The relations and
/// the order of the results are the same with all options.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointOptions<'a> {
    /// Which points to keep in `pairs` and `first`. `counts` always holds both the number of points inside and the
    /// number of points on the boundary.
    pub keep: KeepPoints,
    /// Whether to count the points of each object. The result is [`PointJoin::counts`].
    pub counts: bool,
    /// Whether to find the first object of each point. The result is [`PointJoin::first`].
    pub first: bool,
    /// Whether to list every pair of a point and an object that contains the point. The result is [`PointJoin::pairs`].
    pub pairs: bool,
    /// An observer of the progress, or `None`. The query reports the number of points decided so far to
    /// [`Progress::decided`].
    pub progress: Option<&'a dyn Progress>,
}
