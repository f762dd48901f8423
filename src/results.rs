//! Results: relations, the pairs of a join, counts and timings.

use std::time::Duration;

use crate::check::CheckReport;
use crate::engine::Choice;

/// The relation of two polygons. Exact on every accepted input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Relation {
    /// No common point.
    Disjoint = 0,
    /// Common points, but no common interior.
    Touching = 1,
    /// The interiors meet.
    Overlapping = 2,
}

impl Relation {
    /// Returns the name in files: `disjoint`, `touching` or `overlapping`.
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

/// A pair of objects that a join found. Indices are in the caller's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectPair {
    /// Index of the object in the first set; in a self-join, the lower of the two indices.
    pub a: u32,
    /// Index of the object in the second set; in a self-join, the higher of the two indices.
    pub b: u32,
    /// The relation of the two objects.
    pub relation: Relation,
}

/// The result of a join.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Join {
    /// The requested pairs, each once, sorted by `a`, then `b`.
    pub pairs: Vec<ObjectPair>,
    /// The backend that ran the join, and the reason.
    pub choice: Choice,
    /// Counts of candidates and results.
    pub counts: Counts,
    /// How long each stage took.
    pub timings: Timings,
    /// When each stage of each chunk began and ended, sorted by the beginning. On a GPU, several chunks are in flight
    /// at once.
    pub timeline: Vec<StageSpan>,
    /// The result of the cross-check, if [`JoinOptions::check`](crate::JoinOptions::check) is set.
    pub check: Option<CheckReport>,
}

/// Counts of candidates and results of a join.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Pairs of pieces of different objects whose closed boxes meet.
    pub candidate_pairs: u64,
    /// Pairs of different objects whose closed boxes meet.
    pub candidate_object_pairs: u64,
    /// Candidate pairs of pieces that the filter left to exact arithmetic. The count depends on the rounding of the
    /// backend.
    pub uncertain: u64,
    /// Candidate pairs of pieces that were too large for the device and went to the CPU. They are included in
    /// `uncertain`.
    pub oversized: u64,
    /// Pairs of objects that touch.
    pub touching: u64,
    /// Pairs of objects that overlap.
    pub overlapping: u64,
}

/// Wall-clock time by stage. On the CPU backend, `upload` and `readback` are 0. On a GPU, stages of different chunks
/// run at the same time, so their sum may exceed the total time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timings {
    /// Sorting the polygons in spatial order, rounding them and packing them into the records that the filter reads.
    pub pack: Duration,
    /// Building the tree over the boxes and finding the candidate pairs.
    pub broad_phase: Duration,
    /// Uploading polygons and pairs to the device.
    pub upload: Duration,
    /// Running the filter. On a GPU, the time from submission to completion, as measured on the host.
    pub kernel: Duration,
    /// Running the filter, as measured by the device's own clock; `None` if the device has no timestamp queries.
    pub kernel_on_device: Option<Duration>,
    /// Copying results from the device to the host.
    pub readback: Duration,
    /// Deciding uncertain pairs with exact arithmetic.
    pub exact: Duration,
    /// The cross-check, if it was requested.
    pub check: Duration,
    /// Combining the results of pieces into results of objects, sorting, and storing hits.
    pub collect: Duration,
}

/// When a stage of one chunk of pairs began and ended, relative to the start of the join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StageSpan {
    /// Index of the chunk, counted separately for each stage. A device may split one chunk of candidate pairs into
    /// several.
    pub chunk: u32,
    /// `broad phase`, `pack`, `upload polygons`, `upload`, `kernel`, `readback`, `exact`, `check` or `collect`.
    pub stage: &'static str,
    /// Time from the start of the join to the beginning of the stage.
    pub begin: Duration,
    /// Time from the start of the join to the end of the stage.
    pub end: Duration,
}
