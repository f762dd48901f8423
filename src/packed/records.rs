//! The polygons of one side of a join, stored contiguously in memory, in the layout that the fast filter reads.
//!
//! Vertices are posed in f64, and rounded to f32 relative to the polygon's anchor (see [`crate::packed::grid`]), in quanta. A row
//! holds the x or the y coordinates of a polygon and repeats the first vertex at its end: edge `k` goes from vertex `k` to vertex
//! `k + 1`. If a polygon has fewer edges than a register has lanes, its vertices repeat, so every lane has a real edge.

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};
use glam::{DVec2, IVec2};

use crate::base::error::{Error, Result};
use crate::base::large_pages::ask_for_large_pages;
use crate::base::parallel::prelude::*;
use crate::geometry::{Aabb, Pieces, PolygonSet, Pose};
use crate::packed::grid::{Grid, round_up};
pub(crate) use crate::simd::LANES;
use crate::simd::{
    DOUBLES, DoubleInstructions, Doubles, Instructions, OnDoubles, Vectorised, greater, has_doubles,
    on_doubles, prefetch, vectorised,
};

/// The number of polygons that one task packs.
const TASK: usize = 1024;
/// Prefetch distance in polygons: vertices are prefetched this many polygons before they are read.
const AHEAD: usize = 8;

/// The data of a polygon that the filter reads, without the vertices.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Head {
    /// The anchor: the grid point to which the vertices are relative.
    pub(crate) anchor: [i32; 2],
    /// An upper bound on the magnitude of each coordinate of each vertex, in quanta.
    pub(crate) radius: f32,
    /// The bound on the error of each coordinate of each vertex, in quanta.
    pub(crate) error: f32,
    /// The number of vertices of the polygon.
    pub(crate) vertex_count: u32,
}

/// The record of a polygon with at most [`LANES`] vertices.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Small {
    pub(crate) x: [f32; LANES + 1],
    pub(crate) y: [f32; LANES + 1],
    pub(crate) head: Head,
    padding: u32,
}

/// A cache line, filled with coordinates of vertices.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct Line([f32; LINE]);

const LINE: usize = 2 * LANES;

/// The polygons of one side of a join, in one of two layouts.
#[derive(Debug)]
pub(crate) enum Records {
    /// The layout for polygons with at most [`LANES`] vertices.
    Small {
        records: Vec<Small>,
        /// The greatest number of vertices of all polygons of the side.
        vertex_count: usize,
    },
    /// The layout for polygons with any number of vertices.
    Large(Large),
}

/// Polygons with any number of vertices.
#[derive(Debug)]
pub(crate) struct Large {
    heads: Vec<LargeHead>,
    /// The vertices in cache lines. Each polygon has a row of x coordinates, followed by a row of y coordinates.
    lines: Vec<Line>,
    /// The greatest number of vertices of all polygons in the list.
    pub(crate) most_vertices: usize,
}

/// The data of a polygon of [`Large`], without its vertices.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct LargeHead {
    head: Head,
    /// The index of the first line of the polygon in [`Large::lines`].
    line: u32,
}

/// One polygon of [`Large`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) head: &'a Head,
    /// The x coordinate of each vertex, then of the first vertices again. The length is at least `LANES + 1`.
    pub(crate) x: &'a [f32],
    /// The y coordinate of each vertex, in the same order as the x coordinates.
    pub(crate) y: &'a [f32],
}

/// Returns the number of cache lines that both rows of a polygon take.
fn line_count(vertex_count: usize) -> usize {
    (2 * row_length(vertex_count)).div_ceil(LINE)
}

/// Returns the number of coordinates in a row of a polygon.
fn row_length(vertex_count: usize) -> usize {
    vertex_count.max(LANES) + 1
}

/// The data from which records are packed.
#[derive(Clone, Copy)]
struct Source<'a> {
    pieces: Pieces<'a>,
    /// The boxes of the set's pieces, in the order of the set.
    boxes: &'a [Aabb],
    grid: Grid,
}

impl Records {
    /// Packs the pieces of a set, or returns [`Error::TooMany`] or [`Error::OutOfMemory`]. `boxes` are the pieces' boxes, in the
    /// order of the set. If `large` is set, all polygons get the layout for any number of vertices.
    pub(crate) fn new(
        pieces: Pieces<'_>,
        boxes: &[Aabb],
        grid: Grid,
        large: bool,
        buffers: Buffers,
    ) -> Result<Self> {
        let source = Source { pieces, boxes, grid };
        let most = most_vertices(pieces.set);
        if most <= LANES && !large {
            let mut records = sized(buffers.small, pieces.count())?;
            records.par_chunks_mut(TASK).enumerate().for_each(|(task, out)| {
                let pack = PackSmall { source, first: task * TASK, out };
                if has_doubles() && pieces.set.is_static() { on_doubles(pack) } else { vectorised(pack) }
            });
            return Ok(Self::Small { records, vertex_count: most });
        }
        let lines_of = |piece| line_count(pieces.set.piece_vertices(piece).len());
        // Pieces that share a few shapes can have far more vertices than the shapes.
        let count: usize = (0..pieces.count()).map(lines_of).sum();
        let line = u32::try_from(count).map_err(|_| Error::TooMany {
            items: "runs of 8 vertices of all pieces together",
            count,
            limit: u32::MAX as usize,
        })?;
        let mut heads: Vec<LargeHead> = sized(buffers.heads, pieces.count())?;
        let mut lines = sized(buffers.lines, count)?;
        let mut next = 0;
        for (piece, head) in heads.iter_mut().enumerate() {
            head.line = next;
            next += lines_of(piece) as u32;
        }
        let ends: Vec<u32> = heads.chunks(TASK).skip(1).map(|heads| heads[0].line).chain([line]).collect();
        let mut runs = Vec::with_capacity(ends.len());
        let (mut rest, mut start) = (lines.as_mut_slice(), 0);
        for ((task, heads), end) in heads.chunks_mut(TASK).enumerate().zip(ends) {
            let (lines, tail) = rest.split_at_mut((end - start) as usize);
            runs.push(PackLarge { source, first: task * TASK, heads, lines });
            (rest, start) = (tail, end);
        }
        let is_standing = has_doubles() && pieces.set.is_static();
        runs.into_par_iter().for_each(|run| if is_standing { on_doubles(run) } else { vectorised(run) });
        Ok(Self::Large(Large { heads, lines, most_vertices: most }))
    }
}

impl Records {
    /// Returns the head of a polygon: its data without the vertices.
    pub(crate) fn head(&self, piece: u32) -> &Head {
        match self {
            Self::Small { records, .. } => &records[piece as usize].head,
            Self::Large(large) => &large.heads[piece as usize].head,
        }
    }
}

impl Records {
    /// Prefetches a small polygon, or the head of a large polygon.
    #[inline(always)]
    pub(crate) fn prefetch(&self, piece: u32) {
        match self {
            Self::Small { records, .. } => prefetch(&records[piece as usize]),
            Self::Large(large) => large.prefetch_head(piece),
        }
    }
}

impl Small {
    /// Returns the record of a polygon. The vertices are in quanta, relative to the anchor.
    #[cfg(all(test, feature = "sim"))]
    pub(crate) fn new(head: Head, x: [f32; LANES + 1], y: [f32; LANES + 1]) -> Self {
        Self { x, y, head, padding: 0 }
    }

    #[inline(always)]
    pub(crate) fn view(&self) -> View<'_> {
        View { head: &self.head, x: &self.x, y: &self.y }
    }
}

impl Large {
    /// Prefetches the head of a polygon, which contains the position of its vertices.
    #[inline(always)]
    pub(crate) fn prefetch_head(&self, piece: u32) {
        prefetch(&self.heads[piece as usize]);
    }

    /// Prefetches the vertices of a polygon.
    #[inline(always)]
    pub(crate) fn prefetch_vertices(&self, piece: u32) {
        let LargeHead { head, line } = &self.heads[piece as usize];
        prefetch(&self.lines[*line as usize..*line as usize + line_count(head.vertex_count as usize)]);
    }

    #[inline(always)]
    pub(crate) fn get(&self, piece: u32) -> View<'_> {
        let LargeHead { head, line } = &self.heads[piece as usize];
        let rows: &[f32] = cast_slice(&self.lines[*line as usize..]);
        let length = row_length(head.vertex_count as usize);
        View { head, x: &rows[..length], y: &rows[length..2 * length] }
    }
}

/// The memory of records. Reuse is faster, because the first access to fresh pages takes as long as filling them.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    small: Vec<Small>,
    heads: Vec<LargeHead>,
    lines: Vec<Line>,
}

impl From<Records> for Buffers {
    fn from(records: Records) -> Self {
        match records {
            Records::Small { records, .. } => Self { small: records, ..Self::default() },
            Records::Large(Large { heads, lines, .. }) => Self { heads, lines, ..Self::default() },
        }
    }
}

/// Returns a vector of `count` values, or [`Error::OutOfMemory`]. The caller must overwrite all values.
fn sized<T: Pod>(mut values: Vec<T>, count: usize) -> Result<Vec<T>> {
    if values.capacity() < count {
        let needed_bytes = count.saturating_mul(size_of::<T>());
        values = Vec::new();
        crate::base::memory::try_reserve_exact(&mut values, count)
            .map_err(|_| Error::OutOfMemory { needed_bytes })?;
        // Pairs read records in any order, so large pages help.
        ask_for_large_pages(&mut values);
    }
    values.resize(count, T::zeroed());
    Ok(values)
}

/// Returns the greatest number of vertices of a shape of a set.
pub(crate) fn most_vertices(set: &PolygonSet) -> usize {
    (0..set.shape_count())
        .into_par_iter()
        .with_light_work()
        .map(|s| set.shape_vertices(s).len())
        .reduce_with(usize::max)
        .unwrap_or(0)
}

/// Prefetches the vertices of a piece that will be packed soon.
#[inline(always)]
fn prefetch_ahead(pieces: Pieces<'_>, piece: usize) {
    if piece + 2 * AHEAD < pieces.count() {
        pieces.set.prefetch_piece(piece + 2 * AHEAD);
    }
    if piece + AHEAD < pieces.count() {
        prefetch(pieces.set.piece_vertices(piece + AHEAD));
    }
}

/// Packs small pieces from piece `first` on, until all records in the task's memory are filled.
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
        for (piece, record) in (self.first..).zip(self.out) {
            prefetch_ahead(pieces, piece);
            let place = Place::new(pieces.set.piece_pose(piece), &boxes[piece], grid);
            record.head = place.vertices(pieces.set.piece_vertices(piece), &mut record.x, &mut record.y);
        }
    }
}

/// Packs pieces without poses.
impl OnDoubles for PackSmall<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: DoubleInstructions>(self, i: I) {
        let Source { pieces, boxes, grid } = self.source;
        for (piece, record) in (self.first..).zip(self.out) {
            prefetch_ahead(pieces, piece);
            let place = Place::new(Pose::IDENTITY, &boxes[piece], grid);
            record.head =
                place.standing_vertices(i, pieces.set.shape_vertices(piece), &mut record.x, &mut record.y);
        }
    }
}

/// Packs large pieces from piece `first` on, until all heads are filled.
struct PackLarge<'a> {
    source: Source<'a>,
    first: usize,
    heads: &'a mut [LargeHead],
    lines: &'a mut [Line],
}

impl PackLarge<'_> {
    /// Packs the pieces. `vertices` rounds the vertices of a piece into two rows.
    #[inline(always)]
    fn pack(self, vertices: impl Fn(&Place, &[DVec2], &mut [f32], &mut [f32]) -> Head) {
        let Source { pieces, boxes, grid } = self.source;
        let mut rest = self.lines;
        for (piece, head) in (self.first..).zip(self.heads) {
            prefetch_ahead(pieces, piece);
            let place = Place::new(pieces.set.piece_pose(piece), &boxes[piece], grid);
            let of_piece = pieces.set.piece_vertices(piece);
            let (lines, tail) = rest.split_at_mut(line_count(of_piece.len()));
            rest = tail;
            let (x, rows) = cast_slice_mut(lines).split_at_mut(row_length(of_piece.len()));
            head.head = vertices(&place, of_piece, x, &mut rows[..x.len()]);
        }
    }
}

impl Vectorised for PackLarge<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, _: I) {
        self.pack(|place, vertices, x, y| place.vertices(vertices, x, y));
    }
}

/// Packs pieces without poses.
impl OnDoubles for PackLarge<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: DoubleInstructions>(self, i: I) {
        self.pack(|place, vertices, x, y| place.standing_vertices(i, vertices, x, y));
    }
}

/// The data for the conversion of a piece's vertices to its record.
struct Place {
    pose: Option<Pose>,
    anchor: IVec2,
    /// The exact position of the anchor in the world.
    origin: DVec2,
    /// The number of quanta per unit of length of the caller. It is exact, because a quantum is a power of two.
    per_unit: f64,
}

impl Place {
    #[inline(always)]
    fn new(pose: Pose, aabb: &Aabb, grid: Grid) -> Self {
        let anchor = grid.anchor((aabb.min + aabb.max) * 0.5);
        let pose = (pose != Pose::IDENTITY).then_some(pose);
        Self { pose, anchor, origin: grid.position(anchor), per_unit: 1.0 / grid.quantum }
    }

    /// Rounds the vertices into `x` and `y`, repeats them until the rows are full, and returns the head.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
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
        self.head(vertices.len(), rounding, extent, magnitude)
    }

    /// Rounds the vertices of a piece without a pose, eight at a time, with the result of [`Place::vertices`].
    #[inline(always)]
    fn standing_vertices<I: DoubleInstructions>(
        &self,
        i: I,
        vertices: &[DVec2],
        x: &mut [f32],
        y: &mut [f32],
    ) -> Head {
        const { assert!(LANES == DOUBLES) }
        let count = vertices.len();
        let per_unit = i.doubles(self.per_unit);
        let (origin_x, origin_y) = (i.doubles(self.origin.x), i.doubles(self.origin.y));
        let (mut rounding, mut extent) = (i.doubles(0.0), i.doubles(0.0));
        for start in (0..count).step_by(DOUBLES) {
            // If the last vertices do not fill a block, the block begins earlier. A small piece repeats its vertices.
            let at = start.min(count.saturating_sub(DOUBLES));
            let [v_x, v_y] = if count < DOUBLES { i.around(vertices, count) } else { i.points(vertices, at) };
            let (local_x, local_y) = (v_x.sub(origin_x).mul(per_unit), v_y.sub(origin_y).mul(per_unit));
            let rounded = |local: I::Doubles, row: &mut [f32]| {
                local.rounded_into(row[at..].first_chunk_mut().expect("a row is longer than a block"))
            };
            let (rounded_x, rounded_y) = (rounded(local_x, x), rounded(local_y, y));
            let off = rounded_x.sub(local_x).greater_magnitude(rounded_y.sub(local_y));
            rounding = rounding.max(off);
            extent = extent.max(local_x.greater_magnitude(local_y));
        }
        let last = count.max(DOUBLES);
        (x[last], y[last]) = (x[last % count], y[last % count]);
        self.head(count, rounding.greatest(), extent.greatest(), 0.0)
    }

    /// Returns the head, from the greatest rounding error, coordinate (both in quanta) and sum of the terms of a pose.
    #[inline(always)]
    fn head(&self, vertex_count: usize, rounding: f64, extent: f64, magnitude: f64) -> Head {
        // The subtraction adds half an ulp of f64. The pose adds 2^-51 times the sum of the magnitudes of its terms.
        let error =
            rounding * (1.0 + 1e-15) + extent * f64::EPSILON + magnitude * self.per_unit * 2f64.powi(-50);
        Head {
            anchor: self.anchor.to_array(),
            radius: round_up(extent + rounding),
            error: round_up(error),
            vertex_count: vertex_count as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Plain, on_doubles_or_plain};

    #[test]
    fn pieces_packed_side_by_side_are_those_packed_one_vertex_after_the_other() {
        let point = |k: usize| DVec2::new(0.754_877_666, 0.569_840_291) * k as f64;
        let ring = |count: usize, k: usize| -> Vec<[f64; 2]> {
            let angle = |v: usize| (v as f64 + 0.3) / count as f64 * std::f64::consts::TAU;
            let scale = 10f64.powi(k as i32 % 7 - 3);
            (0..count)
                .map(|v| (DVec2::from_angle(angle(v)) * scale + point(k).fract() * 1e3).to_array())
                .collect()
        };
        let packed = |most: usize, pack: fn(PackSmall<'_>), pack_large: fn(PackLarge<'_>)| {
            let rings: Vec<_> = (0..2000).map(|k| ring(3 + k % (most - 2), k)).collect();
            let set = PolygonSet::from_convex_rings(&rings).expect("convex");
            let (pieces, boxes) = (Pieces::of(&set), set.piece_boxes());
            let grid = Grid::over(Aabb::around_all(&boxes));
            let source = Source { pieces, boxes: &boxes, grid };
            if most <= LANES {
                let mut out = vec![Small::default(); rings.len()];
                pack(PackSmall { source, first: 0, out: &mut out });
                assert!(out.iter().all(|record| record.head.radius > 0.0 && record.head.error > 0.0));
                return bytemuck::cast_slice::<_, u8>(&out).to_vec();
            }
            let mut heads = vec![LargeHead::default(); rings.len()];
            let mut lines = vec![Line::default(); rings.iter().map(|ring| line_count(ring.len())).sum()];
            pack_large(PackLarge { source, first: 0, heads: &mut heads, lines: &mut lines });
            assert!(heads.iter().all(|head| head.head.radius > 0.0 && head.head.error > 0.0));
            [bytemuck::cast_slice::<_, u8>(&heads), bytemuck::cast_slice(&lines)].concat()
        };
        for most in [8, 40] {
            let one_by_one = packed(
                most,
                |pack| Vectorised::run(pack, Plain::<false>),
                |pack| Vectorised::run(pack, Plain::<false>),
            );
            let plain = packed(
                most,
                |pack| OnDoubles::run(pack, Plain::<false>),
                |pack| OnDoubles::run(pack, Plain::<false>),
            );
            assert!(plain == one_by_one, "{most}");
            let found = packed(most, |pack| on_doubles_or_plain(pack), |pack| on_doubles_or_plain(pack));
            assert!(found == one_by_one, "{most}");
        }
    }
}
