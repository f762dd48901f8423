//! Finds the points that may be near polygons, with a grid that records which cells meet a box of a polygon.
//!
//! Most points of a large table are often far from all polygons of a small one. Leaving these points out takes a few nanoseconds
//! for each point.

use glam::DVec2;

use super::cells::Cells;
use crate::answers::points::{FirstHits, PointJoin};
use crate::base::parallel::prelude::*;
use crate::geometry::{Aabb, PolygonSet};

/// The approximate number of cells per box.
const CELLS_A_BOX: usize = 256;
/// The grid has at least and at most this many cells on a side.
const SIDES: [usize; 2] = [64, 2048];
/// If the boxes meet too many cells, the next grid has this many times fewer cells on a side.
const COARSER: usize = 4;
/// The number of words that may be written for each box, on average.
const WORDS_A_BOX: usize = 8;
/// The number of points that one task looks up.
const TASK: usize = 1 << 13;
/// If there are fewer points than this number for each box, looking up the points saves little time.
const LEAST_POINTS_A_BOX: usize = 4;
/// One of this many points is looked up first. If most of these points may be in a box, all points are decided. The number is a
/// prime, so the sample does not favour one part of a regular order.
const SAMPLED: usize = 61;

/// The points that may be in a box, and their indices among all points, in ascending order. All other points are certainly
/// outside all boxes.
#[derive(Debug)]
pub(super) struct Covered {
    pub(super) indices: Vec<u32>,
    pub(super) positions: Vec<DVec2>,
}

impl Covered {
    /// Returns whether looking up the points may save time.
    pub(super) fn may_pay(points: usize, boxes: usize) -> bool {
        points >= LEAST_POINTS_A_BOX.saturating_mul(boxes) && u32::try_from(points).is_ok()
    }

    /// Returns the points that may be in one of the boxes. Returns `None` if most points may be, or if [`Covered::may_pay`] returns
    /// `false`. The coordinates must be finite.
    pub(super) fn by<P: Into<DVec2> + Copy + Sync>(points: &[P], boxes: &[Aabb]) -> Option<Self> {
        if !Self::may_pay(points.len(), boxes.len()) {
            return None;
        }
        let grid = CoveredCells::of(boxes);
        let sample = || points.iter().step_by(SAMPLED);
        if 2 * sample().filter(|point| grid.may_cover((**point).into())).count() > sample().count() {
            return None;
        }
        let parts = points.par_chunks(TASK).enumerate().map(|(task, points)| {
            let start = (task * TASK) as u32;
            let kept = (start..).zip(points).filter(|(_, point)| grid.may_cover((**point).into()));
            kept.map(|(index, _)| index).collect::<Vec<u32>>()
        });
        let indices: Vec<u32> = parts.collect().concat();
        if indices.len() > points.len() / 2 {
            return None;
        }
        let positions = indices.iter().map(|&point| points[point as usize].into()).collect();
        Some(Self { indices, positions })
    }

    /// Returns the points that may be in an object of a set, as [`Covered::by`] does.
    pub(super) fn by_objects<P: Into<DVec2> + Copy + Sync>(points: &[P], set: &PolygonSet) -> Option<Self> {
        match set.outlined() {
            Some(outlined) => Self::by(points, outlined.outlines.boxes()),
            None if Self::may_pay(points.len(), set.piece_count()) => Self::by(points, &set.piece_boxes()),
            None => None,
        }
    }

    /// Changes the answers for these points into the answers for all `count` points.
    pub(super) fn extend(&self, join: &mut PointJoin, count: usize) {
        let of_all = |point: u32| self.indices[point as usize];
        for pair in join.pairs.iter_mut().flatten() {
            pair.point = of_all(pair.point);
        }
        if let Some(first) = &mut join.first {
            let mut all = vec![FirstHits::NONE; count];
            for (&point, &object) in self.indices.iter().zip(&first.0) {
                all[point as usize] = object;
            }
            *first = FirstHits(all);
        }
    }
}

/// A grid over boxes. A bit for each cell records whether a box meets the cell.
#[derive(Debug)]
struct CoveredCells {
    /// The cells of the box around all boxes.
    cells: Cells,
    /// The bits of the cells. A row begins with a new word.
    words: Vec<u64>,
}

impl CoveredCells {
    /// Builds the grid over `boxes`. If they meet too many cells of each grid, the result is one cell, the box around all boxes.
    fn of(boxes: &[Aabb]) -> Self {
        let [least, most] = SIDES;
        let mut side = CELLS_A_BOX.saturating_mul(boxes.len()).isqrt().clamp(least, most);
        loop {
            if let Some(grid) = Self::with_side(boxes, side) {
                return grid;
            }
            side = if side / COARSER < least { 1 } else { side / COARSER };
        }
    }

    /// Builds the grid with `side` cells on a side. Returns `None` if the boxes meet too many cells. With one cell, returns a grid.
    fn with_side(boxes: &[Aabb], side: usize) -> Option<Self> {
        let cells = Cells::new(Aabb::around_all(boxes), side as u32);
        let mut grid = Self { cells, words: vec![0; side * side.div_ceil(64)] };
        let mut left = WORDS_A_BOX * boxes.len() + grid.words.len();
        for &aabb in boxes {
            left = left.checked_sub(grid.mark(aabb))?;
        }
        Some(grid)
    }

    /// Returns the index of the first word of a row.
    #[inline]
    fn row_start(&self, row: u32) -> usize {
        (row * self.cells.side.div_ceil(64)) as usize
    }

    /// Marks all cells that a box meets. Returns the number of words that were written.
    fn mark(&mut self, aabb: Aabb) -> usize {
        // An enlarged empty box is empty, too.
        if !aabb.meets(aabb) {
            return 0;
        }
        let ([left, bottom], [right, top]) = (self.cells.of(aabb.min), self.cells.of(aabb.max));
        let (first, last) = (left / 64, right / 64);
        for row in bottom..=top {
            let start = self.row_start(row);
            for word in first..=last {
                let mut bits = u64::MAX;
                if word == first {
                    bits &= u64::MAX << (left % 64);
                }
                if word == last {
                    bits &= u64::MAX >> (63 - right % 64);
                }
                self.words[start + word as usize] |= bits;
            }
        }
        ((top - bottom + 1) * (last - first + 1)) as usize
    }

    /// Returns whether a box may contain the point. If the result is `false`, the point is certainly outside all boxes.
    #[inline]
    fn may_cover(&self, point: DVec2) -> bool {
        if !self.cells.meet(Aabb { min: point, max: point }) {
            return false;
        }
        let [column, row] = self.cells.of(point);
        self.words[self.row_start(row) + (column / 64) as usize] >> (column % 64) & 1 == 1
    }
}

#[cfg(all(test, feature = "scenes"))]
#[allow(clippy::unwrap_used, reason = "a failed test panics")]
mod tests {
    use super::*;
    use crate::kernels::test_scenes::Random;

    /// Returns squares with sides up to `size`, at random places in a square of side `scale` whose lower left corner is `corner`.
    fn squares(random: &mut Random, count: usize, scale: f64, size: f64, corner: f64) -> PolygonSet {
        let ring = |_| {
            let [x, y] = [random.unit(), random.unit()].map(|unit| corner + scale * unit);
            let side = size * (0.1 + 0.9 * random.unit());
            [[x, y], [x + side, y], [x + side, y + side], [x, y + side]]
        };
        PolygonSet::from_convex_rings(&(0..count).map(ring).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn points_in_boxes_are_kept_and_most_others_are_not() {
        let mut random = Random(11);
        for (count, scale, size, corner) in [
            (1, 1.0, 1e-3, 0.0),
            (300, 1.0, 1e-3, 0.0),
            (300, 1e9, 1e5, -4e9),
            (3000, 1e-38, 1e-42, 1e-40),
            (5000, 360.0, 0.01, -180.0),
            (1000, 1.0, 1e-4, 0.5),
        ] {
            let mut boxes = squares(&mut random, count, scale, size, corner).piece_aabbs();
            if corner == 0.5 {
                // Strips meet many cells of a row.
                boxes.iter_mut().for_each(|aabb| aabb.max.x = aabb.min.x + 0.6 * scale);
            }
            let width = boxes.iter().map(|aabb| aabb.max.x - aabb.min.x).fold(0.0, f64::max);
            let place = |random: &mut Random| {
                corner - 0.5 * scale + 2.0 * scale * DVec2::new(random.unit(), random.unit())
            };
            let mut points: Vec<DVec2> = (0..40_000).map(|_| place(&mut random)).collect();
            points.extend(boxes.iter().take(500).flat_map(|aabb| {
                [aabb.min, aabb.max, DVec2::new(aabb.min.x, aabb.max.y), 0.5 * (aabb.min + aabb.max)]
            }));
            let Covered { indices, positions } = Covered::by(&points, &boxes).unwrap();
            assert!(indices.is_sorted());
            assert!(indices.len() < points.len() / 3, "{} of {} points", indices.len(), points.len());
            assert!(indices.iter().zip(&positions).all(|(&index, point)| points[index as usize] == *point));
            let mut by_left = boxes.clone();
            by_left.sort_by(|one, other| one.min.x.total_cmp(&other.min.x));
            for (index, &point) in points.iter().enumerate() {
                let end = by_left.partition_point(|aabb| aabb.min.x <= point.x);
                let start = by_left.partition_point(|aabb| aabb.min.x < point.x - 1.01 * width);
                let is_in =
                    by_left[start..end].iter().any(|aabb| aabb.covers(Aabb { min: point, max: point }));
                let is_kept = indices.binary_search(&(index as u32)).is_ok();
                assert!(is_kept || !is_in, "point {index} at {point}, {count} squares");
            }
        }
    }

    #[test]
    fn large_infinite_and_empty_boxes_are_accepted() {
        let mut random = Random(12);
        let points: Vec<DVec2> = (0..100_000).map(|_| DVec2::new(random.unit(), random.unit())).collect();
        let kept = |boxes: &[Aabb]| Covered::by(&points, boxes).map(|covered| covered.indices.len());
        // Thousands of boxes that each meet most cells.
        let large = squares(&mut random, 5000, 0.1, 2.0, 0.0).piece_aabbs();
        assert_eq!(CoveredCells::of(&large).cells.side, 1);
        assert_eq!(kept(&large), None);
        for reach in [1e150, 1e300, f64::MAX, f64::INFINITY] {
            let aabb = Aabb { min: DVec2::splat(-reach), max: DVec2::splat(reach) };
            assert_eq!(kept(&[aabb]), None, "{reach}");
        }
        let grown = Aabb { min: DVec2::splat(f64::MAX), max: DVec2::splat(-f64::MAX) };
        for empty in [&[][..], &[Aabb::EMPTY], &[grown], &[grown, Aabb::EMPTY]] {
            assert_eq!(kept(empty), Some(0), "{empty:?}");
        }
        let first = Aabb { min: points[0], max: points[0] };
        assert!(kept(&[Aabb::EMPTY, first]).is_some_and(|count| (1..100).contains(&count)));
        assert!(Covered::by(&points[..3], &[first]).is_none(), "few points are not looked up");
    }
}
