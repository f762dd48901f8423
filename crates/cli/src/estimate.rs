//! Estimates the number of candidate pairs of a join from a sample of the boxes.

use crate::input::Side;
use sat2d::glam::DVec2;
use sat2d::{Aabb, PolygonSet};

/// The numbers of boxes of A and of B in the sample. Each box of A is compared with each box of B.
const SAMPLE: [usize; 2] = [512, 2048];

/// The boxes of the points, pieces or unsplit objects of one file.
enum Boxes<'a> {
    Points(&'a [(u32, DVec2)]),
    Pieces(&'a PolygonSet, usize),
    Objects(Vec<Aabb>),
}

impl<'a> Boxes<'a> {
    fn of(side: &'a Side) -> Self {
        match side.set.made_piece_count() {
            _ if !side.features.points.is_empty() => Self::Points(&side.features.points),
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
            Self::Points(points) => Aabb { min: points[index].1, max: points[index].1 },
            Self::Pieces(set, _) => set.piece_aabb(index),
            Self::Objects(boxes) => boxes[index],
        }
    }

    /// Returns the indices of at most `most` items.
    fn sample(&self, most: usize) -> impl Iterator<Item = usize> {
        let count = self.count();
        (0..most.min(count)).map(move |k| sampled(k, most, count))
    }
}

/// Returns the index of item `k` of a sample of `most` of `count` items, or `k` if there are no more than `most` items. The steps of
/// the golden ratio spread the sample evenly, and fit no regular order of the items.
fn sampled(k: usize, most: usize, count: usize) -> usize {
    const STEP: f64 = 0.618_033_988_749_894_9;
    if count <= most { k } else { (((k as f64 * STEP).fract() * count as f64) as usize).min(count - 1) }
}

/// Returns the approximate number of pairs whose boxes are at most `reach` apart, in the unit of the coordinates: pairs of A and B, or
/// of A alone if there is no B. The error is small if the number is more than a hundred thousandth of all pairs.
pub(super) fn candidate_pairs(a: &Side, b: Option<&Side>, reach: f64) -> f64 {
    let boxes = [Boxes::of(a), Boxes::of(b.unwrap_or(a))];
    let of_b: Vec<usize> = boxes[1].sample(SAMPLE[1]).collect();
    // One list for each bound of the boxes, so that the compiler can compare several boxes at once.
    let bound = |of: fn(Aabb) -> f64| of_b.iter().map(|&index| of(boxes[1].get(index))).collect::<Vec<f64>>();
    let (min_x, min_y) = (bound(|aabb| aabb.min.x), bound(|aabb| aabb.min.y));
    let (max_x, max_y) = (bound(|aabb| aabb.max.x), bound(|aabb| aabb.max.y));
    let (mut near, mut compared) = (0.0, 0.0);
    for index in boxes[0].sample(SAMPLE[0]) {
        let aabb = boxes[0].get(index);
        let (min, max) = (aabb.min - reach, aabb.max + reach);
        let bounds = min_x.iter().zip(&max_x).zip(min_y.iter().zip(&max_y));
        let meet = bounds.map(|((&left, &right), (&bottom, &top))| {
            u32::from((left <= max.x) & (right >= min.x) & (bottom <= max.y) & (top >= min.y))
        });
        near += f64::from(meet.sum::<u32>());
        compared += of_b.len() as f64;
        if b.is_none() && of_b.contains(&index) {
            // The box was compared with itself.
            near -= f64::from(u8::from(aabb.min.x <= aabb.max.x));
            compared -= 1.0;
        }
    }
    let [count_a, count_b] = boxes.map(|boxes| boxes.count() as f64);
    let all = if b.is_some() { count_a * count_b } else { 0.5 * count_a * (count_a - 1.0) };
    all * near / f64::max(compared, 1.0)
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
        let empty = Side::default();
        assert_eq!([candidate_pairs(&empty, None, 1.0), candidate_pairs(&few, Some(&empty), 1.0)], [0.0; 2]);
    }
}
