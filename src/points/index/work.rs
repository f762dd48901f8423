//! Buffers for building the index of polygons for queries of points.

use glam::DVec2;

use super::{Cell, Entry, Placed};
use crate::points::raster::{Frame, Scratch};

/// The grid of a divided cell. Its cells and entries are numbered from 0.
pub(super) struct Divided {
    pub(super) frame: Frame,
    pub(super) cells: Vec<Cell>,
    pub(super) entries: Vec<Entry>,
}

/// The buffers that a task reuses for each piece that it distributes over cells.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) local: Vec<DVec2>,
    pub(super) margin: f64,
    pub(super) scratch: Scratch,
}

pub(super) fn put(placed: &mut Vec<Placed>, cell: u32, piece: u32, start: u32, edges: Option<&[u32]>) {
    match edges {
        None => placed.push(Placed { cell, entry: Entry { piece, edge: Entry::INSIDE } }),
        Some(edges) => {
            placed
                .extend(edges.iter().map(|edge| Placed { cell, entry: Entry { piece, edge: start + edge } }));
        }
    }
}
