//! The edges of every shape as half planes, eight to a block, so that a vector register holds one number of each.

use glam::DVec2;
use rayon::prelude::*;

use crate::geometry::PolygonSet;

/// Edges in a block.
pub(super) const LANES: usize = 8;

/// Eight edges of one shape. A shape whose edges do not fill its last block has its last edge there several times.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EdgeBlock {
    /// Outward normals, scaled so that |x| + |y| is 1 to within a rounding.
    pub(crate) x: [f32; LANES],
    pub(crate) y: [f32; LANES],
    /// Projection of the edge on its normal, relative to the shape's origin, in quanta.
    pub(crate) support: [f32; LANES],
}

/// The edges of all shapes of one side.
#[derive(Debug, Default)]
pub(super) struct Edges {
    blocks: Vec<EdgeBlock>,
    /// First block of each shape, and one more entry: the count.
    offsets: Vec<u32>,
}

impl Edges {
    /// The blocks of a shape.
    #[inline(always)]
    pub(super) fn of(&self, shape: usize) -> &[EdgeBlock] {
        &self.blocks[self.offsets[shape] as usize..self.offsets[shape + 1] as usize]
    }

    /// The edges of the shapes of a static set. `origin(shape)` is where the shape's packed vertices count from.
    pub(super) fn new(set: &PolygonSet, origin: impl Fn(usize) -> DVec2 + Sync, quantum: f64) -> Self {
        let mut offsets = Vec::with_capacity(set.shape_count() + 1);
        offsets.push(0);
        let mut count = 0u32;
        for shape in 0..set.shape_count() {
            count += set.shape_vertices(shape).len().div_ceil(LANES) as u32;
            offsets.push(count);
        }
        let mut blocks = vec![EdgeBlock::default(); count as usize];
        let mut runs = Vec::with_capacity(set.shape_count());
        let mut rest = blocks.as_mut_slice();
        for ends in offsets.windows(2) {
            let (run, tail) = rest.split_at_mut((ends[1] - ends[0]) as usize);
            runs.push(run);
            rest = tail;
        }
        runs.into_par_iter()
            .enumerate()
            .for_each(|(shape, run)| fill(run, set.shape_vertices(shape), origin(shape), quantum));
        Self { blocks, offsets }
    }
}

/// The edges of one shape, in its blocks.
fn fill(blocks: &mut [EdgeBlock], vertices: &[DVec2], origin: DVec2, quantum: f64) {
    let count = vertices.len();
    // Exact, of a power of two.
    let inverse = 1.0 / quantum;
    let mut p = vertices[0];
    for edge in 0..blocks.len() * LANES {
        let (block, lane) = (&mut blocks[edge / LANES], edge % LANES);
        if edge >= count {
            let last = (count - 1) % LANES;
            (block.x[lane], block.y[lane]) = (block.x[last], block.y[last]);
            block.support[lane] = block.support[last];
            continue;
        }
        let q = vertices[if edge + 1 == count { 0 } else { edge + 1 }];
        let normal = DVec2::new(q.y - p.y, p.x - q.x);
        let normal = (normal * (1.0 / (normal.x.abs() + normal.y.abs()))).as_vec2();
        let direction = normal.as_dvec2();
        // Of the rounded normal, either end may be the farther.
        let farthest = direction.dot(p - origin).max(direction.dot(q - origin)) * inverse;
        (block.x[lane], block.y[lane]) = (normal.x, normal.y);
        block.support[lane] = farthest as f32;
        p = q;
    }
}
