//! Options of a join, and the observer of its progress.

#[cfg(doc)]
use crate::Join;
use crate::answers::results::Keep;

/// Options of a join. The relations and the order of the pairs are the same with all options.
#[derive(Clone, Copy, Debug)]
pub struct JoinOptions<'a> {
    /// Which pairs the join returns.
    pub keep: Keep,
    /// Whether to decide every candidate pair a second time, by exact arithmetic alone. [`Join::check`] then reports
    /// whether the answers agree.
    pub check: bool,
    /// Maximum number of candidate pairs that the join decides at once, in one chunk; at least 1. The default is 2^20.
    /// A backend may use smaller chunks.
    pub chunk_pairs: usize,
    /// An observer of the progress. The join calls the observer when a stage begins, and after each chunk of candidate
    /// pairs.
    pub progress: Option<&'a dyn Progress>,
}

impl Default for JoinOptions<'_> {
    fn default() -> Self {
        Self { keep: Keep::default(), check: false, chunk_pairs: 1 << 20, progress: None }
    }
}

/// An observer of the progress of a join. The default methods do nothing.
pub trait Progress: std::fmt::Debug + Sync {
    /// The join calls this method when a stage begins. The stages are `packing`, `broad phase`, `narrow phase` and
    /// `sorting`.
    fn stage(&self, name: &'static str) {
        let _ = name;
    }
    /// The join calls this method after each chunk. `pairs` is the total number of candidate pairs of pieces decided so
    /// far.
    fn decided(&self, pairs: u64) {
        let _ = pairs;
    }
}
