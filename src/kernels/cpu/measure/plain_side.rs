//! One side of a list of pairs, for pieces without poses. The slices of its set are looked up once for the whole list,
//! and not for each pair.

use glam::DVec2;

use super::super::direct::Polygons;
use super::pair::{Internal, MeasuredPair};
use crate::geometry::PolygonSet;

/// The number of cache lines that are prefetched for the vertices of a piece.
const LINES: usize = 3;

/// The pieces of one side of a list of pairs. `vertices` and `internal` are slices of the whole set, from which the slices
/// of a piece are taken.
#[derive(Clone, Copy)]
pub(super) struct PlainSide<'a> {
    set: &'a PolygonSet,
    polygons: Polygons<'a>,
    vertices: &'a [DVec2],
    internal: Internal<'a>,
}

impl<'a> PlainSide<'a> {
    pub(super) fn new(set: &'a PolygonSet) -> Self {
        let set = set.made();
        let (vertices, internal) = (set.all_vertices(), set.all_internal_edges());
        Self { set, polygons: Polygons::of(set), vertices, internal }
    }

    #[inline(always)]
    fn shape(self, piece: u32) -> u32 {
        self.set.piece_shape(piece as usize) as u32
    }

    /// Prefetches the offset of a piece, from which the position of its vertices follows.
    #[inline(always)]
    pub(super) fn prefetch_offset(self, piece: u32) {
        self.set.prefetch_piece(piece as usize);
    }

    /// Prefetches the vertices of a piece.
    #[inline(always)]
    pub(super) fn prefetch_vertices(self, piece: u32) {
        self.polygons.prefetch_vertices(self.shape(piece), LINES);
    }

    /// Returns the pair of piece `i` of this side and piece `j` of the side `other`.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn pair(self, other: Self, [i, j]: [u32; 2]) -> MeasuredPair<'a> {
        let (a, b) = (self.polygons.range(self.shape(i)), other.polygons.range(other.shape(j)));
        let vertices = [&self.vertices[a.clone()], &other.vertices[b.clone()]];
        let internal = [self.internal.map(|marks| &marks[a]), other.internal.map(|marks| &marks[b])];
        MeasuredPair::plain(vertices, internal)
    }
}
