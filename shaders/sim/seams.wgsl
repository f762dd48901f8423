// The effect of seams: a static body may hide a contact of a static body that touches it, in part or as a whole. The CPU twin is
// src/sim/seams.rs, which describes the method and the terms. The twin of `turned_about` and `turned_to` is src/sim/cpu/turned.rs.
// A file with an entry point binds `shapes` and `traits`.

@group(0) @binding(6) var<storage, read> seams: array<u32>;

// The position of a polygon's vertices in `seams`.
struct Outline {
  first: u32,
  count: u32,
}

// The effect of seams on a contact: none.
const OPEN: u32 = 0u;
// The effect of seams on a contact: they hide it as a whole.
const HIDDEN: u32 = 1u;
// The effect of seams on a contact: they leave one point, with another normal and another separation.
const TURNED: u32 = 2u;

struct Exposure {
  kind: u32,
  // The index of the only remaining point, if the kind is TURNED.
  point: u32,
  // The position of this point on the surface of the body.
  at: vec2f,
  normal: vec2f,
  separation: f32,
}

// A contact with a body. The points are on the surface of the body, relative to its centre of mass. The normal points
// away from the body.
struct Surface {
  normal: vec2f,
  count: u32,
  points: array<vec2f, 2>,
  separations: array<f32, 2>,
  // The centre of mass of the other body, relative to that of the body.
  other: vec2f,
}

fn seam_width() -> f32 {
  return SEAM_WIDTH * params_of_step().margin;
}

// Returns the position of a body's record, or 0 if the body has no seams.
fn seams_of(body: u32) -> u32 {
  if (body >= seams[0]) {
    return 0u;
  }
  return seams[1u + body];
}

fn vertex_of(outline: Outline, k: u32) -> vec2f {
  let at = outline.first + 2u * (k % outline.count);
  return vec2f(bitcast<f32>(seams[at]), bitcast<f32>(seams[at + 1u]));
}

fn outward_of(outline: Outline, edge: u32) -> vec2f {
  let along = vertex_of(outline, edge + 1u) - vertex_of(outline, edge);
  return vec2f(along.y, -along.x) / length(along);
}

// Returns true if a point is at most `by` outside the line of every edge. If `by` is negative, the point must be at
// least `-by` inside every line.
fn holds(outline: Outline, at: vec2f, by: f32) -> bool {
  for (var k = 0u; k < outline.count; k++) {
    if (dot(at - vertex_of(outline, k), outward_of(outline, k)) > by) {
      return false;
    }
  }
  return true;
}

// Returns true if a polygon has a vertex beyond the line through the point `at` that is perpendicular to `normal`.
fn reaches_beyond(outline: Outline, at: vec2f, normal: vec2f) -> bool {
  for (var k = 0u; k < outline.count; k++) {
    let away = vertex_of(outline, k) - at;
    if (dot(away, normal) > SAME_DIRECTION * length(away) + seam_width()) {
      return true;
    }
  }
  return false;
}

// The directions on the outside of an edge, seen from an end of the edge. They begin along the edge, and end at the
// direction whose `turn_to` is `most`.
struct Sector {
  // The unit vector from the end along the edge.
  along: vec2f,
  outward: vec2f,
  most: f32,
}

// Returns a number from 0 to 4 that grows with the angle from the edge to the direction `way`, measured through the outside of
// the edge.
fn turn_to(sector: Sector, way: vec2f) -> f32 {
  let x = dot(way, sector.along);
  let y = dot(way, sector.outward);
  let share = x / (abs(x) + abs(y));
  return select(3.0 + share, 1.0 - share, y >= 0.0);
}

// Returns true if a polygon has a vertex in a sector, away from the end `end` of the sector's edge.
fn is_between(outline: Outline, end: vec2f, sector: Sector) -> bool {
  for (var k = 0u; k < outline.count; k++) {
    let way = vertex_of(outline, k) - end;
    let turn = turn_to(sector, way);
    if (length(way) > 4.0 * seam_width() && turn >= SAME_DIRECTION && turn < sector.most) {
      return true;
    }
  }
  return false;
}

// Returns the index of the first neighbour in a record whose box can reach a point with the given x coordinate. The width of the
// widest box sets the limit.
fn first_near(record: u32, x: f32) -> u32 {
  let least = x - bitcast<f32>(seams[record + 1u]);
  var first = 0u;
  var end = seams[record];
  while (first < end) {
    let middle = (first + end) / 2u;
    if (bitcast<f32>(seams[record + SEAM_HEADER + middle * SEAM_NEIGHBOUR]) < least) {
      first = middle + 1u;
    } else {
      end = middle;
    }
  }
  return first;
}

// Returns the position of the description of neighbour `k`.
fn entry_of(record: u32, k: u32) -> u32 {
  return record + SEAM_HEADER + k * SEAM_NEIGHBOUR;
}

fn has_in_box(entry: u32, at: vec2f) -> bool {
  let low = vec2f(bitcast<f32>(seams[entry]), bitcast<f32>(seams[entry + 1u]));
  let high = vec2f(bitcast<f32>(seams[entry + 2u]), bitcast<f32>(seams[entry + 3u]));
  return all(low <= at) && all(at <= high);
}

// Returns true if another body holds a point, with the tolerance `by` of `holds`. If `normal` is not 0, this body must also reach
// beyond the point along `normal`. If the sector has an edge, this body must also have a vertex in the sector.
fn is_held(record: u32, at: vec2f, by: f32, normal: vec2f, sector: Sector) -> bool {
  for (var k = first_near(record, at.x); k < seams[record]; k++) {
    let entry = entry_of(record, k);
    if (bitcast<f32>(seams[entry]) > at.x) {
      break;
    }
    if (has_in_box(entry, at)) {
      let other = Outline(seams[entry + 4u], seams[entry + 5u]);
      let reaches = all(normal == vec2f()) || reaches_beyond(other, at, normal);
      let is_there = all(sector.along == vec2f()) || is_between(other, at, sector);
      if (reaches && is_there && holds(other, at, by)) {
        return true;
      }
    }
  }
  return false;
}

// Returns true if, at a point of an edge, no other body covers the points just outside the edge.
fn is_open(record: u32, own: Outline, edge: u32, at: vec2f) -> bool {
  let a = vertex_of(own, edge);
  let b = vertex_of(own, edge + 1u);
  let along = normalize(b - a);
  // The tested point is away from the ends of the edge, because the adjacent edge at an inner corner is not a seam.
  let inward = clamp(dot(0.5 * (a + b) - at, along), -2.0 * seam_width(), 2.0 * seam_width());
  let outside = at + inward * along + 1.5 * seam_width() * vec2f(along.y, -along.x);
  return !is_held(record, outside, -0.25 * seam_width(), vec2f(), Sector());
}

fn is_covered(record: u32, surface: Surface, point: u32) -> bool {
  return is_held(record, surface.points[point], seam_width(), surface.normal, Sector());
}

// Returns true if an edge faces the other body of a contact. `at` is a point of the edge. Away from its ends, an edge
// faces every position. At an end, the edge faces the other body if no neighbour lies between the edge and the
// direction to the centre of the other body, on the outside of the edge.
fn faces(record: u32, own: Outline, edge: u32, at: vec2f, other: vec2f) -> bool {
  let first = distance(vertex_of(own, edge), at) <= AT_END * seam_width();
  let end = vertex_of(own, edge + select(1u, 0u, first));
  if (distance(end, at) > AT_END * seam_width() || holds(own, other, 0.0)) {
    return true;
  }
  let along = normalize(vertex_of(own, edge + select(0u, 1u, first)) - end);
  var sector = Sector(along, outward_of(own, edge), 0.0);
  sector.most = turn_to(sector, other - end);
  return !is_held(record, end, seam_width(), vec2f(), sector);
}

fn is_exposed(record: u32, own: Outline, edge: u32, at: vec2f, other: vec2f) -> bool {
  return is_open(record, own, edge, at) && faces(record, own, edge, at, other);
}

// Returns the end of an edge that is nearest to `at` if `at` lies far beyond this end, and `at` otherwise. The CPU twin is
// `within` in src/sim/seams/outline.rs, which says why this is needed.
fn within(own: Outline, edge: u32, at: vec2f) -> vec2f {
  let a = vertex_of(own, edge);
  let b = vertex_of(own, edge + 1u);
  let outward = outward_of(own, edge);
  let along = vec2f(-outward.y, outward.x);
  let limit = AT_END * seam_width();
  return select(select(at, b, dot(at - b, along) > limit), a, dot(at - a, along) < -limit);
}

fn over_edge(record: u32, own: Outline, edge: u32, of_contact: Surface, is_disc: bool) -> Exposure {
  var surface = of_contact;
  var touches = false;
  for (var k = 0u; k < surface.count; k++) {
    surface.points[k] = within(own, edge, surface.points[k]);
    if (is_exposed(record, own, edge, surface.points[k], surface.other)) {
      return Exposure();
    }
    touches = touches || surface.separations[k] <= 0.0;
  }
  if (!touches) {
    return Exposure(HIDDEN, 0u, vec2f(), vec2f(), 0.0);
  }
  // The contact lies in a seam. The adjacent edge with the lesser depth decides.
  var best = Exposure();
  var best_is_open = false;
  for (var side = 0u; side < 2u; side++) {
    let end = vertex_of(own, edge + side);
    let beside = select(edge + own.count - 1u, edge + 1u, side == 1u);
    let outward = outward_of(own, beside);
    var deepest = Exposure(TURNED, 0u, surface.points[0], outward, dot(surface.points[0] - end, outward));
    if (surface.count > 1u && dot(surface.points[1] - end, outward) < deepest.separation) {
      deepest = Exposure(TURNED, 1u, surface.points[1], outward, dot(surface.points[1] - end, outward));
    }
    if (side == 0u || deepest.separation > best.separation) {
      best = deepest;
      let to_point = distance(best.at, surface.other);
      let is_towards = is_disc || distance(end, surface.other) <= to_point + AT_END * seam_width();
      best_is_open = dot(outward, surface.normal) > -0.5 && is_towards && is_open(record, own, beside, end);
    }
  }
  if (!best_is_open || (is_disc && best.separation < -MOST_DEPTH * seam_width())) {
    return Exposure(HIDDEN, 0u, vec2f(), vec2f(), 0.0);
  }
  return best;
}

// Gives a point of a contact the normal of the edge on which it lies. The edge must be open, and face the other body.
// Returns HIDDEN if there is no such edge, or if its normal differs too much from the normal of the contact.
fn onto_edge(record: u32, own: Outline, surface: Surface, point: u32) -> Exposure {
  let at = surface.points[point];
  var cosine = LEAST_COSINE;
  var best = Exposure(HIDDEN, 0u, vec2f(), vec2f(), 0.0);
  for (var edge = 0u; edge < own.count; edge++) {
    let outward = outward_of(own, edge);
    let is_on = dot(at - vertex_of(own, edge), outward) >= -4.0 * seam_width();
    let is_nearer = is_on && dot(outward, surface.normal) > cosine;
    if (is_nearer && is_exposed(record, own, edge, at, surface.other)) {
      cosine = dot(outward, surface.normal);
      best = Exposure(TURNED, point, at, outward, surface.separations[point] / cosine);
    }
  }
  return best;
}

fn at_vertex(record: u32, own: Outline, surface: Surface) -> Exposure {
  let deepest = select(0u, 1u, surface.count > 1u && surface.separations[1] < surface.separations[0]);
  if (!is_covered(record, surface, deepest)) {
    return Exposure();
  }
  var best = onto_edge(record, own, surface, deepest);
  // If a body is exactly above the seam between two tiles, each tile hides the contact of the other tile, and the body
  // would have no contact. A contact therefore stays if the bodies touch, or if its normal hardly changes.
  if (surface.separations[deepest] > 0.0 && dot(best.normal, surface.normal) < NEARLY_ALONG) {
    best = Exposure(HIDDEN, 0u, vec2f(), vec2f(), 0.0);
  }
  let other = 1u - deepest;
  let has_other = best.kind == HIDDEN && surface.count > 1u;
  if (has_other && !is_covered(record, surface, other)) {
    best = onto_edge(record, own, surface, other);
  }
  return best;
}

// Returns the index of an edge whose outward normal has the direction of `normal`, or the number of edges if there is none.
fn edge_along(outline: Outline, normal: vec2f) -> u32 {
  var edge = 0u;
  for (; edge < outline.count; edge++) {
    let outward = outward_of(outline, edge);
    let cross = outward.x * normal.y - outward.y * normal.x;
    if (dot(outward, normal) > 0.0 && abs(cross) <= SAME_DIRECTION) {
      break;
    }
  }
  return edge;
}

fn exposure_of(record: u32, surface: Surface, is_disc: bool) -> Exposure {
  let own = Outline(seams[record + 2u], seams[record + 3u]);
  let edge = edge_along(own, surface.normal);
  if (edge < own.count) {
    return over_edge(record, own, edge, surface, is_disc);
  }
  return at_vertex(record, own, surface);
}

// Returns the contact as its first body sees it, or as its second body sees it if `is_second` is true.
fn surface_of(touch: TouchRecord, is_second: bool) -> Surface {
  var surface = Surface();
  surface.normal = select(touch.normal, -touch.normal, is_second);
  surface.count = touch.point_count;
  let between = touch.points[0].arm_a - touch.points[0].arm_b;
  surface.other = select(between, -between, is_second);
  for (var k = 0u; k < touch.point_count; k++) {
    let point = touch.points[k];
    // Moves the point from half-way between the bodies to the surface of the body.
    surface.points[k] = select(point.arm_a, point.arm_b, is_second) - 0.5 * point.separation * surface.normal;
    surface.separations[k] = point.separation;
  }
  return surface;
}

// Applies the seams of the first body, or of the second body if `is_second` is true, to a contact. `is_disc` is true if one
// of the bodies is a disc. If the seams hide the contact, the result has no points.
fn exposed_over(touch: TouchRecord, is_second: bool, is_disc: bool) -> TouchRecord {
  let record = seams_of(select(touch.bodies.x, touch.bodies.y, is_second));
  if (record == 0u || touch.point_count == 0u) {
    return touch;
  }
  let surface = surface_of(touch, is_second);
  let exposure = exposure_of(record, surface, is_disc);
  if (exposure.kind == OPEN) {
    return touch;
  }
  if (exposure.kind == TURNED) {
    return turned_about(touch, is_second, is_disc, exposure.normal, exposure.separation, exposure.point, exposure.at);
  }
  var hidden = touch;
  hidden.point_count = 0u;
  return hidden;
}

// Gives a contact the normal `normal`, which points away from the second body if `is_second` is set, and from the first body
// otherwise. The contact keeps only the point with the index `index`. `at` is the position of this point on the surface of this
// body.
fn turned_about(
  touch: TouchRecord,
  is_second: bool,
  is_disc: bool,
  normal: vec2f,
  separation: f32,
  index: u32,
  at: vec2f,
) -> TouchRecord {
  var turned = touch;
  var point = touch.points[index];
  var by = at + 0.5 * separation * normal - select(point.arm_a, point.arm_b, is_second);
  if (is_disc) {
    // A force along the normal cannot rotate a disc, so the arm of the disc stays on the normal.
    let arm = select(point.arm_b, point.arm_a, is_second);
    let radius = length(arm) - 0.5 * point.separation;
    by = -normal * (radius + 0.5 * separation) - arm;
  }
  point.arm_a += by;
  point.arm_b += by;
  point.separation = separation;
  turned.points[0] = point;
  turned.point_count = 1u;
  turned.separation = separation;
  turned.normal = select(normal, -normal, is_second);
  return turned;
}

// Gives a contact a new normal, which points from the first body to the second body, and a new separation. The contact keeps only
// its deepest point.
fn turned_to(touch: TouchRecord, normal: vec2f, separation: f32) -> TouchRecord {
  let is_second = shapes[traits[touch.bodies.x].shape].vertex_count == 1u;
  let is_disc = is_second || shapes[traits[touch.bodies.y].shape].vertex_count == 1u;
  let index = select(0u, 1u, touch.point_count == 2u && touch.points[1].separation < touch.points[0].separation);
  let at = surface_of(touch, is_second).points[index];
  return turned_about(touch, is_second, is_disc, select(normal, -normal, is_second), separation, index, at);
}
