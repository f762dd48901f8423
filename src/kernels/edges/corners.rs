//! Compares the interiors of two polygons at a common point of their boundaries, sector by sector.

use glam::DVec2;

use crate::geometry::outline::is_same_direction;
use crate::geometry::predicates::orientation;

/// A corner of a polygon's boundary. The interior at the corner is the sector from the direction of `next`,
/// counter-clockwise, to the direction of `previous`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub(super) at: DVec2,
    pub(super) next: DVec2,
    pub(super) previous: DVec2,
}

/// Returns whether the open sectors of two corners at the same point have a common direction. The sectors are arcs of a
/// circle of directions, and two arcs overlap if and only if one of them contains the beginning of the other.
pub(super) fn have_common_direction(a: Corner, b: Corner) -> bool {
    // Neighbours on a map often share both edges.
    if a.next == b.previous && a.previous == b.next {
        return false;
    }
    a.contains(b.next) || b.contains(a.next)
}

impl Corner {
    /// Returns whether the closed sector of this corner contains the closed sector of another corner at the same point.
    pub(super) fn covers(&self, other: Self) -> bool {
        let starts_inside = self.contains(other.next);
        let ends_inside = is_same_direction(self.at, other.previous, self.previous)
            || !is_same_direction(self.at, other.previous, self.next)
                && self.is_before(other.previous, self.previous);
        let is_ahead = || {
            is_same_direction(self.at, other.next, self.next) || self.is_before(other.next, other.previous)
        };
        starts_inside && ends_inside && is_ahead()
    }

    /// Returns whether the direction from the corner to `point` is in the sector, or is the first direction of the
    /// sector.
    fn contains(&self, point: DVec2) -> bool {
        if is_same_direction(self.at, point, self.next) {
            return true;
        }
        !is_same_direction(self.at, point, self.previous) && self.is_before(point, self.previous)
    }

    /// Returns whether the direction to `point` comes before the direction to `other`, counter-clockwise from the
    /// direction to `next`. Neither of the two may equal the direction to `next`.
    fn is_before(&self, point: DVec2, other: DVec2) -> bool {
        let (turn, end) = (self.turn(point), self.turn(other));
        if turn != end { turn < end } else { orientation(self.at, point, other) > 0.0 }
    }

    /// Classifies the counter-clockwise angle from the direction to `next` to the direction to `point`: 0 for less than
    /// half a turn, 1 for half a turn, 2 for more.
    fn turn(&self, point: DVec2) -> u8 {
        let side = orientation(self.at, self.next, point);
        if side > 0.0 {
            0
        } else if side < 0.0 {
            2
        } else {
            1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corner_covers_the_corners_whose_directions_it_has() {
        const WAYS: [[f64; 2]; 8] = [
            [1.0, 0.0],
            [1.0, 1.0],
            [0.0, 1.0],
            [-1.0, 1.0],
            [-1.0, 0.0],
            [-1.0, -1.0],
            [0.0, -1.0],
            [1.0, -1.0],
        ];
        let at = DVec2::new(3.0, 5.0);
        let corner = |next: usize, previous: usize, reach: f64| {
            let to = |way: usize| at + reach * DVec2::from(WAYS[way]);
            Corner { at, next: to(next), previous: to(previous) }
        };
        // Returns the eighths of a turn between two directions.
        let eighths = |next: usize, previous: usize| -> Vec<usize> {
            (0..(previous + 8 - next) % 8).map(|step| (next + step) % 8).collect()
        };
        for k in 0..4096 {
            let [a, b, c, d] = [k % 8, k / 8 % 8, k / 64 % 8, k / 512];
            if a == b || c == d {
                continue;
            }
            let (outer, inner) = (eighths(a, b), eighths(c, d));
            assert_eq!(
                corner(a, b, 1.0).covers(corner(c, d, 2.0)),
                inner.iter().all(|eighth| outer.contains(eighth)),
                "{a} to {b}, {c} to {d}"
            );
            assert_eq!(
                have_common_direction(corner(a, b, 1.0), corner(c, d, 2.0)),
                inner.iter().any(|eighth| outer.contains(eighth)),
                "{a} to {b}, {c} to {d}"
            );
        }
    }
}
