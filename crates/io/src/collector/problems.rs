//! Lists the invalid features of an input.

use std::collections::BTreeMap;

use crate::Error;

/// The invalid features of a part or a file. Only the first of them have a description.
#[derive(Debug, Default)]
pub(super) struct Problems {
    /// The index of each invalid feature, in the order of the input.
    pub(super) features: Vec<u32>,
    /// The descriptions of the first invalid features.
    pub(super) described: Vec<Problem>,
    pub(super) unsupported: BTreeMap<String, usize>,
}

impl Problems {
    /// Counts an invalid feature. Keeps its description if fewer than `most` descriptions are kept so far.
    pub(super) fn push(&mut self, problem: Problem, most: usize) {
        if let Error::UnsupportedGeometry { kind } = &problem.error {
            self.count_kind(kind.clone(), 1);
        }
        self.features.push(problem.feature as u32);
        if self.described.len() < most {
            self.described.push(problem);
        }
    }

    fn count_kind(&mut self, kind: String, count: usize) {
        /// The largest number of geometry types that are counted by name. A file may have any number of unsupported types.
        const MOST_KINDS: usize = 32;
        let is_known = self.unsupported.len() < MOST_KINDS || self.unsupported.contains_key(&kind);
        *self.unsupported.entry(if is_known { kind } else { "other".into() }).or_default() += count;
    }

    /// Adds the invalid features of a part, whose first feature has the index `first`. Keeps at most `most` descriptions.
    pub(super) fn append(&mut self, part: Self, first: usize, most: usize) {
        self.features.extend(part.features.into_iter().map(|feature| first as u32 + feature));
        for (kind, count) in part.unsupported {
            self.count_kind(kind, count);
        }
        let room = most.saturating_sub(self.described.len());
        let described = part.described.into_iter().take(room);
        self.described.extend(described.map(|p| Problem { feature: first + p.feature, ..p }));
    }

    pub(super) fn sort(&mut self, most: usize) {
        self.features.sort_unstable();
        self.described.sort_by_key(|problem| problem.feature);
        self.described.truncate(most);
    }
}

/// The description of an invalid feature.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) feature: usize,
    /// The number of polygons of the feature that could be decoded.
    pub(super) polygons: usize,
    pub(super) error: Error,
}
