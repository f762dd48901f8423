//! Divides a box into cells, for grids over points and over boxes.

use glam::DVec2;

use crate::geometry::Aabb;

/// The cells of a box, in rows of equal length.
#[derive(Debug)]
pub(super) struct Cells {
    extent: Aabb,
    per_unit: DVec2,
    /// The number of cells in a row, and the number of rows.
    pub(super) side: u32,
}

impl Cells {
    /// Divides `extent` into `side` rows of `side` cells.
    pub(super) fn new(extent: Aabb, side: u32) -> Self {
        // With an infinite size, the scale is 0. With a tiny size, it is infinite. Rounding may then put many points into one cell.
        let scale = |size: f64| if size > 0.0 { f64::from(side) / size } else { 0.0 };
        let size = extent.max - extent.min;
        Self { extent, per_unit: DVec2::new(scale(size.x), scale(size.y)), side }
    }

    /// Returns the column and the row of a point. Both are monotone functions of the coordinates, in spite of rounding. A point outside
    /// has a cell, too.
    #[inline]
    pub(super) fn of(&self, point: DVec2) -> [u32; 2] {
        let local = (point - self.extent.min) * self.per_unit;
        [local.x, local.y].map(|x| (x as u32).min(self.side - 1))
    }

    /// Returns whether the divided box meets another box.
    #[inline]
    pub(super) fn meet(&self, aabb: Aabb) -> bool {
        self.extent.meets(aabb)
    }
}
