//! Finds the cells of a grid that the edges of a convex ring meet, and the cells inside the ring. A margin covers every
//! rounding error. The result for a cell is therefore valid for every point that is assigned to the cell.

use std::ops::Range;

use glam::DVec2;

/// A grid of square cells. Cell (i, j) contains the points whose [`Frame::local`] is from (i, j) to below (i + 1, j + 1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The number of cells per unit of length, a power of two.
    pub(super) per_unit: f64,
    /// The corner of the first cell, in cells. f64 holds it exactly, because its coordinates are at most about
    /// [`MOST_ORIGIN`](super::resolution::MOST_ORIGIN).
    pub(super) origin: DVec2,
    pub(super) columns: u32,
    pub(super) rows: u32,
}

impl Frame {
    /// Returns the position of a point in cells, relative to the corner of the first cell. The result is rounded once.
    #[inline(always)]
    pub(super) fn local(&self, p: DVec2) -> DVec2 {
        p * self.per_unit - self.origin
    }

    /// Returns the exact centre of a cell.
    pub(super) fn centre(&self, row: u32, column: u32) -> DVec2 {
        (self.origin + DVec2::new(f64::from(column), f64::from(row)) + 0.5) / self.per_unit
    }
}

/// Returns the margin around a cell, in cells. `radius` bounds the coordinates of the vertices relative to the frame's
/// corner, and `error` bounds their errors.
///
/// Half of the margin covers the sum of four errors:
///
/// - the rounding of a point into the frame;
/// - the rounding of a vertex into the frame;
/// - the error of the vertex itself;
/// - the rounding of a clip: a difference, a quotient, a product and a sum, each at most `2^-53 radius`.
///
/// The sum is below `2^-49 radius + error`.
pub(super) fn margin(radius: f64, error: f64) -> f64 {
    2f64.powi(-20) + 2f64.powi(-48) * radius + 2.0 * error
}

/// A convex ring whose cells are searched for. The coordinates are relative to a frame, in cells.
#[derive(Clone, Copy)]
pub(super) struct Ring<'a> {
    pub(super) frame: Frame,
    /// The vertices of the ring, in cells. The first vertex is repeated at the end.
    pub(super) vertices: &'a [DVec2],
    /// The margin around a cell that covers the rounding errors, in cells. [`margin`] returns it.
    pub(super) margin: f64,
}

/// Buffers that are reused from ring to ring.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The pairs of a cell and an edge that comes within four margins of the cell. A pair has the cell in the upper half,
    /// and the index of the edge, shifted by one bit, in the lower half. The lowest bit is set if the edge comes within one
    /// margin.
    touches: Vec<u64>,
    /// For each row of cells, the first and the last column that an edge of the ring passes, without a margin.
    spans: Vec<[i64; 2]>,
    edges: Vec<u32>,
}

/// Receives a cell, by its index in the frame, and the edges that a point in the cell must be tested against. The edges
/// are `None` if the cell lies inside the ring.
pub(super) trait Emit: FnMut(u32, Option<&[u32]>) {}
impl<F: FnMut(u32, Option<&[u32]>)> Emit for F {}

// The emitted edges decide every point of a cell in spite of rounding. There are two cases:
//
// 1. An edge comes within one margin of the cell. Then all edges within four margins are emitted. The ring and the grown
//    cell have a common point, so a point of the cell is inside the ring if and only if it is on the left of all emitted
//    edges.
// 2. No edge comes within one margin of the cell. Then no exact edge comes within half a margin, so the whole cell is
//    inside the ring or the whole cell is outside.
impl Ring<'_> {
    /// Calls `emit` with every cell that the ring meets, row by row.
    pub(super) fn cells(&self, scratch: &mut Scratch, mut emit: impl Emit) {
        let rows = self.rows();
        self.touch(0..self.vertices.len() as u32 - 1, rows.clone(), scratch);
        let Scratch { touches, spans, edges } = scratch;
        let mut touches = touches.as_slice();
        let last = i64::from(self.frame.columns) - 1;
        for (row, &[left, right]) in rows.zip(spans.iter()) {
            let mut column = left.saturating_add(1).max(0);
            let start = row * self.frame.columns;
            // The ring is convex, so a cell that no edge meets is inside if it is between two points of the ring in the
            // same row.
            loop {
                let touched = touches
                    .first()
                    .map(|&touch| cell_of(touch))
                    .filter(|cell| cell / self.frame.columns == row);
                let end = touched.map_or(last + 1, |cell| i64::from(cell - start)).min(right.min(last + 1));
                while column < end {
                    emit(start + column as u32, None);
                    column += 1;
                }
                let Some(cell) = touched else { break };
                match take(&mut touches, cell, edges) {
                    true => emit(cell, Some(edges)),
                    false if left < i64::from(cell - start) && i64::from(cell - start) < right => {
                        emit(cell, None)
                    }
                    false => {}
                }
                column = column.max(i64::from(cell - start) + 1);
            }
        }
    }

    /// Calls `emit` with every cell that the ring meets. `edges` must determine the inside of the ring in the frame: every
    /// point of the frame that is on the left of all these edges must be inside the ring. `is_inside(row, column)` returns
    /// whether the centre of a cell is inside the ring.
    pub(super) fn cells_by_edges(
        &self,
        edges: impl Iterator<Item = u32>,
        scratch: &mut Scratch,
        mut is_inside: impl FnMut(u32, u32) -> bool,
        mut emit: impl Emit,
    ) {
        let rows = self.rows();
        self.touch(edges, rows.clone(), scratch);
        let (least, most) = self.extent();
        let last = f64::from(self.frame.columns - 1);
        // `touch` lists cells within four margins of an edge, so the columns within this reach include all listed cells.
        let reach = 4.0 * self.margin;
        if most.x + reach < 0.0 || least.x - reach >= last + 1.0 {
            return;
        }
        let at = |x: f64| x.floor().clamp(0.0, last) as u32;
        let columns = at(least.x - reach)..=at(most.x + reach);
        let Scratch { touches, edges, .. } = scratch;
        let mut touches = touches.as_slice();
        for row in rows {
            // Neighbouring cells that no edge meets are either all inside or all outside, so one test decides them.
            let mut known = None;
            for column in columns.clone() {
                let cell = row * self.frame.columns + column;
                if take(&mut touches, cell, edges) {
                    known = None;
                    emit(cell, Some(edges));
                } else if *known.get_or_insert_with(|| is_inside(row, column)) {
                    emit(cell, None);
                }
            }
        }
    }

    fn extent(&self) -> (DVec2, DVec2) {
        let start = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        self.vertices.iter().fold(start, |(least, most), &v| (least.min(v), most.max(v)))
    }

    /// Returns the rows of cells that the ring meets if the ring is enlarged by four margins.
    fn rows(&self) -> Range<u32> {
        let (least, most) = self.extent();
        self.rows_between(least.y, most.y)
    }

    fn rows_between(&self, least: f64, most: f64) -> Range<u32> {
        let end = f64::from(self.frame.rows);
        let first = (least - 4.0 * self.margin).floor().clamp(0.0, end);
        let last = ((most + 4.0 * self.margin).floor() + 1.0).clamp(0.0, end);
        first as u32..last as u32
    }

    /// Lists each pair of a cell and an edge that comes within four margins of the cell, sorted by cell. Also computes the
    /// spans of `rows`.
    fn touch(&self, edges: impl Iterator<Item = u32>, rows: Range<u32>, scratch: &mut Scratch) {
        scratch.touches.clear();
        scratch.spans.clear();
        scratch.spans.resize(rows.len(), NO_SPAN);
        let last = i64::from(self.frame.columns) - 1;
        for edge in edges {
            let (mut a, mut b) = (self.vertices[edge as usize], self.vertices[edge as usize + 1]);
            if b.y < a.y {
                (a, b) = (b, a);
            }
            for row in self.rows_between(a.y, b.y) {
                let span = |margins: f64| {
                    let margin = margins * self.margin;
                    let (low, high) = (f64::from(row) - margin, f64::from(row) + 1.0 + margin);
                    if b.y < low || a.y > high {
                        return NO_SPAN;
                    }
                    let [left, right] = clip(a, b, low, high);
                    [(left - margin).floor() as i64, (right + margin).floor() as i64]
                };
                let (wide, near, sure) = (span(4.0), span(1.0), span(0.0));
                let of_row = &mut scratch.spans[(row - rows.start) as usize];
                *of_row = [of_row[0].min(sure[0]), of_row[1].max(sure[1])];
                for column in wide[0].max(0)..=wide[1].min(last) {
                    let is_near = near[0] <= column && column <= near[1];
                    let cell = row * self.frame.columns + column as u32;
                    scratch.touches.push(u64::from(cell) << 32 | u64::from(edge) << 1 | u64::from(is_near));
                }
            }
        }
        crate::base::sorting::sort_unstable(&mut scratch.touches);
    }
}

const NO_SPAN: [i64; 2] = [i64::MAX, i64::MIN];

/// Returns the least and the greatest x of a segment between two heights. `a` must not be above `b`, and a part of the segment
/// must be between the heights.
#[inline(always)]
fn clip(a: DVec2, b: DVec2, low: f64, high: f64) -> [f64; 2] {
    let (left, right) = (a.x.min(b.x), a.x.max(b.x));
    let at = |y: f64| (a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y))).clamp(left, right);
    let x = if a.y < low { at(low) } else { a.x };
    let z = if b.y > high { at(high) } else { b.x };
    [x.min(z), x.max(z)]
}

fn cell_of(touch: u64) -> u32 {
    (touch >> 32) as u32
}

/// Removes the edges of a cell from the front of `touches`, and stores them in `edges`. Returns whether one of these
/// edges meets the cell grown by one margin.
fn take(touches: &mut &[u64], cell: u32, edges: &mut Vec<u32>) -> bool {
    edges.clear();
    let mut is_near = false;
    while let Some((&touch, rest)) = touches.split_first().filter(|(touch, _)| cell_of(**touch) == cell) {
        edges.push((touch as u32) >> 1);
        is_near |= touch & 1 == 1;
        *touches = rest;
    }
    is_near
}
