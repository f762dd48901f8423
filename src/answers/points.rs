//! Points in polygons.

#[cfg(doc)]
use crate::PointOptions;
use crate::answers::backend::Choice;
use crate::answers::results::Timings;

/// The position of a point relative to an object. The answer is exact for every input that the library accepts.
///
/// The region of an object is the union of its convex pieces. A point on an edge or a vertex that several pieces share
/// is inside the object if these pieces surround the point. This rule also applies if the polygons of a MultiPolygon
/// share an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[repr(u8)]
pub enum PointRelation {
    /// The point is outside the object.
    Outside = 0,
    /// The point is on the boundary of the object.
    Boundary = 1,
    /// The point is in the interior of the object.
    Inside = 2,
}

impl PointRelation {
    /// Returns the name of the relation in files: `outside`, `boundary` or `inside`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Outside => "outside",
            Self::Boundary => "boundary",
            Self::Inside => "inside",
        }
    }

    /// Returns `Inside` if a point is to the left of an edge of a counter-clockwise polygon, `Boundary` if the point is
    /// on the line of the edge, and `Outside` if the point is to the right. `side` is the orientation of the ends of
    /// the edge and the point.
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

/// Selects points by their relation to an object. Use [`KeepPoints::Inside`] to leave out points on the boundary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum KeepPoints {
    /// Keeps points inside an object and points on its boundary.
    #[default]
    Meeting,
    /// Keeps points on the boundary of an object.
    Boundary,
    /// Keeps points in the interior of an object.
    Inside,
}

impl KeepPoints {
    /// Returns whether a query keeps a point with this relation.
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

/// A point and an object that contains the point. Indices are in the caller's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PointPair {
    /// Index of the point.
    pub point: u32,
    /// Index of the object.
    pub object: u32,
    /// The relation of the point to the object.
    pub relation: PointRelation,
}

/// The number of points in an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PointCount {
    /// Number of points in the interior of the object.
    pub inside: u32,
    /// Number of points on the boundary of the object.
    pub boundary: u32,
}

/// The first object of each point: the object with the lowest index among the objects for which [`PointOptions::keep`]
/// keeps the point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstHits(pub(crate) Vec<u32>);

impl FirstHits {
    /// The value for a point without a first object.
    pub(crate) const NONE: u32 = u32::MAX;

    /// Returns the index of the first object of point `point`. Returns `None` if [`PointOptions::keep`] keeps the point
    /// for no object, or if there is no point with this index.
    #[must_use]
    pub fn get(&self, point: usize) -> Option<u32> {
        self.0.get(point).copied().filter(|&object| object != Self::NONE)
    }

    /// Iterates over the points in order. Yields the result of [`FirstHits::get`] for each point.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<u32>> + '_ {
        self.0.iter().map(|&object| (object != Self::NONE).then_some(object))
    }

    /// Returns the number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The result of [`Points::query`](crate::Points::query). A field is `None` if [`PointOptions`] does not request it.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PointJoin {
    /// The number of points in each object, in the order of the objects. Objects without points are included. `None` if
    /// [`PointOptions::counts`] is false.
    pub counts: Option<Vec<PointCount>>,
    /// The first object of each point, in the order of the points. `None` if [`PointOptions::first`] is false.
    pub first: Option<FirstHits>,
    /// The pairs that [`PointOptions::keep`] selects: each pair once, sorted by point, then by object. `None` if
    /// [`PointOptions::pairs`] is false.
    pub pairs: Option<Vec<PointPair>>,
    /// Number of candidate pairs: pairs of a point and a convex piece that the query tested. Where the query tests
    /// whole objects by their edges, a pair consists of a point and an object.
    pub candidate_pairs: u64,
    /// Number of candidate pairs that the fast filter could not decide. Exact arithmetic decided these pairs. The
    /// number depends on the rounding of the backend. It does not include pairs of a point and a whole object.
    pub uncertain: u64,
    /// Number of candidate pairs that the CPU decided because the polygon was too large for the device.
    pub oversized: u64,
    /// The backend that decided the points, and the reason for the choice.
    pub choice: Choice,
    /// The time of each stage. `broad_phase` is the time to check the points, to leave out points that are far from all
    /// polygons, and to build the grid or the search tree. `pack` is the time to upload the polygons to a device. `kernel`
    /// is the time to look up and decide the points. `collect` is the time to add up the counts, and to insert the points
    /// that were left out.
    pub timings: Timings,
}
