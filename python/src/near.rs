//! Finds the pieces of two objects that may have the least distance, by the boxes of the pieces.

use std::ops::Range;

use sat2d::{Aabb, PolygonSet};

use crate::relations::Pieces;

/// The greatest number of vertices from which a bound of the distance of two objects is searched.
const STARTS: usize = 32;

/// The pieces of two objects that may have the least distance. If the pieces are small compared with the objects, the time to
/// find them grows with the number of pieces, and not with the number of their pairs.
pub(crate) struct Near<'a> {
    boxes: [&'a [Aabb]; 2],
    /// An upper bound of the distance of the two objects.
    reach: f64,
    pub(crate) of_a: Vec<u32>,
    /// The pieces of the second object, sorted by the left edges of their boxes.
    of_b: Vec<u32>,
    /// The greatest width of the boxes of `of_b`.
    widest: f64,
}

impl<'a> Near<'a> {
    /// Finds the pieces of the objects with the indices `i` and `j`. Returns `None` if an object has no piece.
    pub(crate) fn of(sets: [&PolygonSet; 2], sides: [&'a Pieces; 2], [i, j]: [u32; 2]) -> Option<Self> {
        let boxes = sides.map(|side| &*side.boxes);
        let [a, b] = [sides[0].of_object(i), sides[1].of_object(j)];
        let wholes = [sides[0].whole(i), sides[1].whole(j)];
        let vertices = |side: usize, pieces: Range<u32>| {
            pieces.flat_map(move |piece| sets[side].piece_vertices(piece as usize).iter().copied())
        };
        // The distance of the objects is at most the distance between a vertex of one and a vertex of the other. From some
        // vertices of the first object, the search goes to the closest vertex of the second object, and from there to the
        // closest vertex of the first object. The last two vertices are often close to each other.
        let step = vertices(0, a.clone()).count().div_ceil(STARTS).max(1);
        let found = vertices(0, a.clone()).step_by(step).filter_map(|start| {
            let of_b = least(vertices(1, b.clone()), |vertex| vertex.distance_squared(start))?;
            let of_a = least(vertices(0, a.clone()), |vertex| vertex.distance_squared(of_b))?;
            Some(of_a.distance(of_b))
        });
        // The factor exceeds the rounding errors.
        let reach = least(found, |&distance| distance)? * (1.0 + 1e-9);
        let is_near =
            |side: usize, other: &Aabb, &piece: &u32| near((&boxes[side][piece as usize], other)) <= reach;
        let of_a: Vec<u32> = a.clone().filter(|piece| is_near(0, wholes[1], piece)).collect();
        let around = of_a.iter().fold(Aabb::EMPTY, |around, &piece| around.union(boxes[0][piece as usize]));
        let mut of_b: Vec<u32> = b.clone().filter(|piece| is_near(1, &around, piece)).collect();
        let bounds = |piece: u32| &boxes[1][piece as usize];
        of_b.sort_unstable_by(|&p, &q| bounds(p).min.x.total_cmp(&bounds(q).min.x));
        let widest = of_b.iter().map(|&piece| bounds(piece).max.x - bounds(piece).min.x).fold(0.0, f64::max);
        Some(Self { boxes, reach, of_a, of_b, widest })
    }

    /// Calls `take` with each piece of the second object whose box is at most `reach` away from the box of piece `p` of the
    /// first object. Only such a pair of pieces may have the least distance of the two objects.
    pub(crate) fn partners(&self, p: u32, mut take: impl FnMut(u32)) {
        let of_p = &self.boxes[0][p as usize];
        let of_q = |q: u32| &self.boxes[1][q as usize];
        // The factor exceeds the rounding errors of the sum and of the differences.
        let farthest = (self.reach + self.widest) * (1.0 + 1e-9);
        let start = self.of_b.partition_point(|&q| of_p.min.x - of_q(q).min.x > farthest);
        let others = self.of_b[start..].iter().take_while(|&&q| of_q(q).min.x - of_p.max.x <= self.reach);
        others.filter(|&&q| near((of_p, of_q(q))) <= self.reach).for_each(|&q| take(q));
    }
}

/// Returns the item with the least measure.
fn least<T>(items: impl Iterator<Item = T>, measure: impl Fn(&T) -> f64) -> Option<T> {
    items.min_by(|a, b| measure(a).total_cmp(&measure(b)))
}

/// Returns the distance between two boxes, which is 0 if they meet.
fn near((a, b): (&Aabb, &Aabb)) -> f64 {
    let gap = |low: f64, high: f64| f64::max(low - high, 0.0);
    let x = gap(b.min.x, a.max.x).max(gap(a.min.x, b.max.x));
    let y = gap(b.min.y, a.max.y).max(gap(a.min.y, b.max.y));
    x.hypot(y)
}
