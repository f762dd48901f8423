//! Figures in f64, written to be read: the judge of the kernels, and what decides where f32 is not certain.

use glam::DVec2;

use super::local::{LocalPair, LocalPolygon};
use crate::figures::{
    Closest, Contact, Distance, Manifold, PairEdge, PairFeature, PairFeatures, PairSide, Penetration,
};
use crate::geometry::Piece;
use crate::narrow_phase::cpu::exact;
use crate::results::Relation;

/// Marks on the edges of A and of B that only part a piece from others of its object.
type Internal<'a> = [Option<&'a [bool]>; 2];

/// The edge of either polygon over which the other is the farthest out; in a tie A's, and that of the least number. Where the
/// interiors meet, an edge that bounds its object, if there is one.
pub(crate) fn penetration(a: Piece<'_>, b: Piece<'_>, internal: Internal<'_>) -> Penetration {
    best_edge(&LocalPair::new(a, b), internal).expect("a polygon has edges")
}

/// [`penetration`] over the edges of a pair; none where neither has one.
pub(super) fn best_edge(
    LocalPair { a, b, .. }: &LocalPair,
    [internal_a, internal_b]: Internal<'_>,
) -> Option<Penetration> {
    let is_internal = |marks: Option<&[bool]>, k: usize| marks.is_some_and(|marks| marks[k]);
    let by_a =
        (0..a.edge_count()).map(|k| (PairSide::A, k, gap(a, k, b), a.normal(k), is_internal(internal_a, k)));
    let by_b =
        (0..b.edge_count()).map(|k| (PairSide::B, k, gap(b, k, a), -b.normal(k), is_internal(internal_b, k)));
    let edges: Vec<_> = by_a.chain(by_b).collect();
    let greatest = |edges: &mut dyn Iterator<Item = (PairSide, usize, f64, DVec2, bool)>| {
        edges.reduce(|best, next| if next.2 > best.2 { next } else { best })
    };
    let mut best = greatest(&mut edges.iter().copied())?;
    if best.2 <= 0.0 {
        best = greatest(&mut edges.iter().copied().filter(|edge| !edge.4)).unwrap_or(best);
    }
    let (side, index, separation, normal, _) = best;
    Some(Penetration { normal, separation, edge: Some(PairEdge { side, index: index as u32 }) })
}

/// How far the nearest vertex of the other lies beyond the line of an edge.
fn gap(polygon: &LocalPolygon, edge: usize, other: &LocalPolygon) -> f64 {
    let (p, normal) = (polygon.vertices[edge], polygon.normal(edge));
    other.vertices.iter().map(|&v| normal.dot(v - p)).fold(f64::INFINITY, f64::min)
}

/// The distance: 0 exactly where the polygons have a common point.
pub(crate) fn distance(a: Piece<'_>, b: Piece<'_>) -> Distance {
    let pair = LocalPair::new(a, b);
    let separation = best_edge(&pair, [None; 2]).expect("a polygon has edges").separation;
    if exact::relation(a, b) != Relation::Disjoint {
        return Distance { distance: 0.0, separation, closest: None };
    }
    let near = closest(&pair);
    Distance {
        // What is apart is so by more than nothing.
        distance: near.point_a.distance(near.point_b).max(f64::MIN_POSITIVE),
        separation,
        closest: Some(Closest {
            point_a: pair.origin + near.point_a,
            point_b: pair.origin + near.point_b,
            ..near
        }),
    }
}

/// Of every vertex of either and every edge of the other the nearest points, about the origin of the pair.
pub(super) fn closest(LocalPair { a, b, .. }: &LocalPair) -> Closest {
    let of = |polygon: &LocalPolygon, other: &LocalPolygon| {
        let mut best = (f64::INFINITY, 0, PairFeature::Vertex(0), DVec2::ZERO, DVec2::ZERO);
        for (j, &v) in other.vertices.iter().enumerate() {
            for k in 0..polygon.vertices.len() {
                let (p, edge) = (polygon.vertices[k], polygon.edges[k]);
                // A point's edge has no length.
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

/// The contact points up to `margin` apart; none over an edge that only parts a piece from others of its object.
pub(crate) fn manifold(a: Piece<'_>, b: Piece<'_>, margin: f64, internal: Internal<'_>) -> Manifold {
    let pair = LocalPair::new(a, b);
    let best = best_edge(&pair, internal).expect("a polygon has edges");
    let edge = best.edge_or_first();
    let mut manifold = Manifold::without_points(best.normal, best.separation, edge);
    let marks = internal[edge.side as usize];
    if best.separation > margin || marks.is_some_and(|marks| marks[edge.index as usize]) {
        return manifold;
    }
    if best.separation > 0.0 {
        let near = closest(&pair);
        let between = near.point_b - near.point_a;
        let vertices =
            matches!(near.features, PairFeatures { a: PairFeature::Vertex(_), b: PairFeature::Vertex(_) });
        // Two vertices right over each other may be the ends of edges that face each other.
        if vertices && best.normal.perp_dot(between).abs() > 1e-12 * between.length() {
            manifold.normal = between.normalize();
            manifold.separation = between.length();
            let position = pair.origin + near.point_a + between * 0.5;
            let separation = between.length();
            manifold.push_within(margin, Contact { position, separation, features: near.features });
            return manifold;
        }
    }
    for contact in clipped(&pair, &best) {
        manifold.push_within(margin, contact);
    }
    manifold
}

/// The ends of the incident edge, cut off where the edge of `best` ends; the deeper end where nothing is left.
pub(super) fn clipped(pair: &LocalPair, best: &Penetration) -> Vec<Contact> {
    let edge = best.edge_or_first();
    let of_b = edge.side == PairSide::B;
    let (reference, incident) = if of_b { (&pair.b, &pair.a) } else { (&pair.a, &pair.b) };
    let normal = if of_b { -best.normal } else { best.normal };
    let contact = |point: Clipped| {
        let (of_reference, of_incident) = point.features;
        let features = if of_b {
            PairFeatures { a: of_incident, b: of_reference }
        } else {
            PairFeatures { a: of_reference, b: of_incident }
        };
        let position = pair.origin + point.on_incident - normal * (0.5 * point.separation);
        Contact { position, separation: point.separation, features }
    };
    clipped_points(reference, edge.index as usize, normal, incident).into_iter().map(contact).collect()
}

/// A point of the incident edge over the reference edge.
struct Clipped {
    on_incident: DVec2,
    separation: f64,
    /// Of the reference polygon, and of the incident one.
    features: (PairFeature, PairFeature),
}

/// The ends of the edge that is the most against the reference edge `k`, cut off where that ends; the deeper end where
/// nothing is left.
fn clipped_points(
    reference: &LocalPolygon,
    k: usize,
    normal: DVec2,
    incident: &LocalPolygon,
) -> Vec<Clipped> {
    let against = |m: &usize| incident.normal(*m).dot(normal);
    let m = (0..incident.edge_count()).min_by(|i, j| against(i).total_cmp(&against(j))).unwrap_or(0);
    let m_next = (m + 1) % incident.vertices.len();
    let k_next = (k + 1) % reference.vertices.len();
    let p = reference.vertices[k];
    let tangent = DVec2::new(-normal.y, normal.x);
    let length = tangent.dot(reference.edges[k]);
    let (v, w) = (incident.vertices[m], incident.vertices[m_next]);
    // The incident edge runs against the reference edge: w comes first along it.
    let (along_v, along_w) = (tangent.dot(v - p), tangent.dot(w - p));
    let vertex = |point: DVec2, number: usize| Clipped {
        on_incident: point,
        separation: normal.dot(point - p),
        features: (PairFeature::Edge(k as u32), PairFeature::Vertex(number as u32)),
    };
    let (first, last) = (vertex(w, m_next), vertex(v, m));
    if along_v < 0.0 || along_w > length || along_v <= along_w {
        return vec![if last.separation < first.separation { last } else { first }];
    }
    let cut = |along: f64, number: usize| {
        let point = w + (v - w) * ((along - along_w) / (along_v - along_w));
        Clipped {
            on_incident: point,
            separation: normal.dot(point - p),
            features: (PairFeature::Vertex(number as u32), PairFeature::Edge(m as u32)),
        }
    };
    vec![
        if along_w < 0.0 { cut(0.0, k) } else { first },
        if along_v > length { cut(length, k_next) } else { last },
    ]
}
