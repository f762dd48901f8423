//! Estimates the number of candidate pairs of a join from a sample of the boxes.

use crate::input::Side;
use sat2d::internal::{Purpose, Random};
use sat2d::{Aabb, PolygonSet, glam::DVec2};

/// The numbers of boxes of A and of B in the sample. Each box of A is compared with each box of B.
const SAMPLE: [usize; 2] = [512, 2048];

/// The boxes of the points, pieces or unsplit objects of one file.
enum Boxes<'a> {
    Points(&'a [DVec2]),
    Pieces(&'a PolygonSet, usize),
    Objects(Vec<Aabb>),
}

impl<'a> Boxes<'a> {
    fn of(side: &'a Side) -> Self {
        match side.set.made_piece_count() {
            _ if !side.features.points.is_empty() => Self::Points(side.features.points.positions()),
            Some(count) => Self::Pieces(&side.set, count),
            None => Self::Objects(side.set.object_aabbs()),
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::Points(points) => points.len(),
            Self::Pieces(_, count) => *count,
            Self::Objects(boxes) => boxes.len(),
        }
    }

    fn get(&self, index: usize) -> Aabb {
        match self {
            Self::Points(points) => Aabb { min: points[index], max: points[index] },
            Self::Pieces(set, _) => set.piece_aabb(index),
            Self::Objects(boxes) => boxes[index],
        }
    }

    /// Returns the indices of a sample of at most `most` items: all items, or random ones, which may occur several times. The samples
    /// of A and B do not depend on each other, because a pair may consist of items with equal or near indices.
    fn sample(&self, most: usize, side: u64) -> Vec<usize> {
        let count = self.count();
        if count <= most {
            return (0..count).collect();
        }
        let mut random = Random::new(0, 0, Purpose::Item, side);
        (0..most).map(|_| random.below(count as u64) as usize).collect()
    }
}

/// Returns the approximate number of pairs whose boxes are at most `reach` apart, in the unit of the coordinates: pairs of A and B, or
/// of A alone if there is no B. If a hundred thousandth of all pairs is so near, the error is about a third. If more pairs are, the
/// error is smaller.
pub(super) fn candidate_pairs(a: &Side, b: Option<&Side>, reach: f64) -> f64 {
    let boxes = [Boxes::of(a), Boxes::of(b.unwrap_or(a))];
    let [of_a, of_b] = [0, 1].map(|side| boxes[side].sample(SAMPLE[side], side as u64));
    // One list for each bound of the boxes, so that the compiler can compare several boxes at once.
    let bound = |of: fn(Aabb) -> f64| of_b.iter().map(|&index| of(boxes[1].get(index))).collect::<Vec<f64>>();
    let (min_x, min_y) = (bound(|aabb| aabb.min.x), bound(|aabb| aabb.min.y));
    let (max_x, max_y) = (bound(|aabb| aabb.max.x), bound(|aabb| aabb.max.y));
    let (mut near, mut compared) = (0, 0);
    for index in of_a {
        let aabb = boxes[0].get(index);
        let (min, max) = (aabb.min - reach, aabb.max + reach);
        // In a self-join, an item forms no pair with itself.
        let is_other = |other: usize| b.is_some() | (other != index);
        let bounds = min_x.iter().zip(&max_x).zip(min_y.iter().zip(&max_y)).zip(&of_b);
        near += bounds
            .map(|(((&left, &right), (&bottom, &top)), &other)| {
                let meets = (left <= max.x) & (right >= min.x) & (bottom <= max.y) & (top >= min.y);
                u64::from(meets & is_other(other))
            })
            .sum::<u64>();
        compared += of_b.iter().map(|&other| u64::from(is_other(other))).sum::<u64>();
    }
    let [count_a, count_b] = boxes.map(|boxes| boxes.count() as f64);
    let all = if b.is_some() { count_a * count_b } else { 0.5 * count_a * (count_a - 1.0) };
    all * near as f64 / compared.max(1) as f64
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test panics")]
mod tests {
    use super::*;

    /// Returns `count` squares of side `size` in rows of 100. Neighbours begin one unit apart.
    fn squares(count: usize, size: f64) -> Side {
        let ring = |k: usize| {
            let (x, y) = ((k % 100) as f64, (k / 100) as f64);
            [[x, y], [x + size, y], [x + size, y + size], [x, y + size]]
        };
        let set = PolygonSet::from_convex_rings(&(0..count).map(ring).collect::<Vec<_>>()).unwrap();
        Side { set, ..Side::default() }
    }

    fn points(count: usize) -> Side {
        let mut side = Side::default();
        side.features.points =
            (0..count as u32).map(|k| (k, DVec2::new(f64::from(k % 100), f64::from(k / 100)))).collect();
        side
    }

    /// Returns the exact number.
    fn counted(a: &Side, b: Option<&Side>, reach: f64) -> f64 {
        let all = |side: &Side| {
            let boxes = Boxes::of(side);
            (0..boxes.count()).map(|index| boxes.get(index)).collect::<Vec<_>>()
        };
        let (of_a, of_b) = (all(a), all(b.unwrap_or(a)));
        let near = |&one: &Aabb| {
            let grown = Aabb { min: one.min - reach, max: one.max + reach };
            of_b.iter().filter(|&&other| grown.meets(other)).count() as f64
        };
        let found: f64 = of_a.iter().map(near).sum();
        if b.is_some() { found } else { 0.5 * (found - of_a.len() as f64) }
    }

    #[test]
    fn the_order_of_the_items_does_not_matter() {
        // Each item meets the 39 items of its group, and no others.
        let group = |k: usize| DVec2::new((k / 40 % 100) as f64, (k / 4000) as f64);
        let mut groups = Side::default();
        groups.features.points = (0..200_000).map(|k| (k as u32, group(k))).collect();
        // Items at the same places in two files.
        let mut twins = Side::default();
        twins.features.points = (0..100_000_u32).map(|k| (k, DVec2::splat(f64::from(k)))).collect();
        let mut grid = Side::default();
        let place = |k: u32| DVec2::new(f64::from(k % 600), f64::from(k / 600));
        grid.features.points = (0..360_000).map(|k| (k, place(k))).collect();
        for (a, b, reach, exact) in [
            (&groups, None, 0.1, 3_900_000.0),
            (&twins, Some(&twins), 0.1, 100_000.0),
            (&grid, None, 2.0, 4_300_000.0),
        ] {
            let estimated = candidate_pairs(a, b, reach);
            assert!(
                (0.4 * exact..2.0 * exact).contains(&estimated) || exact < 1e6,
                "{estimated} for {exact}"
            );
            assert_eq!(estimated < 1e6, exact < 1e6, "{estimated} for {exact}");
        }
    }

    #[test]
    fn estimates_are_near_the_number_of_pairs() {
        let (few, many) = (squares(300, 0.5), squares(10_000, 0.5));
        let (large, points) = (squares(1000, 1e3), points(20_000));
        for (a, b, reach) in [
            (&few, None, 0.0),
            (&few, None, 2.0),
            (&many, None, 7.0),
            (&large, None, 0.0),
            (&many, Some(&large), 0.0),
            (&points, Some(&many), 5.0),
            (&large, Some(&points), 1.0),
        ] {
            let (estimated, exact) = (candidate_pairs(a, b, reach), counted(a, b, reach));
            assert!((0.8 * exact..=1.25 * exact).contains(&estimated), "{estimated} for {exact}");
        }
        assert!(candidate_pairs(&many, None, 0.0) < 1e6, "no boxes meet");
        assert!(candidate_pairs(&squares(20_000, 0.5), Some(&squares(20_000, 0.5)), 0.0) < 1e6, "twins");
        let empty = Side::default();
        assert_eq!([candidate_pairs(&empty, None, 1.0), candidate_pairs(&few, Some(&empty), 1.0)], [0.0; 2]);
    }
}
