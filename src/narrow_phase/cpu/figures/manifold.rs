//! Contact points: the incident edge of one polygon clipped against the reference edge of the other (Catto 2007, "Modeling
//! and Solving Constraints"; Ericson 2005, 5.5). The reference edge is that of the greatest gap, the incident one that of
//! the other polygon whose normal is the most against it.
//!
//! Where the edges lie apart and the closest features are two vertices, the contact is one point on the way between those.

use super::closest::closest;
use super::edges::{best_edge, unit_normal};
use super::size_of_pair;
use crate::FIGURE_BOUND;
use crate::layout::{
    CONTACT_INDEX_BITS, ContactRecord, EDGE_IN_A, EDGE_IN_B, EDGE_OF_B, ManifoldRecord, POINT_COUNT_SHIFT,
    UNCERTAIN_FIGURE,
};
use crate::narrow_phase::cpu::records::{LANES, View};
use crate::narrow_phase::cpu::simd::offset;
use crate::narrow_phase::cpu::simd::points::Points;
use crate::vector::{Instructions, Lanes};

/// A clipped point is certain where the incident edge runs along the reference edge by at least this part of its length.
const LEAST_ALONG: f32 = 0.125;
/// The gap to something that is no edge.
const NONE: f32 = 4.0;
const LEAST_SQUARE: f32 = f32::from_bits((127 - 100) << 23);

/// The twin of shaders/manifold.wgsl. Points up to `margin` quanta apart are contacts.
#[inline(always)]
pub(crate) fn record<I: Instructions, const VERTICES: usize>(
    i: I,
    a: View<'_>,
    b: View<'_>,
    margin: f32,
) -> ManifoldRecord {
    let best = best_edge::<I, VERTICES>(i, a, b);
    let o = offset(a.head, b.head);
    let most = a.head.vertex_count.max(b.head.vertex_count);
    let indices = most <= 1 << CONTACT_INDEX_BITS;
    let mut certain = best.certain & indices;
    let mut record = ManifoldRecord { edge: best.edge, ..ManifoldRecord::default() };
    if best.of_b {
        record.edge |= EDGE_OF_B;
    }
    if a.head.vertex_count.max(b.head.vertex_count) == 1 {
        return of_points::<I, VERTICES>(i, a, b, margin);
    }
    let normal = if best.of_b { unit_normal(b, best.edge) } else { unit_normal(a, best.edge) };
    record.normal = if best.of_b { normal.map(|x| -x) } else { normal };
    record.separation = best.separation;
    if a.head.vertex_count.min(b.head.vertex_count) < 3 {
        // On one line, points and segments lie apart without a gap over an edge.
        certain &= (best.lower > 0.0) | (best.upper < 0.0);
    }
    if best.separation > margin {
        record.edge |= if certain { 0 } else { UNCERTAIN_FIGURE };
        return record;
    }
    if best.separation > 0.0 {
        let near = closest::<I, VERTICES>(i, a, b);
        let size = size_of_pair(a.head, b.head, o);
        let vertices = !near.feature_a.is_edge && !near.feature_b.is_edge;
        let d = [near.point_b[0] - near.point_a[0], near.point_b[1] - near.point_a[1]];
        let aside = record.normal[0] * d[1] - record.normal[1] * d[0];
        // Two vertices right over each other may be the ends of edges that face each other.
        if vertices && aside.abs() > FIGURE_BOUND as f32 * size {
            record.normal = d.map(|x| x / near.distance);
            record.separation = near.distance;
            // A direction is off by what the points are, divided by the distance.
            certain &= near.distance * 16.0 >= size;
            if near.distance <= margin {
                record.edge |= 1 << POINT_COUNT_SHIFT;
                record.points[0] = ContactRecord {
                    position: [near.point_a[0] + 0.5 * d[0], near.point_a[1] + 0.5 * d[1]],
                    separation: near.distance,
                    feature: near.feature_a.index | near.feature_b.index << CONTACT_INDEX_BITS,
                };
            }
            record.edge |= if certain { 0 } else { UNCERTAIN_FIGURE };
            return record;
        }
    }
    let (reference, incident, to_incident) = if best.of_b { (b, a, o.map(|x| -x)) } else { (a, b, o) };
    let m = incident_edge(i, incident, normal) as usize;
    let clip = Clip::new(reference, best.edge as usize, normal, incident, m, to_incident);
    certain &= clip.certain;
    let from_a = if best.of_b { o } else { [0.0; 2] };
    let mut count = 0;
    for point in clip.points {
        if point.separation <= margin {
            record.points[count as usize] = ContactRecord {
                position: [point.position[0] + from_a[0], point.position[1] + from_a[1]],
                separation: point.separation,
                feature: point.feature(best.of_b),
            };
            count += 1;
        }
    }
    record.edge |= count << POINT_COUNT_SHIFT;
    record.edge |= if certain { 0 } else { UNCERTAIN_FIGURE };
    record
}

/// The manifold of two points, which have no edge.
#[inline(always)]
fn of_points<I: Instructions, const VERTICES: usize>(
    i: I,
    a: View<'_>,
    b: View<'_>,
    margin: f32,
) -> ManifoldRecord {
    let near = closest::<I, VERTICES>(i, a, b);
    let size = size_of_pair(a.head, b.head, offset(a.head, b.head));
    let d = [near.point_b[0] - near.point_a[0], near.point_b[1] - near.point_a[1]];
    let certain = (near.distance * 16.0 >= size) & (near.distance > 0.0);
    let mut record = ManifoldRecord {
        normal: if certain { d.map(|x| x / near.distance) } else { [1.0, 0.0] },
        separation: near.distance,
        edge: if certain { 0 } else { UNCERTAIN_FIGURE },
        ..ManifoldRecord::default()
    };
    if near.distance <= margin {
        record.edge |= 1 << POINT_COUNT_SHIFT;
        let position = [near.point_a[0] + 0.5 * d[0], near.point_a[1] + 0.5 * d[1]];
        record.points[0] = ContactRecord { position, separation: near.distance, feature: 0 };
    }
    record
}

/// The edge whose outward normal is the most against a direction.
#[inline(always)]
fn incident_edge<I: Instructions>(i: I, polygon: View<'_>, normal: [f32; 2]) -> u32 {
    let direction = Points { x: i.splat(normal[0]), y: i.splat(normal[1]) };
    let of_block = |start: usize| {
        let p = Points { x: i.load(polygon.x, start), y: i.load(polygon.y, start) };
        let n = p.normal(Points { x: i.load(polygon.x, start + 1), y: i.load(polygon.y, start + 1) });
        let square = n.dot(n);
        let along = n.dot(direction).div(square.max(i.splat(LEAST_SQUARE)).sqrt());
        along.where_less(i.splat(LEAST_SQUARE), square, i.splat(NONE))
    };
    let count = polygon.head.vertex_count as usize;
    let (mut least, mut edge) = (NONE, 0);
    let mut start = 0;
    while start < count {
        let from = start.min(count.max(LANES) - LANES);
        let along = of_block(from);
        let least_here = along.least();
        if least_here < least {
            let lanes = along.to_array();
            let mut lane = 0;
            while lanes[lane] > least_here && lane < LANES - 1 {
                lane += 1;
            }
            least = least_here;
            edge = from + lane;
        }
        start += LANES;
    }
    (edge % count.max(1)) as u32
}

/// A point of the incident edge.
#[derive(Clone, Copy)]
struct ClippedPoint {
    /// Half way to the reference edge, relative to the reference polygon's anchor.
    position: [f32; 2],
    separation: f32,
    /// Of the reference polygon a vertex or the edge, of the incident one the edge or a vertex.
    reference: u32,
    incident: u32,
    is_vertex_of_reference: bool,
}

impl ClippedPoint {
    #[inline(always)]
    fn feature(self, reference_is_b: bool) -> u32 {
        let (a, b, a_is_vertex) = if reference_is_b {
            (self.incident, self.reference, !self.is_vertex_of_reference)
        } else {
            (self.reference, self.incident, self.is_vertex_of_reference)
        };
        a | b << CONTACT_INDEX_BITS | if a_is_vertex { EDGE_IN_B } else { EDGE_IN_A }
    }
}

/// The incident edge, cut off where the reference edge ends.
struct Clip {
    points: [ClippedPoint; 2],
    certain: bool,
}

impl Clip {
    #[inline(always)]
    fn new(
        reference: View<'_>,
        k: usize,
        normal: [f32; 2],
        incident: View<'_>,
        m: usize,
        o: [f32; 2],
    ) -> Self {
        let p = [reference.x[k], reference.y[k]];
        let q = [reference.x[k + 1], reference.y[k + 1]];
        let from_p = |j: usize| [incident.x[j] + o[0] - p[0], incident.y[j] + o[1] - p[1]];
        let (v, w) = (from_p(m), from_p(m + 1));
        let tangent = [-normal[1], normal[0]];
        let dot = |a: [f32; 2], b: [f32; 2]| a[0] * b[0] + a[1] * b[1];
        let length = dot(tangent, [q[0] - p[0], q[1] - p[1]]);
        // The incident edge runs against the reference edge: w comes first along it.
        let (along_v, along_w) = (dot(tangent, v), dot(tangent, w));
        let (gap_v, gap_w) = (dot(normal, v), dot(normal, w));
        let run = along_v - along_w;
        let next = |j: usize, polygon: View<'_>| {
            if j + 1 == polygon.head.vertex_count as usize { 0 } else { j as u32 + 1 }
        };
        let (k_next, m_next) = (next(k, reference), next(m, incident));
        let point = |along: f32, gap: f32| {
            let [x, y] = [0, 1].map(|axis| along * tangent[axis] + 0.5 * gap * normal[axis]);
            [p[0] + x, p[1] + y]
        };
        let at_vertex = |along: f32, gap: f32, incident: u32| ClippedPoint {
            position: point(along, gap),
            separation: gap,
            reference: k as u32,
            incident,
            is_vertex_of_reference: false,
        };
        let first = at_vertex(along_w, gap_w, m_next);
        let last = at_vertex(along_v, gap_v, m as u32);
        if along_v < 0.0 || along_w > length || run <= 0.0 {
            // Nothing of the incident edge lies over the reference edge: its deeper end, once.
            let deepest = if gap_v < gap_w { last } else { first };
            let none = ClippedPoint { separation: f32::INFINITY, ..deepest };
            let is_point = incident.head.vertex_count == 1;
            return Self { points: [deepest, none], certain: is_point | (run > 0.0) };
        }
        let cut = |along: f32, vertex: u32| {
            let gap = gap_w + (gap_v - gap_w) * ((along - along_w) / run);
            ClippedPoint {
                position: point(along, gap),
                separation: gap,
                reference: vertex,
                incident: m as u32,
                is_vertex_of_reference: true,
            }
        };
        let (cuts_first, cuts_last) = (along_w < 0.0, along_v > length);
        let rise = (gap_v - gap_w).abs();
        let steep = (cuts_first | cuts_last) & (run < LEAST_ALONG * (run + rise));
        Self {
            points: [
                if cuts_first { cut(0.0, k as u32) } else { first },
                if cuts_last { cut(length, k_next) } else { last },
            ],
            certain: !steep,
        }
    }
}
