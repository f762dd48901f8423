//! A packed tree of bounding boxes, eight children a node, split at medians.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::lanes::{LANES, Lanes};
use crate::Aabb;

/// From here on the two halves of a split are ordered in parallel.
const PARALLEL_BOXES: usize = 4096;

/// Boxes in an order in which neighbours in space are mostly neighbours in memory, under a tree whose every node is full
/// but for the last of its level, so that it needs no pointers: children of node `k` are entries `8k..8k + 8` below.
///
/// Splits are by rank, never by distance: outliers, clusters and equal centres leave its depth at `log8 n`.
#[derive(Debug)]
pub(super) struct Tree {
    /// `levels[0]` holds the boxes, a leaf a `Lanes`; `levels[k + 1]` the box around each `Lanes` of `levels[k]`. The
    /// last has one `Lanes`, the root. At least two levels, unless there are no boxes.
    levels: Vec<Vec<Lanes>>,
    /// The caller's index of each box of `levels[0]`; the unused lanes of the last leaf have 0.
    indices: Vec<[u32; LANES]>,
    /// Where boxes have groups: those of each leaf's boxes.
    groups: Vec<[u32; LANES]>,
    /// Where boxes have groups: for each `Lanes` of each level, the group that all boxes below share, if they do.
    shared_groups: Vec<Vec<Option<u32>>>,
}

impl Tree {
    /// Boxes without a point (and those with NaN) are left out. The caller has checked that an index fits 32 bits, and
    /// that there are as many groups as boxes.
    pub(super) fn new(boxes: &[Aabb], groups: Option<&[u32]>) -> Self {
        let keys = boxes.par_iter().enumerate().with_min_len(PARALLEL_BOXES);
        let mut keys: Vec<Key> = keys.map(|(index, bounds)| Key::new(index as u32, bounds)).collect();
        keys.retain(|key| !key.is_empty());
        let mut tree =
            Self { levels: Vec::new(), indices: Vec::new(), groups: Vec::new(), shared_groups: Vec::new() };
        if keys.is_empty() {
            return tree;
        }
        let mut child_boxes = LANES;
        while child_boxes * LANES < keys.len() {
            child_boxes *= LANES;
        }
        arrange(&mut keys, child_boxes);

        let leaf = |keys: &[Key]| {
            let mut lanes = Lanes::UNUSED;
            for (lane, key) in keys.iter().enumerate() {
                lanes.set(lane, boxes[key.index as usize]);
            }
            lanes
        };
        let leaves: Vec<Lanes> =
            keys.par_chunks(LANES).with_min_len(PARALLEL_BOXES / LANES).map(leaf).collect();
        tree.indices = keys.chunks(LANES).map(|keys| per_lane(keys, |key| key.index)).collect();
        tree.levels.push(leaves);
        while tree.levels.len() < 2 || tree.levels[tree.levels.len() - 1].len() > 1 {
            let above = tree.levels[tree.levels.len() - 1].chunks(LANES).map(|below| {
                let mut lanes = Lanes::UNUSED;
                for (lane, child) in below.iter().enumerate() {
                    lanes.set(lane, child.union());
                }
                lanes
            });
            let above = above.collect();
            tree.levels.push(above);
        }
        if let Some(groups) = groups {
            tree.set_groups(&keys, groups);
        }
        tree
    }

    fn set_groups(&mut self, keys: &[Key], groups: &[u32]) {
        let group = |key: &Key| groups[key.index as usize];
        self.groups = keys.chunks(LANES).map(|keys| per_lane(keys, group)).collect();
        let leaves = keys.chunks(LANES).map(|keys| shared(keys.iter().map(|key| Some(group(key)))));
        self.shared_groups.push(leaves.collect());
        for level in 1..self.levels.len() {
            let above =
                self.shared_groups[level - 1].chunks(LANES).map(|below| shared(below.iter().copied()));
            let above = above.collect();
            self.shared_groups.push(above);
        }
    }

    /// How many leaves there are.
    pub(super) fn leaf_count(&self) -> u32 {
        self.indices.len() as u32
    }

    /// The level of the root.
    pub(super) fn top(&self) -> usize {
        self.levels.len().saturating_sub(1)
    }

    /// The boxes of a leaf (level 0), or the children of a node.
    #[inline]
    pub(super) fn lanes(&self, level: usize, node: u32) -> &Lanes {
        &self.levels[level][node as usize]
    }

    /// The box around a leaf.
    #[inline]
    pub(super) fn leaf_bounds(&self, leaf: u32) -> Aabb {
        self.levels[1][leaf as usize / LANES].get(leaf as usize % LANES)
    }

    /// The caller's indices of a leaf's boxes.
    #[inline]
    pub(super) fn indices(&self, leaf: u32) -> &[u32; LANES] {
        &self.indices[leaf as usize]
    }

    /// The groups of a leaf's boxes; none where boxes have no groups.
    #[inline]
    pub(super) fn groups(&self, leaf: u32) -> Option<&[u32; LANES]> {
        self.groups.get(leaf as usize)
    }

    /// The group that all boxes below a node share.
    #[inline]
    pub(super) fn shared_group(&self, level: usize, node: u32) -> Option<u32> {
        self.shared_groups.get(level)?[node as usize]
    }
}

/// One value a lane, 0 in the unused ones.
fn per_lane(keys: &[Key], value: impl Fn(&Key) -> u32) -> [u32; LANES] {
    let mut lanes = [0; LANES];
    for (lane, key) in lanes.iter_mut().zip(keys) {
        *lane = value(key);
    }
    lanes
}

/// The group that all have, if they do.
fn shared(mut groups: impl Iterator<Item = Option<u32>>) -> Option<u32> {
    let first = groups.next()??;
    groups.all(|group| group == Some(first)).then_some(first)
}

/// What the order of boxes is made from: it is moved many times, so it is small.
#[derive(Clone, Copy, Debug)]
struct Key {
    /// Twice the box's centre; finite.
    centre: [f64; 2],
    index: u32,
    /// Width and height, as the top 16 bits of their f64.
    size: [u16; 2],
}

impl Key {
    /// The size of a box without a point: no f64 >= 0 begins like this.
    const EMPTY: u16 = u16::MAX;

    fn new(index: u32, bounds: &Aabb) -> Self {
        // Boxes may reach to infinity; a quarter of the range keeps differences finite.
        let centre = |min: f64, max: f64| match min + max {
            sum if sum.is_nan() => 0.0,
            // Adding zero makes -0 a 0.
            sum => sum.clamp(-f64::MAX / 4.0, f64::MAX / 4.0) + 0.0,
        };
        let size = |min: f64, max: f64| ((max - min).min(f64::MAX).to_bits() >> 48) as u16;
        let (min, max) = (bounds.min, bounds.max);
        if !(min.x <= max.x && min.y <= max.y) {
            return Self { centre: [0.0; 2], index, size: [Self::EMPTY; 2] };
        }
        Self {
            centre: [centre(min.x, max.x), centre(min.y, max.y)],
            index,
            size: [size(min.x, max.x), size(min.y, max.y)],
        }
    }

    fn is_empty(&self) -> bool {
        self.size[0] == Self::EMPTY
    }

    /// By centre, then by index. No centre is NaN or -0, so comparing them takes no more than this.
    #[inline]
    fn compare(&self, other: &Self, axis: usize) -> Ordering {
        let (a, b) = (self.centre[axis], other.centre[axis]);
        if (a < b) | ((a == b) & (self.index < other.index)) {
            Ordering::Less
        } else if self.index == other.index {
            Ordering::Equal
        } else {
            Ordering::Greater
        }
    }

    fn size(&self, axis: usize) -> f64 {
        f64::from_bits(u64::from(self.size[axis]) << 48)
    }
}

/// Orders `keys` so that each run of `child_boxes` (a power of 8, counted from the start) holds near neighbours, and so
/// on within each run. Within a leaf, boxes are in the order of their indices.
fn arrange(keys: &mut [Key], child_boxes: usize) {
    let child_count = keys.len().div_ceil(child_boxes);
    if child_count == 1 {
        if child_boxes == LANES {
            keys.sort_unstable_by_key(|key| key.index);
        } else {
            arrange(keys, child_boxes / LANES);
        }
        return;
    }
    let middle = child_count.div_ceil(2) * child_boxes;
    let axis = split_axis(keys);
    // Indices break ties, so that the halves are the same sets on every run.
    if axis == 0 {
        keys.select_nth_unstable_by(middle, |a, b| a.compare(b, 0));
    } else {
        keys.select_nth_unstable_by(middle, |a, b| a.compare(b, 1));
    }
    let parallel = keys.len() >= PARALLEL_BOXES;
    let (left, right) = keys.split_at_mut(middle);
    if parallel {
        rayon::join(|| arrange(left, child_boxes), || arrange(right, child_boxes));
    } else {
        arrange(left, child_boxes);
        arrange(right, child_boxes);
    }
}

/// The axis along which a split separates more.
///
/// Two leaves of extent `e` with boxes of size `s` meet with a chance that grows with `(e + s)` on each axis, so the
/// number of parts worth having along an axis is the extent of the centres over `e + s`: long flat boxes are to be
/// split by y alone. Small boxes are split where the centres extend further.
fn split_axis(keys: &[Key]) -> usize {
    let mut min = [f64::INFINITY; 2];
    let mut max = [f64::NEG_INFINITY; 2];
    let mut size = [0.0; 2];
    for key in keys {
        for axis in 0..2 {
            let centre = key.centre[axis];
            min[axis] = if centre < min[axis] { centre } else { min[axis] };
            max[axis] = if centre > max[axis] { centre } else { max[axis] };
            size[axis] += key.size(axis);
        }
    }
    let count = keys.len() as f64;
    let extent = [(max[0] - min[0]) / 2.0, (max[1] - min[1]) / 2.0];
    if extent[0] == 0.0 || extent[1] == 0.0 {
        return usize::from(extent[0] == 0.0);
    }
    let leaf = extent[0].sqrt() * extent[1].sqrt() * (LANES as f64 / count).sqrt();
    let parts = |axis: usize| extent[axis] / (size[axis] / count + leaf);
    usize::from(parts(0) < parts(1))
}
