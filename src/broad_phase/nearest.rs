//! Searches a stored tree for the boxes near a query box. The search visits the nearer children of each node first.

use super::check_count;
use super::lanes::{LANES, Lanes};
use super::tree::{Tree, TreeMemory};
use super::vectors::{Task, Vectors, on_widest};
use crate::base::parallel::prelude::*;
use crate::{Aabb, Result};

/// A tree of boxes for searches by distance.
#[derive(Debug)]
pub(crate) struct NearTree {
    tree: Tree,
    /// For each entry of each level of the tree, the least index of a box in or below this entry. The index is the
    /// caller's. `least[k]` belongs to level `k`.
    least: Vec<Vec<u32>>,
}

/// A box that a search found: the square of its distance from the query box, and the caller's index. For a node of the
/// tree, `index` is the least index of the boxes below the node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Near {
    pub(crate) square: f64,
    pub(crate) index: u32,
}

/// The limits of a search. The search leaves out a box if the square of its distance is greater than `square`. It also
/// leaves out a box if its index is greater than `index`, whatever the distance of the box.
pub(crate) type Limit = Near;

/// Receives the boxes that a search by distance finds, and limits the search.
pub(crate) trait Visit {
    /// Returns the current limit of the search. Later calls may return a lower limit.
    fn limit(&self) -> Limit;

    /// Receives boxes of one leaf, sorted by the squares of their distances and then by their indices. All boxes were
    /// within the limit when the search read the leaf.
    fn visit(&mut self, near: &[Near]);
}

/// A node to visit: the square of its distance from the query box, its level, and its index in the level.
type Waiting = (f64, u32, u32);

/// The memory of a search, which the next search reuses.
#[derive(Debug, Default)]
pub(crate) struct NearRoom {
    stack: Vec<Waiting>,
}

impl NearTree {
    /// Builds a tree. `groups[i]` is the group of box `i`. Without groups, each box is its own group, with the index of
    /// the box.
    ///
    /// # Errors
    /// Returns [`crate::Error::TooMany`] for more than 2^32 - 1 boxes.
    pub(crate) fn new(boxes: &[Aabb], groups: Option<&[u32]>) -> Result<Self> {
        check_count(boxes)?;
        let tree = Tree::new(boxes, groups, None, &mut TreeMemory::default());
        let least_of = |below: &[u32]| below.iter().copied().min().unwrap_or(u32::MAX);
        let mut least: Vec<Vec<u32>> = Vec::new();
        if tree.leaf_count() > 0 {
            least.push(tree.order().par_chunks(LANES).with_min_len(256).map(least_of).collect());
            for level in 1..=tree.top() {
                let above = least[level - 1].chunks(LANES).map(least_of).collect();
                least.push(above);
            }
        }
        Ok(Self { tree, least })
    }

    /// Returns the caller's indices of the boxes in the order of the tree, without boxes that contain no point.
    /// Neighbours in this order are mostly near each other.
    pub(crate) fn order(&self) -> &[u32] {
        self.tree.order()
    }

    /// Passes all boxes within the visitor's limit to the visitor, and possibly further boxes. Leaves out the boxes of
    /// the group `without`. The order of the boxes depends only on the boxes and on the limits.
    pub(crate) fn search(
        &self,
        around: Aabb,
        without: Option<u32>,
        room: &mut NearRoom,
        visitor: &mut impl Visit,
    ) {
        if self.tree.leaf_count() > 0 {
            let stack = &mut room.stack;
            stack.clear();
            on_widest(Search { tree: self, around, without, stack, visitor });
        }
    }
}

struct Search<'a, T> {
    tree: &'a NearTree,
    around: Aabb,
    /// The group whose boxes the search leaves out, or `None` to leave out no group.
    without: Option<u32>,
    stack: &'a mut Vec<Waiting>,
    visitor: &'a mut T,
}

impl<T: Visit> Task for Search<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, _: V) {
        let Self { tree: NearTree { tree, least }, around, without, stack, visitor } = self;
        stack.push((0.0, tree.top() as u32, 0));
        while let Some((square, level, node)) = stack.pop() {
            let limit = visitor.limit();
            let (level, first) = (level as usize, node as usize * LANES);
            if square > limit.square
                || least[level][node as usize] > limit.index
                || (without.is_some() && tree.shared_group(level, node) == without)
            {
                continue;
            }
            let squares = squares(tree.lanes(level, node), &around);
            // The children of a node, or the boxes of a leaf. The slice excludes the unused lanes, because their NaN
            // would count as near.
            let indices = if level == 0 { tree.order() } else { &least[level - 1] };
            let indices = &indices[first..indices.len().min(first + LANES)];
            let mut within = lanes_within(&squares, limit.square) & ((1 << indices.len()) - 1);
            let mut near = [(Near::default(), 0); LANES];
            let mut count = 0;
            while within != 0 {
                let lane = within.trailing_zeros() as usize % LANES;
                within &= within - 1;
                let (square, index) = (squares[lane], indices[lane]);
                if index > limit.index {
                    continue;
                }
                if level == 0 && without.is_some_and(|group| tree.group(node, lane) == group) {
                    continue;
                }
                // Insertion sort, because there are at most sixteen boxes.
                let mut place = count;
                while place > 0 && is_nearer(square, index, near[place - 1].0) {
                    near[place] = near[place - 1];
                    place -= 1;
                }
                near[place] = (Near { square, index }, lane as u32);
                count += 1;
            }
            if level > 0 {
                let below =
                    |&(near, lane): &(Near, u32)| (near.square, level as u32 - 1, first as u32 + lane);
                stack.extend(near[..count].iter().rev().map(below));
            } else if count > 0 {
                let near = near.map(|(near, _)| near);
                visitor.visit(&near[..count]);
            }
        }
    }
}

/// Returns one bit for each lane, with lane 0 in the lowest bit. The bit is set if the square of the lane is at most
/// `limit`.
#[inline(always)]
fn lanes_within(squares: &[f64; LANES], limit: f64) -> u32 {
    let mut within = 0;
    for (lane, &square) in squares.iter().enumerate() {
        within |= u32::from(square <= limit) << lane;
    }
    within
}

#[inline(always)]
fn is_nearer(square: f64, index: u32, other: Near) -> bool {
    square < other.square || (square == other.square && index < other.index)
}

/// Returns the square of the distance between each box of `lanes` and the box `around`. The relative error is at most
/// 2^-50. For accepted coordinates, no square overflows. The value of an unused lane has no meaning.
#[inline(always)]
fn squares(lanes: &Lanes, around: &Aabb) -> [f64; LANES] {
    let greater = |x: f64, y: f64| if x > y { x } else { y };
    let mut squares = [0.0; LANES];
    for (lane, square) in squares.iter_mut().enumerate() {
        let x = greater(greater(lanes.min_x[lane] - around.max.x, around.min.x - lanes.max_x[lane]), 0.0);
        let y = greater(greater(lanes.min_y[lane] - around.max.y, around.min.y - lanes.max_y[lane]), 0.0);
        *square = x * x + y * y;
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A visitor that keeps the indices of the boxes within a limit.
    struct Within(Limit, Vec<u32>);

    impl Visit for Within {
        fn limit(&self) -> Limit {
            self.0
        }

        fn visit(&mut self, near: &[Near]) {
            assert!(near.iter().all(|near| near.square <= self.0.square && near.index <= self.0.index));
            assert!(near.is_sorted_by_key(|near| (near.square, near.index)));
            self.1.extend(near.iter().map(|near| near.index));
        }
    }

    #[test]
    fn a_search_finds_the_boxes_within_the_limit() {
        let place =
            |k: usize| [(k as f64 * 0.754_877_666).fract() * 60.0, (k as f64 * 0.569_840_291).fract() * 60.0];
        let aabb =
            |at: [f64; 2], size: f64| Aabb { min: at.into(), max: [at[0] + size, at[1] + size].into() };
        for count in [0, 1, 15, 17, 300, 5000] {
            let boxes: Vec<Aabb> =
                (0..count).map(|k| if k % 11 == 5 { Aabb::EMPTY } else { aabb(place(k), 1.0) }).collect();
            let groups: Vec<u32> = (0..count as u32).map(|k| k / 3).collect();
            for groups in [None, Some(&groups[..])] {
                let tree = NearTree::new(&boxes, groups).unwrap();
                let mut room = NearRoom::default();
                for k in 0..40 {
                    let around = aabb(place(k + 7), 2.0);
                    let without = (k % 2 == 0).then_some(k as u32 * 3 % 7);
                    let limit =
                        Limit { square: (k * k) as f64, index: if k % 3 == 0 { 100 } else { u32::MAX } };
                    let mut found = Within(limit, Vec::new());
                    tree.search(around, without, &mut room, &mut found);
                    found.1.sort_unstable();
                    let is_near = |&index: &u32| {
                        let b = boxes[index as usize];
                        let gap = (b.min - around.max).max(around.min - b.max).max(glam::DVec2::ZERO);
                        let group = groups.map_or(index, |groups| groups[index as usize]);
                        b.min.x <= b.max.x
                            && gap.length_squared() <= limit.square
                            && index <= limit.index
                            && without != Some(group)
                    };
                    let expected: Vec<u32> = (0..count as u32).filter(is_near).collect();
                    assert_eq!(found.1, expected, "{count} {k}");
                }
            }
        }
    }
}
