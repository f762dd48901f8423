//! Finds the polygons of an object that are near a box. Some MultiPolygons have many thousands of polygons.

use std::ops::Range;

use glam::DVec2;

use super::steps;
use super::tree::{Levels, add_levels};
use crate::geometry::{Aabb, decompose};

/// An object with at least this many polygons has a tree over the boxes of its polygons.
const MANY: usize = 32;

/// A tree over the boxes of polygons. Eight polygons that are consecutive along a space-filling curve form a node, and
/// eight consecutive nodes form a node of the next level.
#[derive(Debug)]
pub(crate) struct PolygonTree {
    /// The indices of the polygons in their order along the curve.
    order: Vec<u32>,
    boxes: Vec<Aabb>,
    levels: Levels,
}

/// The trees of the objects with many polygons.
#[derive(Debug, Default)]
pub(crate) struct PolygonTrees {
    /// The indices of the objects that have a tree, in ascending order.
    objects: Vec<u32>,
    trees: Vec<PolygonTree>,
}

impl PolygonTree {
    fn of(of_polygons: &[Aabb]) -> Self {
        of_polygons.iter().for_each(|_| steps::count());
        let centres: Vec<DVec2> = of_polygons.iter().map(|around| 0.5 * (around.min + around.max)).collect();
        let order = decompose::along_curve(&centres);
        let mut boxes: Vec<Aabb> = order.iter().map(|&polygon| of_polygons[polygon as usize]).collect();
        add_levels(&mut boxes, 0);
        Self { levels: Levels::of(order.len()), order, boxes }
    }

    /// Returns a tree over the boxes of an object's polygons. Returns `None` if there are fewer than [`MANY`] polygons.
    pub(crate) fn of_many(of_polygons: &[Aabb]) -> Option<Self> {
        (of_polygons.len() >= MANY).then(|| Self::of(of_polygons))
    }

    /// Returns the box around all polygons of the tree.
    fn bounds(&self) -> Aabb {
        self.boxes[self.levels.root()]
    }

    /// Calls `visit` with the index of each polygon of the object whose box meets the box `around`.
    pub(crate) fn search(&self, around: Aabb, mut visit: impl FnMut(u32)) {
        self.levels.descend(&self.boxes, |node, bounds| {
            let is_near = bounds.meets(around);
            if is_near && node.level == 0 {
                visit(self.order[node.index as usize]);
            }
            is_near
        });
    }
}

impl PolygonTrees {
    /// The trees of a set in which no object has many polygons: an empty list.
    pub(crate) const NONE: &Self = &Self { objects: Vec::new(), trees: Vec::new() };

    /// Builds the trees of the objects with many polygons. `objects` has the object of each polygon, in ascending
    /// order, and `boxes` has the box of each polygon.
    pub(crate) fn of(objects: &[u32], boxes: &[Aabb]) -> Self {
        let (mut trees, mut first) = (Self::default(), 0);
        for polygons in objects.chunk_by(|a, b| a == b) {
            if let Some(tree) = PolygonTree::of_many(&boxes[first..first + polygons.len()]) {
                trees.objects.push(polygons[0]);
                trees.trees.push(tree);
            }
            first += polygons.len();
        }
        trees
    }

    fn of_object(&self, object: u32) -> Option<&PolygonTree> {
        self.objects.binary_search(&object).ok().map(|index| &self.trees[index])
    }

    /// Returns the box around an object. `boxes` are the boxes of its polygons.
    pub(crate) fn bounds(&self, object: u32, boxes: &[Aabb]) -> Aabb {
        match self.of_object(object) {
            Some(tree) => tree.bounds(),
            None => boxes.iter().copied().fold(Aabb::EMPTY, Aabb::union),
        }
    }

    /// Calls `visit` with the index of each polygon of an object if the box of the polygon meets `around`. `polygons` is
    /// the range of the object's polygons, and `boxes` has the boxes of the polygons of all objects.
    pub(crate) fn near(
        &self,
        object: u32,
        polygons: Range<usize>,
        boxes: &[Aabb],
        around: Aabb,
        mut visit: impl FnMut(usize),
    ) {
        if let Some(tree) = self.of_object(object) {
            return tree.search(around, |index| visit(polygons.start + index as usize));
        }
        for polygon in polygons {
            steps::count();
            if boxes[polygon].meets(around) {
                visit(polygon);
            }
        }
    }
}
