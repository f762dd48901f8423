//! Computes contact points by clipping the incident edge of one polygon against the reference edge of the other polygon
//! (Catto 2007, "Modeling and Solving Constraints"; Ericson 2005, 5.5). The reference edge is the edge with the
//! greatest gap. The incident edge is the edge of the other polygon whose normal is most opposed to the normal of the
//! reference edge.
//!
//! If the polygons are disjoint and the closest features are two vertices, the contact is one point between these two
//! vertices.

use super::closest::closest_along;
use super::edges::{BestEdge, NUMBERS, best_edge, first_lane, unit_normal};
use super::{size_of_pair, steps};
use crate::answers::bounds::FIGURE_BOUND;
use crate::kernels::cpu::simd::offset;
use crate::kernels::cpu::simd::points::Points;
use crate::packed::layout::{
    CONTACT_INDEX_BITS, ContactRecord, EDGE_IN_A, EDGE_IN_B, EDGE_OF_B, ManifoldRecord, POINT_COUNT_SHIFT,
};
use crate::packed::records::{LANES, View};
#[cfg(not(target_family = "wasm"))]
use crate::simd::HALF;
use crate::simd::{Instructions, Lanes, Vectorised, negated};

/// An incident edge is too steep if its extent along the reference edge is less than this fraction of the sum of its
/// extents along and across the reference edge. The points at which a steep edge is cut are uncertain.
const LEAST_ALONG: f32 = 0.125;
/// A value for lanes without an edge. It is greater than the projection of any unit vector on a unit vector.
const NONE: f32 = 4.0;
const LEAST_SQUARE: f32 = f32::from_bits((127 - 100) << 23);

/// Computes a manifold with the variant of [`record`] for the number of vertices of the two polygons.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(crate) fn record_of<I: Instructions>(i: I, a: View<'_>, b: View<'_>, margin: f32) -> ManifoldRecord {
    // In a browser, one variant serves all polygons, so the browser loads less code.
    #[cfg(not(target_family = "wasm"))]
    match a.head.vertex_count.max(b.head.vertex_count) as usize {
        1..=HALF => return i.apart(Record::<HALF> { a, b, margin }),
        ..=LANES => return i.apart(Record::<LANES> { a, b, margin }),
        _ => {}
    }
    i.apart(Record::<0> { a, b, margin })
}

/// The arguments of [`record`].
struct Record<'a, const VERTICES: usize> {
    a: View<'a>,
    b: View<'a>,
    margin: f32,
}

impl<const VERTICES: usize> Vectorised for Record<'_, VERTICES> {
    type Output = ManifoldRecord;

    #[inline(always)]
    fn run<I: Instructions>(self, i: I) -> ManifoldRecord {
        record::<I, VERTICES>(i, self.a, self.b, self.margin).record
    }
}

/// A manifold, and whether it is certain despite the errors of f32. Only tests read the certainty: they compare only
/// certain manifolds with the reference.
pub(crate) struct Judged {
    pub(crate) record: ManifoldRecord,
    #[cfg(all(test, feature = "scenes"))]
    pub(crate) is_certain: bool,
}

impl Judged {
    #[inline(always)]
    #[cfg_attr(
        not(all(test, feature = "scenes")),
        allow(unused_variables, reason = "only tests read the certainty")
    )]
    fn new(record: ManifoldRecord, is_certain: bool) -> Self {
        Self {
            record,
            #[cfg(all(test, feature = "scenes"))]
            is_certain,
        }
    }
}

/// Computes the manifold of a pair: the twin of shaders/manifold.wgsl. Contact points have a gap of at most `margin`
/// quanta. `VERTICES` is the maximum number of vertices of either polygon: half of [`LANES`], [`LANES`], or 0 for any
/// number.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(crate) fn record<I: Instructions, const VERTICES: usize>(
    i: I,
    a: View<'_>,
    b: View<'_>,
    margin: f32,
) -> Judged {
    let best = best_edge::<I, VERTICES>(i, a, b);
    let o = offset(a.head, b.head);
    let most = a.head.vertex_count.max(b.head.vertex_count);
    let indices = most <= 1 << CONTACT_INDEX_BITS;
    let mut certain = best.certain & indices;
    let mut record = ManifoldRecord { edge: best.edge, ..ManifoldRecord::default() };
    if best.of_b {
        record.edge |= EDGE_OF_B;
    }
    if most == 1 {
        return of_points::<I, VERTICES>(i, a, b, &best, margin);
    }
    let normal = if best.of_b { unit_normal(b, best.edge) } else { unit_normal(a, best.edge) };
    record.normal = if best.of_b { negated(normal) } else { normal };
    record.separation = best.separation;
    if a.head.vertex_count.min(b.head.vertex_count) < 3 {
        // Collinear points and segments can be disjoint although no edge has a gap, so the manifold is certain only if
        // the sign of the separation is known.
        certain &= best.apart | best.overlap;
    }
    if best.separation > margin {
        return Judged::new(record, certain);
    }
    // Two segments on one line may be disjoint although no edge has a gap.
    let may_be_in_line = most == 2 && !best.overlap;
    if best.separation > 0.0 || may_be_in_line {
        let size = size_of_pair(a.head, b.head, o);
        // The gap along the direction between the closest points must equal their distance.
        let near = closest_along::<I, VERTICES>(i, a, b, &best, 0.5 * FIGURE_BOUND as f32 * size);
        let vertices = !near.feature_a.is_edge && !near.feature_b.is_edge;
        let d = [near.point_b[0] - near.point_a[0], near.point_b[1] - near.point_a[1]];
        let aside = record.normal[0] * d[1] - record.normal[1] * d[0];
        // Two vertices at the same position along the reference edge may be the ends of edges that face each other.
        if vertices && aside.abs() > FIGURE_BOUND as f32 * size {
            record.normal = [d[0] / near.distance, d[1] / near.distance];
            record.separation = near.distance;
            // The error of the direction is the error of the points divided by the distance.
            certain &= near.distance * 16.0 >= size;
            if near.distance <= margin {
                record.edge |= 1 << POINT_COUNT_SHIFT;
                record.points[0] = ContactRecord {
                    position: [near.point_a[0] + 0.5 * d[0], near.point_a[1] + 0.5 * d[1]],
                    separation: near.distance,
                    feature: near.feature_a.index | near.feature_b.index << CONTACT_INDEX_BITS,
                };
            }
            return Judged::new(record, certain);
        }
    }
    let (reference, incident, to_incident) = if best.of_b { (b, a, negated(o)) } else { (a, b, o) };
    let m = incident_edge::<I, VERTICES>(i, incident, normal) as usize;
    let clip = Clip::new(reference, best.edge as usize, normal, incident, m, to_incident);
    certain &= clip.certain;
    let from_a = if best.of_b { o } else { [0.0; 2] };
    let [first, second] =
        [clip.points[0].record(from_a, best.of_b), clip.points[1].record(from_a, best.of_b)];
    // The code has no branch for each point, because the processor cannot predict which points are within the margin.
    let [has_first, has_second] = [first.separation <= margin, second.separation <= margin];
    record.points = [if has_first { first } else { second }, second];
    let count = u32::from(has_first) + u32::from(has_second);
    record.edge |= count << POINT_COUNT_SHIFT;
    Judged::new(record, certain)
}

/// Returns the manifold of two polygons that are points. Points have no edges, so the normal is the direction from one
/// point to the other. If the points are too close for a precise direction, the normal is (1, 0) and the manifold is
/// not certain.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn of_points<I: Instructions, const VERTICES: usize>(
    i: I,
    a: View<'_>,
    b: View<'_>,
    best: &BestEdge,
    margin: f32,
) -> Judged {
    let near = closest_along::<I, VERTICES>(i, a, b, best, 0.0);
    let size = size_of_pair(a.head, b.head, offset(a.head, b.head));
    let d = [near.point_b[0] - near.point_a[0], near.point_b[1] - near.point_a[1]];
    let certain = (near.distance * 16.0 >= size) & (near.distance > 0.0);
    let mut record = ManifoldRecord {
        normal: if certain { [d[0] / near.distance, d[1] / near.distance] } else { [1.0, 0.0] },
        separation: near.distance,
        ..ManifoldRecord::default()
    };
    if near.distance <= margin {
        record.edge |= 1 << POINT_COUNT_SHIFT;
        let position = [near.point_a[0] + 0.5 * d[0], near.point_a[1] + 0.5 * d[1]];
        record.points[0] = ContactRecord { position, separation: near.distance, feature: 0 };
    }
    Judged::new(record, certain)
}

/// Returns the index of the polygon's edge whose outward normal is most opposed to a direction.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn incident_edge<I: Instructions, const VERTICES: usize>(
    i: I,
    polygon: View<'_>,
    normal: [f32; 2],
) -> u32 {
    let direction = Points { x: i.splat(normal[0]), y: i.splat(normal[1]) };
    let count = polygon.head.vertex_count;
    let mut least = along_normals(i, polygon, direction, 0);
    if VERTICES > 0 {
        // The lanes after a small polygon's last edge repeat the first edges. The first lane with the least value wins.
        return first_lane(least.least().at_least(least)) as u32;
    }
    let mut number = i.load(&NUMBERS, 0);
    let mut start = LANES;
    while start < count as usize {
        let from = start.min((count as usize).saturating_sub(LANES));
        let along = along_normals(i, polygon, direction, from);
        let here = i.load(&NUMBERS, 0).add(i.splat(from as f32));
        number = here.where_less(along, least, number);
        least = least.min(along);
        start += LANES;
    }
    let edge = i.splat(f32::MAX).where_less(least.least(), least, number).least().first() as u32;
    if edge < count { edge } else { edge % count.max(1) }
}

/// Returns the projections of the outward unit normals of eight edges on a direction. This is a function instead of a
/// closure, because the compiler would not compile a closure for the machine's vectors.
#[inline(always)]
fn along_normals<I: Instructions>(
    i: I,
    polygon: View<'_>,
    direction: Points<I::Lanes>,
    start: usize,
) -> I::Lanes {
    let p = Points { x: i.load(polygon.x, start), y: i.load(polygon.y, start) };
    let n = p.normal(Points { x: i.load(polygon.x, start + 1), y: i.load(polygon.y, start + 1) });
    let square = n.dot(n);
    let along = n.dot(direction).div(square.max(i.splat(LEAST_SQUARE)).sqrt());
    along.where_less(i.splat(LEAST_SQUARE), square, i.splat(NONE))
}

/// An end of the incident edge after clipping: a contact point with its features.
#[derive(Clone, Copy)]
pub(super) struct ClippedPoint {
    /// The position of the point, halfway between the incident edge and the reference edge. It is relative to the
    /// anchor of the reference polygon.
    pub(super) position: [f32; 2],
    pub(super) separation: f32,
    /// The index of a vertex of the reference polygon if `is_vertex_of_reference` is set. Otherwise, the index of an
    /// edge of the reference polygon.
    reference: u32,
    /// The index of an edge of the incident polygon if `is_vertex_of_reference` is set. Otherwise, the index of a
    /// vertex of the incident polygon.
    pub(super) incident: u32,
    pub(super) is_vertex_of_reference: bool,
}

impl ClippedPoint {
    /// Converts the point to a contact record, with a position relative to A's anchor. `from_a` is the vector from A's
    /// anchor to the anchor of the reference polygon.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn record(self, from_a: [f32; 2], reference_is_b: bool) -> ContactRecord {
        let (a, b) =
            if reference_is_b { (self.incident, self.reference) } else { (self.reference, self.incident) };
        // One of the two features is an edge, and the other is a vertex.
        let flag = if self.is_vertex_of_reference != reference_is_b { EDGE_IN_B } else { EDGE_IN_A };
        ContactRecord {
            position: [self.position[0] + from_a[0], self.position[1] + from_a[1]],
            separation: self.separation,
            feature: a | b << CONTACT_INDEX_BITS | flag,
        }
    }
}

/// The ends of the incident edge, clipped at the ends of the reference edge. If there is only one point, the second
/// point has an infinite separation.
pub(super) struct Clip {
    pub(super) points: [ClippedPoint; 2],
    certain: bool,
}

impl Clip {
    #[inline(always)]
    pub(super) fn new(
        reference: View<'_>,
        k: usize,
        normal: [f32; 2],
        incident: View<'_>,
        m: usize,
        o: [f32; 2],
    ) -> Self {
        let p = [reference.x[k], reference.y[k]];
        let end = steps::end_of_edge(k, reference.head.vertex_count as usize);
        let q = [reference.x[end], reference.y[end]];
        let from_p = |j: usize| [incident.x[j] + o[0] - p[0], incident.y[j] + o[1] - p[1]];
        let (v, w) = (from_p(m), from_p(m + 1));
        let tangent = [-normal[1], normal[0]];
        let dot = |a: [f32; 2], b: [f32; 2]| a[0] * b[0] + a[1] * b[1];
        let length = dot(tangent, [q[0] - p[0], q[1] - p[1]]);
        // The incident edge runs opposite to the reference edge, so w comes first along the reference edge.
        let (along_v, along_w) = (dot(tangent, v), dot(tangent, w));
        let (gap_v, gap_w) = (dot(normal, v), dot(normal, w));
        let run = along_v - along_w;
        let next = |j: usize, polygon: View<'_>| {
            if j + 1 == polygon.head.vertex_count as usize { 0 } else { j as u32 + 1 }
        };
        let (k_next, m_next) = (next(k, reference), next(m, incident));
        let point = |along: f32, gap: f32, incident: u32| ClippedPoint {
            position: [
                p[0] + along * tangent[0] + 0.5 * gap * normal[0],
                p[1] + along * tangent[1] + 0.5 * gap * normal[1],
            ],
            separation: gap,
            reference: k as u32,
            incident,
            is_vertex_of_reference: false,
        };
        if along_v < 0.0 || along_w > length || run <= 0.0 {
            // No part of the incident edge lies over the reference edge, so the only point is the deeper end of the
            // incident edge.
            let deepest =
                if gap_v < gap_w { point(along_v, gap_v, m as u32) } else { point(along_w, gap_w, m_next) };
            let none = ClippedPoint { separation: f32::INFINITY, ..deepest };
            let is_point = incident.head.vertex_count == 1;
            return Self { points: [deepest, none], certain: is_point | (run > 0.0) };
        }
        let (cuts_first, cuts_last) = (steps::cuts(along_w < 0.0), steps::cuts(along_v > length));
        let rise = gap_v - gap_w;
        let slope = rise / run;
        let (along_first, along_last) =
            (if cuts_first { 0.0 } else { along_w }, if cuts_last { length } else { along_v });
        let gap_first = if cuts_first { gap_w - along_w * slope } else { gap_w };
        let gap_last = if cuts_last { gap_v - (along_v - length) * slope } else { gap_v };
        let first = point(along_first, gap_first, if cuts_first { m as u32 } else { m_next });
        let last = point(along_last, gap_last, m as u32);
        let steep = (cuts_first | cuts_last) & (run < LEAST_ALONG * (run + rise.abs()));
        Self {
            points: [
                ClippedPoint { is_vertex_of_reference: cuts_first, ..first },
                ClippedPoint {
                    is_vertex_of_reference: cuts_last,
                    reference: if cuts_last { k_next } else { k as u32 },
                    ..last
                },
            ],
            certain: !steep,
        }
    }
}
