//! Points in polygons: for each point, which objects it lies inside of or on the boundary of, exactly.
//!
//! The points go through a grid over the polygons ([`index`]), whose cells say which edges a point in them has to be
//! compared with; nearly all are decided by an f64 filter ([`filter`]), the rest by exact predicates. [`mod@reference`] is the judge.

#[cfg(feature = "cli")]
mod check;
pub(crate) mod device;
mod filter;
mod index;
mod join;
mod raster;
pub(crate) mod reference;
mod resolution;
mod scan;
#[cfg(all(test, feature = "scenes"))]
mod tests;

#[cfg(feature = "cli")]
pub(crate) use check::{PointCheck, PointDisagreement};

use crate::engine::Choice;
use crate::error::{Error, Result};
use crate::geometry::{MAX_COORDINATE, MIN_COORDINATE};
use crate::join::Progress;
use crate::results::Timings;
use glam::DVec2;

use crate::parallel::prelude::*;

/// Where a point lies to a polygon. Exact on every accepted input.
///
/// An object's region is the union of its pieces: a point on an edge or at a vertex that several pieces of it share, with
/// the region all around it, is inside. So is one where two polygons of a multipolygon share an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PointRelation {
    /// Not in the closed region.
    Outside = 0,
    /// On the boundary of the region.
    Boundary = 1,
    /// In the interior of the region.
    Inside = 2,
}

impl PointRelation {
    /// The name in files: `outside`, `boundary` or `inside`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Outside => "outside",
            Self::Boundary => "boundary",
            Self::Inside => "inside",
        }
    }

    /// What one edge of a counter-clockwise polygon allows, by the sign of the orientation of its ends and the point.
    pub(crate) fn of_side(side: f64) -> Self {
        if side < 0.0 {
            Self::Outside
        } else if side > 0.0 {
            Self::Inside
        } else {
            Self::Boundary
        }
    }
}

impl std::fmt::Display for PointRelation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Which points of a polygon count: does its boundary?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeepPoints {
    /// Those inside and those on the boundary.
    #[default]
    Meeting,
    /// Those on the boundary.
    Boundary,
    /// Those inside.
    Inside,
}

impl KeepPoints {
    /// Whether a point of this relation is kept.
    #[must_use]
    #[inline]
    pub fn keeps(self, relation: PointRelation) -> bool {
        match self {
            Self::Meeting => relation != PointRelation::Outside,
            Self::Boundary => relation == PointRelation::Boundary,
            Self::Inside => relation == PointRelation::Inside,
        }
    }
}

/// What is asked of points and polygons; what is not asked for is not computed. No option changes a relation or an order.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointOptions<'a> {
    /// Which points count, in the pairs and first hits. Counts tell the two kinds apart whatever is kept.
    pub keep: KeepPoints,
    /// Count the points of each object: [`PointJoin::counts`].
    pub counts: bool,
    /// Find the first object of each point: [`PointJoin::first`].
    pub first: bool,
    /// List every pair of a point and an object: [`PointJoin::pairs`].
    pub pairs: bool,
    /// Told of the progress; `decided` counts points here.
    pub progress: Option<&'a dyn Progress>,
}

/// A point and an object that it lies in, by their indices in the caller's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PointPair {
    /// The point.
    pub point: u32,
    /// The object.
    pub object: u32,
    /// How they lie to each other.
    pub relation: PointRelation,
}

/// How many points lie in an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PointCount {
    /// In its interior.
    pub inside: u32,
    /// On its boundary.
    pub boundary: u32,
}

/// The first object that each point lies in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstHits(Vec<u32>);

impl FirstHits {
    /// What no object is numbered.
    const NONE: u32 = u32::MAX;

    /// The lowest index of an object that point `point` lies in, as [`PointOptions::keep`] has it; none where there is
    /// none, or no such point.
    #[must_use]
    pub fn get(&self, point: usize) -> Option<u32> {
        self.0.get(point).copied().filter(|&object| object != Self::NONE)
    }

    /// [`FirstHits::get`] of each point in turn.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<u32>> + '_ {
        self.0.iter().map(|&object| (object != Self::NONE).then_some(object))
    }

    /// How many points there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The answer to [`Engine::points_in_polygons`](crate::Engine::points_in_polygons): what was asked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PointJoin {
    /// The points of each object, in the order of the objects; of all objects, those without a point included.
    pub counts: Option<Vec<PointCount>>,
    /// The first object of each point, in the order of the points.
    pub first: Option<FirstHits>,
    /// Every pair that is kept, sorted by point, then object; each once.
    pub pairs: Option<Vec<PointPair>>,
    /// Pairs of a point and a convex piece that the broad phase proposed, as far as the answers called for them.
    pub candidate_pairs: u64,
    /// Those of them that the filter left to exact arithmetic. Depends on the backend's rounding.
    pub uncertain: u64,
    /// Those of them whose polygon was too large for the device and that went to the CPU.
    pub oversized: u64,
    /// What it ran on, and why.
    pub choice: Choice,
    /// How long each stage took: `broad_phase` is the making of the grid, `kernel` the looking up and deciding of points on
    /// the CPU, `collect` the putting together of answers.
    pub timings: Timings,
}

/// Refuses points that are not finite or outside the accepted range, naming the first.
pub(crate) fn check_points<P: Into<DVec2> + Copy + Sync>(points: &[P]) -> Result<()> {
    let limit = u32::MAX as usize - 1;
    if points.len() > limit {
        return Err(Error::TooMany { items: "points", count: points.len(), limit });
    }
    let is_accepted = |x: f64| (x.abs() >= MIN_COORDINATE) & (x.abs() <= MAX_COORDINATE) | (x == 0.0);
    let is_wrong = |point: &P| {
        let v: DVec2 = (*point).into();
        !(is_accepted(v.x) & is_accepted(v.y))
    };
    // By runs: the first wrong one of all is named whichever thread meets one first.
    const RUN: usize = 1 << 14;
    let Some(run) = points.par_chunks(RUN).position_first(|run| run.iter().any(is_wrong)) else {
        return Ok(());
    };
    let Some(offset) = points[run * RUN..].iter().position(is_wrong) else { return Ok(()) };
    let point = run * RUN + offset;
    let DVec2 { x, y } = points[point].into();
    let problem = if x.is_finite() && y.is_finite() {
        "has a coordinate that is neither 0 nor between 2^-142 (1.8e-43) and 2^201 (3.2e60) in magnitude; rescale the input"
    } else {
        "is not finite; drop or repair the point"
    };
    Err(Error::Point { point, x, y, problem })
}
