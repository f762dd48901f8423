//! Computes the closest points of two disjoint polygons. The module considers every combination of a vertex of one
//! polygon and an edge of the other polygon, and selects the combination with the smallest distance. The distance
//! between a point and a segment is from Ericson 2005, "Real-Time Collision Detection", 5.1.2.
//!
//! Let u = 2^-23, a bound on the relative error of an f32 operation, and E = eA + eB the sum of the packing errors. The
//! error of a vertex is at most E, and the error of differences and products is a few u times the size of the pair. If a
//! point of a segment is displaced along the segment, the distance changes by at most the displacement. The error of the
//! distance is therefore at most `1.5 E + 16 u size`. The only divisor that may be small is the square of an edge's length.

use super::edges::{BestEdge, first_lane};
use super::steps;
use crate::kernels::cpu::simd::offset;
use crate::kernels::cpu::simd::points::Points;
use crate::packed::records::{LANES, View};
use crate::simd::{Instructions, Lanes, greater, negated};

/// The least divisor, in square quanta of the [`Grid`](crate::packed::grid::Grid). It replaces any lesser squared length,
/// so that no division is by 0.
const LEAST_SQUARE: f32 = f32::from_bits((127 - 100) << 23);

/// The closest points of two polygons A and B: a vertex of one polygon and a point of an edge of the other polygon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closest {
    /// The closest point of A, relative to A's anchor, in quanta.
    pub(crate) point_a: [f32; 2],
    /// The closest point of B, relative to A's anchor, in quanta.
    pub(crate) point_b: [f32; 2],
    /// The distance between the two points, in quanta.
    pub(crate) distance: f32,
    pub(crate) feature_a: Feature,
    pub(crate) feature_b: Feature,
}

/// A feature of a polygon: a vertex, or the edge that begins at this vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Feature {
    pub(crate) index: u32,
    pub(crate) is_edge: bool,
}

/// Returns the closest points of two polygons, with the features on which the points lie. The distance between the
/// points exceeds the distance between the polygons by at most `tolerance` plus the errors of gaps. If both points are
/// vertices, the gap between the polygons in the direction from one point to the other equals the distance between the
/// points, up to `tolerance`.
///
/// In most cases, the function does not read all edges. It first takes the edge with the greatest gap, and the vertex
/// nearest to it. If their distance is greater than the gap, it tries pairs of vertices.
#[inline(always)]
pub(crate) fn closest_along<I: Instructions, const VERTICES: usize>(
    i: I,
    a: View<'_>,
    b: View<'_>,
    best: &BestEdge,
    tolerance: f32,
) -> Closest {
    let o = offset(a.head, b.head);
    let (p, q, to_q) = if best.of_b { (b, a, negated(o)) } else { (a, b, o) };
    let guess = guess::<I, VERTICES>(i, p, best.edge, q, to_q);
    let found = if confirms(&guess, best, tolerance) {
        guess
    } else {
        confirmed::<I, VERTICES>(i, p, q, to_q, guess, tolerance)
    };
    if best.of_b { found.exchanged(o) } else { found }
}

/// Returns the point of an edge of P and the vertex of Q that are probably the closest points. `to_q` is the vector
/// from P's anchor to Q's anchor.
#[inline(always)]
pub(super) fn guess<I: Instructions, const VERTICES: usize>(
    i: I,
    p: View<'_>,
    edge: u32,
    q: View<'_>,
    to_q: [f32; 2],
) -> Closest {
    nearest_to_edge::<I, VERTICES>(i, p, edge, q, to_q).closest(p, q, to_q)
}

/// Returns true if the points of [`guess`] are the closest points of the polygons, up to `tolerance`. This is proven if
/// the point on the edge is an inner point of the edge, and the distance between the points exceeds the gap over this
/// edge by at most `tolerance`.
#[inline(always)]
pub(super) fn confirms(guess: &Closest, best: &BestEdge, tolerance: f32) -> bool {
    guess.feature_a.is_edge && guess.distance - tolerance <= best.separation
}

/// The number of directions along which the search for the closest points tries two vertices, before it tests all
/// edges.
const STEPS: usize = 3;

/// Returns the closest points. First tests the points of `guess`. They are the closest points if their distance is at
/// most the gap between the polygons in the direction from one point to the other, up to `tolerance`. Otherwise, takes
/// the two vertices that are nearest in this direction, and repeats the test with them. If no test succeeds, tests all
/// edges.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn confirmed<I: Instructions, const VERTICES: usize>(
    i: I,
    a: View<'_>,
    b: View<'_>,
    o: [f32; 2],
    guess: Closest,
    tolerance: f32,
) -> Closest {
    let mut found = guess;
    for _ in 0..STEPS {
        let d = [found.point_b[0] - found.point_a[0], found.point_b[1] - found.point_a[1]];
        let (beyond, vertex_b) = support::<I, VERTICES>(i, b, d);
        let (before, vertex_a) = support::<I, VERTICES>(i, a, negated(d));
        let gap = beyond + before + (d[0] * o[0] + d[1] * o[1]);
        if found.distance * (found.distance - tolerance) <= gap {
            return found;
        }
        let (p, q) = ([a.x[vertex_a], a.y[vertex_a]], [b.x[vertex_b] + o[0], b.y[vertex_b] + o[1]]);
        let [x, y] = [q[0] - p[0], q[1] - p[1]];
        found = Closest {
            point_a: p,
            point_b: q,
            distance: (x * x + y * y).sqrt(),
            feature_a: Feature { index: turned(vertex_a as u32, a), is_edge: false },
            feature_b: Feature { index: turned(vertex_b as u32, b), is_edge: false },
        };
    }
    all_edges::<I, VERTICES>(i, a, b, o)
}

/// Returns the closest points of two disjoint polygons: a vertex of one polygon, and a point of an edge of the other
/// polygon. Among pairs of features with equal distances, a pair with a vertex of B comes first, and then the pair with
/// the least indices.
#[inline(always)]
pub(crate) fn closest<I: Instructions, const VERTICES: usize>(i: I, a: View<'_>, b: View<'_>) -> Closest {
    all_edges::<I, VERTICES>(i, a, b, offset(a.head, b.head))
}

/// Returns the closest points, from all edges and vertices of both polygons. `o` is the vector from A's anchor to B's
/// anchor.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn all_edges<I: Instructions, const VERTICES: usize>(i: I, a: View<'_>, b: View<'_>, o: [f32; 2]) -> Closest {
    let back = negated(o);
    let to_b = nearest::<I, VERTICES>(i, a, b, o);
    let to_a = nearest::<I, VERTICES>(i, b, a, back);
    if to_b.square <= to_a.square { to_b.closest(a, b, o) } else { to_a.closest(b, a, back).exchanged(o) }
}

/// Returns the least projection of a polygon's vertices on a direction, and the index of the first vertex with this
/// projection.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn support<I: Instructions, const VERTICES: usize>(
    i: I,
    polygon: View<'_>,
    direction: [f32; 2],
) -> (f32, usize) {
    let direction = Points { x: i.splat(direction[0]), y: i.splat(direction[1]) };
    let mut best = first_least(Points { x: i.load(polygon.x, 0), y: i.load(polygon.y, 0) }.dot(direction));
    if VERTICES == 0 {
        let count = polygon.head.vertex_count as usize;
        let mut start = LANES;
        while start < count {
            let from = start.min(count - LANES);
            let dots = Points { x: i.load(polygon.x, from), y: i.load(polygon.y, from) }.dot(direction);
            let (least, lane) = first_least(dots);
            if least < best.0 {
                best = (least, from + lane);
            }
            start += LANES;
        }
    }
    best
}

/// Returns the vertex of B that is nearest to the edge of A with the given index. `o` is the vector from A's anchor to
/// B's anchor.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn nearest_to_edge<I: Instructions, const VERTICES: usize>(
    i: I,
    a: View<'_>,
    edge: u32,
    b: View<'_>,
    o: [f32; 2],
) -> Nearest {
    let k = edge as usize;
    let along = [a.x[k + 1] - a.x[k], a.y[k + 1] - a.y[k]];
    let edge_lanes = EdgeLanes {
        along: Points { x: i.splat(along[0]), y: i.splat(along[1]) },
        to_b: Points { x: i.splat(o[0] - a.x[k]), y: i.splat(o[1] - a.y[k]) },
        per_square: i.splat(per_square(along)),
    };
    let mut best = first_least(edge_lanes.squares_to::<I>(i, b, 0));
    if VERTICES == 0 {
        let count = b.head.vertex_count as usize;
        let mut start = LANES;
        while start < count {
            let from = start.min(count - LANES);
            let (square, lane) = first_least(edge_lanes.squares_to::<I>(i, b, from));
            if square < best.0 {
                best = (square, from + lane);
            }
            start += LANES;
        }
    }
    Nearest { square: best.0, edge, vertex: turned(best.1 as u32, b) }
}

/// Returns 1 divided by the square of the length of an edge. `along` is the vector of the edge. All callers use this
/// function, so that the compiler can merge two divisions for the same edge.
#[inline(always)]
fn per_square(along: [f32; 2]) -> f32 {
    1.0 / greater(along[0] * along[0] + along[1] * along[1], LEAST_SQUARE)
}

/// One edge of A, repeated in every lane, with the numbers that [`EdgeLanes::squares_to`] needs.
struct EdgeLanes<L> {
    along: Points<L>,
    to_b: Points<L>,
    per_square: L,
}

impl<L: Lanes> EdgeLanes<L> {
    /// Returns the squares of the distances between the edge and eight vertices of B, from index `start` on.
    #[inline(always)]
    fn squares_to<I: Instructions<Lanes = L>>(&self, i: I, b: View<'_>, start: usize) -> L {
        let d = Points { x: i.load(b.x, start).add(self.to_b.x), y: i.load(b.y, start).add(self.to_b.y) };
        square_from_edge::<I>(i, d, self.along, self.per_square)
    }
}

/// An edge of A and a vertex of B, with the square of the distance between them.
#[derive(Clone, Copy)]
struct Nearest {
    square: f32,
    edge: u32,
    vertex: u32,
}

impl Closest {
    /// Returns the same edge and vertex with the names A and B exchanged. `o` is the vector from A's anchor to the
    /// other polygon's anchor. The result is relative to A's anchor.
    #[inline(always)]
    fn exchanged(self, o: [f32; 2]) -> Self {
        let Self { point_a, point_b, distance, feature_a, feature_b } = self;
        Self {
            point_a: [point_b[0] + o[0], point_b[1] + o[1]],
            point_b: [point_a[0] + o[0], point_a[1] + o[1]],
            distance,
            feature_a: feature_b,
            feature_b: feature_a,
        }
    }
}

impl Nearest {
    #[inline(always)]
    fn closest(self, a: View<'_>, b: View<'_>, o: [f32; 2]) -> Closest {
        let (point_a, point_b, distance) = self.points(a, b, o);
        Closest {
            point_a,
            point_b,
            distance,
            feature_a: self.on_edge(a, b, o),
            feature_b: Feature { index: self.vertex, is_edge: false },
        }
    }

    /// Returns the position on the edge of the point nearest to the vertex: 0 for the start of the edge, 1 for its end.
    #[inline(always)]
    fn part(self, a: View<'_>, b: View<'_>, o: [f32; 2]) -> f32 {
        let (k, j) = (self.edge as usize, self.vertex as usize);
        let along = [a.x[k + 1] - a.x[k], a.y[k + 1] - a.y[k]];
        let to_vertex = [b.x[j] + o[0] - a.x[k], b.y[j] + o[1] - a.y[k]];
        let dot = to_vertex[0] * along[0] + to_vertex[1] * along[1];
        steps::part(dot * per_square(along))
    }

    /// Returns the point of the edge nearest to the vertex, then the vertex, and their distance. Both points are
    /// relative to A's anchor.
    #[inline(always)]
    fn points(self, a: View<'_>, b: View<'_>, o: [f32; 2]) -> ([f32; 2], [f32; 2], f32) {
        let (k, j) = (self.edge as usize, self.vertex as usize);
        let part = self.part(a, b, o);
        let on_edge = [a.x[k] + part * (a.x[k + 1] - a.x[k]), a.y[k] + part * (a.y[k + 1] - a.y[k])];
        (on_edge, [b.x[j] + o[0], b.y[j] + o[1]], self.square.sqrt())
    }

    /// Returns the edge as a feature. If the point nearest to the vertex is an end of the edge, returns this end.
    #[inline(always)]
    fn on_edge(self, a: View<'_>, b: View<'_>, o: [f32; 2]) -> Feature {
        let part = self.part(a, b, o);
        let next = if self.edge + 1 == a.head.vertex_count { 0 } else { self.edge + 1 };
        Feature { index: if part >= 1.0 { next } else { self.edge }, is_edge: part > 0.0 && part < 1.0 }
    }
}

/// Returns the nearest pair of an edge of A and a vertex of B. `o` is the vector from A's anchor to B's anchor.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
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
    Nearest { edge: turned(best.edge, a), vertex: turned(best.vertex, b), ..best }
}

/// Returns the nearest pair of an edge and a vertex, among eight edges of A and all vertices of B. This code is a
/// function and not a closure, because the compiler would not compile a closure for the machine's vectors.
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
    let mut least = square_to_edge::<I>(i, to_b, along, per_square, b, 0);
    let mut vertex = i.splat(0.0);
    for j in 1..count {
        let square = square_to_edge::<I>(i, to_b, along, per_square, b, j);
        vertex = i.splat(j as f32).where_less(square, least, vertex);
        least = least.min(square);
    }
    let (square, lane) = first_least(least);
    Nearest { square, edge: (start + lane) as u32, vertex: vertex.to_array()[lane] as u32 }
}

/// Returns the squares of the distances between vertex `j` of B and eight edges of A.
#[inline(always)]
fn square_to_edge<I: Instructions>(
    i: I,
    to_b: Points<I::Lanes>,
    along: Points<I::Lanes>,
    per_square: I::Lanes,
    b: View<'_>,
    j: usize,
) -> I::Lanes {
    let d = Points { x: i.splat(b.x[j]).add(to_b.x), y: i.splat(b.y[j]).add(to_b.y) };
    square_from_edge::<I>(i, d, along, per_square)
}

/// Returns the squares of the distances between points and edges, one of each in a lane. Each point is relative to the
/// start of its edge.
#[inline(always)]
fn square_from_edge<I: Instructions>(
    i: I,
    d: Points<I::Lanes>,
    along: Points<I::Lanes>,
    per_square: I::Lanes,
) -> I::Lanes {
    let part = steps::parts(i, d.dot(along).mul(per_square));
    let r = Points { x: d.x.sub(part.mul(along.x)), y: d.y.sub(part.mul(along.y)) };
    r.dot(r)
}

/// Returns the least value of the lanes, and the first lane that has it.
#[inline(always)]
fn first_least<L: Lanes>(lanes: L) -> (f32, usize) {
    let least = lanes.least();
    (least.first(), first_lane(least.at_least(lanes)))
}

/// Converts `number`, the index of a lane's vertex, to the index of a vertex of the polygon. The lanes after a small
/// polygon's last vertex repeat its first vertices, so `number` may be greater than the index of the last vertex.
#[inline(always)]
fn turned(number: u32, polygon: View<'_>) -> u32 {
    let count = polygon.head.vertex_count;
    if number < count { number } else { number % count.max(1) }
}
