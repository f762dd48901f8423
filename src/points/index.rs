//! The grid in which the code looks up points. Each cell lists the edges and pieces that a point in the cell is
//! compared with.
//!
//! For each piece that meets a cell, the cell lists the edges of the piece that meet the cell, or records that the cell lies
//! inside the piece. A point of the cell is in the piece if and only if the point is not to the right of any listed edge. Proof:
//! let `r` be a point of the cell outside the piece, and `s` a point of both the cell and the piece. The cell is convex, so the
//! segment from `s` to `r` lies in the cell. The segment leaves the piece through an edge. The edge meets the cell, so the cell
//! lists it, and `r` is to the right of this edge.
//!
//! The code therefore usually compares a point with one or two edges, whatever the number of vertices. A cell that
//! lists many edges is subdivided by its own grid. The list of pieces that contain the whole cell remains in the cell
//! itself. A budget limits the number of cells and entries. To stay within the budget, the index uses larger cells, or
//! leaves crowded cells undivided.

mod work;

use glam::DVec2;

use super::direct::{self, error_of};
use super::filter::{EdgeError, Sided, Sides, side};
use super::raster::{Frame, Ring, margin};
use super::resolution::{Budget, MOST_MARGIN, MOST_ORIGIN, root_frame};
use crate::base::error::{Error, Result};
use crate::base::parallel::prelude::*;
use crate::geometry::{Aabb, Piece, PolygonSet, Pose};
use work::{Divided, Work, put};

/// The number of spare entries at the end of the list of entries, so that several entries can be read at once.
const SPARE: usize = 4;
/// A cell is divided by its own grid if it has more than this number of entries with an edge.
const CROWDED: usize = 24;
/// The base-2 logarithm of the greatest number of cells on a side of a grid that divides a cell.
const MOST_SHIFT: u32 = 5;
/// The greatest number of levels of grids, each of which divides a cell of the level above.
const MOST_LEVELS: usize = 8;
/// The number of pieces that one task distributes over the cells of the grid.
const TASK: usize = 64;

/// A piece that meets a cell, with an edge against which the points of the cell are tested.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// The index of the piece that meets the cell.
    pub(super) piece: u32,
    /// An edge of the piece, given by the index of its first vertex in `PointIndex::vertices`. The value is
    /// [`Entry::INSIDE`] if the cell lies inside the piece, so that no edge is tested. No point of the piece is to the
    /// right of the edge.
    pub(super) edge: u32,
}

impl Entry {
    pub(super) const INSIDE: u32 = u32::MAX;
}

/// A cell: a range of entries, sorted by piece.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    first: u32,
    /// The number of entries of the cell. If the cell is divided, the highest bit is set too, and one more entry follows: its
    /// `piece` is the index of the grid that divides the cell.
    count: u32,
}

impl Cell {
    const DIVIDED: u32 = 1 << 31;
}

/// A grid: the whole grid over all polygons, or a grid that divides a cell.
#[derive(Clone, Copy, Debug)]
struct Node {
    frame: Frame,
    /// The index of the grid's first cell in the list of all cells.
    first_cell: u32,
}

/// The search index of a set of polygons for queries of points: a grid whose cells list edges and pieces.
#[derive(Debug)]
pub(super) struct PointIndex<'a> {
    pub(super) set: &'a PolygonSet,
    /// The vertices of each piece in world coordinates. The first vertex of a piece is repeated at the end, so edge `k` goes from
    /// vertex `k` to vertex `k + 1`.
    vertices: Vec<DVec2>,
    /// The index of the first vertex of each piece, and the number of all vertices.
    ring_starts: Vec<u32>,
    /// For each piece, the bound on the error of its coordinates. The list is empty if all vertices are exact.
    errors: Vec<f64>,
    /// The whole grid, then the grids that divide cells. The grids are sorted by their first cells.
    nodes: Vec<Node>,
    cells: Vec<Cell>,
    entries: Vec<Entry>,
}

/// An entry that is not yet in the list of entries, and the cell that it belongs to.
#[derive(Clone, Copy)]
struct Placed {
    cell: u32,
    entry: Entry,
}

impl<'a> PointIndex<'a> {
    /// Builds the index of a set for about `point_count` points. The grid is coarser for fewer points. The cells leave out the
    /// pieces of the [`PolygonSet::crossed_objects`].
    ///
    /// # Errors
    /// Returns the error of [`PolygonSet::check_pieces`], except an [`Error::Object`]. Returns [`Error::TooMany`] if
    /// the vertices of all pieces or the entries of all cells do not fit 32-bit indices.
    pub(super) fn new(set: &'a PolygonSet, point_count: usize) -> Result<Self> {
        match set.check_pieces() {
            // An object that cannot be split is a crossed object, and the cells leave out its pieces.
            Err(Error::Object { .. }) => {}
            checked => checked?,
        }
        let boxes = set.piece_boxes();
        let mut index = Self::without_cells(set)?;
        // Cell 0 is for points outside the grid. It has no entries.
        index.cells.push(Cell::default());
        index.entries.resize(SPARE, Entry::default());
        let extent = Aabb::around_all(&boxes);
        if set.piece_count() == 0 {
            return Ok(index);
        }
        let budget = Budget::of(set.piece_count(), index.vertices.len(), point_count);
        let frame = root_frame(&boxes, extent, index.errors.iter().copied().fold(0.0, f64::max), budget.root);
        index.nodes.push(Node { frame, first_cell: 1 });
        let tasks = (0..set.piece_count().div_ceil(TASK)).into_par_iter();
        let placed: Vec<Vec<Placed>> = tasks.collect_init(Work::default, |work, task| {
            let mut placed = Vec::new();
            for piece in task * TASK..set.piece_count().min((task + 1) * TASK) {
                if !set.is_piece_crossed(piece) {
                    index.spread(piece as u32, frame, work, &mut placed);
                }
            }
            placed
        });
        let (count, limit) = (placed.iter().map(Vec::len).sum(), Cell::DIVIDED as usize);
        if count > limit {
            return Err(Error::TooMany { items: "edges in grid cells", count, limit });
        }
        let cell_count = frame.columns as usize * frame.rows as usize;
        let mut next = vec![0u32; cell_count + 1];
        for placed in placed.iter().flatten() {
            next[placed.cell as usize + 1] += 1;
        }
        index.cells.reserve(cell_count);
        for cell in 0..cell_count {
            index.cells.push(Cell { first: next[cell], count: next[cell + 1] });
            next[cell + 1] += next[cell];
        }
        index.entries.resize(next[cell_count] as usize, Entry::default());
        for placed in placed.iter().flatten() {
            let place = &mut next[placed.cell as usize];
            index.entries[*place as usize] = placed.entry;
            *place += 1;
        }
        drop(placed);
        index.divide(budget.all, &boxes);
        index.entries.resize(index.entries.len() + SPARE, Entry::default());
        Ok(index)
    }

    /// Returns an index without pieces.
    pub(super) fn without_pieces(set: &'a PolygonSet) -> Self {
        Self {
            set,
            vertices: Vec::new(),
            ring_starts: vec![0],
            errors: Vec::new(),
            nodes: Vec::new(),
            cells: vec![Cell::default()],
            entries: vec![Entry::default(); SPARE],
        }
    }

    /// Returns an index of all pieces that has no cells yet. Returns [`Error::TooMany`] if the vertices do not fit 32-bit indices.
    fn without_cells(set: &'a PolygonSet) -> Result<Self> {
        let count = set.piece_count();
        let lengths = || (0..count).map(|piece| set.piece_vertices(piece).len() + 1);
        let total: usize = lengths().sum();
        let limit = u32::MAX as usize - 1;
        if total > limit {
            return Err(Error::TooMany { items: "vertices of all pieces", count: total, limit });
        }
        let mut ring_starts = Vec::with_capacity(count + 1);
        let mut next = 0;
        ring_starts.push(0);
        ring_starts.extend(lengths().map(|length| {
            next += length as u32;
            next
        }));
        let mut vertices = Vec::with_capacity(total);
        let mut errors = Vec::new();
        for piece in 0..count {
            let pose = set.piece_pose(piece);
            let ring = set.piece_vertices(piece);
            if pose == Pose::IDENTITY {
                vertices.extend_from_slice(ring);
            } else {
                vertices.extend(ring.iter().map(|&v| pose.apply(v)));
                errors.resize(count, 0.0);
                errors[piece] = error_of(set.piece(piece));
            }
            vertices.push(vertices[ring_starts[piece] as usize]);
        }
        Ok(Self {
            set,
            vertices,
            ring_starts,
            errors,
            nodes: Vec::new(),
            cells: Vec::new(),
            entries: Vec::new(),
        })
    }

    /// Returns the number of bytes of all cells, entries and grids.
    #[cfg(all(test, feature = "scenes"))]
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.cells[..]) + size_of_val(&self.entries[..]) + size_of_val(&self.nodes[..])
    }

    fn error(&self, piece: u32) -> f64 {
        self.errors.get(piece as usize).copied().unwrap_or(0.0)
    }

    /// Converts the vertices of a piece to positions in cells of `frame`. Stores the positions in `work`, and the
    /// margin that covers their errors.
    fn localise(&self, piece: u32, frame: Frame, work: &mut Work) {
        let ring = self.ring_starts[piece as usize] as usize..self.ring_starts[piece as usize + 1] as usize;
        work.local.clear();
        work.local.extend(self.vertices[ring].iter().map(|&v| frame.local(v)));
        let radius = work.local.iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
        work.margin = margin(radius, self.error(piece) * frame.per_unit);
    }

    /// Distributes a piece over the cells of the grid `frame`, and appends the entries of these cells to `placed`.
    fn spread(&self, piece: u32, frame: Frame, work: &mut Work, placed: &mut Vec<Placed>) {
        self.localise(piece, frame, work);
        let start = self.ring_starts[piece as usize];
        let ring = Ring { frame, vertices: &work.local, margin: work.margin };
        ring.cells(&mut work.scratch, |cell, edges| put(placed, cell, piece, start, edges));
    }

    /// Divides cells with many edges, level by level, while the budget allows it.
    fn divide(&mut self, budget: usize, boxes: &[Aabb]) {
        let mut from = 1;
        for _ in 0..MOST_LEVELS {
            let crowded: Vec<u32> = (from..self.cells.len())
                .into_par_iter()
                .filter_map(|number| {
                    let cell = self.cells[number];
                    let is_crowded = cell.count as usize > CROWDED && self.cut_entries(cell) > CROWDED;
                    is_crowded.then_some(number as u32)
                })
                .collect();
            from = self.cells.len();
            // The chunks are small, so few grids are built in vain because the budget is used up.
            for crowded in crowded.chunks(1024) {
                if self.entries.len() + self.cells.len() >= budget {
                    return;
                }
                let made = crowded.par_iter().collect_init(Work::default, |work, &cell| {
                    self.divided(cell, self.node_of(cell), boxes, work)
                });
                for (&cell, divided) in crowded.iter().zip(made) {
                    let Some(divided) = divided else { continue };
                    let size = divided.entries.len() + divided.cells.len();
                    if self.entries.len() + self.cells.len() + size < budget {
                        self.adopt(cell, divided);
                    }
                }
            }
        }
    }

    /// Returns the grid that a cell belongs to.
    fn node_of(&self, cell: u32) -> Node {
        self.nodes[self.nodes.partition_point(|node| node.first_cell <= cell) - 1]
    }

    /// Returns the number of entries of a cell that have an edge.
    fn cut_entries(&self, cell: Cell) -> usize {
        self.list(cell).iter().filter(|entry| entry.edge != Entry::INSIDE).count()
    }

    #[inline(always)]
    fn list(&self, cell: Cell) -> &[Entry] {
        &self.entries[cell.first as usize..][..(cell.count & !Cell::DIVIDED) as usize]
    }

    /// Returns the grid that divides a cell. Returns `None` if a grid would not help, or if f64 cannot distinguish the
    /// cells of the grid.
    fn divided(&self, cell: u32, parent: Node, boxes: &[Aabb], work: &mut Work) -> Option<Divided> {
        let local = cell - parent.first_cell;
        let list = self.list(self.cells[cell as usize]);
        let cut = self.cut_entries(self.cells[cell as usize]);
        let shift = (cut.ilog2() / 2 + 1).min(MOST_SHIFT);
        let parts = f64::from(1u32 << shift);
        let corner =
            DVec2::new(f64::from(local % parent.frame.columns), f64::from(local / parent.frame.columns));
        let frame = Frame {
            per_unit: parent.frame.per_unit * parts,
            origin: (parent.frame.origin + corner) * parts,
            columns: 1 << shift,
            rows: 1 << shift,
        };
        let cell_count = 1usize << (2 * shift);
        let fits = frame.origin.abs().max_element() < MOST_ORIGIN && frame.per_unit.is_finite();
        if !fits {
            return None;
        }
        let mut placed = Vec::new();
        for of_piece in list.chunk_by(|a, b| a.piece == b.piece) {
            if of_piece[0].edge == Entry::INSIDE {
                continue;
            }
            let piece = of_piece[0].piece;
            let aabb = boxes[piece as usize];
            let (least, most) = (frame.local(aabb.min), frame.local(aabb.max));
            if least.max_element() > parts + 1.0 || most.min_element() < -1.0 {
                continue;
            }
            self.localise(piece, frame, work);
            if work.margin > MOST_MARGIN {
                return None;
            }
            let start = self.ring_starts[piece as usize];
            let edges = of_piece.iter().map(|entry| entry.edge - start);
            let ring = Ring { frame, vertices: &work.local, margin: work.margin };
            let is_inside = |row, column| self.is_left_of_all(of_piece, frame.centre(row, column));
            ring.cells_by_edges(edges, &mut work.scratch, is_inside, |cell, edges| {
                put(&mut placed, cell, piece, start, edges)
            });
            // If the listed edges meet in about one point, each new cell near this point has as many entries as the divided cell.
            if placed.len() > cell_count * cut {
                return None;
            }
        }
        let names_edge = |placed: &&Placed| placed.entry.edge != Entry::INSIDE;
        if placed.iter().filter(names_edge).count() * 4 > 3 * cell_count * cut {
            return None;
        }
        let mut next = vec![0u32; cell_count + 1];
        for placed in &placed {
            next[placed.cell as usize + 1] += 1;
        }
        let mut cells = Vec::with_capacity(cell_count);
        for cell in 0..cell_count {
            cells.push(Cell { first: next[cell], count: next[cell + 1] });
            next[cell + 1] += next[cell];
        }
        let mut entries = vec![Entry::default(); placed.len()];
        for placed in placed {
            let place = &mut next[placed.cell as usize];
            entries[*place as usize] = placed.entry;
            *place += 1;
        }
        Some(Divided { frame, cells, entries })
    }

    /// Returns whether the position `place` is on the left of the edge of every entry. Entries without an edge do not
    /// count.
    fn is_left_of_all(&self, entries: &[Entry], place: DVec2) -> bool {
        entries.iter().all(|&entry| match self.filter(entry, place) {
            Sided::Left => true,
            Sided::Right => false,
            Sided::Uncertain => self.exact_side(entry, place) >= 0.0,
        })
    }

    /// Attaches the grid `divided` to the cell that it divides. The cell itself keeps only the pieces that contain the
    /// whole cell.
    fn adopt(&mut self, cell: u32, divided: Divided) {
        let first_cell = self.cells.len() as u32;
        let first_entry = self.entries.len() as u32;
        let Cell { first, count } = self.cells[cell as usize];
        let mut kept = first;
        for i in first..first + count {
            let entry = self.entries[i as usize];
            if entry.edge == Entry::INSIDE {
                self.entries[kept as usize] = entry;
                kept += 1;
            }
        }
        // The entries that were removed leave room for the entry that names the grid.
        self.entries[kept as usize] = Entry { piece: self.nodes.len() as u32, edge: 0 };
        self.cells[cell as usize].count = (kept - first) | Cell::DIVIDED;
        self.nodes.push(Node { frame: divided.frame, first_cell });
        self.cells
            .extend(divided.cells.iter().map(|c| Cell { first: c.first + first_entry, count: c.count }));
        self.entries.extend(divided.entries);
    }

    /// Returns the side of an entry's edge on which a point lies, or [`Sided::Uncertain`] if f64 cannot decide it.
    #[inline(always)]
    pub(super) fn filter(&self, entry: Entry, point: DVec2) -> Sided {
        let [p, q] = self.vertices[entry.edge as usize..][..2] else { return Sided::Uncertain };
        if self.errors.is_empty() {
            side(p, q, point, EdgeError::NONE)
        } else {
            side(p, q, point, EdgeError(self.errors[entry.piece as usize]))
        }
    }

    /// Returns the exact side of a point relative to an entry's edge: positive on the left, 0 on the line, negative on the
    /// right.
    #[cold]
    #[inline(never)]
    pub(super) fn exact_side(&self, entry: Entry, point: DVec2) -> f64 {
        let piece = entry.piece as usize;
        let ring = self.set.piece_vertices(piece);
        let edge = (entry.edge - self.ring_starts[piece]) as usize;
        let vertices = [ring[edge], ring[(edge + 1) % ring.len()]];
        direct::exact_side(point, Piece { vertices: &vertices, pose: self.set.piece_pose(piece) })
    }

    /// Returns the index of the cell of the whole grid that contains a point. A point outside the grid is in the empty cell 0.
    #[inline(always)]
    pub(super) fn cell_at(&self, point: DVec2) -> u32 {
        let Some(Node { frame, first_cell }) = self.nodes.first() else { return 0 };
        let local = frame.local(point);
        let (columns, rows) = (f64::from(frame.columns), f64::from(frame.rows));
        let is_within = (local.x >= 0.0) & (local.y >= 0.0) & (local.x < columns) & (local.y < rows);
        // If the point is outside the grid, this index may be wrong, but it is not used.
        let cell = (local.y as u32).wrapping_mul(frame.columns).wrapping_add(local.x as u32);
        if is_within { first_cell + cell } else { 0 }
    }

    /// Prefetches a cell.
    #[inline(always)]
    pub(super) fn prefetch_cell(&self, cell: u32) {
        crate::simd::prefetch(&self.cells[cell as usize]);
    }

    /// Returns the index of the first entry and the number of entries of a cell. For a divided cell, the number is at least 2^31.
    #[inline(always)]
    pub(super) fn run_of(&self, cell: u32) -> (u32, usize) {
        let Cell { first, count } = self.cells[cell as usize];
        (first, count as usize)
    }

    /// Returns the `N` entries from index `first` on. Some of the entries may belong to following cells.
    #[inline(always)]
    pub(super) fn some_entries<const N: usize>(&self, first: u32) -> &[Entry; N] {
        self.entries[first as usize..].first_chunk().expect("there are spare entries after the last")
    }

    /// Returns the `count` entries from index `first` on. Returns `None` if there are fewer entries. The count that
    /// [`PointIndex::run_of`] returns for a divided cell is so large that the result is `None`.
    #[inline(always)]
    pub(super) fn more_entries(&self, first: u32, count: usize) -> Option<&[Entry]> {
        self.entries.get(first as usize..first as usize + count)
    }

    /// Prefetches the vertices of an entry's edge.
    #[inline(always)]
    pub(super) fn prefetch_edge(&self, entry: Entry) {
        crate::simd::prefetch_at(&self.vertices, entry.edge as usize);
    }

    /// Returns whether the vertices of some pieces are rounded, because these pieces have poses.
    #[inline(always)]
    pub(super) fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Returns the side of an entry's edge on which a point lies, as flags that are computed without a branch. An entry
    /// without an edge counts as left.
    #[inline(always)]
    pub(super) fn sides<const POSED: bool>(&self, entry: Entry, point: DVec2) -> Sides {
        let is_inside = entry.edge == Entry::INSIDE;
        let edge = if is_inside { 0 } else { entry.edge as usize };
        let (p, q) = (self.vertices[edge], self.vertices[edge + 1]);
        let error = if POSED { EdgeError(self.errors[entry.piece as usize]) } else { EdgeError::NONE };
        let sides = super::filter::sides::<POSED>(p, q, point, error);
        Sides { is_left: sides.is_left | is_inside, is_uncertain: sides.is_uncertain & !is_inside }
    }

    /// Returns the entries of a cell. If a grid divides the cell, also returns the index of that grid's cell that
    /// contains the point. Otherwise, the second value is `None`.
    #[inline(always)]
    pub(super) fn entries(&self, cell: u32, point: DVec2) -> (&[Entry], Option<u32>) {
        let record = self.cells[cell as usize];
        let list = self.list(record);
        if record.count & Cell::DIVIDED == 0 {
            return (list, None);
        }
        let node = self.entries[record.first as usize + list.len()].piece;
        (list, Some(self.cell_within(node, point)))
    }

    #[inline(never)]
    fn cell_within(&self, node: u32, point: DVec2) -> u32 {
        let Node { frame, first_cell } = self.nodes[node as usize];
        let local = frame.local(point);
        // Rounding may place a point just outside the grid. The point then belongs to the nearest cell.
        let at = |x: f64, count: u32| x.clamp(0.0, f64::from(count - 1)) as u32;
        first_cell + at(local.y, frame.rows) * frame.columns + at(local.x, frame.columns)
    }
}
