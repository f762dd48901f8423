//! Computes the axes of two convex polygons by exact arithmetic: which edges are parallel, the extreme vertices on each
//! axis, the sign of the overlap, and the least overlap. The module also computes the distance of a point from an edge.

use std::cmp::Ordering;

use glam::DVec2;
use num_bigint::{BigInt, Sign};

use super::Axis;
use crate::base::angles::hypot;
use crate::geometry::posed_image::{BigPoint, UNIT_BITS, cross, difference, dot, posed_image, to_f64};
use crate::geometry::{Aabb, MIN_COORDINATE, Piece, Pose};

/// Intervals are measured from (0, 0) if the greatest magnitude of a coordinate is at most this number times the longer
/// side of the box of both polygons.
const NEAR: f64 = 16.0;

/// Returns the point from which intervals are measured: (0, 0), or the lower left corner of the box of both polygons if
/// they are far from (0, 0).
pub(super) fn origin(a: &[DVec2], b: &[DVec2]) -> DVec2 {
    let around = Aabb::around(a).union(Aabb::around(b));
    let extent = (around.max - around.min).max_element();
    let magnitude = around.min.abs().max(around.max.abs()).max_element();
    if magnitude <= NEAR * extent {
        return DVec2::ZERO;
    }
    // A nonzero coordinate whose magnitude is below the limit is not accepted, so it becomes 0.
    let accepted = |x: f64| if x.abs() < MIN_COORDINATE { 0.0 } else { x };
    DVec2::new(accepted(around.min.x), accepted(around.min.y))
}

/// Returns every axis of two polygons: first in the order of A's edges, then in the order of B's edges. Also returns
/// the index of the first axis with the least overlap. Either polygon may be a point, which has no edge.
pub(super) fn all(a: Piece<'_>, b: Piece<'_>, origin: DVec2) -> (Vec<Axis>, usize) {
    let origin = posed_image(Piece { vertices: &[origin], pose: Pose::IDENTITY }).remove(0);
    let mut polygons = [Polygon::new(a), Polygon::new(b)];
    let mut axes = Vec::new();
    let mut least: Option<(usize, Overlap)> = None;
    for side in 0..2 {
        for edge in 0..polygons[side].vertices.len() {
            if polygons[side].is_listed[edge] {
                continue;
            }
            let along = polygons[side].edge(edge);
            let (axis, overlap) = one(&mut polygons, &along, &origin);
            if least.as_ref().is_none_or(|(_, least)| overlap.compare(least) == Ordering::Less) {
                least = Some((axes.len(), overlap));
            }
            axes.push(axis);
        }
    }
    (axes, least.map_or(0, |(index, _)| index))
}

/// A vector in units of 2^-[`UNIT_BITS`].
type Vector = [BigInt; 2];

/// A polygon, and its extreme vertices in the direction of the last projection. The search in the next direction starts
/// at these vertices.
struct Polygon {
    vertices: Vec<BigPoint>,
    /// For each edge of the polygon, whether an axis already contains the edge.
    is_listed: Vec<bool>,
    /// The index of the vertex that is farthest in the direction of the last projection.
    greatest: usize,
    /// The index of the vertex that is farthest in the direction opposite to the last projection.
    least: usize,
}

/// The extreme vertices of a polygon in a direction.
struct Projection {
    least: usize,
    greatest: usize,
    /// The indices of the edges that are perpendicular to the direction, in ascending order.
    edges: Vec<usize>,
}

impl Polygon {
    fn new(piece: Piece<'_>) -> Self {
        let vertices = posed_image(piece);
        // A point has one degenerate edge, which is not an axis.
        Self { is_listed: vec![vertices.len() == 1; vertices.len()], vertices, greatest: 0, least: 0 }
    }

    fn edge(&self, i: usize) -> Vector {
        difference(&self.vertices[(i + 1) % self.vertices.len()], &self.vertices[i])
    }

    /// Returns the extreme vertices in the direction of the outward normal of an edge, and in the opposite direction.
    /// `along` is the vector from the start of the edge to its end.
    fn projection(&mut self, along: &Vector) -> Projection {
        let opposite = along.each_ref().map(|x| -x);
        self.greatest = self.climb(along, self.greatest);
        self.least = self.climb(&opposite, self.least);
        let count = self.vertices.len();
        let mut edges = Vec::new();
        let ends: &[usize] = if count == 1 { &[] } else { &[self.greatest, self.least] };
        for &vertex in ends {
            for edge in [(vertex + count - 1) % count, vertex] {
                if cross(along, &self.edge(edge)).sign() == Sign::NoSign {
                    self.is_listed[edge] = true;
                    edges.push(edge);
                }
            }
        }
        crate::base::sorting::sort_unstable(&mut edges);
        edges.dedup();
        Projection { least: self.least, greatest: self.greatest, edges }
    }

    /// Returns a vertex that is farthest in the direction of the outward normal of an edge. `along` is the vector from
    /// the start of the edge to its end. The search climbs along the boundary from `start`. On a convex polygon, every
    /// start leads to a farthest vertex.
    fn climb(&self, along: &Vector, start: usize) -> usize {
        let count = self.vertices.len();
        let rises = |from: usize, to: usize| {
            cross(along, &difference(&self.vertices[to], &self.vertices[from])).sign() == Sign::Minus
        };
        let mut here = start;
        while rises(here, (here + 1) % count) {
            here = (here + 1) % count;
        }
        while rises(here, (here + count - 1) % count) {
            here = (here + count - 1) % count;
        }
        here
    }
}

/// Returns the axis in the direction of the outward normal of an edge, and the exact overlap on this axis. `along` is
/// the vector from the start of the edge to its end.
fn one(polygons: &mut [Polygon; 2], along: &Vector, origin: &BigPoint) -> (Axis, Overlap) {
    let [in_a, in_b] = polygons.each_mut().map(|polygon| polygon.projection(along));
    let [a, b] = polygons.each_ref().map(|polygon| &polygon.vertices);
    let squared_length = dot(along, along);
    let [x, y] = along.each_ref().map(|x| to_f64(x, UNIT_BITS));
    let length = hypot(x, y);
    // The distance from `from` to `to` in the direction of the axis, times the length of `along`.
    let rise = |from: &BigPoint, to: &BigPoint| -cross(along, &difference(to, from));
    let place = |v: &BigPoint| to_f64(&rise(origin, v), 2 * UNIT_BITS) / length;
    let ahead = rise(&b[in_b.least], &a[in_a.greatest]);
    let behind = rise(&a[in_a.least], &b[in_b.greatest]);
    // The addition of 0 removes negative zeros.
    let [normal, opposite] =
        [DVec2::new(y, -x) / length + DVec2::ZERO, DVec2::new(-y, x) / length + DVec2::ZERO];
    let (rise, toward_b) = if behind < ahead { (behind, opposite) } else { (ahead, normal) };
    let overlap = Overlap { rise, squared_length };
    let axis = Axis {
        normal,
        interval_a: [place(&a[in_a.least]), place(&a[in_a.greatest])],
        interval_b: [place(&b[in_b.least]), place(&b[in_b.greatest])],
        overlap: overlap.rounded(),
        toward_b,
        edges_a: in_a.edges,
        edges_b: in_b.edges,
    };
    (axis, overlap)
}

/// Returns the distance of a point from an edge, rounded to the nearest f64.
pub(super) fn distance_to_edge(point: DVec2, edge: [DVec2; 2]) -> f64 {
    let vertices = [point, edge[0], edge[1]];
    let image = posed_image(Piece { vertices: &vertices, pose: Pose::IDENTITY });
    let [v, p, q] = [&image[0], &image[1], &image[2]];
    let (along, from_p, from_q) = (difference(q, p), difference(v, p), difference(v, q));
    let length = |v: &Vector| {
        let squared = dot(v, v);
        Overlap { rise: squared.clone(), squared_length: squared }
    };
    let distance = if dot(&from_p, &along).sign() != Sign::Plus {
        length(&from_p)
    } else if dot(&from_q, &along).sign() == Sign::Plus {
        length(&from_q)
    } else {
        Overlap { rise: cross(&along, &from_p), squared_length: dot(&along, &along) }
    };
    distance.rounded().abs()
}

/// The overlap of two polygons on an axis: the exact value `rise / sqrt(squared_length)`.
struct Overlap {
    rise: BigInt,
    squared_length: BigInt,
}

impl Overlap {
    fn compare(&self, other: &Self) -> Ordering {
        let squared = |this: &Self, length: &BigInt| {
            let square = &this.rise * &this.rise * length;
            if this.rise.sign() == Sign::Minus { -square } else { square }
        };
        squared(self, &other.squared_length).cmp(&squared(other, &self.squared_length))
    }

    /// Returns the f64 nearest to the overlap. If two f64 values are equally near, returns the value with the lesser
    /// magnitude, so that the rounding is monotone.
    fn rounded(&self) -> f64 {
        if self.rise.sign() == Sign::NoSign {
            return 0.0;
        }
        let square = &self.rise * &self.rise;
        // Whether the magnitude of the overlap is greater than the middle between the f64 with the bits `bits` and the
        // next f64.
        let is_beyond = |bits: u64| {
            let half_units = BigInt::from(((bits & MANTISSA) | (MANTISSA + 1)) * 2 + 1);
            let middle = &half_units * &half_units * &self.squared_length;
            // The factor 2^`shift` converts the square of the middle, times the squared length, to the unit of `square`.
            let shift = 2 * ((bits >> MANTISSA.count_ones()) as i32 - 1076 + UNIT_BITS);
            if shift >= 0 { square > middle << shift } else { &square << -shift > middle }
        };
        let length = to_f64(&self.squared_length, 2 * UNIT_BITS).sqrt();
        let mut bits = (to_f64(&self.rise, 2 * UNIT_BITS).abs() / length).to_bits();
        while is_beyond(bits) {
            bits += 1;
        }
        while !is_beyond(bits - 1) {
            bits -= 1;
        }
        let magnitude = f64::from_bits(bits);
        if self.rise.sign() == Sign::Minus { -magnitude } else { magnitude }
    }
}

/// The mask of the stored mantissa bits of an f64, which do not include the implied first bit.
const MANTISSA: u64 = (1 << 52) - 1;
