//! Measures a pair in f64, with loops over all edges and all vertices. Coordinates are relative to a vertex of the
//! pair.

use rayon::prelude::*;
use sat2d::{FIGURE_BOUND, Relation};

use super::Question;
use crate::Rings;

type Point = [f64; 2];

/// The measurements of a pair, computed in f64.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Truth {
    pub(crate) meets: bool,
    /// The greatest gap over an edge of either polygon. It is negative if the polygons overlap.
    pub(crate) separation: f64,
    /// The distance, which is 0 if the polygons meet.
    pub(crate) distance: f64,
    /// The size of the pair, as defined at [`sat2d::MEASUREMENT_BOUND`]. An f32 measurement may be off by up to
    /// [`FIGURE_BOUND`] times this size.
    pub(crate) size: f64,
}

/// The comparison of an answer with the true value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The difference of the answer from the true value, as a fraction of the size of the pair.
    Off(f64),
    /// The contender finds no contact, but the polygons have a contact that is deeper than the bound.
    Missed,
    /// The contender finds a contact that is deeper than the bound, but the polygons are farther apart than the bound.
    Invented,
    /// The answer has no value that can be compared.
    Silent,
}

impl Verdict {
    /// Returns whether the answer is off by more than [`FIGURE_BOUND`], or is a missed or an invented contact.
    pub(crate) fn is_wrong(self) -> bool {
        match self {
            Self::Off(off) => off.is_nan() || off > FIGURE_BOUND,
            Self::Missed | Self::Invented => true,
            Self::Silent => false,
        }
    }
}

impl Truth {
    /// Measures the polygons `a` and `b`, whose vertices must be counter-clockwise. `meets` says whether the polygons meet.
    pub(crate) fn new(a: &[Point], b: &[Point], meets: bool) -> Self {
        let origin = a[0];
        let about = |ring: &[Point]| ring.iter().map(|v| minus(*v, origin)).collect::<Vec<_>>();
        let (a, b) = (about(a), about(b));
        let separation = over_edges(&a, &b).max(over_edges(&b, &a));
        let distance = if meets { 0.0 } else { to_edges(&a, &b).min(to_edges(&b, &a)) };
        let ([middle_a, middle_b], [extent_a, extent_b]) =
            ([middle(&a), middle(&b)], [extent(&a), extent(&b)]);
        let [x, y] = minus(middle_a, middle_b);
        Self { meets, separation, distance, size: extent_a + extent_b + x.abs().max(y.abs()) }
    }

    /// Compares an answer with the true value. `says_all` is true if the contender returns a gap for every pair. Otherwise, the
    /// value of a contact is compared only if the polygons meet, because contenders measure the gap between separate polygons
    /// in different ways.
    pub(crate) fn verdict(&self, question: Question, says_all: bool, found: Option<f64>) -> Verdict {
        let bound = FIGURE_BOUND * self.size;
        let off = |found: f64, truth: f64| Verdict::Off((found - truth).abs() / self.size);
        match (question, found) {
            (Question::Distance, Some(found)) => off(found, self.distance),
            (Question::Distance, None) => Verdict::Missed,
            (Question::Penetration, Some(found)) if says_all => off(found, self.separation),
            (_, Some(found)) if self.meets => off(found, self.separation),
            (_, Some(found)) if self.separation > bound && found < -bound => Verdict::Invented,
            (_, None) if self.meets && self.separation < -bound => Verdict::Missed,
            _ => Verdict::Silent,
        }
    }
}

/// Returns the measurements of every pair.
pub(crate) fn of_pairs(rings: &Rings, pairs: &[[u32; 2]], relations: &[Relation]) -> Vec<Truth> {
    let of = |(&[a, b], &relation): (&[u32; 2], &Relation)| {
        Truth::new(&rings[a as usize], &rings[b as usize], relation != Relation::Disjoint)
    };
    pairs.par_iter().zip(relations).map(of).collect()
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn edges(ring: &[Point]) -> impl Iterator<Item = (Point, Point)> + '_ {
    (0..ring.len()).map(|k| (ring[k], ring[(k + 1) % ring.len()]))
}

/// Returns the greatest gap between an edge of `a` and the polygon `b`.
fn over_edges(a: &[Point], b: &[Point]) -> f64 {
    let gap = |(p, q): (Point, Point)| {
        let edge = minus(q, p);
        let length = edge[0].hypot(edge[1]);
        let normal = [edge[1] / length, -edge[0] / length];
        b.iter().map(|v| dot(normal, minus(*v, p))).fold(f64::INFINITY, f64::min)
    };
    edges(a).map(gap).fold(f64::NEG_INFINITY, f64::max)
}

/// Returns the least distance between a vertex of `b` and an edge of `a`.
fn to_edges(a: &[Point], b: &[Point]) -> f64 {
    let mut least = f64::INFINITY;
    for (p, q) in edges(a) {
        let edge = minus(q, p);
        for v in b {
            let to_v = minus(*v, p);
            let part = (dot(to_v, edge) / dot(edge, edge)).clamp(0.0, 1.0);
            least = least.min((to_v[0] - part * edge[0]).hypot(to_v[1] - part * edge[1]));
        }
    }
    least
}

fn bounds(ring: &[Point], axis: usize) -> [f64; 2] {
    let least = ring.iter().map(|v| v[axis]).fold(f64::INFINITY, f64::min);
    let greatest = ring.iter().map(|v| v[axis]).fold(f64::NEG_INFINITY, f64::max);
    [least, greatest]
}

fn middle(ring: &[Point]) -> Point {
    [0, 1].map(|axis| bounds(ring, axis).iter().sum::<f64>() / 2.0)
}

fn extent(ring: &[Point]) -> f64 {
    [0, 1].map(|axis| (bounds(ring, axis)[1] - bounds(ring, axis)[0]) / 2.0).into_iter().fold(0.0, f64::max)
}
