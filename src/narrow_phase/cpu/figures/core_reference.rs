//! Figures in f64 of cores that are points, segments or convex polygons: the judge of rounded shapes.

use glam::DVec2;

use super::local::{LocalPair, LocalPolygon};
use super::reference::{best_edge, clipped, closest};
use crate::figures::{
    Closest, Contact, Distance, Manifold, PairEdge, PairFeature, PairFeatures, PairSide, Penetration,
};
use crate::geometry::Piece;

/// Where the cores overlap, the edge over which they do so the least; else the way between their closest points.
pub(crate) fn penetration(a: Piece<'_>, b: Piece<'_>) -> Penetration {
    of_pair(&LocalPair::new(a, b))
}

fn of_pair(pair: &LocalPair) -> Penetration {
    let best = best_edge(pair, [None; 2]);
    if let Some(best) = best.filter(|best| best.separation < 0.0 && !are_apart_along_lines(pair)) {
        return best;
    }
    let near = closest(pair);
    let between = near.point_b - near.point_a;
    let edge = match near.features {
        PairFeatures { a: PairFeature::Edge(index), .. } => Some(PairEdge { side: PairSide::A, index }),
        PairFeatures { b: PairFeature::Edge(index), .. } => Some(PairEdge { side: PairSide::B, index }),
        PairFeatures { .. } => None,
    };
    match between.try_normalize() {
        Some(normal) => Penetration { normal, separation: between.length(), edge },
        // They touch: over an edge, or, two points, in any direction.
        None => best.map_or(Penetration { normal: DVec2::X, separation: 0.0, edge: None }, |best| {
            Penetration { separation: 0.0, ..best }
        }),
    }
}

/// Whether cores of one line, which the normals of their edges do not separate, are apart on it; of others as well only where they
/// are apart.
fn are_apart_along_lines(LocalPair { a, b, .. }: &LocalPair) -> bool {
    if a.vertices.len() > 2 || b.vertices.len() > 2 {
        return false;
    }
    let edges = [a, b].into_iter().filter(|core| core.edge_count() > 0).map(|core| core.edges[0]);
    edges.into_iter().any(|along| {
        let shadow = |core: &LocalPolygon| {
            let places = core.vertices.iter().map(|v| along.dot(*v));
            places.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, greatest], at| {
                [least.min(at), greatest.max(at)]
            })
        };
        let ([least_a, greatest_a], [least_b, greatest_b]) = (shadow(a), shadow(b));
        greatest_a < least_b || greatest_b < least_a
    })
}

/// The distance of two cores; 0 where they overlap.
pub(crate) fn distance(a: Piece<'_>, b: Piece<'_>) -> Distance {
    let pair = LocalPair::new(a, b);
    let best = best_edge(&pair, [None; 2]);
    let is_apart = are_apart_along_lines(&pair);
    let gap = best.map(|best| if is_apart { best.separation.max(0.0) } else { best.separation });
    if gap.is_some_and(|gap| gap < 0.0) {
        return Distance { distance: 0.0, separation: gap.unwrap_or(0.0), closest: None };
    }
    let near = closest(&pair);
    let distance = near.point_a.distance(near.point_b);
    let world = Closest { point_a: pair.origin + near.point_a, point_b: pair.origin + near.point_b, ..near };
    Distance { distance, separation: gap.unwrap_or(distance), closest: (distance > 0.0).then_some(world) }
}

/// Contact points of two cores up to `reach` apart.
pub(crate) fn manifold(a: Piece<'_>, b: Piece<'_>, reach: f64) -> Manifold {
    let pair = LocalPair::new(a, b);
    let way = of_pair(&pair);
    let best = best_edge(&pair, [None; 2]);
    let edge = best.map_or(PairEdge { side: PairSide::A, index: 0 }, |best| best.edge_or_first());
    let mut manifold = Manifold::without_points(way.normal, way.separation, edge);
    let face = best.filter(|best| way.edge.is_some() || best.normal.perp_dot(way.normal).abs() <= 1e-12);
    let Some(best) = face else {
        // Corner to corner.
        let near = closest(&pair);
        let position = pair.origin + near.point_a.midpoint(near.point_b);
        manifold
            .push_within(reach, Contact { position, separation: way.separation, features: near.features });
        return manifold;
    };
    manifold.normal = best.normal;
    manifold.separation = best.separation;
    if best.separation <= reach {
        for contact in clipped(&pair, &best) {
            manifold.push_within(reach, contact);
        }
    }
    manifold
}
