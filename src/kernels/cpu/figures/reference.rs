//! A simple f64 implementation of gaps and closest points. Times of impact in f64 use it, and it is the oracle for the
//! f32 kernels.

use glam::DVec2;

use super::local::{LocalPair, LocalPolygon};
use crate::answers::distance::Closest;
use crate::answers::pair::{PairEdge, PairFeature, PairFeatures};
use crate::answers::penetration::Penetration;
use crate::base::side::PairSide;

/// Returns the edge with the greatest gap, among the edges of both polygons. If several edges have the same gap, an
/// edge of A comes first, then the edge with the least index. Returns `None` if neither polygon has an edge.
pub(super) fn best_edge(LocalPair { a, b, .. }: &LocalPair) -> Option<Penetration> {
    let by_a = (0..a.edge_count()).map(|k| (PairSide::A, k, gap(a, k, b), a.normal(k)));
    let by_b = (0..b.edge_count()).map(|k| (PairSide::B, k, gap(b, k, a), -b.normal(k)));
    let (side, index, separation, normal) =
        by_a.chain(by_b).reduce(|best, next| if next.2 > best.2 { next } else { best })?;
    Some(Penetration { normal, separation, edge: Some(PairEdge { side, index: index as u32 }) })
}

/// Returns the gap over an edge: the least signed distance of a vertex of the other polygon from the line of the edge.
fn gap(polygon: &LocalPolygon, edge: usize, other: &LocalPolygon) -> f64 {
    let (p, normal) = (polygon.vertices[edge], polygon.normal(edge));
    other.vertices.iter().map(|&v| normal.dot(v - p)).fold(f64::INFINITY, f64::min)
}

/// Returns the closest points of two polygons, relative to the origin of the pair. Tests every vertex of one polygon
/// with every edge of the other polygon.
pub(super) fn closest(LocalPair { a, b, .. }: &LocalPair) -> Closest {
    let of = |polygon: &LocalPolygon, other: &LocalPolygon| {
        let mut best = (f64::INFINITY, 0, PairFeature::Vertex(0), DVec2::ZERO, DVec2::ZERO);
        for (j, &v) in other.vertices.iter().enumerate() {
            for k in 0..polygon.vertices.len() {
                let (p, edge) = (polygon.vertices[k], polygon.edges[k]);
                // A point has one edge, whose length is 0.
                let square = edge.length_squared().max(f64::MIN_POSITIVE);
                let part = ((v - p).dot(edge) / square).clamp(0.0, 1.0);
                let point = p + edge * part;
                let distance = point.distance(v);
                if distance < best.0 {
                    let next = (k + 1) % polygon.vertices.len();
                    let feature = match part {
                        0.0 => PairFeature::Vertex(k as u32),
                        1.0 => PairFeature::Vertex(next as u32),
                        _ => PairFeature::Edge(k as u32),
                    };
                    best = (distance, j as u32, feature, point, v);
                }
            }
        }
        best
    };
    let (to_b, vertex_b, feature_a, on_a, b_point) = of(a, b);
    let (to_a, vertex_a, feature_b, on_b, a_point) = of(b, a);
    if to_b <= to_a {
        let features = PairFeatures { a: feature_a, b: PairFeature::Vertex(vertex_b) };
        Closest { point_a: on_a, point_b: b_point, features }
    } else {
        let features = PairFeatures { a: PairFeature::Vertex(vertex_a), b: feature_b };
        Closest { point_a: a_point, point_b: on_b, features }
    }
}
