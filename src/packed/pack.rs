//! Packs polygons for storage buffers. f64 coordinates in the caller's frame become f32 coordinates relative to anchors
//! on an integer grid. The packing error of every polygon is known.

use std::convert::Infallible;
use std::ops::Range;

use glam::DVec2;

use crate::base::large_pages::with_room;
use crate::base::parallel::prelude::*;
use crate::base::room::{Room, append_to_both};
use crate::geometry::{Pieces, PolygonSet, Pose};
use crate::packed::grid::{Grid, ROUNDING, round_up};
use crate::packed::layout::{BLOCK_VERTICES, Block, MAX_POLYGON_VERTICES, Placement, Polygon};
use crate::packed::records::most_vertices;
use crate::simd::{Instructions, Vectorised, greater, vectorised};

/// The number of pieces or shapes that one task packs.
const TASK: usize = 1024;
/// Prefetch distance in polygons: vertices are prefetched this many polygons before they are read. The prefetch
/// matters because the polygons of a join are often not in the order in which their vertices are in memory.
const AHEAD: usize = 8;

/// The records of polygons that kernels read: the polygons of both sides of a join, or the polygons that are uploaded
/// with one chunk of pairs.
#[derive(Debug, Default)]
pub struct Records {
    /// One record for each piece.
    pub polygons: Vec<Polygon>,
    /// The placement of each polygon. The list is empty if no set has poses.
    pub(crate) placements: Vec<Placement>,
    /// The vertices of all pieces, in blocks.
    pub blocks: Vec<Block>,
    /// The greatest number of vertices of any polygon in the records.
    pub most_vertices: u32,
}

impl Records {
    /// Returns true if the pieces have poses.
    pub fn is_posed(&self) -> bool {
        !self.placements.is_empty()
    }

    /// Returns the number of bytes of the largest of the three lists: the polygons, the placements or the blocks.
    pub(crate) fn largest_bytes(&self) -> u64 {
        let bytes = size_of_val(&self.polygons[..])
            .max(size_of_val(&self.placements[..]))
            .max(size_of_val(&self.blocks[..]));
        bytes as u64
    }

    /// Removes all polygons, and keeps the memory for later polygons.
    pub(crate) fn clear(&mut self) {
        self.polygons.clear();
        self.placements.clear();
        self.blocks.clear();
        self.most_vertices = 0;
    }
}

/// Both sides of a join in one list: the pieces of A, then the pieces of B.
#[derive(Debug)]
pub struct Packed {
    pub(crate) grid: Grid,
    /// The records of the pieces of both sides.
    pub records: Records,
    /// The index of the first polygon of B, or 0 in a self-join, in which B is A.
    pub b_offset: u32,
}

impl Packed {
    /// Packs one set, or two sets that share the grid.
    pub fn new(a: Pieces<'_>, b: Option<Pieces<'_>>, grid: Grid) -> Self {
        let mut packing = Packing::new(a, b, grid, Records::default());
        while packing.next_part(usize::MAX).is_some() {}
        packing.finish()
    }
}

/// Packs polygons part by part, so that a device can copy one part while the host packs the next.
#[derive(Debug)]
pub(crate) struct Packing<'a> {
    packed: Packed,
    sides: Vec<PackingSide<'a>>,
    is_posed: bool,
    polygon_count: usize,
    block_count: usize,
    /// The number of polygons and the number of blocks in the parts that were returned so far.
    given: [usize; 2],
}

/// The range of polygons and the range of blocks that a part added to the records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PackedPart {
    /// The range of polygons. If there are placements, it is also the range of placements.
    pub(crate) polygons: Range<usize>,
    pub(crate) blocks: Range<usize>,
}

/// One side of a join, and the progress of its packing.
#[derive(Debug)]
struct PackingSide<'a> {
    pieces: Pieces<'a>,
    /// The packed shapes of a set with poses, or `None` for a static set, in which each piece is packed with its
    /// shape.
    shapes: Option<Vec<PackedShape>>,
    /// The number of polygons and the number of blocks of each task.
    tasks: Vec<(usize, usize)>,
    /// The number of tasks that are packed so far.
    done: usize,
}

/// A shape of a set with poses. The vertices in its blocks are relative to the centre of its box.
#[derive(Clone, Copy, Debug)]
struct PackedShape {
    centre: DVec2,
    first_block: u32,
    vertex_count: u32,
    rounded: Rounded,
}

/// The bounds that result from rounding the vertices of a polygon.
#[derive(Clone, Copy, Debug)]
struct Rounded {
    /// An upper bound on the magnitudes of all vertices, in quanta. In a static set, the magnitude of a vertex is the
    /// greater of |x| and |y|. In a set with poses, it is the Euclidean length.
    radius: f32,
    /// The bound on the error of each coordinate of each vertex, in quanta.
    error: f64,
}

impl<'a> Packing<'a> {
    /// Begins to pack one set, or two sets that share the grid. The packed polygons reuse the memory of `records`.
    pub(crate) fn new(a: Pieces<'a>, b: Option<Pieces<'a>>, grid: Grid, mut records: Records) -> Self {
        records.clear();
        let sides: Vec<Pieces<'a>> = [Some(a), b].into_iter().flatten().collect();
        let is_posed = sides.iter().any(|pieces| !pieces.set.is_static());
        let block_tasks: Vec<Vec<(usize, usize)>> = sides.iter().map(|pieces| block_tasks(*pieces)).collect();
        let polygon_count = sides.iter().map(|pieces| pieces.count()).sum();
        let block_count = block_tasks.iter().flatten().map(|(_, blocks)| blocks).sum();
        make_room(&mut records.polygons, polygon_count);
        make_room(&mut records.blocks, block_count);
        make_room(&mut records.placements, if is_posed { polygon_count } else { 0 });
        records.most_vertices =
            sides.iter().map(|pieces| most_vertices(pieces.set)).max().unwrap_or(0) as u32;
        let mut packing_side = |(pieces, tasks): (Pieces<'a>, Vec<(usize, usize)>)| {
            if pieces.set.is_static() {
                return PackingSide { pieces, shapes: None, tasks, done: 0 };
            }
            let shapes = pack_shapes(pieces.set, &tasks, grid, &mut records.blocks);
            let tasks = task_sizes(pieces.count()).map(|count| (count, 0)).collect();
            PackingSide { pieces, shapes: Some(shapes), tasks, done: 0 }
        };
        let sides: Vec<_> = sides.into_iter().zip(block_tasks).map(&mut packing_side).collect();
        let b_offset = if sides.len() > 1 { a.count() as u32 } else { 0 };
        let packed = Packed { grid, records, b_offset };
        Self { packed, sides, is_posed, polygon_count, block_count, given: [0; 2] }
    }

    /// Returns the numbers of bytes of polygons, placements (0 without poses) and blocks that all packed polygons take.
    pub(crate) fn bytes(&self) -> [u64; 3] {
        let placement_count = if self.is_posed { self.polygon_count } else { 0 };
        [
            self.polygon_count * size_of::<Polygon>(),
            placement_count * size_of::<Placement>(),
            self.block_count * size_of::<Block>(),
        ]
        .map(|bytes| bytes as u64)
    }

    /// Packs polygons of one side until the part has at least `most` records, or until the side is packed. Polygons and
    /// blocks count as records. Returns `None` if all polygons are packed already.
    pub(crate) fn next_part(&mut self, most: usize) -> Option<PackedPart> {
        let side = self.sides.iter_mut().find(|side| side.done < side.tasks.len())?;
        let (begin, mut size) = (side.done, 0);
        while side.done < side.tasks.len() && size < most {
            let (polygons, blocks) = side.tasks[side.done];
            size = size.saturating_add(polygons + blocks);
            side.done += 1;
        }
        let lengths = &side.tasks[begin..side.done];
        let Packed { grid, records, .. } = &mut self.packed;
        let (pieces, grid) = (side.pieces, *grid);
        let in_task = |task: usize| {
            let first = (begin + task) * TASK;
            first..first + lengths[task].0
        };
        if let Some(shapes) = &side.shapes {
            let lengths: Vec<_> = lengths.iter().map(|&(count, _)| (count, count)).collect();
            let into = (&mut records.polygons, &mut records.placements);
            let Ok(_) = append_to_both(into.0, into.1, &lengths, |task, polygons, placements| {
                let placed = in_task(task).map(|piece| {
                    let shape = &shapes[pieces.set.piece_shape(piece)];
                    let (polygon, placement) = place_piece(shape, pieces.set.piece_pose(piece), grid);
                    placements.write(std::iter::once(placement));
                    polygon
                });
                polygons.write(placed);
                Ok::<(), Infallible>(())
            });
        } else {
            let first_blocks = first_blocks(records.blocks.len(), lengths);
            let into = (&mut records.polygons, &mut records.blocks);
            let Ok(_) = append_to_both(into.0, into.1, lengths, |task, polygons, blocks| {
                let (range, first_block) = (in_task(task), first_blocks[task]);
                vectorised(PackStatic { pieces, range, grid, first_block, polygons, blocks });
                Ok::<(), Infallible>(())
            });
            if self.is_posed {
                records.placements.resize(records.polygons.len(), Placement::STILL);
            }
        }
        let ends = [records.polygons.len(), records.blocks.len()];
        let [polygons, blocks] = std::mem::replace(&mut self.given, ends);
        Some(PackedPart { polygons: polygons..ends[0], blocks: blocks..ends[1] })
    }

    /// Returns true if all parts were returned.
    pub(crate) fn is_done(&self) -> bool {
        self.sides.iter().all(|side| side.done == side.tasks.len())
    }

    /// Returns the records of the parts that were returned so far.
    pub(crate) fn records(&self) -> &Records {
        &self.packed.records
    }

    /// Returns the packed polygons. Call this method after all parts were returned.
    pub(crate) fn finish(self) -> Packed {
        self.packed
    }
}

/// If the capacity of a list is less than `count`, replaces the list by an empty list with this capacity.
fn make_room<T>(values: &mut Vec<T>, count: usize) {
    if values.capacity() < count {
        // Frees the old memory first, so that it is not held together with the new memory.
        *values = Vec::new();
        *values = with_room(count);
    }
}

/// Returns the number of blocks of a polygon, or 0 if the polygon has too many vertices for a kernel.
fn block_count(vertex_count: usize) -> usize {
    if vertex_count > MAX_POLYGON_VERTICES as usize {
        return 0;
    }
    vertex_count.div_ceil(BLOCK_VERTICES as usize)
}

/// Returns the number of items of each task, for tasks that together have `count` items.
fn task_sizes(count: usize) -> impl Iterator<Item = usize> {
    (0..count).step_by(TASK).map(move |first| TASK.min(count - first))
}

/// Returns, for each task, the number of its items and the number of their blocks. The items are the pieces of a
/// static set, or the shapes of a set with poses.
fn block_tasks(pieces: Pieces<'_>) -> Vec<(usize, usize)> {
    let set = pieces.set;
    let is_static = set.is_static();
    let count = if is_static { pieces.count() } else { set.shape_count() };
    let of_shape = |shape| block_count(set.shape_vertices(shape).len());
    let sizes: Vec<usize> = task_sizes(count).collect();
    let counted = |(task, size): (usize, usize)| {
        let first = task * TASK;
        (size, (first..first + size).map(of_shape).sum())
    };
    sizes.into_par_iter().enumerate().map(counted).collect()
}

/// Returns the index of the first block of each task. `before` blocks come before the blocks of the first task.
fn first_blocks(before: usize, tasks: &[(usize, usize)]) -> Vec<u32> {
    let mut next = before;
    let mut first = |&(_, blocks): &(usize, usize)| {
        next += blocks;
        (next - blocks) as u32
    };
    tasks.iter().map(&mut first).collect()
}

/// Packs pieces of a static set. Each piece has an anchor and its own vertices.
struct PackStatic<'a, 'p, 'b> {
    pieces: Pieces<'a>,
    /// The range of the pieces that the task packs.
    range: Range<usize>,
    grid: Grid,
    first_block: u32,
    polygons: &'a mut Room<'p, Polygon>,
    blocks: &'a mut Room<'b, Block>,
}

impl Vectorised for PackStatic<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, _: I) {
        let Self { pieces, range, grid, mut first_block, polygons, blocks } = self;
        let set = pieces.set;
        polygons.write(range.map(|piece| {
            prefetch_ahead(pieces, piece);
            let vertices = set.shape_vertices(piece);
            let aabb = set.shape_aabb(piece);
            let anchor = grid.anchor((aabb.min + aabb.max) * 0.5);
            let rounded = write_blocks(vertices, grid.position(anchor), grid.quantum, false, blocks);
            let error = round_up(rounded.error);
            let count = vertices.len() as u32;
            let polygon = Polygon::new(anchor.to_array(), first_block, count, error, rounded.radius);
            first_block += polygon.block_count();
            polygon
        }));
    }
}

/// Prefetches the data of pieces that will be packed soon.
#[inline(always)]
fn prefetch_ahead(pieces: Pieces<'_>, piece: usize) {
    if piece + 2 * AHEAD < pieces.count() {
        pieces.set.prefetch_piece(piece + 2 * AHEAD);
    }
    if piece + AHEAD < pieces.count() {
        pieces.set.prefetch_shape(piece + AHEAD);
    }
}

/// Packs the shapes of a set with poses, and writes their vertices to `blocks`. `tasks` come from [`block_tasks`].
fn pack_shapes(
    set: &PolygonSet,
    tasks: &[(usize, usize)],
    grid: Grid,
    blocks: &mut Vec<Block>,
) -> Vec<PackedShape> {
    let first_blocks = first_blocks(blocks.len(), tasks);
    let mut shapes = with_room(set.shape_count());
    let Ok(_) = append_to_both(&mut shapes, blocks, tasks, |task, shapes, blocks| {
        let mut first_block = first_blocks[task];
        let first = task * TASK;
        shapes.write((first..first + tasks[task].0).map(|shape| {
            let vertices = set.shape_vertices(shape);
            let aabb = set.shape_aabb(shape);
            let centre = (aabb.min + aabb.max) * 0.5;
            let rounded = write_blocks(vertices, centre, grid.quantum, true, blocks);
            let packed = PackedShape { centre, first_block, vertex_count: vertices.len() as u32, rounded };
            first_block += block_count(vertices.len()) as u32;
            packed
        }));
        Ok::<(), Infallible>(())
    });
    shapes
}

/// Rounds the vertices relative to `origin`, and writes four vertices to each block. If the last block has room, it repeats the
/// first vertex. If `turns` is set, the returned radius bounds the distances of the vertices from `origin`. Otherwise, it bounds
/// the absolute values of their coordinates. A polygon with too many vertices for a kernel gets no blocks.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn write_blocks(
    vertices: &[DVec2],
    origin: DVec2,
    quantum: f64,
    turns: bool,
    blocks: &mut Room<'_, Block>,
) -> Rounded {
    if vertices.len() > MAX_POLYGON_VERTICES as usize {
        return Rounded { radius: 0.0, error: 0.0 };
    }
    let mut writer = BlockWriter {
        origin,
        turns,
        // The scale is a power of two, so the products are exact.
        per_unit: 1.0 / quantum,
        rounding: [0.0; 4],
        extent: [0.0; 4],
        square: [0.0; 4],
    };
    let (whole, last) = vertices.as_chunks();
    for four in whole {
        blocks.write(std::iter::once(writer.block(four)));
    }
    if !last.is_empty() {
        let mut four = [vertices[0]; BLOCK_VERTICES as usize];
        four[..last.len()].copy_from_slice(last);
        blocks.write(std::iter::once(writer.block(&four)));
    }
    writer.rounded()
}

/// Writes blocks of four vertices, one vertex in each lane, and records the greatest rounding error.
struct BlockWriter {
    origin: DVec2,
    turns: bool,
    per_unit: f64,
    /// The greatest rounding error of a coordinate, in each lane.
    rounding: [f64; 4],
    /// The greatest magnitude of a coordinate, in each lane.
    extent: [f64; 4],
    /// The greatest square of a vertex's distance from the origin, in each lane. It stays 0 unless `turns` is set.
    square: [f64; 4],
}

impl BlockWriter {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn block(&mut self, four: &[DVec2; 4]) -> Block {
        let x = self.coordinates(four.map(|v| v.x), self.origin.x);
        let y = self.coordinates(four.map(|v| v.y), self.origin.y);
        if self.turns {
            for lane in 0..4 {
                let (x, y) = (f64::from(x[lane]), f64::from(y[lane]));
                self.square[lane] = greater(x * x + y * y, self.square[lane]);
            }
        }
        Block { x, y }
    }

    #[inline(always)]
    fn coordinates(&mut self, from: [f64; 4], origin: f64) -> [f32; 4] {
        let mut out = [0.0; 4];
        for lane in 0..4 {
            let local = (from[lane] - origin) * self.per_unit;
            out[lane] = local as f32;
            self.rounding[lane] = greater((f64::from(out[lane]) - local).abs(), self.rounding[lane]);
            self.extent[lane] = greater(local.abs(), self.extent[lane]);
        }
        out
    }

    #[inline(always)]
    fn rounded(&self) -> Rounded {
        let greatest = |of: &[f64; 4]| greater(greater(of[0], of[1]), greater(of[2], of[3]));
        let (rounding, extent) = (greatest(&self.rounding), greatest(&self.extent));
        // The computed length has an error of a few ulps of f64, which the factor covers.
        let radius =
            if self.turns { greatest(&self.square).sqrt() * (1.0 + 1e-15) } else { extent + rounding };
        // The error of the subtraction in f64 is half an ulp.
        let error = rounding * (1.0 + 1e-15) + extent * f64::EPSILON;
        Rounded { radius: round_up(radius), error }
    }
}

/// Returns the records of a piece with a pose. The error includes the rounding on the host, and the rounding on the
/// device when it rotates and moves a vertex (`side_of` in [`crate::kernels::cpu::filter`]).
fn place_piece(shape: &PackedShape, pose: Pose, grid: Grid) -> (Polygon, Placement) {
    let unit = f64::from(ROUNDING);
    let centre = shape.centre;
    let radius = f64::from(shape.rounded.radius);
    let image = pose.apply(centre);
    let anchor = grid.anchor(image);
    let exact_offset = (image - grid.position(anchor)) / grid.quantum;
    let packed_offset = exact_offset.as_vec2();
    let rotation = [pose.cos() as f32, pose.sin() as f32];
    let rotation_error =
        (f64::from(rotation[0]) - pose.cos()).abs().max((f64::from(rotation[1]) - pose.sin()).abs());
    let magnitude = (centre.abs().element_sum() + pose.translation().abs().max_element()) / grid.quantum;
    let offset_error = (packed_offset.as_dvec2() - exact_offset).abs().max_element()
        + exact_offset.abs().max_element() * f64::EPSILON
        + magnitude * 2f64.powi(-50);
    // The placement rotates the error vector, so a coordinate's error grows by a factor of at most sqrt 2. cos² + sin²
    // differs from 1 by at most 1e-9. The factor 1.415 covers both.
    let host = (shape.rounded.error + rotation_error * radius) * 1.415 + offset_error;
    let turned = rotation != [1.0, 0.0];
    let device = match (turned, packed_offset != glam::Vec2::ZERO) {
        (true, _) => 3.0 * unit * (radius + 0.5),
        (false, true) => unit * (radius + 0.5),
        (false, false) => 0.0,
    };
    let error = round_up((host + device) * (1.0 + 1e-3));
    // The bound of the record is for placed vertices. The filter's slack covers the rounding of the sum.
    let reach = shape.rounded.radius + packed_offset.abs().max_element();
    let polygon = Polygon::new(anchor.to_array(), shape.first_block, shape.vertex_count, error, reach);
    (polygon, Placement { offset: packed_offset.to_array(), rotation })
}

#[cfg(test)]
mod tests;
