//! Computes the distance between two polygons and their closest points, from the nearest vertex and edge.

use std::hint::select_unpredictable;

use glam::DVec2;

use super::pair::{MeasuredPair, Outline, length};
use super::penetration::Over;
use super::select::{Nearest, part_along};
use crate::answers::distance::Closest;
use crate::answers::pair::{PairFeature, PairFeatures};
use crate::base::side::PairSide;

/// An upper bound on the relative rounding error of a product.
const MARGIN: f64 = 1.0 / (1u64 << 40) as f64;

/// The closest points of a pair, with coordinates relative to the origin of the pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) point_a: DVec2,
    pub(super) point_b: DVec2,
    /// The vector from A's closest point to B's closest point.
    pub(super) between: DVec2,
    pub(super) distance: f64,
    pub(super) features: PairFeatures,
}

impl Over {
    /// Returns the closest points of the pair: a point of the edge, and the vertex of the other polygon with the least
    /// projection beyond the edge. Returns `None` if the edge and this vertex are not proven to be the nearest features
    /// (see [`Over::nearest`]).
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn near(&self, pair: &MeasuredPair<'_>) -> Option<Near> {
        // In a browser, the code computes the gap again, so that a page loads less code.
        let is_known = cfg!(not(target_family = "wasm")) && self.lowest.is_sole;
        let gap = if is_known { Some(self.lowest.gap) } else { None };
        Some(near_over(pair, self.nearest(pair)?, gap))
    }

    /// Returns the edge and its lowest vertex if they are proven to be the nearest features. Otherwise, returns `None`.
    /// The lowest vertex is the vertex of the other polygon with the least projection beyond the edge. There are two
    /// proofs. In the first, the foot of the vertex on the line lies in the interior of the edge, and no other vertex
    /// is equally low. In the second, the vertex and the nearer end of the edge are the only closest points
    /// ([`are_nearest`]).
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn nearest(&self, pair: &MeasuredPair<'_>) -> Option<Nearest> {
        let [polygon, other] = pair.sides(self.edge);
        let k = self.edge.index as usize;
        let (edge, way) = (polygon.edge(k), other.vertices[self.lowest.vertex] - polygon.vertices[k]);
        let (along, whole) = (way.dot(edge), edge.length_squared());
        // The margin is far above rounding errors, even for an edge that is short relative to `way`.
        let margin = MARGIN * way.abs().max_element() * edge.abs().max_element();
        let vertex = self.lowest.vertex;
        if along > margin && along < whole - margin {
            return self.lowest.is_sole.then_some(Nearest { edge: self.edge, vertex });
        }
        let end = if along < 0.5 * whole { k } else { polygon.next(k) };
        are_nearest(polygon, end, other, vertex).then_some(Nearest { edge: self.edge, vertex })
    }
}

/// Returns true if vertex `i` of `p` and vertex `j` of `q` are the only closest points of two polygons: no edge at
/// either vertex goes towards the other vertex. The margin of the test is far above rounding errors. For convex
/// polygons, this local condition is sufficient.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn are_nearest(p: Outline<'_>, i: usize, q: Outline<'_>, j: usize) -> bool {
    let way = q.vertices[j] - p.vertices[i];
    let size = way.abs().max_element();
    let is_away = |edge: DVec2, way: DVec2| edge.dot(way) < -MARGIN * edge.abs().max_element() * size;
    is_away(p.edge(i), way)
        & is_away(-p.edge(p.previous(i)), way)
        & is_away(q.edge(j), -way)
        & is_away(-q.edge(q.previous(j)), -way)
}

impl Near {
    /// Converts the closest points to world coordinates.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn closest(&self, pair: &MeasuredPair<'_>) -> Closest {
        let (point_a, point_b) = (pair.origin + self.point_a, pair.origin + self.point_b);
        Closest { point_a, point_b, features: self.features }
    }

    pub(super) fn is_of_vertices(&self) -> bool {
        matches!(self.features, PairFeatures { a: PairFeature::Vertex(_), b: PairFeature::Vertex(_) })
    }
}

/// Returns the closest points of an edge and a vertex, relative to the origin of the pair.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn near(pair: &MeasuredPair<'_>, nearest: Nearest) -> Near {
    near_over(pair, nearest, None)
}

/// Returns the closest points of an edge and a vertex, relative to the origin of the pair. `gap` is the gap between the
/// line of the edge and the vertex, or `None` if it is not known.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn near_over(pair: &MeasuredPair<'_>, Nearest { edge, vertex }: Nearest, gap: Option<f64>) -> Near {
    let [polygon, other] = pair.sides(edge);
    let v = other.vertices[vertex];
    let (on_edge, feature, distance) = on_edge(polygon, edge.index as usize, v, gap);
    let of_vertex = PairFeature::Vertex(vertex as u32);
    // The code has no branch, because the processor cannot predict the side of the edge.
    let is_a = edge.side == PairSide::A;
    let (point_a, point_b) = (select_unpredictable(is_a, on_edge, v), select_unpredictable(is_a, v, on_edge));
    let features = PairFeatures {
        a: select_unpredictable(is_a, feature, of_vertex),
        b: select_unpredictable(is_a, of_vertex, feature),
    };
    Near { point_a, point_b, between: point_b - point_a, distance, features }
}

/// Returns three results for edge `k` of a polygon and a point `v`: the point of the edge nearest to `v`, the feature
/// on which this point lies, and its distance from `v`. `gap` is the gap between the line of the edge and `v`, or
/// `None` if it is not known.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn on_edge(polygon: Outline<'_>, k: usize, v: DVec2, gap: Option<f64>) -> (DVec2, PairFeature, f64) {
    let (p, edge) = (polygon.vertices[k], polygon.edge(k));
    let part = part_along(edge, v - p);
    if part == 0.0 {
        return (p, PairFeature::Vertex(k as u32), length(v - p));
    }
    let next = polygon.next(k);
    let q = polygon.vertices[next];
    if part == 1.0 {
        return (q, PairFeature::Vertex(next as u32), length(v - q));
    }
    // For an axis-parallel edge, both coordinates are known without rounding.
    let point = if edge.x == 0.0 {
        DVec2::new(p.x, v.y)
    } else if edge.y == 0.0 {
        DVec2::new(v.x, p.y)
    } else if part < 0.5 {
        p + edge * part
    } else {
        q - edge * (1.0 - part)
    };
    let gap = match gap {
        Some(gap) => gap,
        None => polygon.gap(k, v),
    };
    (point, PairFeature::Edge(k as u32), gap.abs())
}
