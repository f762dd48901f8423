//! Figures in f64, written to be read: the judge of the kernels, and what decides where f32 is not certain.

use super::local::{LocalPair, LocalPolygon};
use crate::figures::{PairEdge, PairSide, Penetration};

/// The edge of either polygon over which the other is the farthest out; in a tie A's, and that of the least number.
pub(crate) fn penetration(pair: &LocalPair) -> Penetration {
    let LocalPair { a, b, .. } = pair;
    let by_a = (0..a.vertices.len()).map(|k| (PairSide::A, k, gap(a, k, b), a.normal(k)));
    let by_b = (0..b.vertices.len()).map(|k| (PairSide::B, k, gap(b, k, a), -b.normal(k)));
    let best = by_a.chain(by_b).reduce(|best, next| if next.2 > best.2 { next } else { best });
    let (side, index, separation, normal) = best.expect("a polygon has edges");
    Penetration { normal, separation, edge: PairEdge { side, index: index as u32 } }
}

/// How far the nearest vertex of the other lies beyond the line of an edge.
fn gap(polygon: &LocalPolygon, edge: usize, other: &LocalPolygon) -> f64 {
    let (p, normal) = (polygon.vertices[edge], polygon.normal(edge));
    least(other.vertices.iter().map(|&v| normal.dot(v - p)))
}

fn least(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::INFINITY, f64::min)
}
