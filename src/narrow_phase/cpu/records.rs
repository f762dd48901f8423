//! The polygons of one side as the fast filter reads them: one run of numbers a polygon, all of them near each other.
//!
//! Vertices are placed in the world in f64 and rounded to f32 relative to the polygon's anchor (see [`crate::grid`]), in
//! quanta. They are stored in a cycle, from the first to the first again: edge `k` is the one from vertex `k` to vertex
//! `k + 1`. A polygon with fewer edges than a register has lanes goes on around, so that every lane has a true edge.

use std::ops::Range;

use bytemuck::{Pod, Zeroable, bytes_of, cast_slice, cast_slice_mut, zeroed_vec};
use glam::{DVec2, IVec2};
use rayon::prelude::*;

use crate::geometry::{Aabb, Pieces, PolygonSet, Pose};
use crate::grid::{Grid, round_up};
pub(crate) use crate::vector::LANES;
use crate::vector::{Instructions, Vectorised, prefetch, vectorised};

/// Polygons that one task packs.
const TASK: usize = 1024;
/// Polygons between asking for vertices and reading them.
const AHEAD: usize = 8;

/// What the filter knows of a polygon besides its vertices.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Head {
    /// The grid point that the vertices count from.
    pub(crate) anchor: [i32; 2],
    /// At least the magnitude of each coordinate of each vertex, in quanta.
    pub(crate) radius: f32,
    /// Bound on the error of each coordinate of each vertex, in quanta.
    pub(crate) error: f32,
    /// Vertices, each counted once.
    pub(crate) vertex_count: u32,
}

/// A polygon of at most [`LANES`] vertices.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Small {
    pub(crate) x: [f32; LANES + 1],
    pub(crate) y: [f32; LANES + 1],
    pub(crate) head: Head,
    padding: u32,
}

/// A part of a polygon of any number of vertices: two of them hold the head, the others x, then y.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Part([f32; LANES]);

/// The polygons of one side of a join.
#[derive(Debug)]
pub(crate) enum Records {
    /// None has more than [`LANES`] vertices.
    Small {
        records: Vec<Small>,
        /// The most vertices of any.
        vertex_count: usize,
    },
    /// Any number of vertices.
    Large(Large),
}

/// Polygons of any number of vertices, one after the other.
#[derive(Debug)]
pub(crate) struct Large {
    parts: Vec<Part>,
    /// First part of each polygon, and one more entry: the count.
    offsets: Vec<u32>,
    /// Of any of them.
    pub(crate) most_vertices: usize,
}

/// One polygon of [`Large`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) head: &'a Head,
    /// A number a vertex, and the first one's again; at least `LANES + 1`.
    pub(crate) x: &'a [f32],
    pub(crate) y: &'a [f32],
}

/// Parts of a polygon: two rows behind the head.
fn part_count(vertex_count: usize) -> usize {
    1 + (2 * row_length(vertex_count)).div_ceil(LANES)
}

/// Numbers in a row.
fn row_length(vertex_count: usize) -> usize {
    vertex_count.max(LANES) + 1
}

/// What records are made of.
#[derive(Clone, Copy)]
struct Source<'a> {
    pieces: Pieces<'a>,
    /// Those of the set's pieces, in the set's own order.
    boxes: &'a [Aabb],
    grid: Grid,
}

impl Records {
    /// Packs the pieces of a set; `boxes` are those of the set's pieces, in the set's own order. With `large`, as any
    /// number of vertices even where all are small.
    pub(crate) fn new(pieces: Pieces<'_>, boxes: &[Aabb], grid: Grid, large: bool) -> Self {
        let source = Source { pieces, boxes, grid };
        let most = most_vertices(pieces.set);
        if most <= LANES && !large {
            let mut records = zeroed_vec(pieces.count());
            records.par_chunks_mut(TASK).enumerate().for_each(|(task, out)| {
                vectorised(PackSmall { source, first: task * TASK, out });
            });
            return Self::Small { records, vertex_count: most };
        }
        let mut offsets = Vec::with_capacity(pieces.count() + 1);
        offsets.push(0);
        let mut end = 0u32;
        offsets.extend((0..pieces.count()).map(|slot| {
            end += part_count(pieces.set.piece_vertices(pieces.id(slot)).len()) as u32;
            end
        }));
        let mut parts = zeroed_vec(end as usize);
        let mut runs = Vec::with_capacity(pieces.count().div_ceil(TASK));
        let mut rest = parts.as_mut_slice();
        for first in (0..pieces.count()).step_by(TASK) {
            let slots = first..(first + TASK).min(pieces.count());
            let (run, tail) = rest.split_at_mut((offsets[slots.end] - offsets[first]) as usize);
            runs.push((slots, run));
            rest = tail;
        }
        runs.into_par_iter().for_each(|(slots, out)| {
            vectorised(PackLarge { source, slots, offsets: &offsets, out });
        });
        Self::Large(Large { parts, offsets, most_vertices: most })
    }
}

impl Large {
    /// Where a polygon lies in memory.
    #[inline(always)]
    pub(crate) fn parts(&self, slot: u32) -> &[Part] {
        &self.parts[self.offsets[slot as usize] as usize..self.offsets[slot as usize + 1] as usize]
    }

    #[inline(always)]
    pub(crate) fn get(&self, slot: u32) -> View<'_> {
        let numbers: &[f32] = cast_slice(self.parts(slot));
        let (head, rows) = numbers.split_at(LANES);
        let head: &Head = bytemuck::from_bytes(cast_slice(&head[..5]));
        let (x, rest) = rows.split_at(row_length(head.vertex_count as usize));
        View { head, x, y: &rest[..x.len()] }
    }
}

/// The most vertices of any shape of a set.
pub(crate) fn most_vertices(set: &PolygonSet) -> usize {
    (0..set.shape_count()).into_par_iter().map(|s| set.shape_vertices(s).len()).max().unwrap_or(0)
}

/// Asks for the vertices of a piece that is packed soon: they lie anywhere.
#[inline(always)]
fn ask_ahead(pieces: Pieces<'_>, slot: usize) {
    if slot + 2 * AHEAD < pieces.count() {
        pieces.set.prefetch_piece(pieces.id(slot + 2 * AHEAD));
    }
    if slot + AHEAD < pieces.count() {
        prefetch(pieces.set.piece_vertices(pieces.id(slot + AHEAD)));
    }
}

/// Pieces to pack from `first` on, as many as there is room for.
struct PackSmall<'a> {
    source: Source<'a>,
    first: usize,
    out: &'a mut [Small],
}

impl Vectorised for PackSmall<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, _: I) {
        let Source { pieces, boxes, grid } = self.source;
        for (slot, record) in (self.first..).zip(self.out) {
            ask_ahead(pieces, slot);
            let piece = pieces.id(slot);
            let place = Place::new(pieces.set.piece_pose(piece), &boxes[piece], grid);
            record.head = place.vertices(pieces.set.piece_vertices(piece), &mut record.x, &mut record.y);
        }
    }
}

/// Pieces to pack in turn.
struct PackLarge<'a> {
    source: Source<'a>,
    slots: Range<usize>,
    offsets: &'a [u32],
    out: &'a mut [Part],
}

impl Vectorised for PackLarge<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(mut self, _: I) {
        let Source { pieces, boxes, grid } = self.source;
        for slot in self.slots {
            ask_ahead(pieces, slot);
            let (out, tail) = self.out.split_at_mut((self.offsets[slot + 1] - self.offsets[slot]) as usize);
            self.out = tail;
            let piece = pieces.id(slot);
            let place = Place::new(pieces.set.piece_pose(piece), &boxes[piece], grid);
            let vertices = pieces.set.piece_vertices(piece);
            let (head, rows) = out.split_at_mut(1);
            let (x, rest) = cast_slice_mut::<Part, f32>(rows).split_at_mut(row_length(vertices.len()));
            let packed = place.vertices(vertices, x, &mut rest[..x.len()]);
            cast_slice_mut::<Part, f32>(head)[..5].copy_from_slice(cast_slice(bytes_of(&packed)));
        }
    }
}

/// Where a piece goes.
struct Place {
    pose: Option<Pose>,
    anchor: IVec2,
    /// Where the anchor lies in the world: exact.
    origin: DVec2,
    /// Quanta in the caller's unit: exact, of a power of two.
    per_unit: f64,
}

impl Place {
    #[inline(always)]
    fn new(pose: Pose, aabb: &Aabb, grid: Grid) -> Self {
        let anchor = grid.anchor((aabb.min + aabb.max) * 0.5);
        let pose = (pose != Pose::IDENTITY).then_some(pose);
        Self { pose, anchor, origin: grid.position(anchor), per_unit: 1.0 / grid.quantum }
    }

    /// Rounds the vertices into `x` and `y`, around and around until these are full.
    #[inline(always)]
    fn vertices(&self, vertices: &[DVec2], x: &mut [f32], y: &mut [f32]) -> Head {
        let mut rounding = 0.0f64;
        let mut extent = 0.0f64;
        let mut magnitude = 0.0f64;
        for ((v, x), y) in vertices.iter().zip(x.iter_mut()).zip(y.iter_mut()) {
            let placed = match self.pose {
                None => *v,
                Some(pose) => {
                    magnitude = magnitude.max(v.abs().element_sum() + pose.translation().abs().max_element());
                    pose.apply(*v)
                }
            };
            let local = (placed - self.origin) * self.per_unit;
            let rounded = local.as_vec2();
            (*x, *y) = (rounded.x, rounded.y);
            let off = (rounded.as_dvec2() - local).abs();
            rounding = greater(greater(off.x, off.y), rounding);
            let size = local.abs();
            extent = greater(greater(size.x, size.y), extent);
        }
        for k in vertices.len()..x.len() {
            (x[k], y[k]) = (x[k - vertices.len()], y[k - vertices.len()]);
        }
        // The subtraction in f64 is off by half an ulp; turning and moving by 2^-51 of the sum of what goes in.
        let error =
            rounding * (1.0 + 1e-15) + extent * f64::EPSILON + magnitude * self.per_unit * 2f64.powi(-50);
        Head {
            anchor: self.anchor.to_array(),
            radius: round_up(extent + rounding),
            error: round_up(error),
            vertex_count: vertices.len() as u32,
        }
    }
}

/// The greater of two numbers that are not NaN: one instruction, which `f64::max` is not.
#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
