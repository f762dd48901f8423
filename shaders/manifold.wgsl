// Finds contact points by clipping the incident edge of one polygon against the reference edge of the other polygon.
// The CPU twin is src/kernels/cpu/figures/manifold.rs.

// A clipped point is certain only if the extent of the incident edge along the reference edge is at least this
// fraction of the sum of its extents along and across the reference edge.
const LEAST_ALONG: f32 = 0.125;
// The cosine of a lane without an edge. It is greater than the cosine of any angle.
const NONE: f32 = 4.0;

struct Contact {
  // The position half-way between the two polygons, relative to A's anchor.
  position: vec2f,
  // The gap at this position.
  separation: f32,
  // The indices of the vertex or edge of A and of the vertex or edge of B.
  feature: u32,
}

struct FigureRecord {
  // The unit normal, from A to B.
  normal: vec2f,
  // The gap along the normal.
  separation: f32,
  // The index of the reference edge, the flags EDGE_OF_B and UNCERTAIN_FIGURE, and the number of points.
  edge: u32,
  points: array<Contact, 2>,
}

// A contact point between a vertex and an edge. `reference` and `incident` are the indices of these features in the
// polygon of the reference edge and in the other polygon.
struct ClippedPoint {
  position: vec2f,
  separation: f32,
  reference: u32,
  incident: u32,
  is_vertex_of_reference: bool,
}

struct Clip {
  first: ClippedPoint,
  second: ClippedPoint,
  has_second: bool,
  certain: bool,
}

// Returns the edge whose outward normal is most opposed to a direction.
fn incident_edge(i: u32, polygon: Polygon, direction: vec2f) -> u32 {
  let count = vertex_count(polygon);
  let end = polygon.first_block + block_count(polygon);
  var least = NONE;
  var found = 0u;
  var edge = 0u;
  var p = placed_block(i, polygon.first_block);
  for (var at = polygon.first_block; at < end; at++) {
    let next = placed_block(i, select(polygon.first_block, at + 1u, at + 1u < end));
    let n = outward_normal(p, successors(p, next));
    let square = n.x * n.x + n.y * n.y;
    let along = (n.x * direction.x + n.y * direction.y) * inverseSqrt(max(square, vec4f(LEAST_SQUARE)));
    let is_edge = lanes_below(count, edge) & (square > vec4f(LEAST_SQUARE));
    let here = select(vec4f(NONE), along, is_edge);
    let least_here = least_of(here);
    if (least_here < least) {
      least = least_here;
      found = edge + first_lane(here == vec4f(least_here));
    }
    edge += BLOCK_VERTICES;
    p = next;
  }
  return found;
}

fn next_of(k: u32, count: u32) -> u32 {
  return select(k + 1u, 0u, k + 1u == count);
}

// Clips the incident edge m of polygon j at both ends of the reference edge k of polygon i.
fn clip_edge(i: u32, reference: Polygon, k: u32, normal: vec2f, j: u32, incident: Polygon, m: u32, o: vec2f) -> Clip {
  let p = vertex_at(i, reference, k);
  let q = vertex_at(i, reference, k + 1u);
  let v = vertex_at(j, incident, m) + o - p;
  let w = vertex_at(j, incident, m + 1u) + o - p;
  let tangent = vec2f(-normal.y, normal.x);
  let length = dot(tangent, q - p);
  // The two edges have opposite directions, so that w comes before v along the reference edge.
  let along_v = dot(tangent, v);
  let along_w = dot(tangent, w);
  let gap_v = dot(normal, v);
  let gap_w = dot(normal, w);
  let run = along_v - along_w;
  let k_next = next_of(k, vertex_count(reference));
  let m_next = next_of(m, vertex_count(incident));
  var first = ClippedPoint(p + along_w * tangent + 0.5 * gap_w * normal, gap_w, k, m_next, false);
  var last = ClippedPoint(p + along_v * tangent + 0.5 * gap_v * normal, gap_v, k, m, false);
  if (along_v < 0.0 || along_w > length || run <= 0.0) {
    // No part of the incident edge is over the reference edge. The contact is the deeper end of the incident edge.
    if (gap_v < gap_w) {
      first = last;
    }
    return Clip(first, first, false, run > 0.0 || vertex_count(incident) == 1u);
  }
  let cuts_first = along_w < 0.0;
  let cuts_last = along_v > length;
  if (cuts_first) {
    let gap = gap_w + (gap_v - gap_w) * (-along_w / run);
    first = ClippedPoint(p + 0.5 * gap * normal, gap, k, m, true);
  }
  if (cuts_last) {
    let gap = gap_w + (gap_v - gap_w) * ((length - along_w) / run);
    last = ClippedPoint(p + length * tangent + 0.5 * gap * normal, gap, k_next, m, true);
  }
  let steep = (cuts_first || cuts_last) && run < LEAST_ALONG * (run + abs(gap_v - gap_w));
  return Clip(first, last, true, !steep);
}

fn contact_of(point: ClippedPoint, reference_is_b: bool, from_a: vec2f) -> Contact {
  var feature: u32;
  if (reference_is_b) {
    feature = point.incident | (point.reference << CONTACT_INDEX_BITS)
      | select(EDGE_IN_B, EDGE_IN_A, point.is_vertex_of_reference);
  } else {
    feature = point.reference | (point.incident << CONTACT_INDEX_BITS)
      | select(EDGE_IN_A, EDGE_IN_B, point.is_vertex_of_reference);
  }
  return Contact(point.position + from_a, point.separation, feature);
}

// Returns the manifold of two polygons that are points. Points have no edges, so the normal is the direction from one
// point to the other. If the points are too close for a precise direction, the record is uncertain.
fn of_points(near: Closest, size: f32, margin: f32) -> FigureRecord {
  let d = near.point_b - near.point_a;
  var record = FigureRecord();
  record.separation = near.distance;
  if (near.distance * 16.0 >= size && near.distance > 0.0) {
    record.normal = d / near.distance;
  } else {
    record.normal = vec2f(1.0, 0.0);
    record.edge = UNCERTAIN_FIGURE;
  }
  if (near.distance <= margin) {
    record.edge |= 1u << POINT_COUNT_SHIFT;
    record.points[0] = Contact(near.point_a + 0.5 * d, near.distance, 0u);
  }
  return record;
}

fn figure(i: u32, j: u32) -> FigureRecord {
  let a = polygons[i];
  let b = polygons[j];
  let o = vec2f(b.anchor - a.anchor);
  let margin = params.parameter;
  let are_points = max(vertex_count(a), vertex_count(b)) == 1u;
  let best = best_edge(i, a, j, b, o);
  var certain = best.certain;
  var record = FigureRecord();
  record.edge = best.edge | select(0u, EDGE_OF_B, best.of_b);
  record.separation = best.separation;
  // The polygon with the reference edge comes first.
  let by = second_first(PolygonPair(i, a, j, b, o), best.of_b);
  let normal = unit_normal(by.i, by.a, best.edge);
  record.normal = select(normal, -normal, best.of_b);
  if (min(vertex_count(a), vertex_count(b)) < 3u) {
    // Points and segments on one line may be disjoint without a gap over an edge.
    certain = certain && (best.lower > 0.0 || best.upper < 0.0);
  }
  if (best.separation > margin) {
    record.edge |= select(UNCERTAIN_FIGURE, 0u, certain);
    return record;
  }
  // Two segments on one line may be disjoint although no edge has a gap.
  let may_be_in_line = max(vertex_count(a), vertex_count(b)) == 2u && best.upper >= 0.0;
  if (are_points || may_be_in_line || best.separation > 0.0) {
    // The lower bound -ANY disables the first test of `closest_from`, which would accept the best edge and the vertex
    // nearest to this edge.
    let size = size_of_pair(a, b, o);
    var unproven = best;
    unproven.lower = -ANY;
    let near = closest_from(i, a, j, b, o, unproven, 0.5 * FIGURE_BOUND * size);
    if (are_points) {
      return of_points(near, size, margin);
    }
    let d = near.point_b - near.point_a;
    let aside = record.normal.x * d.y - record.normal.y * d.x;
    // Two closest vertices give the normal only if the line between them is not along the normal of the edge. Otherwise,
    // the vertices may be the ends of edges that face each other.
    if (!near.feature_a.is_edge && !near.feature_b.is_edge && abs(aside) > FIGURE_BOUND * size) {
      record.normal = d / near.distance;
      record.separation = near.distance;
      // The error of the direction is the error of the points divided by their distance.
      certain = certain && near.distance * 16.0 >= size;
      if (near.distance <= margin) {
        record.edge |= 1u << POINT_COUNT_SHIFT;
        let feature = near.feature_a.index | (near.feature_b.index << CONTACT_INDEX_BITS);
        record.points[0] = Contact(near.point_a + 0.5 * d, near.distance, feature);
      }
      record.edge |= select(UNCERTAIN_FIGURE, 0u, certain);
      return record;
    }
  }
  let clip = clip_edge(by.i, by.a, best.edge, normal, by.j, by.b, incident_edge(by.j, by.b, normal), by.o);
  let from_a = select(vec2f(), o, best.of_b);
  var count = 0u;
  if (clip.first.separation <= margin) {
    record.points[0] = contact_of(clip.first, best.of_b, from_a);
    count = 1u;
  }
  if (clip.has_second && clip.second.separation <= margin) {
    record.points[count] = contact_of(clip.second, best.of_b, from_a);
    count++;
  }
  record.edge |= (count << POINT_COUNT_SHIFT) | select(UNCERTAIN_FIGURE, 0u, certain && clip.certain);
  return record;
}
