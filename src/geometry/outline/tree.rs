//! A tree of boxes over the edges of an outline. Eight consecutive edges form a leaf, and eight consecutive nodes form a
//! node of the next level. Consecutive edges are near each other, so the edges need no sort.

use std::convert::Infallible;
use std::ops::{ControlFlow, Range};

use glam::DVec2;

use super::{Block, Leaf, Outline, Patience, Ring, steps};
use crate::geometry::Aabb;

/// Each leaf of the tree over an outline has this many edges. The last leaf of each ring may have fewer.
pub(crate) const LEAF_EDGES: usize = 8;
/// A node of the tree over an outline has at most this many children.
const FAN_OUT: usize = 8;
/// The largest number of levels of a tree. It is enough for 2^32 leaves.
const MOST_LEVELS: usize = 12;

/// The levels of a tree of boxes. `starts` has the index of the first box of each level. Level 0 consists of the
/// leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels {
    starts: [u32; MOST_LEVELS],
    /// The level of the root. The root is the only node of this level.
    top: u8,
    leaf_count: u32,
}

/// A node of a tree: its level, and its index among the nodes of the level. Level 0 has the leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) level: u8,
    pub(super) index: u32,
}

impl Levels {
    #[inline]
    pub(super) fn of(leaf_count: usize) -> Self {
        let mut levels = Self { starts: [0; MOST_LEVELS], top: 0, leaf_count: leaf_count as u32 };
        let mut count = leaf_count;
        while count > 1 {
            let next = levels.starts[levels.top as usize] + count as u32;
            levels.top += 1;
            levels.starts[levels.top as usize] = next;
            count = count.div_ceil(FAN_OUT);
        }
        levels
    }

    /// Returns the index of the box of the root.
    #[inline]
    pub(super) fn root(&self) -> usize {
        self.starts[self.top as usize] as usize
    }

    #[inline]
    fn top(&self) -> Node {
        Node { level: self.top, index: 0 }
    }

    /// Returns the index of the box of a node.
    #[inline(always)]
    fn place(&self, node: Node) -> usize {
        (self.starts[node.level as usize] + node.index) as usize
    }

    /// Returns the indices of the children of a node, which must be above the leaves. The children are nodes of the
    /// next lower level.
    #[inline(always)]
    fn children(&self, node: Node) -> Range<u32> {
        let level = node.level as usize;
        let count = self.starts[level] - self.starts[level - 1];
        let first = node.index * FAN_OUT as u32;
        first..count.min(first + FAN_OUT as u32)
    }

    /// Visits nodes with their boxes, from the root down. `enter` returns whether to visit the children of a node.
    /// Leaves have no children.
    #[inline]
    pub(super) fn descend(&self, boxes: &[Aabb], mut enter: impl FnMut(Node, Aabb) -> bool) {
        let _: ControlFlow<Infallible> =
            self.descend_until(boxes, |node, around| ControlFlow::Continue(enter(node, around)));
    }

    /// Visits nodes with their boxes, from the root down, until `enter` breaks. If it does not break, `enter` returns
    /// whether to visit the children of a node.
    #[inline]
    fn descend_until<B>(
        &self,
        boxes: &[Aabb],
        mut enter: impl FnMut(Node, Aabb) -> ControlFlow<B, bool>,
    ) -> ControlFlow<B> {
        // At each level, at most seven nodes wait on the stack, so the stack cannot overflow.
        let mut stack = [Node { level: 0, index: 0 }; FAN_OUT * MOST_LEVELS];
        stack[0] = self.top();
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let node = stack[count];
            steps::count();
            if enter(node, boxes[self.place(node)])? && node.level > 0 {
                for index in self.children(node).rev() {
                    stack[count] = Node { level: node.level - 1, index };
                    count += 1;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns the range of the leaves under a node.
    fn leaves(&self, node: Node) -> Range<u32> {
        let shift = 3 * u32::from(node.level);
        let first = u64::from(node.index) << shift;
        let end = ((u64::from(node.index) + 1) << shift).min(u64::from(self.leaf_count));
        first as u32..end as u32
    }
}

/// Returns the box around an edge.
#[inline(always)]
pub(crate) fn edge_box([p, q]: [DVec2; 2]) -> Aabb {
    Aabb { min: p, max: p }.union_without_nan(Aabb { min: q, max: q })
}

/// Returns whether two closed boxes have a common point, as [`Aabb::meets`] does, but without branches.
#[inline(always)]
pub(crate) fn meets(a: Aabb, b: Aabb) -> bool {
    (a.min.x <= b.max.x) & (b.min.x <= a.max.x) & (a.min.y <= b.max.y) & (b.min.y <= a.max.y)
}

/// Adds the boxes of the tree nodes above the leaves. `boxes` ends with the boxes of the leaves. The box of the first
/// leaf is at index `first`.
pub(super) fn add_levels(boxes: &mut Vec<Aabb>, first: usize) {
    let mut level = first;
    while boxes.len() - level > 1 {
        let end = boxes.len();
        for first in (level..end).step_by(FAN_OUT) {
            let children = &boxes[first..end.min(first + FAN_OUT)];
            let around = children.iter().copied().fold(Aabb::EMPTY, Aabb::union_without_nan);
            boxes.push(around);
        }
        level = end;
    }
}

impl Block {
    /// Reserves memory for polygons. Each polygon is given by the numbers of vertices of its rings. Lists that grow
    /// without a reserve would take up to twice the memory.
    pub(crate) fn reserve(&mut self, polygons: impl Iterator<Item = impl Iterator<Item = usize>>) {
        let (mut vertices, mut leaves, mut boxes, mut rings) = (0, 0, 0, 0);
        for polygon in polygons {
            let before = leaves;
            for count in polygon {
                rings += 1;
                vertices += count + 2;
                leaves += count.div_ceil(LEAF_EDGES);
            }
            let mut level = leaves - before;
            boxes += level;
            while level > 1 {
                level = level.div_ceil(FAN_OUT);
                boxes += level;
            }
        }
        self.vertices.reserve_exact(vertices);
        self.leaves.reserve_exact(leaves);
        self.boxes.reserve_exact(boxes);
        self.rings.reserve_exact(rings);
    }

    /// Adds the leaves and the boxes of a polygon. Its rings must have been added before. Returns the range of the
    /// leaves and the index of the first box.
    pub(super) fn add_tree(&mut self, rings: Range<u32>) -> (Range<u32>, u32) {
        let (first_leaf, first_box) = (self.leaves.len(), self.boxes.len());
        for ring in rings {
            let Ring { first, end, .. } = self.rings[ring as usize];
            for first in (first..end).step_by(LEAF_EDGES) {
                let leaf = Leaf { first, end: end.min(first + LEAF_EDGES as u32), ring };
                let mut around = Aabb::EMPTY;
                for &vertex in &self.vertices[leaf.first as usize..=leaf.end as usize] {
                    around = around.union_without_nan(Aabb { min: vertex, max: vertex });
                }
                self.leaves.push(leaf);
                self.boxes.push(around);
            }
        }
        add_levels(&mut self.boxes, first_box);
        (first_leaf as u32..self.leaves.len() as u32, first_box as u32)
    }
}

impl Outline<'_> {
    #[inline(always)]
    fn node_box(&self, node: Node) -> Aabb {
        self.boxes[self.levels.place(node)]
    }

    /// Visits the nodes of the outline's tree with their boxes, from the root down. `enter` returns whether to visit the
    /// children of a node.
    #[inline]
    pub(super) fn descend(&self, enter: impl FnMut(Node, Aabb) -> bool) {
        self.levels.descend(self.boxes, enter);
    }

    /// Visits the nodes of the outline's tree with their boxes, from the root down, until `enter` breaks. If it does not
    /// break, `enter` returns whether to visit the children of a node.
    pub(super) fn descend_until(
        &self,
        enter: impl FnMut(Node, Aabb) -> ControlFlow<(), bool>,
    ) -> ControlFlow<()> {
        self.levels.descend_until(self.boxes, enter)
    }

    /// Calls `visit` with each leaf whose box meets `around`, until `visit` breaks.
    #[inline]
    pub(super) fn leaves_in(
        &self,
        around: Aabb,
        mut visit: impl FnMut(Leaf) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.descend_until(|node, bounds| {
            let is_near = bounds.meets(around);
            if is_near && node.level == 0 {
                visit(self.leaves_under(node)[0])?;
            }
            ControlFlow::Continue(is_near)
        })
    }

    /// Returns the number of tree nodes that a search for the sectors around the point `at` visits.
    pub(crate) fn nodes_around(&self, at: DVec2) -> usize {
        let mut count = 0;
        self.descend(|_, around| {
            count += 1;
            Aabb { min: at, max: at }.meets(around)
        });
        count
    }

    /// Returns the leaves under a node.
    #[inline]
    pub(super) fn leaves_under(&self, node: Node) -> &[Leaf] {
        let leaves = self.levels.leaves(node);
        &self.leaves[leaves.start as usize..leaves.end as usize]
    }
}

/// A search for pairs of leaves whose boxes meet. A value of this type keeps its memory for the next search.
#[derive(Debug, Default)]
pub(crate) struct LeafPairs {
    stack: Vec<[Node; 2]>,
}

impl LeafPairs {
    /// Calls `visit` with each pair of a leaf of `a` and a leaf of `b` whose boxes meet, until `visit` breaks or
    /// `patience` is used up. Breaks in both cases.
    #[inline]
    pub(crate) fn between(
        &mut self,
        a: Outline<'_>,
        b: Outline<'_>,
        patience: &mut Patience,
        mut visit: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.stack.clear();
        if a.aabb().meets(b.aabb()) {
            self.stack.push([a.levels.top(), b.levels.top()]);
        }
        while let Some([m, n]) = self.stack.pop() {
            steps::count();
            patience.use_up()?;
            if m.level >= n.level && m.level > 0 {
                let other = b.node_box(n);
                for index in a.levels.children(m).rev() {
                    let child = Node { level: m.level - 1, index };
                    if a.node_box(child).meets(other) {
                        self.stack.push([child, n]);
                    }
                }
            } else if n.level > 0 {
                let other = a.node_box(m);
                for index in b.levels.children(n).rev() {
                    let child = Node { level: n.level - 1, index };
                    if other.meets(b.node_box(child)) {
                        self.stack.push([m, child]);
                    }
                }
            } else {
                visit(m.index, n.index)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls `visit` with each pair of leaves of `outline` whose boxes meet each other and the box `near`, until `visit`
    /// breaks or `patience` is used up. Breaks in both cases. A pair may also be a leaf and itself. Each pair is visited in
    /// one order only.
    #[inline]
    pub(super) fn within(
        &mut self,
        outline: Outline<'_>,
        near: Aabb,
        patience: &mut Patience,
        mut visit: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.stack.clear();
        self.stack.push([outline.levels.top(); 2]);
        while let Some([m, n]) = self.stack.pop() {
            steps::count();
            patience.use_up()?;
            if m.level == 0 {
                visit(m.index, n.index)?;
                continue;
            }
            // Both nodes of a pair are on the same level.
            for i in outline.levels.children(m) {
                let first = Node { level: m.level - 1, index: i };
                let around = outline.node_box(first);
                if !around.meets(near) {
                    continue;
                }
                let others = outline.levels.children(n);
                let others = if m == n { i..others.end } else { others };
                for j in others {
                    let second = Node { level: n.level - 1, index: j };
                    let other = outline.node_box(second);
                    if around.meets(other) && other.meets(near) {
                        self.stack.push([first, second]);
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}
