//! Makes the outline of one convex piece for the comparison of one pair of pieces. The outline is not kept.

use glam::DVec2;

use super::{Block, Outline, Ring};

/// Reusable memory for the outline of one convex polygon.
#[derive(Debug, Default)]
pub(crate) struct Single {
    block: Block,
}

impl Single {
    /// Returns the outline of a convex polygon, given by its counter-clockwise vertices.
    pub(crate) fn outline(&mut self, vertices: &[DVec2]) -> Outline<'_> {
        self.block.clear();
        let first = self.block.add_ring_vertices(vertices);
        let end = first + vertices.len() as u32;
        self.block.rings.push(Ring { first, end, given: 0, is_reversed: false });
        self.block.witnesses.push(first);
        self.block.add_polygon(0, 0..1);
        self.block.outline(0)
    }
}

impl Block {
    fn clear(&mut self) {
        self.vertices.clear();
        self.rings.clear();
        self.leaves.clear();
        self.boxes.clear();
        self.polygons.clear();
        self.witnesses.clear();
    }
}
