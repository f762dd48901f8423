//! Chooses the resolution of the grid over the polygons.

use glam::DVec2;

use super::raster::Frame;
use crate::base::parallel::prelude::*;
use crate::geometry::Aabb;
use crate::packed::grid::exponent_of;

/// The greatest magnitude of the coordinates of a grid's origin, in cells. The coordinates stay below this limit. Up to
/// this coordinate, f64 holds the corner of every cell exactly.
pub(super) const MOST_ORIGIN: f64 = (1u64 << 49) as f64;
/// A cell is divided only if the margin of every piece is at most this length, in cells of the dividing grid. The margin of a
/// piece covers the rounding errors of its vertices ([`super::raster::margin`]).
pub(super) const MOST_MARGIN: f64 = 1.0 / 256.0;

/// Limits on the size of an index: its cells, and the entries that the cells list.
pub(super) struct Budget {
    /// The limit on the number of cells of the whole grid ([`root_frame`]). The grids that divide cells do not count.
    pub(super) root: f64,
    /// The limit on the number of all cells and entries. Grids divide cells only within this limit.
    pub(super) all: usize,
}

impl Budget {
    pub(super) fn of(pieces: usize, vertices: usize, points: usize) -> Self {
        let least = 4 * pieces;
        let root = (points / 8).clamp(least, CELLS_A_PIECE * pieces) + vertices / 2 + 1024;
        // Both limits are at most half of the range of 32-bit indices.
        Self { root: root.min(1 << 29) as f64, all: (8 * root + 4 * vertices).min(1 << 31) }
    }
}

/// The number of boxes that one task handles.
const TASK: usize = 1024;

/// The limit on the number of cells of the whole grid grows with the number of points, but by at most this many cells
/// for each piece. The vertices of the pieces add to the limit, too.
const CELLS_A_PIECE: usize = 64;

/// Returns the whole grid. The search for the size of the cells starts with cells larger than `extent`, and halves them
/// while all of these limits hold:
///
/// - The grid has at most `budget` cells.
/// - The boxes meet at most about `2 * budget` cells in total. A single box has no such limit.
/// - A cell is at least 1024 times as long as `error`.
/// - The origin is less than [`MOST_ORIGIN`] cells from 0 on each axis.
pub(super) fn root_frame(boxes: &[Aabb], extent: Aabb, error: f64, budget: f64) -> Frame {
    let at = |exponent: i32| {
        let per_unit = power_of_two(-exponent);
        // The grid is shifted by a fraction of a cell, so that edges on a lattice do not lie on the borders of cells.
        let shift = |corner: DVec2| {
            let bits = if corner.abs().max_element() < 2f64.powi(34) { 25033.0 / 65536.0 } else { 0.375 };
            corner - 1.0 - bits
        };
        let origin = shift((extent.min * per_unit).floor());
        let size = (extent.max * per_unit - origin).floor() + 2.0;
        Frame { per_unit, origin, columns: size.x as u32, rows: size.y as u32 }
    };
    let is_fine = |frame: &Frame| {
        let cell_count = f64::from(frame.columns) * f64::from(frame.rows);
        let cells = |aabb: &Aabb| {
            let size = (aabb.max - aabb.min) * frame.per_unit + 1.5;
            size.x * size.y
        };
        // The parts of the sum do not depend on the number of threads, so the rounded sum does not either.
        let cells_of_all = || {
            let tasks = boxes.par_chunks(TASK).map(|boxes| boxes.iter().map(cells).sum::<f64>());
            tasks.collect().iter().sum::<f64>()
        };
        frame.origin.abs().max_element() < MOST_ORIGIN
            && error * frame.per_unit <= MOST_MARGIN / 4.0
            && cell_count <= budget
            && (boxes.len() == 1 || cells_of_all() <= 2.0 * budget)
    };
    // Starts with cells that are larger than the extent, and not too small relative to its distance from the origin.
    let size = (extent.max - extent.min).max_element();
    let magnitude = extent.min.abs().max(extent.max.abs()).max_element();
    let mut exponent = (exponent_of(size) + 1).max(exponent_of(magnitude) - 48);
    while is_fine(&at(exponent - 1)) {
        exponent -= 1;
    }
    at(exponent)
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}
