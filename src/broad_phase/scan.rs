//! Tests one leaf of query boxes against a range of a tree's leaves.

use std::ops::Range;

use super::lanes::LANES;
use super::tree::Tree;
use super::vectors::{Met, Vectors};

/// [`LANES`] as a `u32`.
const WIDTH: u32 = LANES as u32;
/// The mask that has the bit of every lane.
const ALL: u32 = (1 << LANES) - 1;

/// Receives the pairs that [`Sides::scan`] finds. Its methods are inlined into vector code, so implementations must use
/// `#[inline(always)]`.
pub(super) trait Sink {
    /// Receives the boxes of one leaf that a query box meets, as a mask.
    fn pairs<V: Vectors>(&mut self, vectors: V, met: Met<'_>);

    /// Returns true if the scan must stop. The scan calls this method after each pair of leaves.
    #[inline(always)]
    fn is_full(&self) -> bool {
        false
    }

    /// The scan calls this method for each test of one box against a leaf or a node. The default method does nothing.
    #[inline(always)]
    fn tested(&mut self) {}
}

/// A sink that only counts pairs.
#[derive(Default)]
pub(super) struct Count(pub(super) u64);

impl Sink for Count {
    #[inline(always)]
    fn pairs<V: Vectors>(&mut self, _vectors: V, met: Met<'_>) {
        self.0 += u64::from(met.mask.count_ones());
    }
}

/// The trees over the boxes of both sides.
#[derive(Debug)]
pub(super) enum Sides {
    /// One set. The pairs consist of two boxes of the set, of different groups if the boxes have groups.
    One(Tree),
    /// Two sets. The pairs consist of a box of the first set and a box of the second set.
    Two(Tree, Tree),
}

impl Sides {
    /// Returns the tree whose leaves are the query leaves: the tree of the first set, or of the only set.
    #[inline(always)]
    pub(super) fn queries(&self) -> &Tree {
        match self {
            Self::One(tree) | Self::Two(tree, _) => tree,
        }
    }

    /// Returns the tree in which target leaves are searched: the tree of the second set, or of the only set.
    #[inline(always)]
    pub(super) fn targets(&self) -> &Tree {
        match self {
            Self::One(tree) | Self::Two(_, tree) => tree,
        }
    }

    /// Returns the target leaves for a query leaf. In a self-join, the range starts at the query leaf, so that each
    /// pair is found once.
    #[inline(always)]
    pub(super) fn range(&self, leaf: u32) -> Range<u32> {
        match self {
            Self::One(tree) => leaf..tree.leaf_count(),
            Self::Two(_, targets) => 0..targets.leaf_count(),
        }
    }

    /// Passes to `sink` all pairs of a box in the query leaf `leaf` and a box in the target leaves `range` that meet. The
    /// range must lie within [`Sides::range`]. The pairs are in the order of target leaves, then of query boxes, then of
    /// target boxes. If the sink is full after a target leaf, returns the target leaf at which the scan continues. Returns
    /// `None` at the end of the range. `near` holds the result of one search for all leaves of a query node, so the caller
    /// passes the same value for every leaf.
    #[inline(always)]
    pub(super) fn scan<V: Vectors, S: Sink>(
        &self,
        vectors: V,
        leaf: u32,
        range: Range<u32>,
        near: &mut Near,
        sink: &mut S,
    ) -> Option<u32> {
        let (queries, targets) = (self.queries(), self.targets());
        if range.is_empty() {
            return None;
        }
        if near.query_node != Some(leaf / WIDTH)
            || near.range.start > range.start
            || near.range.end != range.end
        {
            self.find_near(vectors, leaf / WIDTH, range.clone(), near, sink);
        }
        let bounds = queries.leaf_bounds(leaf);
        let query_group = queries.shared_group(0, leaf);
        for &node in &near.target_nodes {
            sink.tested();
            let mut left = vectors.meeting(targets.lanes(1, node), &bounds) & children_in(&range, 1, node);
            while left != 0 {
                let target = node * WIDTH + left.trailing_zeros();
                left &= left - 1;
                if query_group.is_some() && targets.shared_group(0, target) == query_group {
                    continue;
                }
                self.scan_leaves(vectors, leaf, target, sink);
                if sink.is_full() {
                    return (target + 1 < range.end).then_some(target + 1);
                }
            }
        }
        None
    }

    /// Finds the target nodes (sixteen leaves each) that meet a query node and have leaves in `range`, and stores them
    /// in `near`.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn find_near<V: Vectors, S: Sink>(
        &self,
        vectors: V,
        query_node: u32,
        range: Range<u32>,
        near: &mut Near,
        sink: &mut S,
    ) {
        let (queries, targets) = (self.queries(), self.targets());
        let bounds = queries.lanes(1, query_node).union();
        let query_group = queries.shared_group(1, query_node);
        near.query_node = Some(query_node);
        near.target_nodes.clear();
        // For each level above the current one: the node, and the children that are left to visit. 8 levels of 16
        // children hold 2^32 boxes, so the array is long enough.
        let mut above = [(0u32, 0u32); 10];
        let top = targets.top();
        let (mut level, mut node, mut left) = (top + 1, 0, 1);
        loop {
            if left == 0 {
                if level > top {
                    break;
                }
                level += 1;
                (node, left) = above[level];
                continue;
            }
            let child = node * WIDTH + left.trailing_zeros();
            left &= left - 1;
            if query_group.is_some() && targets.shared_group(level - 1, child) == query_group {
                continue;
            }
            if level == 2 {
                near.target_nodes.push(child);
                continue;
            }
            above[level] = (node, left);
            level -= 1;
            node = child;
            sink.tested();
            left = vectors.meeting(targets.lanes(level, node), &bounds) & children_in(&range, level, node);
        }
        near.range = range;
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn scan_leaves<V: Vectors, S: Sink>(&self, vectors: V, leaf: u32, target: u32, sink: &mut S) {
        let (queries, targets) = (self.queries(), self.targets());
        let (query_lanes, target_lanes) = (queries.lanes(0, leaf), targets.lanes(0, target));
        let groups = queries.groups(leaf).zip(targets.groups(target));
        let is_self_join = matches!(self, Self::One(_));
        let with_itself = is_self_join && leaf == target;
        let (indices, targets_of) = (queries.indices(leaf), targets.indices(target));
        sink.tested();
        let mut left = vectors.meeting(query_lanes, &targets.leaf_bounds(target));
        while left != 0 {
            let query = left.trailing_zeros();
            left &= left - 1;
            sink.tested();
            let mut mask = vectors.meeting(target_lanes, &query_lanes.get(query as usize));
            if with_itself {
                mask &= (ALL - 1) << query;
            }
            if let Some((query_groups, target_groups)) = groups {
                for (lane, group) in target_groups.iter().enumerate() {
                    mask &= !(u32::from(*group == query_groups[query as usize]) << lane);
                }
            }
            let query = indices[query as usize];
            sink.pairs(vectors, Met { query, targets: targets_of, mask, is_self_join });
        }
    }
}

/// Returns a mask of the children of a node that have leaves in `range`. The range must contain a leaf of the node.
#[inline(always)]
fn children_in(range: &Range<u32>, level: usize, node: u32) -> u32 {
    let shift = LANES.ilog2() * (level as u32 - 1);
    let start = node * WIDTH;
    let from = (range.start >> shift).saturating_sub(start);
    let to = ((range.end - 1) >> shift).saturating_sub(start);
    (ALL << from.min(WIDTH)) & if to < WIDTH - 1 { (2 << to) - 1 } else { ALL }
}

/// The target nodes that meet the box around a query node. The scans of all leaves of the query node use them.
#[derive(Debug, Default)]
pub(super) struct Near {
    query_node: Option<u32>,
    /// The range of target leaves for which the target nodes were found.
    range: Range<u32>,
    target_nodes: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::super::tree::TreeMemory;
    use super::super::vectors::Plain;
    use super::*;
    use crate::Aabb;

    /// Counts pairs, and tests of one box against a leaf or a node.
    #[derive(Default)]
    struct Tests {
        tests: u64,
        pairs: u64,
    }

    impl Sink for Tests {
        fn pairs<V: Vectors>(&mut self, _vectors: V, met: Met<'_>) {
            self.pairs += u64::from(met.mask.count_ones());
        }

        fn tested(&mut self) {
            self.tests += 1;
        }
    }

    fn tests(boxes: &[Aabb], groups: Option<&[u32]>) -> Tests {
        let sides = Sides::One(Tree::new(boxes, groups, None, &mut TreeMemory::default()));
        let (mut tests, mut near) = (Tests::default(), Near::default());
        for leaf in 0..sides.queries().leaf_count() {
            sides.scan(Plain, leaf, sides.range(leaf), &mut near, &mut tests);
        }
        tests
    }

    /// Returns point `i` of a set of points that fills the unit square evenly (the additive recurrence of the plastic
    /// number).
    fn point(i: usize) -> (f64, f64) {
        let at = i as f64 + 1.0;
        ((at * 0.754_877_666_246_692_8).fract(), (at * 0.569_840_290_998_053_3).fract())
    }

    fn aabb(x: f64, y: f64, width: f64, height: f64) -> Aabb {
        Aabb { min: [x, y].into(), max: [x + width, y + height].into() }
    }

    /// A function that returns box `i` of a scene with `n` boxes. The arguments are `i` and `n`.
    type Scene = fn(usize, usize) -> Aabb;

    /// The scenes of the test, each with a name. Their number of pairs is proportional to their number of boxes. The
    /// number of tests must not grow much faster than the number of boxes.
    const SCENES: [(&str, Scene); 9] = [
        ("uniform", |i, n| {
            let ((x, y), side) = (point(i), (n as f64).sqrt());
            aabb(x * side, y * side, 1.0, 1.0)
        }),
        ("clusters a million times smaller than their distance", |i, n| {
            let ((x, y), side) = (point(i), (n as f64).sqrt());
            let (at_x, at_y) = point(i % 7);
            aabb(at_x * side * 1e6 + x * side / 3.0, at_y * side * 1e6 + y * side / 3.0, 1.0, 1.0)
        }),
        ("clusters within clusters", |i, n| {
            let ((x, y), scale) = (point(i), 4_f64.powi((i % 20) as i32));
            let side = (n as f64 / 20.0).sqrt();
            aabb(x * side * scale, y * side * scale, scale / 2.0, scale / 2.0)
        }),
        ("a thousandth a thousand times greater", |i, n| {
            let ((x, y), side) = (point(i), (n as f64).sqrt());
            let size = if i % 1000 == 0 { 500.0_f64.min(side / 10.0) } else { 0.5 };
            aabb(x * side, y * side, size, size)
        }),
        ("sizes over six decades", |i, n| {
            let ((x, y), side) = (point(i), (n as f64).sqrt());
            let size = 10_f64.powi(-((i % 7) as i32));
            aabb(x * side, y * side, size, size)
        }),
        ("long and flat", |i, n| {
            let (x, y) = point(i);
            aabb(x, y, 0.5, 1.0 / n as f64)
        }),
        ("one outlier at 2^201", |i, n| {
            let ((x, y), side) = (point(i), (n as f64).sqrt() * 1e-3);
            if i == 3 { aabb(2_f64.powi(201), 0.0, 1.0, 1.0) } else { aabb(x * side, y * side, 1e-3, 1e-3) }
        }),
        ("one box over all", |i, n| {
            let ((x, y), side) = (point(i), (n as f64).sqrt());
            if i == 3 { aabb(-1.0, -1.0, side + 3.0, side + 3.0) } else { aabb(x * side, y * side, 1.0, 1.0) }
        }),
        ("segments on one line", |i, n| aabb(2.0, point(i).0 * n as f64, 0.0, 1.0)),
    ];

    #[test]
    fn tests_grow_with_boxes_and_pairs_not_with_the_square() {
        for (name, scene) in SCENES {
            let [small, large] = [4_000, 32_000].map(|n| {
                let boxes: Vec<Aabb> = (0..n).map(|i| scene(i, n)).collect();
                tests(&boxes, None)
            });
            assert!(small.pairs < 40_000, "{name}: {} pairs are no scene for this test", small.pairs);
            assert!(small.tests < 4_000 * 12, "{name}: {} tests of 4,000 boxes", small.tests);
            assert!(large.tests < small.tests * 12, "{name}: {} tests, then {}", small.tests, large.tests);
        }
    }

    #[test]
    fn pieces_of_one_object_are_skipped_by_the_node() {
        let n = 20_000;
        let boxes = vec![aabb(0.0, 0.0, 1.0, 1.0); n];
        let tests = tests(&boxes, Some(&vec![7; n]));
        assert_eq!(tests.pairs, 0);
        assert!(tests.tests < n as u64, "{} tests", tests.tests);
    }
}
