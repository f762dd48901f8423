//! Relations of pairs, and the counts and timings of a query.

use std::time::Duration;

/// The relation of two polygons. The relation is exact for every input that the library accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[repr(u8)]
pub enum Relation {
    /// The polygons have no common point.
    Disjoint = 0,
    /// The polygons have common points, but no common interior.
    Touching = 1,
    /// The interiors of the polygons have a common point.
    Overlapping = 2,
}

impl Relation {
    /// Returns the name of the relation in files: `disjoint`, `touching` or `overlapping`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Disjoint => "disjoint",
            Self::Touching => "touching",
            Self::Overlapping => "overlapping",
        }
    }
}

impl std::fmt::Display for Relation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Selects, by their relation, the pairs that a join returns. Use [`Keep::Overlapping`] to leave out touching pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Keep {
    /// The join returns touching and overlapping pairs.
    #[default]
    Meeting,
    /// The join returns touching pairs.
    Touching,
    /// The join returns overlapping pairs.
    Overlapping,
}

impl Keep {
    /// Returns whether a join keeps a pair with this relation.
    #[must_use]
    pub fn keeps(self, relation: Relation) -> bool {
        match self {
            Self::Meeting => relation != Relation::Disjoint,
            Self::Touching => relation == Relation::Touching,
            Self::Overlapping => relation == Relation::Overlapping,
        }
    }
}

/// A pair of objects that a join found. An index is the position of the object in the caller's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RelatedPair {
    /// Index of the object in the first set. In a self-join, the lower of the two indices.
    pub a: u32,
    /// Index of the object in the second set. In a self-join, the higher of the two indices.
    pub b: u32,
    /// The relation of the two objects.
    pub relation: Relation,
}

/// Numbers of pairs in a query: candidate pairs, uncertain pairs and results. A number is 0 if the query does not
/// compute it. For example, a query of distances does not count touching pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct Counts {
    /// Number of pairs of convex pieces that the query examined. In a join, these are the pairs of pieces of different
    /// objects whose closed bounding boxes meet, or are within the distance of the join. For times of impact, the box
    /// of a piece contains the path of the piece during the step. If objects have many pieces, a join within a distance
    /// examines only the pairs of pieces that may be the nearest. For containments of objects, the number counts pairs of
    /// objects.
    pub candidate_pairs: u64,
    /// Number of candidate pairs that were compared as whole polygons, by their edges, without convex pieces. A join of
    /// large polygons compares all its candidate pairs in this way, and a join of small polygons none.
    pub polygon_pairs: u64,
    /// For relations and containments: number of pairs of different objects whose closed bounding boxes meet. For a
    /// query of given pairs, this is the number of given pairs.
    pub candidate_object_pairs: u64,
    /// Number of candidate pairs of pieces that the fast filter could not decide. Exact arithmetic decided these pairs.
    /// The number depends on the rounding of the backend.
    pub uncertain: u64,
    /// Number of candidate pairs that the CPU decided because a polygon of the pair was too large for the device.
    /// `uncertain` includes the pairs that `oversized` counts.
    pub oversized: u64,
    /// Number of pairs of pieces for which f32 was not precise enough, so the library used f64. For times of impact, this is the
    /// number of pairs whose time was computed again in f64, on either backend. For other measurements, this is the number of
    /// pairs for which the device could not select the deciding edge. [`Penetration`](crate::Penetration) defines the deciding
    /// edge. On a CPU, the number is 0 for these measurements, because no device selects edges.
    pub refined: u64,
    /// Number of touching pairs: pairs of objects in a join, pairs of pieces in a query of given pairs. Includes pairs
    /// that [`Keep`] leaves out.
    pub touching: u64,
    /// Number of overlapping pairs: pairs of objects in a join, pairs of pieces in a query of given pairs. Includes
    /// pairs that [`Keep`] leaves out.
    pub overlapping: u64,
}

/// Wall-clock time of each stage. On the CPU, `upload` and `readback` are 0. On a GPU, stages of different chunks run
/// at the same time, so the sum of all stages may exceed the total time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct Timings {
    /// Time to sort the polygons in spatial order, and to pack them into the records that the filter reads.
    pub pack: Duration,
    /// Time to build the tree over the boxes and to find the candidate pairs.
    pub broad_phase: Duration,
    /// Time to upload polygons and pairs to the device.
    pub upload: Duration,
    /// Time to run the fast filter that decides most pairs, and the kernels that measure pairs on a device. On a GPU, the
    /// time of the filter is the time from submission to completion, measured on the host.
    pub kernel: Duration,
    /// Time to run the fast filter, measured by the device's clock. The time is `None` on the CPU, and on a device without
    /// usable timestamp queries.
    pub kernel_on_device: Option<Duration>,
    /// Time to copy results from the device to the host.
    pub readback: Duration,
    /// Time to decide uncertain pairs with exact arithmetic, and to compare large polygons by their edges.
    pub exact: Duration,
    /// Time to measure pairs, on the host.
    pub measure: Duration,
    /// Time to check the relations against exact arithmetic, if [`Join::check`](crate::Join::check) requests it.
    pub check: Duration,
    /// Time to combine the relations of pieces into relations of objects, and to sort and store the pairs found.
    pub collect: Duration,
    /// Time from the start of the query to its end. Includes packing, unless [`Engine::prepare`](crate::Engine::prepare)
    /// packed the sets for an earlier query.
    pub total: Duration,
}

/// The beginning and the end of a stage of one chunk of pairs, or of one part of the polygons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct StageSpan {
    /// Index of the chunk. Each stage numbers its own chunks, because a device may split one chunk of candidate pairs
    /// into several chunks. In the stages `pack` and `upload polygons` of a device, this is the index of the part.
    pub chunk: u32,
    /// Name of the stage: `broad phase`, `pack`, `upload polygons`, `upload`, `kernel`, `readback`, `exact`, `check`,
    /// `measure` or `collect`.
    pub stage: &'static str,
    /// Time from the start of the join to the beginning of the stage.
    pub begin: Duration,
    /// Time from the start of the join to the end of the stage.
    pub end: Duration,
}
