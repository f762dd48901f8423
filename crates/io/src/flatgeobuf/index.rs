//! The spatial index of a FlatGeobuf file: a packed Hilbert R-tree. The reader uses the boxes of the lowest inner nodes to skip
//! groups of features, as it skips row groups of Parquet.
//!
//! The reader checks the boxes of the groups that it reads. It cannot check the box of a skipped group.

use std::io::{self, Read};
use std::sync::atomic::{AtomicUsize, Ordering};

use sat2d::Aabb;

use crate::collector::{Part, PartMark};

/// The size of a node of the index, in bytes: the box, and the offset of the first child or of the feature.
const NODE_BYTES: u64 = 40;

/// The numbers from which the size of an index follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// The number of features, which is the number of leaves.
    count: u64,
    /// The number of children of an inner node. The last inner node of a level may have fewer children.
    node_size: u64,
    nodes: u64,
}

impl Layout {
    /// Returns the layout of the index of `count` features. `node_size` is the number that the header states. Returns `None` if
    /// there are too many nodes.
    pub(super) fn new(count: u64, node_size: u16) -> Option<Self> {
        let node_size = u64::from(node_size.max(2));
        let (mut level, mut nodes) = (count, count);
        loop {
            level = level.div_ceil(node_size);
            nodes = nodes.checked_add(level)?;
            if level <= 1 {
                nodes.checked_mul(NODE_BYTES)?;
                return Some(Self { count, node_size, nodes });
            }
        }
    }

    /// Reads the index. Finds the groups of features that can meet the window. Without a window, skips the index.
    ///
    /// # Errors
    /// Returns the error of the reader. Returns `Ok(None)` if the input ends in the index.
    pub(super) fn read(self, reader: &mut impl Read, window: Option<Aabb>) -> io::Result<Option<Groups>> {
        let groups = self.count.div_ceil(self.node_size);
        // The levels are in order from the root to the leaves. The last inner level has one node for each group.
        let boxed = if window.is_some() { groups + self.count } else { 0 };
        let skipped = (self.nodes - boxed) * NODE_BYTES;
        if io::copy(&mut reader.take(skipped), &mut io::sink())? != skipped {
            return Ok(None);
        }
        let mut found = Groups {
            count: usize::try_from(groups).unwrap_or(usize::MAX),
            group_size: usize::try_from(self.node_size).unwrap_or(usize::MAX),
            boxes: Vec::new(),
            starts: Vec::new(),
            window: window.unwrap_or(Aabb::EMPTY),
            outside: AtomicUsize::new(usize::MAX),
        };
        if window.is_none() {
            return Ok(Some(found));
        }
        let mut reader = io::BufReader::with_capacity(1 << 16, reader.take(boxed * NODE_BYTES));
        for _ in 0..groups {
            let Some((aabb, _)) = node(&mut reader)? else { return Ok(None) };
            found.boxes.push(aabb);
        }
        let (mut last, mut is_ascending) = (None, true);
        for feature in 0..self.count {
            let Some((_, offset)) = node(&mut reader)? else { return Ok(None) };
            is_ascending &= last < Some(offset);
            last = Some(offset);
            if is_ascending && feature % self.node_size == 0 {
                found.starts.push(offset);
            }
        }
        if !is_ascending || found.left_out() == 0 {
            // In the first case, the features have another order than the leaves, so the features of a group are unknown.
            (found.boxes, found.starts) = (Vec::new(), Vec::new());
        }
        Ok(Some(found))
    }
}

/// Reads a node: its box and its offset. The box is `None` if it is not a finite box. Returns `None` at the end of the input, or
/// the error of the reader.
fn node(reader: &mut impl Read) -> io::Result<Option<(Option<Aabb>, u64)>> {
    let mut bytes = [0; NODE_BYTES as usize];
    match reader.read_exact(&mut bytes) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let number = |at: usize| bytes[8 * at..].first_chunk().copied().unwrap_or_default();
    let [min_x, min_y, max_x, max_y] = [0, 1, 2, 3].map(|at| f64::from_le_bytes(number(at)));
    let is_finite = [min_x, min_y, max_x, max_y].into_iter().all(f64::is_finite);
    let aabb = Aabb { min: [min_x, min_y].into(), max: [max_x, max_y].into() };
    let is_box = is_finite && min_x <= max_x && min_y <= max_y;
    Ok(Some((is_box.then_some(aabb), u64::from_le_bytes(number(4)))))
}

/// The groups of consecutive features of a file, and the window that geometries must meet.
#[derive(Debug)]
pub(super) struct Groups {
    pub(super) count: usize,
    /// The box of each group, or `None` if the index has no usable box. Empty if every group is read.
    boxes: Vec<Option<Aabb>>,
    /// The position of the first feature of each group, in bytes from the first feature of the file.
    starts: Vec<u64>,
    group_size: usize,
    window: Aabb,
    /// The first feature that is outside of the box of its group.
    outside: AtomicUsize,
}

impl Groups {
    /// Returns the box that must contain a feature. Returns `None` if no group is left out, or if no box is known.
    fn aabb(&self, feature: usize) -> Option<Aabb> {
        self.boxes.get(feature / self.group_size).copied().flatten()
    }

    /// Returns whether the group of a feature cannot meet the window.
    pub(super) fn leaves_out(&self, feature: usize) -> bool {
        self.aabb(feature).is_some_and(|aabb| !aabb.meets(self.window))
    }

    /// Returns the number of groups that are left out.
    pub(super) fn left_out(&self) -> usize {
        self.boxes.iter().flatten().filter(|aabb| !aabb.meets(self.window)).count()
    }

    /// Records a feature that is outside the box of its group. The feature was added to `part` after `mark`.
    pub(super) fn check(&self, feature: usize, part: &Part, mark: PartMark) {
        if self.aabb(feature).is_some_and(|aabb| !part.lies_in(aabb, mark)) {
            self.outside.fetch_min(feature, Ordering::Relaxed);
        }
    }

    /// Returns a message about the index if a feature was outside the box of its group, otherwise `None`.
    pub(super) fn problem(&self) -> Option<String> {
        let feature = self.outside.load(Ordering::Relaxed);
        (feature < usize::MAX).then(|| {
            format!(
                "feature {feature} is outside of the box that the index of the file states for it; {REMEDY}"
            )
        })
    }

    /// Returns a message if the index states another position than `at` for the first feature of a group. Returns
    /// `None` for other features.
    pub(super) fn problem_of_start(&self, feature: u64, at: u64) -> Option<String> {
        let feature = usize::try_from(feature).ok().filter(|feature| feature % self.group_size == 0)?;
        let start = *self.starts.get(feature / self.group_size)?;
        (start != at).then(|| {
            format!(
                "feature {feature} is at byte {at} of the features, but the index of the file states {start}; {REMEDY}"
            )
        })
    }
}

const REMEDY: &str = "write the file again, or read all features (`--all-row-groups`)";

#[cfg(test)]
mod tests;
