//! Builds a binary tree of boxes over the pieces of each object of a set. A search can bound the distances between pieces with
//! the tree, without visiting every piece.

use std::borrow::Cow;

use glam::DVec2;

use crate::answers::bounds::FIGURE_BOUND;
use crate::base::parallel::prelude::*;
use crate::broad_phase;
use crate::geometry::{Aabb, Rounded};

/// A bound on the error of a computed distance, as a fraction of the size of the pair. The factor 2 covers the rounding
/// of the bound itself.
const ERROR: f64 = 2.0 * FIGURE_BOUND;

/// The box around a group of pieces of an object, the size of the largest piece, and the least index of a piece.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) aabb: Aabb,
    /// Half of the greatest width or height of a piece of the group.
    extent: f64,
    /// The least index of a piece of the group.
    pub(super) least: u32,
}

impl Bounds {
    fn of(aabb: Aabb, piece: u32) -> Self {
        Self { aabb, extent: 0.5 * (aabb.max - aabb.min).max_element(), least: piece }
    }

    fn union(self, other: Self) -> Self {
        Self {
            aabb: self.aabb.union(other.aabb),
            extent: self.extent.max(other.extent),
            least: self.least.min(other.least),
        }
    }

    /// Returns a lower bound of the distance between the boxes of two groups of pieces.
    pub(super) fn gap(&self, other: &Self) -> f64 {
        let (a, b) = (self.aabb, other.aabb);
        let gap = (b.min - a.max).max(a.min - b.max).max(DVec2::ZERO).length();
        gap * (1.0 - 8.0 * f64::EPSILON)
    }

    /// Returns a bound on the errors of the computed distances between two groups of pieces. The result does not include a
    /// further error that is the same for all pairs of pieces of the sets.
    pub(super) fn error(&self, other: &Self) -> f64 {
        let both = self.aabb.union(other.aabb);
        ERROR * (self.extent + other.extent + (both.max - both.min).max_element())
    }
}

/// Some pieces of an object that are consecutive in its tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Node {
    /// The position of the first piece in the order of the tree.
    first: u32,
    pub(super) count: u32,
    /// The index of the node among the inner nodes of its tree. It is meaningless for a leaf.
    place: u32,
}

impl Node {
    /// Returns the two halves of an inner node. In the list of inner nodes, a node comes first, then the inner nodes of its
    /// first half, then the inner nodes of its second half. A half with `n` pieces has `n - 1` inner nodes.
    fn halves(self) -> [Self; 2] {
        let half = self.count / 2;
        let first = Self { first: self.first, count: half, place: self.place + 1 };
        let last = Self { first: self.first + half, count: self.count - half, place: self.place + half };
        [first, last]
    }
}

/// A binary tree over the pieces of an object, which are in the order of a space-filling curve.
#[derive(Default)]
struct Tree {
    /// The indices of the pieces of the object, in the order of the leaves.
    order: Vec<u32>,
    /// The bounds of each inner node. A node comes first, then the inner nodes of its first half, and then the inner
    /// nodes of its second half.
    inner: Vec<Bounds>,
}

/// The trees of the objects of a set. An object with at most one piece has no tree.
pub(super) struct Forest<'a> {
    pub(super) rounded: Rounded<'a>,
    pub(super) boxes: Cow<'a, [Aabb]>,
    /// The index of the first piece of each object. The last entry is the number of pieces.
    firsts: Vec<u32>,
    trees: Vec<Tree>,
}

impl<'a> Forest<'a> {
    pub(super) fn new(rounded: Rounded<'a>, boxes: Cow<'a, [Aabb]>) -> Self {
        let mut counts = vec![0; rounded.cores.object_count() + 1];
        (0..boxes.len()).for_each(|piece| counts[rounded.cores.piece_object(piece) + 1] += 1);
        let mut firsts = counts;
        for object in 1..firsts.len() {
            firsts[object] += firsts[object - 1];
        }
        let tree = |object: usize| {
            let pieces = firsts[object]..firsts[object + 1];
            if pieces.len() < 2 {
                return Tree::default();
            }
            let of_object = &boxes[pieces.start as usize..pieces.end as usize];
            let order = broad_phase::order(of_object).into_iter().map(|k| pieces.start + k).collect();
            let mut tree = Tree { order, inner: Vec::with_capacity(pieces.len() - 1) };
            tree.add(&boxes, Node { first: 0, count: pieces.len() as u32, place: 0 });
            tree
        };
        let trees = (0..firsts.len() - 1).into_par_iter().map(tree).collect();
        Self { rounded, boxes, firsts, trees }
    }

    pub(super) fn count(&self, object: u32) -> usize {
        (self.firsts[object as usize + 1] - self.firsts[object as usize]) as usize
    }

    pub(super) fn root(&self, object: u32) -> Node {
        Node { first: 0, count: self.count(object) as u32, place: 0 }
    }

    /// Returns the index of the first piece of a node.
    pub(super) fn piece(&self, object: u32, node: Node) -> u32 {
        let order = &self.trees[object as usize].order;
        order.get(node.first as usize).copied().unwrap_or(self.firsts[object as usize])
    }

    pub(super) fn bounds(&self, object: u32, node: Node) -> Bounds {
        if node.count == 1 {
            let piece = self.piece(object, node);
            return Bounds::of(self.boxes[piece as usize], piece);
        }
        self.trees[object as usize].inner[node.place as usize]
    }

    /// Returns the boxes of the objects, enlarged by `reach` on every side.
    pub(super) fn objects(&self, reach: f64) -> Vec<Aabb> {
        let pieces = self.firsts.windows(2).map(|ends| &self.boxes[ends[0] as usize..ends[1] as usize]);
        let boxes: Vec<Aabb> =
            pieces.map(|boxes| boxes.iter().fold(Aabb::EMPTY, |all, &aabb| all.union(aabb))).collect();
        super::walk::grown(&boxes, Rounded::plain(self.rounded.cores), reach).into_owned()
    }
}

impl Tree {
    /// Adds a node and the nodes below it. Returns the bounds of the node.
    fn add(&mut self, boxes: &[Aabb], node: Node) -> Bounds {
        if node.count == 1 {
            let piece = self.order[node.first as usize];
            return Bounds::of(boxes[piece as usize], piece);
        }
        debug_assert_eq!(self.inner.len(), node.place as usize);
        self.inner.push(Bounds::of(Aabb { min: DVec2::ZERO, max: DVec2::ZERO }, 0));
        let [first, last] = node.halves();
        let bounds = self.add(boxes, first).union(self.add(boxes, last));
        self.inner[node.place as usize] = bounds;
        bounds
    }
}

/// Divides the larger of two nodes, or the only node that is not a leaf. Returns two pairs, each of one half of this
/// node and the other node. Returns `None` if both nodes are leaves.
pub(super) fn parts([a, b]: [Node; 2], [bounds_a, bounds_b]: [Bounds; 2]) -> Option<[[Node; 2]; 2]> {
    let size = |bounds: Bounds| (bounds.aabb.max - bounds.aabb.min).max_element();
    if a.count == 1 && b.count == 1 {
        return None;
    }
    if b.count == 1 || (a.count > 1 && size(bounds_a) >= size(bounds_b)) {
        return Some(a.halves().map(|a| [a, b]));
    }
    Some(b.halves().map(|b| [a, b]))
}
