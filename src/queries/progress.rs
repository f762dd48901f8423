//! Defines the observer of the progress of a query.

/// An observer of the progress of a query. The default methods do nothing.
pub trait Progress: std::fmt::Debug + Sync {
    /// A join calls this method when a stage begins. The stages are `packing`, `broad phase`, `narrow phase` and
    /// `sorting`. A join that finds nearest objects begins the last two stages again for each part of a large set A.
    fn stage(&self, name: &'static str) {
        let _ = name;
    }
    /// The query calls this method after each chunk. `pairs` is the total number of candidate pairs decided so far.
    fn decided(&self, pairs: u64) {
        let _ = pairs;
    }
}
