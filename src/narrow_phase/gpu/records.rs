//! What the kernels read of a join's polygons, made from the packed set.

use crate::layout::{BLOCK_VERTICES, Block, Instance, Placement, Polygon, Shape};
use crate::pack::Packed;
use crate::parallel::prelude::*;

/// The polygons of both sides of a join, or those that a chunk carries.
#[derive(Debug, Default)]
pub(super) struct Records {
    pub(super) polygons: Vec<Polygon>,
    /// One a polygon; none at all where none is turned or moved.
    pub(super) placements: Vec<Placement>,
    pub(super) blocks: Vec<Block>,
    /// The most vertices of a polygon.
    pub(super) most_vertices: u32,
}

impl Records {
    pub(super) fn of(packed: &Packed) -> Self {
        let mut first_blocks = Vec::with_capacity(packed.shapes.len());
        let mut block_count = 0;
        for shape in &packed.shapes {
            first_blocks.push(block_count);
            block_count += shape.vertex_count.div_ceil(BLOCK_VERTICES);
        }
        let mut blocks = vec![Block::default(); block_count as usize];
        let mut runs = Vec::with_capacity(packed.shapes.len());
        let mut rest = blocks.as_mut_slice();
        for shape in &packed.shapes {
            let (run, tail) = rest.split_at_mut(shape.vertex_count.div_ceil(BLOCK_VERTICES) as usize);
            runs.push(run);
            rest = tail;
        }
        runs.into_par_iter().zip(&packed.shapes).with_min_len(256).for_each(|(run, shape)| {
            let vertices = &packed.vertices[shape.vertex_offset as usize..][..shape.vertex_count as usize];
            fill_blocks(vertices, run);
        });
        let polygons = packed
            .instances
            .par_iter()
            .with_min_len(256)
            .map(|instance| {
                let index = instance.shape_index as usize;
                polygon_of(instance, &packed.shapes[index], first_blocks[index])
            })
            .collect();
        let placements = if packed.instances.par_iter().any(is_posed) {
            packed.instances.par_iter().map(placement_of).collect()
        } else {
            Vec::new()
        };
        let most_vertices = packed.shapes.par_iter().map(|shape| shape.vertex_count).max().unwrap_or(0);
        Self { polygons, placements, blocks, most_vertices }
    }

    pub(super) fn is_posed(&self) -> bool {
        !self.placements.is_empty()
    }

    /// The bytes of the largest of the three arrays.
    pub(super) fn largest_bytes(&self) -> u64 {
        let bytes = size_of_val(&self.polygons[..])
            .max(size_of_val(&self.placements[..]))
            .max(size_of_val(&self.blocks[..]));
        bytes as u64
    }
}

/// Where an instance stands, and its bounds.
pub(super) fn polygon_of(instance: &Instance, shape: &Shape, first_block: u32) -> Polygon {
    // As in the filter, whose slack covers the rounding of the sum.
    let [x, y] = instance.offset.map(f32::abs);
    let radius = shape.radius + x.max(y);
    Polygon::new(instance.anchor, first_block, shape.vertex_count, instance.error, radius)
}

pub(super) fn placement_of(instance: &Instance) -> Placement {
    Placement { offset: instance.offset, rotation: instance.rotation }
}

fn is_posed(instance: &Instance) -> bool {
    instance.rotation != [1.0, 0.0] || instance.offset != [0.0, 0.0]
}

/// Four vertices a block, the first vertex again where the last block has room.
fn fill_blocks(vertices: &[[f32; 2]], blocks: &mut [Block]) {
    for (block, four) in blocks.iter_mut().zip(vertices.chunks(BLOCK_VERTICES as usize)) {
        for lane in 0..BLOCK_VERTICES as usize {
            let [x, y] = *four.get(lane).unwrap_or(&vertices[0]);
            block.x[lane] = x;
            block.y[lane] = y;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{BOUND_BITS, COUNT_BITS, MAX_POLYGON_VERTICES};

    #[test]
    fn bounds_are_rounded_up_by_less_than_a_third() {
        let mut x = f32::MIN_POSITIVE;
        while x < 1e30 {
            for value in [x, x.next_up(), x.next_down().max(f32::MIN_POSITIVE)] {
                let polygon = Polygon::new([0, 0], 0, 7, value, 3.0 * value);
                let decoded = |shift: u32| {
                    f32::from_bits((polygon.bounds >> shift & ((1 << BOUND_BITS) - 1)) << (31 - BOUND_BITS))
                };
                assert_eq!(polygon.vertex_count(), 7);
                let (error, radius) = (decoded(COUNT_BITS), decoded(COUNT_BITS + BOUND_BITS));
                assert!(error >= value && error <= value * 1.26, "{value}: {error}");
                assert!(radius >= 3.0 * value && radius <= 3.0 * value * 1.26, "{value}: {radius}");
            }
            x *= 1.7;
        }
        assert_eq!(Polygon::new([0, 0], 0, 3, 0.0, 0.0).bounds, 3);
        assert_eq!(Polygon::new([0, 0], 0, MAX_POLYGON_VERTICES + 1, 0.0, 0.0).vertex_count(), 0);
    }

    #[test]
    fn the_last_block_repeats_the_first_vertex() {
        let vertices: Vec<[f32; 2]> = (0..6).map(|i| [i as f32, -(i as f32)]).collect();
        let mut blocks = [Block::default(); 2];
        fill_blocks(&vertices, &mut blocks);
        assert_eq!(blocks[0].x, [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(blocks[1].x, [4.0, 5.0, 0.0, 0.0]);
        assert_eq!(blocks[1].y, [-4.0, -5.0, 0.0, 0.0]);
    }
}
