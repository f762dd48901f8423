//! Finds the boxes that may contain points, with a grid that records which cells contain points.

use glam::DVec2;

use super::cells::Cells;
use crate::base::parallel::prelude::*;
use crate::geometry::Aabb;

/// The approximate number of cells per point in the grid over the points.
const CELLS_A_POINT: usize = 4;
/// The grid over the points has at most this many cells on a side.
const MOST_SIDE: usize = 1 << 11;
/// At most this many cells are looked up for one box. A box that meets more cells is assumed to contain a point.
const MOST_CELLS: u32 = 64;
/// The number of boxes that one task tests.
const TASK: usize = 1 << 12;

/// A grid over points. Each cell records whether it contains a point.
#[derive(Debug)]
pub(super) struct OccupiedCells {
    /// The cells of the box around all points.
    cells: Cells,
    /// Whether each cell contains a point.
    are_occupied: Vec<bool>,
}

impl OccupiedCells {
    /// Builds the grid over `points`. The coordinates of the points must be finite.
    pub(super) fn of<P: Into<DVec2> + Copy>(points: &[P]) -> Self {
        let extent = points.iter().map(|&point| point.into()).fold(Aabb::EMPTY, |extent, point: DVec2| {
            Aabb { min: extent.min.min(point), max: extent.max.max(point) }
        });
        let side = (CELLS_A_POINT * points.len()).isqrt().clamp(1, MOST_SIDE);
        let cells = Cells::new(extent, side as u32);
        let mut are_occupied = vec![false; side * side];
        for &point in points {
            let [column, row] = cells.of(point.into());
            are_occupied[row as usize * side + column as usize] = true;
        }
        Self { cells, are_occupied }
    }

    /// Returns whether a box may contain a point. If the result is `false`, the box certainly contains no point.
    fn may_be_in(&self, aabb: Aabb) -> bool {
        if !self.cells.meet(aabb) {
            return false;
        }
        let ([left, bottom], [right, top]) = (self.cells.of(aabb.min), self.cells.of(aabb.max));
        if (right - left + 1) * (top - bottom + 1) > MOST_CELLS {
            return true;
        }
        (bottom..=top).any(|row| {
            let row = (row * self.cells.side) as usize;
            self.are_occupied[row + left as usize..=row + right as usize].contains(&true)
        })
    }

    /// Returns the indices of all boxes that may contain points, in ascending order.
    pub(super) fn boxes_with_points(&self, boxes: &[Aabb]) -> Vec<u32> {
        let tasks = (0..boxes.len().div_ceil(TASK)).into_par_iter().map(|task| {
            let all = task * TASK..boxes.len().min((task + 1) * TASK);
            let kept = all.filter(|&index| self.may_be_in(boxes[index])).map(|index| index as u32);
            kept.collect::<Vec<u32>>()
        });
        tasks.collect().concat()
    }
}

#[cfg(all(test, feature = "scenes"))]
mod tests {
    use super::*;
    use crate::kernels::test_scenes::Random;

    #[test]
    fn a_box_with_a_point_is_kept_and_most_others_are_not() {
        let mut random = Random(5);
        for (count, scale, offset) in [(1, 1.0, 0.0), (300, 1.0, 1e9), (300, 1e-40, 0.0), (3000, 1e60, 0.0)] {
            let mut place = || DVec2::new(random.unit(), random.unit()) * scale + offset;
            let points: Vec<DVec2> = (0..count).map(|_| place()).collect();
            let boxes: Vec<Aabb> = (0..20_000)
                .map(|k| {
                    let min = if k % 50 == 0 { points[k % count] } else { place() };
                    Aabb { min, max: min + 1e-3 * scale * (k % 3) as f64 }
                })
                .collect();
            let kept = OccupiedCells::of(&points).boxes_with_points(&boxes);
            assert!(kept.is_sorted());
            let with_points = |index: &u32| {
                let aabb = boxes[*index as usize];
                points.iter().any(|&point| aabb.covers(Aabb { min: point, max: point }))
            };
            for index in 0..boxes.len() as u32 {
                let is_kept = kept.binary_search(&index).is_ok();
                assert!(is_kept || !with_points(&index), "box {index} of {count} points");
            }
            assert!(kept.len() < boxes.len() / 2, "{} of {} boxes", kept.len(), boxes.len());
        }
    }

    #[test]
    fn points_on_a_line_or_at_one_place_are_accepted() {
        let points = [DVec2::new(3.0, 1.0), DVec2::new(3.0, 2.0), DVec2::new(3.0, 2.0)];
        let boxes =
            [[0.0, 0.0, 2.9, 5.0], [3.0, 2.0, 4.0, 4.0], [3.0, 2.1, 4.0, 4.0], [-1.0, -1.0, 9.0, 9.0]].map(
                |[left, bottom, right, top]| Aabb {
                    min: DVec2::new(left, bottom),
                    max: DVec2::new(right, top),
                },
            );
        assert_eq!(OccupiedCells::of(&points).boxes_with_points(&boxes), [1, 3]);
        assert_eq!(OccupiedCells::of(&points[2..]).boxes_with_points(&boxes), [1, 3]);
        assert!(OccupiedCells::of(&[DVec2::ZERO; 0]).boxes_with_points(&boxes).is_empty());
    }
}
