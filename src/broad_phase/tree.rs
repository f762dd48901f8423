//! A packed tree of bounding boxes. Each node has sixteen children, and the leaves are ordered along a space-filling
//! curve.

use super::lanes::{LANES, Lanes};
use super::order::order_within;
use crate::Aabb;
use crate::base::large_pages::with_room;
use crate::base::parallel::prelude::*;
use crate::base::room::append;
use crate::simd::prefetch;

/// The number of leaves that one task fills.
const TASK: usize = 512;
/// Prefetch distance in leaves: memory is prefetched this many leaves before it is filled.
const AHEAD: usize = 4;

/// Boxes in an order in which neighbours in space are mostly neighbours in memory, and a tree above them. Every node is
/// full, except the last node of each level, so the tree needs no pointers: the children of node `k` are entries
/// `16k..16k + 16` of the level below. The slot of a box is its index in the order. The slots `16k..16k + 16` form leaf
/// `k`.
///
/// The tree divides boxes by rank and not by distance. Outliers, clusters and equal centres therefore do not change its
/// depth, which is about `log16 n`.
#[derive(Debug)]
pub(super) struct Tree {
    /// `levels[0]` holds the boxes, one `Lanes` for each leaf. `levels[k + 1]` holds the box around each `Lanes` of
    /// `levels[k]`. The last level has one `Lanes`, the root. There are at least two levels, or none if there are no
    /// boxes.
    levels: Vec<Vec<Lanes>>,
    /// The caller's index of the box in each slot, and 0 in the unused slots of the last leaf.
    order: Vec<u32>,
    /// The number of slots in use, which is the number of boxes in the tree.
    count: usize,
    /// For each leaf, the group of the box in each lane. An unused lane holds 0. The list is empty if boxes have no
    /// groups.
    groups: Vec<[u32; LANES]>,
    /// For each `Lanes` of each level, the group of all boxes below it, or `None` if the boxes have different groups. The list is
    /// empty if boxes have no groups.
    shared_groups: Vec<Vec<Option<u32>>>,
}

/// The memory of a finished tree, which the next tree reuses.
#[derive(Debug, Default)]
pub(super) struct TreeMemory {
    /// Memory for the sort keys of the boxes, and for sorting them.
    pub(super) keys: [Vec<u64>; 2],
    pub(super) order: Vec<u32>,
    leaves: Vec<Lanes>,
}

/// Returns an empty vector with room for `count` values. Reuses the memory of `values` if it is large enough.
pub(super) fn emptied<T>(mut values: Vec<T>, count: usize) -> Vec<T> {
    if cfg!(target_family = "wasm") || values.capacity() < count {
        return with_room(count);
    }
    values.clear();
    values
}

impl Tree {
    /// Builds a tree without the boxes that are empty or have NaN. The caller must have checked that an index fits 32
    /// bits, and that there are as many groups as boxes. `twice_centres` is the box around the centres of all boxes,
    /// with all coordinates multiplied by 2. If this box is not known, or if one of the boxes may be empty,
    /// `twice_centres` is `None`.
    pub(super) fn new(
        boxes: &[Aabb],
        groups: Option<&[u32]>,
        twice_centres: Option<Aabb>,
        memory: &mut TreeMemory,
    ) -> Self {
        let order = order_within(boxes, twice_centres, memory);
        let count = order.len();
        let mut tree =
            Self { levels: Vec::new(), order, count, groups: Vec::new(), shared_groups: Vec::new() };
        if tree.order.is_empty() {
            return tree;
        }
        let leaf_count = tree.order.len().div_ceil(LANES);
        let mut leaves = emptied(std::mem::take(&mut memory.leaves), leaf_count);
        let parts = tree.order.chunks(TASK * LANES);
        let lengths: Vec<_> = parts.map(|part| part.len().div_ceil(LANES)).collect();
        append(&mut leaves, &lengths, |part, room| {
            let first = part * TASK;
            let indices_of = tree.order[first * LANES..].chunks(LANES).take(lengths[part]);
            room.write(indices_of.enumerate().map(|(leaf, indices)| {
                // In large sets, the boxes of neighbouring leaves are far apart in memory, so a read without a prefetch would
                // wait.
                let ahead = tree.order.get((first + leaf + AHEAD) * LANES..).unwrap_or_default();
                ahead.iter().take(LANES).for_each(|&index| prefetch(&boxes[index as usize]));
                Lanes::of(indices.iter().map(|&index| boxes[index as usize]))
            }));
        });
        tree.levels.push(leaves);
        while tree.levels.len() < 2 || tree.levels[tree.levels.len() - 1].len() > 1 {
            let below = tree.levels[tree.levels.len() - 1].par_chunks(LANES).with_min_len(TASK / LANES);
            let above = below.map(|below| Lanes::of(below.iter().map(Lanes::union))).collect();
            tree.levels.push(above);
        }
        if let Some(groups) = groups {
            tree.set_groups(groups);
        }
        tree.order.resize(leaf_count * LANES, 0);
        tree
    }

    /// Moves the memory of the tree to `memory`, where the next tree reuses it.
    pub(super) fn give_back(self, memory: &mut TreeMemory) {
        memory.order = self.order;
        memory.leaves = self.levels.into_iter().next().unwrap_or_default();
    }

    fn set_groups(&mut self, groups: &[u32]) {
        let group = |index: &u32| groups[*index as usize];
        let in_lanes = |indices: &[u32]| {
            let mut lanes = [0; LANES];
            for (lane, index) in lanes.iter_mut().zip(indices) {
                *lane = group(index);
            }
            lanes
        };
        let leaves = self.order.chunks(LANES);
        self.groups = leaves.clone().map(in_lanes).collect();
        let shared_of_leaves = leaves.map(|indices| shared(indices.iter().map(|index| Some(group(index)))));
        self.shared_groups.push(shared_of_leaves.collect());
        for level in 1..self.levels.len() {
            let above =
                self.shared_groups[level - 1].chunks(LANES).map(|below| shared(below.iter().copied()));
            let above = above.collect();
            self.shared_groups.push(above);
        }
    }

    /// Returns the number of leaves of the tree.
    pub(super) fn leaf_count(&self) -> u32 {
        self.levels.first().map_or(0, Vec::len) as u32
    }

    /// Returns the level of the root, or 0 if the tree has no boxes.
    pub(super) fn top(&self) -> usize {
        self.levels.len().saturating_sub(1)
    }

    /// Returns the boxes of a leaf if `level` is 0. Otherwise, returns the boxes around the children of a node.
    #[inline(always)]
    pub(super) fn lanes(&self, level: usize, node: u32) -> &Lanes {
        &self.levels[level][node as usize]
    }

    /// Returns the box around a leaf.
    #[inline(always)]
    pub(super) fn leaf_bounds(&self, leaf: u32) -> Aabb {
        self.levels[1][leaf as usize / LANES].get(leaf as usize % LANES)
    }

    /// Returns the caller's index of the box in each slot.
    pub(super) fn order(&self) -> &[u32] {
        &self.order[..self.count]
    }

    /// Returns the caller's index of the box in a slot.
    #[inline(always)]
    pub(super) fn index(&self, slot: u32) -> u32 {
        self.order[slot as usize]
    }

    /// Returns the caller's index of the box in each lane of a leaf. An unused lane has index 0.
    #[inline(always)]
    pub(super) fn indices(&self, leaf: u32) -> &[u32; LANES] {
        &self.order.as_chunks().0[leaf as usize]
    }

    /// Returns the group of the box in each lane of a leaf, or `None` if boxes have no groups. An unused lane has group
    /// 0.
    #[inline(always)]
    pub(super) fn groups(&self, leaf: u32) -> Option<&[u32; LANES]> {
        self.groups.get(leaf as usize)
    }

    /// Returns the group of the box in a lane of a leaf. Without groups, each box is its own group, with the index of
    /// the box.
    #[inline(always)]
    pub(super) fn group(&self, leaf: u32, lane: usize) -> u32 {
        self.groups(leaf).unwrap_or_else(|| self.indices(leaf))[lane]
    }

    /// Returns the group that all boxes below a node share, or `None` if their groups differ or there are no groups.
    #[inline(always)]
    pub(super) fn shared_group(&self, level: usize, node: u32) -> Option<u32> {
        self.shared_groups.get(level)?[node as usize]
    }
}

/// Returns the group that all items of `groups` have in common. Returns `None` if the groups differ, if an item has no
/// group, or if there are no items.
fn shared(mut groups: impl Iterator<Item = Option<u32>>) -> Option<u32> {
    let first = groups.next()??;
    groups.all(|group| group == Some(first)).then_some(first)
}
