//! The closest points of two polygons that lie apart: of every vertex of either and every edge of the other, the pair that
//! is the nearest (Ericson 2005, "Real-Time Collision Detection", 5.1.2: a point and a segment).
//!
//! Vertices are off by the packing errors E = eA + eB, differences and products by a few u of the size of the pair, and a
//! point of a segment that is off along it changes its distance by no more than that. So the distance is off by at most
//! 1.5 E + 16 u times the size; there is no division by what may be small but that by an edge's own square.

use crate::narrow_phase::cpu::records::{LANES, View};
use crate::narrow_phase::cpu::simd::offset;
use crate::narrow_phase::cpu::simd::points::Points;
use crate::vector::{Instructions, Lanes};

/// Squares of lengths below this, in quanta, are as good as 0.
const LEAST_SQUARE: f32 = f32::from_bits((127 - 100) << 23);

/// A vertex of one polygon and an edge of the other, or a part of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closest {
    /// Relative to A's anchor, in quanta.
    pub(crate) point_a: [f32; 2],
    pub(crate) point_b: [f32; 2],
    pub(crate) distance: f32,
    pub(crate) feature_a: Feature,
    pub(crate) feature_b: Feature,
}

/// A vertex, or the edge that begins there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Feature {
    pub(crate) index: u32,
    pub(crate) is_edge: bool,
}

/// The closest points. Where two pairs of features are equally near it is a vertex of B, and the least numbers.
#[inline(always)]
pub(crate) fn closest<I: Instructions, const VERTICES: usize>(i: I, a: View<'_>, b: View<'_>) -> Closest {
    let o = offset(a.head, b.head);
    let back = o.map(|x| -x);
    let to_b = nearest::<I, VERTICES>(i, a, b, o);
    let to_a = nearest::<I, VERTICES>(i, b, a, back);
    if to_b.square <= to_a.square {
        let (on_edge, vertex, distance) = to_b.points(a, b, o);
        Closest {
            point_a: on_edge,
            point_b: vertex,
            distance,
            feature_a: to_b.on_edge(a, b, o),
            feature_b: Feature { index: to_b.vertex, is_edge: false },
        }
    } else {
        let (on_edge, vertex, distance) = to_a.points(b, a, back);
        let moved = |p: [f32; 2]| [p[0] + o[0], p[1] + o[1]];
        Closest {
            point_a: moved(vertex),
            point_b: moved(on_edge),
            distance,
            feature_a: Feature { index: to_a.vertex, is_edge: false },
            feature_b: to_a.on_edge(b, a, back),
        }
    }
}

/// An edge of one polygon and a vertex of the other.
#[derive(Clone, Copy)]
struct Nearest {
    square: f32,
    edge: u32,
    vertex: u32,
}

impl Nearest {
    /// How far along the edge the nearest point lies, from 0 to 1.
    #[inline(always)]
    fn part(self, a: View<'_>, b: View<'_>, o: [f32; 2]) -> f32 {
        let (k, j) = (self.edge as usize, self.vertex as usize);
        let along = [a.x[k + 1] - a.x[k], a.y[k + 1] - a.y[k]];
        let to_vertex = [b.x[j] + o[0] - a.x[k], b.y[j] + o[1] - a.y[k]];
        let square = along[0] * along[0] + along[1] * along[1];
        let dot = to_vertex[0] * along[0] + to_vertex[1] * along[1];
        // Never NaN, nor beyond the ends.
        (dot / square.max(LEAST_SQUARE)).clamp(0.0, 1.0)
    }

    /// The point of the edge, the vertex, and their distance.
    #[inline(always)]
    fn points(self, a: View<'_>, b: View<'_>, o: [f32; 2]) -> ([f32; 2], [f32; 2], f32) {
        let (k, j) = (self.edge as usize, self.vertex as usize);
        let part = self.part(a, b, o);
        let on_edge = [a.x[k] + part * (a.x[k + 1] - a.x[k]), a.y[k] + part * (a.y[k + 1] - a.y[k])];
        (on_edge, [b.x[j] + o[0], b.y[j] + o[1]], self.square.sqrt())
    }

    /// The edge, or the end of it that is the nearest point.
    #[inline(always)]
    fn on_edge(self, a: View<'_>, b: View<'_>, o: [f32; 2]) -> Feature {
        let part = self.part(a, b, o);
        let next = if self.edge + 1 == a.head.vertex_count { 0 } else { self.edge + 1 };
        Feature { index: if part >= 1.0 { next } else { self.edge }, is_edge: part > 0.0 && part < 1.0 }
    }
}

/// Eight edges, from their starts to their ends.
#[derive(Clone, Copy)]
struct Edges<L> {
    along: Points<L>,
    /// From each start to B's anchor.
    to_b: Points<L>,
    per_square: L,
}

impl<L: Lanes> Edges<L> {
    /// The squares of their distances from a vertex of B.
    #[inline(always)]
    fn squares_to<I: Instructions<Lanes = L>>(self, i: I, vertex: [f32; 2]) -> L {
        let d = Points { x: i.splat(vertex[0]).add(self.to_b.x), y: i.splat(vertex[1]).add(self.to_b.y) };
        let part = d.dot(self.along).mul(self.per_square).max(i.splat(0.0)).min(i.splat(1.0));
        let r = Points { x: d.x.sub(part.mul(self.along.x)), y: d.y.sub(part.mul(self.along.y)) };
        r.dot(r)
    }
}

/// The same of the eight edges from `start` on. A function, since a closure would not be compiled for the vector
/// instructions.
#[inline(always)]
fn nearest_of_block<I: Instructions, const VERTICES: usize>(
    i: I,
    a: View<'_>,
    b: View<'_>,
    o: [f32; 2],
    start: usize,
) -> Nearest {
    let count = if VERTICES == 0 { b.head.vertex_count as usize } else { VERTICES };
    let p = Points { x: i.load(a.x, start), y: i.load(a.y, start) };
    let along = Points { x: i.load(a.x, start + 1), y: i.load(a.y, start + 1) }.minus(p);
    let to_b = Points { x: i.splat(o[0]), y: i.splat(o[1]) }.minus(p);
    let per_square = i.splat(1.0).div(along.dot(along).max(i.splat(LEAST_SQUARE)));
    let edges = Edges { along, to_b, per_square };
    let mut least = edges.squares_to(i, [b.x[0], b.y[0]]);
    let mut vertex = i.splat(0.0);
    for j in 1..count {
        let square = edges.squares_to(i, [b.x[j], b.y[j]]);
        vertex = i.splat(j as f32).where_less(square, least, vertex);
        least = least.min(square);
    }
    let square = least.least();
    // The first lane that has it.
    let (squares, vertices) = (least.to_array(), vertex.to_array());
    let mut lane = LANES - 1;
    for earlier in (0..LANES - 1).rev() {
        lane = if squares[earlier] <= square { earlier } else { lane };
    }
    Nearest { square, edge: (start + lane) as u32, vertex: vertices[lane] as u32 }
}

/// The edge of A and the vertex of B that are the nearest.
#[inline(always)]
fn nearest<I: Instructions, const VERTICES: usize>(i: I, a: View<'_>, b: View<'_>, o: [f32; 2]) -> Nearest {
    let mut best = nearest_of_block::<I, VERTICES>(i, a, b, o, 0);
    if VERTICES == 0 {
        let edges = a.head.vertex_count as usize;
        let mut start = LANES;
        while start < edges {
            let next = nearest_of_block::<I, VERTICES>(i, a, b, o, start.min(edges - LANES));
            if next.square < best.square {
                best = next;
            }
            start += LANES;
        }
    }
    // Beyond a small polygon's last vertex are its first ones again.
    let (count_a, count_b) = (a.head.vertex_count.max(1), b.head.vertex_count.max(1));
    Nearest { edge: best.edge % count_a, vertex: best.vertex % count_b, ..best }
}
