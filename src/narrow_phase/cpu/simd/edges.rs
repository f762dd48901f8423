//! The edges of every shape as half planes, eight to a block, so that a vector register holds one number of each.

use glam::DVec2;
use rayon::prelude::*;

use crate::geometry::PolygonSet;

/// Edges in a block.
pub(super) const LANES: usize = 8;

/// Eight edges of one shape. A shape whose edges do not fill its last block has its last edge there several times.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug)]
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
        let blocks = (0..set.shape_count())
            .into_par_iter()
            .flat_map_iter(|shape| blocks_of(set.shape_vertices(shape), origin(shape), quantum))
            .collect();
        Self { blocks, offsets }
    }
}

fn blocks_of(vertices: &[DVec2], origin: DVec2, quantum: f64) -> impl Iterator<Item = EdgeBlock> + '_ {
    let count = vertices.len();
    // Exact, of a power of two.
    let inverse = 1.0 / quantum;
    (0..count.div_ceil(LANES)).map(move |block| {
        let mut edges = EdgeBlock { x: [0.0; LANES], y: [0.0; LANES], support: [0.0; LANES] };
        for lane in 0..LANES {
            let edge = (block * LANES + lane).min(count - 1);
            let (p, q) = (vertices[edge], vertices[(edge + 1) % count]);
            let normal = DVec2::new(q.y - p.y, p.x - q.x);
            let normal = (normal * (1.0 / (normal.x.abs() + normal.y.abs()))).as_vec2();
            let direction = normal.as_dvec2();
            let farthest = [p, q].map(|v| direction.dot((v - origin) * inverse));
            edges.x[lane] = normal.x;
            edges.y[lane] = normal.y;
            edges.support[lane] = farthest[0].max(farthest[1]) as f32;
        }
        edges
    })
}
