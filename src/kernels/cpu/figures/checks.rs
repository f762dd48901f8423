//! Checks measurements with f64 arithmetic. Tests with fault injection use these checks.

use glam::DVec2;

use super::local::{LocalPair, LocalPolygon};
use super::reference;
use crate::answers::bounds::FIGURE_BOUND;
use crate::answers::distance::Distance;
use crate::answers::impact::{ImpactOutcome, TimeOfImpact};
use crate::answers::manifold::{Contact, Manifold};
use crate::answers::pair::{Motion, PairEdge, PairFeature, PairFeatures};
use crate::answers::penetration::Penetration;
use crate::answers::results::Relation;
use crate::base::side::PairSide;
use crate::geometry::{Aabb, ConvexPolygon, Piece, PolygonSet};
use crate::kernels::cpu::exact;
use crate::kernels::measurements::{Frame, size_of_pair};
use crate::kernels::test_scenes::{Pairs, Random, candidates};
use crate::packed::layout::{
    CONTACT_INDEX_BITS, ContactRecord, EDGE_IN_A, EDGE_IN_B, EDGE_OF_B, ManifoldRecord, POINT_COUNT_SHIFT,
};
use crate::scenes::Scene;

/// The margin for contact points in tests, in the caller's unit.
pub(crate) const MARGIN: f64 = 0.1;
/// The tolerance for times of impact in tests, in the caller's unit.
pub(crate) const TOLERANCE: f64 = 1e-2;

/// Returns the scenes for tests of kernels. The kernels have variants for polygons with at most 4 vertices, with at most
/// 8 vertices, and with any number of vertices. There is at least one scene for each variant, and one scene of slivers.
pub(crate) fn scenes() -> Vec<(&'static str, Pairs)> {
    vec![
        ("boxes", candidates(Scene::Boxes, 500)),
        ("3..4-gons", of_at_most_four(&candidates(Scene::Ngons, 2_000))),
        ("ngons", candidates(Scene::Ngons, 500)),
        ("big-ngons", candidates(Scene::BigNgons, 300)),
        ("slivers", slivers()),
    ]
}

/// Returns the pairs in which both polygons have at most four vertices.
fn of_at_most_four(pairs: &Pairs) -> Pairs {
    let few = |set: &PolygonSet, index: usize| set.piece_vertices(index).len() <= 4;
    let indices = (0..pairs.truth.len()).filter(|&k| few(&pairs.a, k) && few(&pairs.b, k));
    let indices: Vec<usize> = indices.collect();
    let of = |set: &PolygonSet| {
        let rings: Vec<_> = indices.iter().map(|&k| set.piece_vertices(k).to_vec()).collect();
        PolygonSet::from_convex_rings(&rings).expect("they were convex")
    };
    Pairs::new(of(&pairs.a), of(&pairs.b))
}

/// Returns pairs of rotated slivers. Rounding to f32 changes all of their coordinates, and notably changes the
/// directions of their short edges.
fn slivers() -> Pairs {
    let mut random = Random(0x51_17e5);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for k in 0..400 {
        let width = 10f64.powi(-3 - 2 * (k % 4));
        let (x, y) = (random.unit() * 2.0, (random.unit() - 0.5) * 2.0 * [width, 0.1][k as usize / 4 % 2]);
        let other = 10f64.powf(-5.0 * random.unit());
        let needle = |x: f64, y: f64, width: f64| {
            let corners = [[x, y], [x + 1.0, y], [x + 1.0, y + width], [x, y + width]];
            let ring = corners.map(|[x, y]| DVec2::new(0.6 * x - 0.8 * y, 0.8 * x + 0.6 * y));
            ConvexPolygon::new(&ring)
        };
        if let (Ok(one), Ok(two)) = (needle(0.0, 0.0, width), needle(x, y, other)) {
            a.push(one);
            b.push(two);
        }
    }
    let set = |polygons: &[ConvexPolygon]| PolygonSet::from_convex(polygons).expect("few");
    Pairs::new(set(&a), set(&b))
}

/// Returns a motion for each polygon of both sides. Every motion has a displacement. Two of three motions also rotate.
pub(crate) fn motions(pairs: &Pairs) -> [Vec<Motion>; 2] {
    let mut random = Random(0x0ff_c0de);
    [&pairs.a, &pairs.b].map(|set| {
        let of = |(k, aabb): (usize, Aabb)| {
            let centre = (aabb.min + aabb.max) * 0.5;
            let size = (aabb.max - aabb.min).max_element();
            let mut component = || (random.unit() - 0.5) * 4.0 * size;
            let linear = DVec2::new(component(), component());
            let angular = if k % 3 == 0 { 0.0 } else { (random.unit() - 0.5) * 6.0 };
            Motion { linear, angular, centre }
        };
        set.piece_aabbs().into_iter().enumerate().map(of).collect()
    })
}

/// A pair of pieces in f64, with which tests check the measurements of kernels.
pub(crate) struct Pair<'a> {
    pieces: [Piece<'a>; 2],
    local: LocalPair,
    /// The greatest error that a measured length of this pair may have, in the caller's unit.
    within: f64,
}

impl<'a> Pair<'a> {
    pub(crate) fn new(pairs: &'a Pairs, index: usize) -> Self {
        let pieces = [pairs.a.piece(index), pairs.b.piece(index)];
        let boxes = [pairs.a.piece_aabb(index), pairs.b.piece_aabb(index)];
        let local = LocalPair::new(pieces[0], pieces[1]);
        Self { pieces, local, within: FIGURE_BOUND * size_of_pair(boxes) }
    }

    /// Returns the greatest gap between an edge of one polygon and the other polygon.
    fn separation(&self) -> f64 {
        reference::best_edge(&self.local).expect("a polygon has edges").separation
    }

    fn along(&self, normal: DVec2) -> f64 {
        let along = |polygon: &LocalPolygon| -> Vec<f64> {
            polygon.vertices.iter().map(|v| normal.dot(*v)).collect()
        };
        let end = along(&self.local.a).into_iter().fold(f64::NEG_INFINITY, f64::max);
        along(&self.local.b).into_iter().fold(f64::INFINITY, f64::min) - end
    }

    fn is_off(&self, found: f64, right: f64) -> bool {
        found.is_nan() || (found - right).abs() > self.within
    }

    pub(crate) fn penetration_is_wrong(&self, found: &Penetration) -> bool {
        let right = self.separation();
        self.is_off(found.separation, right) || self.is_off(0.5 * self.along(found.normal), 0.5 * right)
    }

    pub(crate) fn distance_is_wrong(&self, found: &Distance) -> bool {
        let LocalPair { origin, a, b } = &self.local;
        let is_apart = exact::relation(self.pieces[0], self.pieces[1]) == Relation::Disjoint;
        let near = reference::closest(&self.local);
        let right = if is_apart { near.point_a.distance(near.point_b) } else { 0.0 };
        self.is_off(found.distance, right)
            || self.is_off(found.separation, self.separation())
            || found.closest.is_some() != is_apart
            || found.closest.is_some_and(|found| {
                let on_a = beyond(a, found.point_a - origin) <= 2.0 * self.within;
                let on_b = beyond(b, found.point_b - origin) <= 2.0 * self.within;
                let apart = found.point_a.distance(found.point_b);
                !on_a || !on_b || self.is_off(0.5 * apart, 0.5 * right)
            })
    }

    pub(crate) fn manifold_is_wrong(&self, found: &Manifold) -> bool {
        let right = self.separation();
        if self.is_off(0.5 * self.along(found.normal), 0.5 * found.separation)
            || found.separation < right - self.within
        {
            return true;
        }
        let Some(deepest) = found.deepest() else {
            return found.separation < MARGIN - self.within;
        };
        let (points, [of_a, of_b]) = (found.points(), [&self.local.a, &self.local.b]);
        let (reference, on_b) = match found.edge.side {
            PairSide::A => (of_a, false),
            PairSide::B => (of_b, true),
        };
        let k = found.edge.index as usize;
        let (start, edge) = (reference.vertices[k], reference.edges[k]);
        let tangent = edge.normalize();
        let strays = |contact: &Contact| {
            let middle = contact.position - self.local.origin;
            let half = found.normal * (0.5 * contact.separation);
            let ends = [middle - half, middle + half];
            let along = tangent.dot(ends[usize::from(on_b)] - start);
            // If there are two points, both must lie over the reference edge.
            (points.len() == 2 && !(-4.0 * self.within..=edge.length() + 4.0 * self.within).contains(&along))
                || [(ends[0], contact.features.a, of_a), (ends[1], contact.features.b, of_b)]
                    .into_iter()
                    .any(|(point, feature, polygon)| off_feature(polygon, feature, point) > 4.0 * self.within)
        };
        right > MARGIN + self.within
            || self.is_off(0.5 * deepest.separation, 0.5 * found.separation)
            || points.iter().any(strays)
    }

    /// Returns true if the time of impact is wrong. Checks the gap between the moving polygons at 201 evenly spaced times
    /// from the start to the time of impact, and at more times just before the impact.
    pub(crate) fn impact_is_wrong(&self, found: &TimeOfImpact, motions: [&Motion; 2]) -> bool {
        let way: f64 = motions.iter().map(|m| m.linear.length()).sum();
        let rounding = 1e-9 * (way + self.within / FIGURE_BOUND);
        let gap = |time: f64| self.gap_at(time, motions);
        match found.outcome {
            ImpactOutcome::OverlappingAtStart => return gap(0.0) > rounding,
            ImpactOutcome::Hit if gap(found.time) > TOLERANCE + rounding => return true,
            _ if found.time == 0.0 => return gap(0.0) < -rounding,
            _ => {}
        }
        let even = (0..=200).map(|k| f64::from(k) / 200.0);
        even.chain((1..30).map(|k| 1.0 - 0.5f64.powi(k))).any(|part| gap(part * found.time) <= 0.0)
    }

    /// Returns the gap between the two moving polygons at the time `time`. The gap is 0 or negative if they meet.
    fn gap_at(&self, time: f64, motions: [&Motion; 2]) -> f64 {
        let LocalPair { origin, a, b } = &self.local;
        let moved = |polygon: &LocalPolygon, motion: &Motion| {
            let turn = DVec2::from_angle(motion.angular * time);
            let centre = motion.centre - origin;
            let place = |v: &DVec2| centre + turn.rotate(v - centre) + motion.linear * time;
            LocalPolygon {
                vertices: polygon.vertices.iter().map(place).collect(),
                edges: polygon.edges.iter().map(|edge| turn.rotate(*edge)).collect(),
            }
        };
        let now = LocalPair { origin: *origin, a: moved(a, motions[0]), b: moved(b, motions[1]) };
        let separation = reference::best_edge(&now).expect("a polygon has edges").separation;
        if separation <= 0.0 {
            return separation;
        }
        let near = reference::closest(&now);
        near.point_a.distance(near.point_b)
    }
}

/// Returns the greatest signed distance between a point and the line of an edge of a polygon. It is positive if the
/// point is outside the polygon.
fn beyond(polygon: &LocalPolygon, point: DVec2) -> f64 {
    let gaps = (0..polygon.edge_count()).map(|k| polygon.normal(k).dot(point - polygon.vertices[k]));
    gaps.fold(f64::NEG_INFINITY, f64::max)
}

/// Returns the distance between a point and a feature of a polygon. The feature is a vertex, or the line of an edge.
fn off_feature(polygon: &LocalPolygon, feature: PairFeature, point: DVec2) -> f64 {
    match feature {
        PairFeature::Vertex(k) => point.distance(polygon.vertices[k as usize]),
        PairFeature::Edge(k) => polygon.normal(k as usize).dot(point - polygon.vertices[k as usize]).abs(),
    }
}

/// Converts the manifold record of a kernel, which is in quanta, to a manifold in the caller's unit.
pub(crate) fn manifold_of(record: &ManifoldRecord, frame: Frame) -> Manifold {
    let side = if record.edge & EDGE_OF_B == 0 { PairSide::A } else { PairSide::B };
    let edge = PairEdge { side, index: record.edge & ((1 << POINT_COUNT_SHIFT) - 1) };
    let normal = DVec2::from(record.normal.map(f64::from)).normalize();
    let mut manifold = Manifold::without_points(normal, f64::from(record.separation) * frame.quantum, edge);
    let count = record.edge >> POINT_COUNT_SHIFT & 3;
    for contact in record.points.iter().take(count as usize) {
        manifold.push_within(f64::INFINITY, contact_of(contact, frame));
    }
    manifold
}

fn contact_of(record: &ContactRecord, frame: Frame) -> Contact {
    let index = |word: u32| word & ((1 << CONTACT_INDEX_BITS) - 1);
    let feature = |index: u32, is_edge: bool| {
        if is_edge { PairFeature::Edge(index) } else { PairFeature::Vertex(index) }
    };
    let word = record.feature;
    Contact {
        position: frame.origin + DVec2::from(record.position.map(f64::from)) * frame.quantum,
        separation: f64::from(record.separation) * frame.quantum,
        features: PairFeatures {
            a: feature(index(word), word & EDGE_IN_A != 0),
            b: feature(index(word >> CONTACT_INDEX_BITS), word & EDGE_IN_B != 0),
        },
    }
}
