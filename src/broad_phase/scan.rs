//! One leaf of query boxes against a range of a tree's leaves.

use std::ops::Range;

use super::lanes::LANES;
use super::tree::Tree;

/// Takes what [`scan`] finds.
pub(super) trait Sink {
    /// The boxes of `query` (a box's caller index) that meet: one bit of `mask`, never 0, for each of `targets`.
    fn pairs(&mut self, query: u32, targets: &[u32; LANES], mask: u32);

    /// Called after each pair of leaves: whether to stop here.
    fn is_full(&self) -> bool {
        false
    }

    /// Called for each test of one box against eight.
    fn tested(&mut self) {}
}

/// Counts pairs.
#[derive(Default)]
pub(super) struct Count(pub(super) u64);

impl Sink for Count {
    #[inline]
    fn pairs(&mut self, _query: u32, _targets: &[u32; LANES], mask: u32) {
        self.0 += u64::from(mask.count_ones());
    }
}

/// The boxes of both sides.
#[derive(Debug)]
pub(super) enum Sides {
    /// Every two boxes of one set, of different groups where there are groups.
    One(Tree),
    /// Every box of the first with every box of the second.
    Two(Tree, Tree),
}

impl Sides {
    /// The tree whose leaves ask.
    pub(super) fn queries(&self) -> &Tree {
        match self {
            Self::One(tree) | Self::Two(tree, _) => tree,
        }
    }

    /// The tree that is searched.
    pub(super) fn targets(&self) -> &Tree {
        match self {
            Self::One(tree) | Self::Two(_, tree) => tree,
        }
    }

    /// The target leaves that a query leaf is to be scanned against: in a set with itself, none before itself, so that
    /// each pair is found once.
    pub(super) fn range(&self, leaf: u32) -> Range<u32> {
        match self {
            Self::One(tree) => leaf..tree.leaf_count(),
            Self::Two(_, targets) => 0..targets.leaf_count(),
        }
    }

    /// Gives `sink` all pairs of query leaf `leaf` with target leaves in `range` (within [`Sides::range`]), in the order of
    /// target leaves, then of query boxes, then of target boxes. Stops after a pair of leaves when the sink is full, and
    /// then returns the target leaf to go on from.
    pub(super) fn scan<S: Sink>(&self, leaf: u32, range: Range<u32>, sink: &mut S) -> Option<u32> {
        let (queries, targets) = (self.queries(), self.targets());
        if range.is_empty() {
            return None;
        }
        let bounds = queries.leaf_bounds(leaf);
        let query_group = queries.shared_group(0, leaf);
        let (first, last) = (range.start, range.end - 1);
        // Which children of a node meet the query leaf and lie in the range.
        let children = |level: usize, node: u32, sink: &mut S| {
            let shift = 3 * (level as u32 - 1);
            let start = node * LANES as u32;
            let from = (first >> shift).saturating_sub(start);
            let to = (last >> shift) - start;
            let in_range = (0xff << from) & if to < 7 { (2 << to) - 1 } else { 0xff };
            sink.tested();
            targets.lanes(level, node).meeting(&bounds) & in_range
        };
        // What is left to visit of the nodes above, by level; 11 levels of 8 are more than 2^32 boxes.
        let mut above = [(0u32, 0u32); 12];
        let top = targets.top();
        let (mut level, mut node) = (top, 0);
        let mut left = children(level, node, sink);
        loop {
            if left == 0 {
                if level == top {
                    return None;
                }
                level += 1;
                (node, left) = above[level];
                continue;
            }
            let child = node * LANES as u32 + left.trailing_zeros();
            left &= left - 1;
            if query_group.is_some() && targets.shared_group(level - 1, child) == query_group {
                continue;
            }
            if level > 1 {
                above[level] = (node, left);
                level -= 1;
                node = child;
                left = children(level, node, sink);
                continue;
            }
            self.scan_leaves(leaf, child, sink);
            if sink.is_full() {
                return (child < last).then_some(child + 1);
            }
        }
    }

    #[inline]
    fn scan_leaves<S: Sink>(&self, leaf: u32, target: u32, sink: &mut S) {
        let (queries, targets) = (self.queries(), self.targets());
        let (query_lanes, target_lanes) = (queries.lanes(0, leaf), targets.lanes(0, target));
        let (query_indices, target_indices) = (queries.indices(leaf), targets.indices(target));
        let with_itself = matches!(self, Self::One(_)) && leaf == target;
        sink.tested();
        let mut left = query_lanes.meeting(&targets.leaf_bounds(target));
        while left != 0 {
            let query = left.trailing_zeros() as usize;
            left &= left - 1;
            sink.tested();
            let mut mask = target_lanes.meeting(&query_lanes.get(query));
            if with_itself {
                mask &= 0xfe << query;
            }
            if mask != 0
                && let (Some(query_groups), Some(target_groups)) =
                    (queries.groups(leaf), targets.groups(target))
            {
                for (lane, group) in target_groups.iter().enumerate() {
                    mask &= !(u32::from(*group == query_groups[query]) << lane);
                }
            }
            if mask != 0 {
                sink.pairs(query_indices[query], target_indices, mask);
            }
        }
    }
}
