//! Measures cores that are points, segments or convex polygons. The core of a rounded shape is the shape without its
//! rounding by a radius. If two cores are disjoint, the measurement is along the line between their closest points, whether
//! or not these points are vertices. If two cores overlap, the measurement is over an edge.

use super::Select;
use super::distance::{Near, near};
use super::manifold::clipped;
use super::pair::{MeasuredPair, Outline};
use super::penetration::{Over, lowest, separation, side_of_line};
use super::point::{nearest_of_points, nearest_outside};
use super::select::{Best, Line, SLACK};
use super::within::is_within;
use crate::answers::distance::{Closest, Distance};
use crate::answers::manifold::{Contact, Manifold};
use crate::answers::pair::{PairEdge, PairFeature, PairFeatures};
use crate::answers::penetration::Penetration;
use crate::answers::results::Relation;
use crate::base::side::PairSide;

/// Two cores, with the features that determine the measurements of the pair.
struct Cores {
    best: Option<Best>,
    /// The gap over the edge `best`, or 0 if neither core has an edge.
    gap: f64,
    near: Option<Near>,
    extent: f64,
}

impl Cores {
    fn new<S: Select>(select: S, pair: &MeasuredPair<'_>, gaps: &mut Vec<f64>) -> Self {
        let best = select.best_edge(pair, gaps);
        let extent = best.map_or_else(|| pair.extent(), |best| best.extent);
        let gap = best.map_or(0.0, |best| separation(select, pair, best.edge, best.slack()));
        let overlap = point_is_inside(pair, gap, extent)
            .unwrap_or_else(|| best.is_some() && gap < 0.0 && !are_apart_along_lines(pair));
        // Rounding may have changed the gap of a point just inside the polygon to 0.
        let gap = if overlap { gap.min(-f64::MIN_POSITIVE) } else { gap };
        let near = (!overlap).then(|| near(pair, select.nearest(pair, SLACK * extent, gaps)));
        Self { best, gap, near, extent }
    }

    fn penetration(&self, pair: &MeasuredPair<'_>) -> Penetration {
        let over = |best: &Best, separation| Penetration {
            normal: pair.normal(best.edge),
            separation,
            edge: Some(best.edge),
        };
        let Some(near) = &self.near else {
            return self.best.as_ref().map_or(NO_DIRECTION, |best| over(best, self.gap));
        };
        let edge = match near.features {
            PairFeatures { a: PairFeature::Edge(index), .. } => Some(PairEdge { side: PairSide::A, index }),
            PairFeatures { b: PairFeature::Edge(index), .. } => Some(PairEdge { side: PairSide::B, index }),
            PairFeatures { .. } => None,
        };
        if let Some(edge) = edge.filter(|_| near.distance > 0.0) {
            return Penetration {
                normal: direction(pair, edge, near),
                separation: near.distance,
                edge: Some(edge),
            };
        }
        match near.between.try_normalize() {
            Some(normal) => Penetration { normal, separation: near.distance, edge },
            // The cores touch, so there is no direction between them. Takes the normal of the best edge, or a fixed
            // direction for two points.
            None => self.best.as_ref().map_or(NO_DIRECTION, |best| over(best, 0.0)),
        }
    }
}

/// Decides exactly whether a core that is a point lies in the interior of a polygon. Returns `None` if the rounded gap
/// is far enough from 0 to decide this, or if the cores are not a point and a polygon.
fn point_is_inside(pair: &MeasuredPair<'_>, gap: f64, extent: f64) -> Option<bool> {
    if gap.abs() > 8.0 * SLACK * extent {
        return None;
    }
    let (side, polygon) = match (pair.a.edge_count(), pair.b.edge_count()) {
        (0, edges @ 3..) => (PairSide::B, edges),
        (edges @ 3.., 0) => (PairSide::A, edges),
        _ => return None,
    };
    let mut edges = (0..polygon).map(|k| PairEdge { side, index: k as u32 });
    Some(edges.all(|edge| side_of_line(pair, edge, 0) > 0.0))
}

const NO_DIRECTION: Penetration = Penetration { normal: glam::DVec2::X, separation: 0.0, edge: None };

/// Returns the unit vector from A's closest point to B's closest point. One of the two points lies on `edge`, so the
/// vector is the normal of this edge or its opposite.
fn direction(pair: &MeasuredPair<'_>, edge: PairEdge, near: &Near) -> glam::DVec2 {
    let normal = pair.normal(edge);
    // A segment has two normals.
    if normal.dot(near.between) < 0.0 { -normal } else { normal }
}

/// Returns the penetration of two rounded shapes. If their cores overlap, the penetration is over the edge of least
/// penetration. Otherwise, it is along the line between the closest points of the cores. The separation is the
/// separation of the cores minus both radii.
pub(super) fn penetration<S: Select>(
    select: S,
    pair: &MeasuredPair<'_>,
    [radius_a, radius_b]: [f64; 2],
    gaps: &mut Vec<f64>,
) -> Penetration {
    let found = Cores::new(select, pair, gaps).penetration(pair);
    Penetration { separation: found.separation - (radius_a + radius_b), ..found }
}

/// Returns the distance between two rounded shapes, or 0 if they meet.
pub(super) fn distance<S: Select>(
    select: S,
    pair: &MeasuredPair<'_>,
    [radius_a, radius_b]: [f64; 2],
    gaps: &mut Vec<f64>,
) -> Distance {
    // In a browser, the general search runs for points, too, so that a page loads less code.
    let of_point = if cfg!(target_family = "wasm") {
        None
    } else {
        nearest_of_points(pair).or_else(|| nearest_outside(pair))
    };
    let (near, inside, extent) = match of_point {
        Some((nearest, extent)) => (Some(near(pair, nearest)), 0.0, extent),
        None => {
            let Cores { near, gap, extent, .. } = Cores::new(select, pair, gaps);
            (near, gap, extent)
        }
    };
    let radii = radius_a + radius_b;
    let Some(near) = &near else {
        return Distance { distance: 0.0, separation: inside - radii, closest: None };
    };
    let gap = near.distance - radii;
    // The sum of the two radii also has a rounding error.
    let meet = if gap.abs() > 8.0 * SLACK * (extent + radii) {
        gap < 0.0
    } else {
        is_within(pair, [0.0, radius_a, radius_b])
    };
    let separation = if meet { gap.min(0.0) } else { gap.max(f64::MIN_POSITIVE) };
    let distance = separation.max(0.0);
    let closest = (distance > 0.0).then(|| {
        let normal = near.between.normalize_or_zero();
        let closest = near.closest(pair);
        Closest {
            point_a: closest.point_a + normal * radius_a,
            point_b: closest.point_b - normal * radius_b,
            ..closest
        }
    });
    Distance { distance, separation, closest }
}

/// Returns the manifold of two rounded shapes. It has contact points if and only if their distance is at most `margin`.
pub(super) fn manifold<S: Select>(
    select: S,
    pair: &MeasuredPair<'_>,
    radii: [f64; 2],
    margin: f64,
    gaps: &mut Vec<f64>,
) -> Manifold {
    let cores = Cores::new(select, pair, gaps);
    let way = cores.penetration(pair);
    let sum = radii[0] + radii[1];
    let edge = way.edge.or(cores.best.map(|best| best.edge));
    let edge = edge.unwrap_or(PairEdge { side: PairSide::A, index: 0 });
    let mut manifold = Manifold::without_points(way.normal, way.separation - sum, edge);
    if !are_near(pair, &cores, radii, margin) {
        return manifold;
    }
    let aside = (way.normal * (0.5 * (radii[0] - radii[1])), sum);
    let rounded = |contact: Contact| Contact {
        position: contact.position + aside.0,
        separation: contact.separation - aside.1,
        ..contact
    };
    let face = cores
        .best
        .filter(|best| way.edge.is_some() || pair.normal(best.edge).perp_dot(way.normal).abs() <= 1e-12);
    let is_face =
        |best: &Best| [pair.a, pair.b].iter().all(|core| core.edge_count() > 0) && faces(pair, best, &way);
    if let Some(best) = face.filter(is_face) {
        let lowest = lowest(select, pair, best.edge, best.slack());
        let over = Over { edge: best.edge, separation: cores.gap, relation: Relation::Overlapping, lowest };
        manifold.edge = best.edge;
        for contact in clipped(pair, &best, &over) {
            manifold.push_within(margin, rounded(contact));
        }
    }
    if manifold.points().is_empty() {
        let contact = match &cores.near {
            Some(near) => Contact {
                position: pair.origin + near.point_a + near.between * 0.5,
                separation: way.separation,
                features: near.features,
            },
            None => deepest(pair, &cores, &way),
        };
        let contact = rounded(contact);
        manifold
            .push_within(f64::INFINITY, Contact { separation: contact.separation.min(margin), ..contact });
    }
    manifold
}

/// Returns true if the direction of the measurement between two cores is the normal of the best edge, up to rounding.
fn faces(pair: &MeasuredPair<'_>, best: &Best, way: &Penetration) -> bool {
    pair.normal(best.edge).dot(way.normal) > 0.0 && pair.normal(best.edge).perp_dot(way.normal).abs() <= 1e-12
}

/// Returns the contact at the vertex of one core that is deepest in the other core. The manifold uses this contact if
/// there is no other contact point.
fn deepest(pair: &MeasuredPair<'_>, cores: &Cores, way: &Penetration) -> Contact {
    let edge = cores.best.map_or(PairEdge { side: PairSide::A, index: 0 }, |best| best.edge);
    let [polygon, other]: [Outline<'_>; 2] = pair.sides(edge);
    let line = Line::new(polygon, edge.index as usize);
    let most = line.least(other, SLACK * cores.extent);
    let vertex = other.vertices.iter().position(|&v| line.along(v) <= most).unwrap_or(0);
    let (of_edge, of_vertex) = (PairFeature::Edge(edge.index), PairFeature::Vertex(vertex as u32));
    let toward = if edge.side == PairSide::A { -way.normal } else { way.normal };
    Contact {
        position: pair.origin + other.vertices[vertex] + toward * (0.5 * way.separation),
        separation: way.separation,
        features: match edge.side {
            PairSide::A => PairFeatures { a: of_edge, b: of_vertex },
            PairSide::B => PairFeatures { a: of_vertex, b: of_edge },
        },
    }
}

/// Returns true if the distance between two rounded shapes is at most `margin`.
fn are_near(pair: &MeasuredPair<'_>, cores: &Cores, [a, b]: [f64; 2], margin: f64) -> bool {
    let Some(near) = &cores.near else { return true };
    let reach = margin + a + b;
    if (near.distance - reach).abs() <= 8.0 * SLACK * (cores.extent + reach) {
        return is_within(pair, [margin, a, b]);
    }
    near.distance <= reach
}

/// Returns true if two collinear cores are disjoint along their common line. No edge normal has the direction of this line,
/// so the gaps over edges do not show that the cores are disjoint. For cores that are not collinear, true also proves that
/// they are disjoint, and false proves nothing.
fn are_apart_along_lines(pair: &MeasuredPair<'_>) -> bool {
    let cores = [pair.a, pair.b];
    if cores.iter().any(|core| core.vertices.len() > 2) {
        return false;
    }
    cores.iter().filter(|core| core.edge_count() > 0).any(|core| {
        let along = core.edge(0);
        let range = |core: &Outline<'_>| {
            let places = core.vertices.iter().map(|v| along.dot(*v - pair.a.vertices[0]));
            places.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, greatest], at| {
                [least.min(at), greatest.max(at)]
            })
        };
        let ([least_a, greatest_a], [least_b, greatest_b]) = (range(&pair.a), range(&pair.b));
        greatest_a < least_b || greatest_b < least_a
    })
}
