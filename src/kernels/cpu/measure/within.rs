//! Decides with exact arithmetic whether the distance between two pieces is at most a limit.
//!
//! The distance of two disjoint convex polygons is the least distance between a vertex v of one polygon and an edge (p,
//! q) of the other polygon. Let e = q - p and w = v - p. All coordinates are fractions whose common denominator is a
//! power of two. The distance between v and (p, q) is |w| if `w.e <= 0`, |v - q| if `w.e >= e.e`, and |w x e| / |e|
//! otherwise (Ericson 2005, "Real-Time Collision Detection", 5.1.2). The code compares squares, multiplied by the
//! denominators. All terms, and the comparison with the limit, then use only integers.

use num_bigint::{BigInt, Sign};

use super::pair::{MeasuredPair, Outline, length};
use super::select::{SLACK, part_along};
use crate::answers::pair::PairEdge;
use crate::answers::results::Relation;
use crate::base::side::PairSide;
use crate::geometry::posed_image::{BigPoint, UNIT_BITS, cross, difference, dot, posed_image, scaled};

/// The number of bits after the binary point with which an integer represents any f64. The least positive f64 is 2^-1074.
const FINEST_BITS: i32 = 1074;

/// Returns true if the distance between two pieces is at most the sum of three limits: a distance and two radii. Each
/// limit must be 0 or more.
#[cold]
pub(crate) fn is_within(pair: &MeasuredPair<'_>, limits: [f64; 3]) -> bool {
    if pair.pieces().iter().all(|piece| piece.vertices.len() > 2)
        && pair.exact_relation() != Relation::Disjoint
    {
        return true;
    }
    let [a, b] = pair.pieces();
    if a.vertices.len() == 1 && a.vertices == b.vertices && a.pose == b.pose {
        // Two equal points meet. A set of points may have very many of them.
        return true;
    }
    let rounded: f64 = limits.iter().sum();
    if !rounded.is_finite() {
        return true;
    }
    // Exact arithmetic decides the few features whose distance f64 cannot compare with the limit.
    let slack = 8.0 * SLACK * (pair.extent() + rounded);
    let mut exact = None;
    for side in [PairSide::A, PairSide::B] {
        let [polygon, other] = pair.sides(PairEdge { side, index: 0 });
        for k in 0..polygon.vertices.len() {
            for (j, &v) in other.vertices.iter().enumerate() {
                let off = distance_to_edge(polygon, k, v) - rounded;
                if off < -slack {
                    return true;
                }
                if off <= slack {
                    let exact = exact.get_or_insert_with(|| Exact::new(pair, limits));
                    if exact.is_within(side, k, j) {
                        return true;
                    }
                }
            }
        }
    }
    false
}

/// Returns true if the distance between a vertex of one piece and the line of an edge of the other piece is at most
/// `limit`.
#[cold]
pub(super) fn is_vertex_within(pair: &MeasuredPair<'_>, edge: PairEdge, vertex: usize, limit: f64) -> bool {
    Exact::new(pair, [limit, 0.0, 0.0]).is_line_within(edge.side, edge.index as usize, vertex)
}

fn distance_to_edge(polygon: Outline<'_>, k: usize, v: glam::DVec2) -> f64 {
    let (edge, way) = (polygon.edge(k), v - polygon.vertices[k]);
    length(way - edge * part_along(edge, way))
}

/// The vertices of both pieces, and the square of the limit, as integers in one unit.
struct Exact {
    vertices: [Vec<BigPoint>; 2],
    square: BigInt,
}

impl Exact {
    fn new(pair: &MeasuredPair<'_>, limits: [f64; 3]) -> Self {
        // The unit of the exact images is fine enough for most limits. All other limits need a finer unit.
        let is_fine = |x: &f64| (x * 2f64.powi(UNIT_BITS)).fract() != 0.0;
        let bits = if limits.iter().any(is_fine) { FINEST_BITS } else { UNIT_BITS };
        let finer = |x: BigInt| x << (bits - UNIT_BITS);
        let vertices =
            pair.pieces().map(|piece| posed_image(piece).into_iter().map(|v| v.map(finer)).collect());
        let limit: BigInt = limits.into_iter().map(|x| scaled(x, bits)).sum();
        Self { vertices, square: &limit * &limit }
    }

    /// Returns true if the distance between edge `k` of the polygon on `side` and vertex `j` of the other polygon is at
    /// most the limit.
    fn is_within(&self, side: PairSide, k: usize, j: usize) -> bool {
        let [p, q, v] = self.edge_and_vertex(side, k, j);
        let (edge, way) = (difference(q, p), difference(v, p));
        let along = dot(&edge, &way);
        if along.sign() != Sign::Plus {
            return dot(&way, &way) <= self.square;
        }
        if along >= dot(&edge, &edge) {
            let way = difference(v, q);
            return dot(&way, &way) <= self.square;
        }
        self.is_line_within(side, k, j)
    }

    /// Returns true if the distance between the line of edge `k` of the polygon on `side` and vertex `j` of the other
    /// polygon is at most the limit.
    fn is_line_within(&self, side: PairSide, k: usize, j: usize) -> bool {
        let [p, q, v] = self.edge_and_vertex(side, k, j);
        let edge = difference(q, p);
        let across = cross(&difference(v, p), &edge);
        &across * &across <= &self.square * &dot(&edge, &edge)
    }

    fn edge_and_vertex(&self, side: PairSide, k: usize, j: usize) -> [&BigPoint; 3] {
        let [polygon, other] = match side {
            PairSide::A => [&self.vertices[0], &self.vertices[1]],
            PairSide::B => [&self.vertices[1], &self.vertices[0]],
        };
        [&polygon[k], &polygon[(k + 1) % polygon.len()], &other[j]]
    }
}
