//! What comes out: relations, the pairs of a join, what was counted and how long each stage took.

use std::time::Duration;

use crate::check::CheckReport;
use crate::engine::Choice;

/// How two polygons lie to each other. Exact on every accepted input.
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
    /// The name in files: `disjoint`, `touching` or `overlapping`.
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

/// A pair of objects that a join found, by their indices in the caller's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectPair {
    /// Object of the first set; the lesser index in a self-join.
    pub a: u32,
    /// Object of the second set; the greater index in a self-join.
    pub b: u32,
    /// How they lie to each other.
    pub relation: Relation,
}

/// The answer of a join.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Join {
    /// The pairs that were asked for, sorted by `a`, then `b`; each once.
    pub pairs: Vec<ObjectPair>,
    /// What it ran on, and why.
    pub choice: Choice,
    /// What was counted on the way.
    pub counts: Counts,
    /// How long each stage took.
    pub timings: Timings,
    /// When each stage of each chunk of pairs began and ended, in the order in which they began. On a GPU several chunks
    /// are on their way at once.
    pub timeline: Vec<StageSpan>,
    /// What the cross-check found, where it was asked for.
    pub check: Option<CheckReport>,
}

/// What a join counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Pairs of pieces of different objects whose closed boxes meet.
    pub candidate_pairs: u64,
    /// Pairs of different objects whose closed boxes meet.
    pub candidate_object_pairs: u64,
    /// Candidate pairs of pieces that the filter left to exact arithmetic. Depends on the backend's rounding.
    pub uncertain: u64,
    /// Candidate pairs of pieces that were too large for the device and went to the CPU; they are among the uncertain ones.
    pub oversized: u64,
    /// Pairs of objects that touch.
    pub touching: u64,
    /// Pairs of objects that overlap.
    pub overlapping: u64,
}

/// Wall-clock time by stage. On the CPU backend, upload and readback are 0. On a GPU, stages of several chunks run at the
/// same time, so that their sum may exceed the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timings {
    /// Putting the polygons in spatial order, rounding them and placing them in the records that the filter reads.
    pub pack: Duration,
    /// The tree over the boxes, and candidate pairs.
    pub broad_phase: Duration,
    /// Handing polygons and pairs to the device.
    pub upload: Duration,
    /// The filter: on the CPU, or from submission to the end of the device's work, as the host saw it.
    pub kernel: Duration,
    /// The filter alone by the device's own clock, where it has one that may be asked.
    pub kernel_on_device: Option<Duration>,
    /// Copying answers from the device's memory.
    pub readback: Duration,
    /// Exact re-decision of uncertain pairs.
    pub exact: Duration,
    /// The cross-check, where it was asked for.
    pub check: Duration,
    /// From pieces to objects, and sorting; keeping hits.
    pub collect: Duration,
}

/// When a stage of a chunk of pairs began and ended, since the join began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StageSpan {
    /// Number of the chunk, counted stage by stage: a device may take a chunk of candidate pairs in several parts.
    pub chunk: u32,
    /// `broad phase`, `pack`, `upload polygons`, `upload`, `kernel`, `readback`, `exact`, `check` or `collect`.
    pub stage: &'static str,
    /// When it began.
    pub begin: Duration,
    /// When it ended.
    pub end: Duration,
}
