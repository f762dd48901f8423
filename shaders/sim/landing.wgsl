// Bodies that meet several static bodies at once. The CPU twin is src/sim/seams/landing.rs, which describes the method. A file with
// an entry point provides reach_of(body, state, facing, towards, depth), the twin of `Lander::reach`.

// Returns the coordinates of the first and the last point of a contact along the surface, relative to the centre of mass of the
// other body.
fn span_of(surface: Surface) -> vec2f {
  let along = vec2f(surface.normal.y, -surface.normal.x);
  let last = surface.points[max(surface.count, 1u) - 1u];
  return vec2f(dot(surface.points[0] - surface.other, along), dot(last - surface.other, along));
}

// Returns true if the centre of mass of the other body lies between the points.
fn is_centred(surface: Surface) -> bool {
  let span = span_of(surface);
  return span.x * span.y <= 0.0;
}

fn is_near(point: vec2f, other: vec2f, limit: f32) -> bool {
  return distance(point, other) <= limit * seam_width();
}

// Returns true if an outline has an edge with the outward normal `normal` that passes through `end`, and continues from `end` in
// the direction `towards`.
fn continues(outline: Outline, end: vec2f, normal: vec2f, towards: vec2f) -> bool {
  let edge = edge_along(outline, normal);
  if (edge == outline.count) {
    return false;
  }
  let a = vertex_of(outline, edge) - end;
  let b = vertex_of(outline, edge + 1u) - end;
  let x = dot(a, towards);
  let y = dot(b, towards);
  let is_in_line = abs(dot(a, outward_of(outline, edge))) <= seam_width();
  return is_in_line && min(x, y) <= 2.0 * seam_width() && max(x, y) > 4.0 * seam_width();
}

// The body with the seams is the first body, or the second body if `is_second` is true. The other body lands. Returns true if the
// contact is flat and lies beside the centre of mass of the other body, and if a neighbour continues the edge of the contact
// under the other body towards its centre of mass. `way` is the displacement of the bodies relative to each other, and `lander`
// is the state of the other body.
fn is_beside(touch: TouchRecord, is_second: bool, way: vec2f, lander: BodyState) -> bool {
  let record = seams_of(select(touch.bodies.x, touch.bodies.y, is_second));
  if (record == 0u || touch.point_count < 2u) {
    return false;
  }
  let surface = surface_of(touch, is_second);
  let span = span_of(surface);
  let along = vec2f(surface.normal.y, -surface.normal.x);
  let is_flat = abs(surface.separations[0] - surface.separations[1]) <= SAME_DIRECTION * abs(span.x - span.y);
  // The neighbour may be lower by the width of a seam. While the body moves by this width along the normal, it moves along
  // the surface by `slope` times this width.
  let slope = abs(dot(way, along)) / abs(dot(way, surface.normal));
  let nearest = 2.0 * seam_width() * (1.0 + slope);
  if (!is_flat || span.x * span.y <= 0.0 || min(abs(span.x), abs(span.y)) <= nearest) {
    return false;
  }
  let own = Outline(seams[record + 2u], seams[record + 3u]);
  let edge = edge_along(own, surface.normal);
  if (edge == own.count) {
    return false;
  }
  let towards = select(along, -along, span.x > 0.0);
  let inner = select(surface.points[1], surface.points[0], abs(span.x) < abs(span.y));
  let a = vertex_of(own, edge);
  let b = vertex_of(own, edge + 1u);
  let end = select(a, b, dot(b - a, towards) > 0.0);
  let least = 4.0 * seam_width();
  let body = select(touch.bodies.y, touch.bodies.x, is_second);
  let reach = dot(surface.other - end, towards) + reach_of(body, lander, -surface.normal, towards, least);
  let is_covered = is_held(record, end, seam_width(), surface.normal, Sector());
  if (!is_near(inner, end, AT_END) || reach < least || is_covered) {
    return false;
  }
  for (var k = first_near(record, end.x); k < seams[record]; k++) {
    let entry = entry_of(record, k);
    if (bitcast<f32>(seams[entry]) > end.x) {
      break;
    }
    let other = Outline(seams[entry + 4u], seams[entry + 5u]);
    if (has_in_box(entry, end) && continues(other, end, surface.normal, towards)) {
      return true;
    }
  }
  return false;
}

// The body with the seams is the first body, or the second body if `is_second` is true. Returns true if a contact with two points
// lies beside the centre of mass of the other body, and reaches an end of its edge that is in an inner corner.
fn is_cut(touch: TouchRecord, is_second: bool) -> bool {
  let record = seams_of(select(touch.bodies.x, touch.bodies.y, is_second));
  if (record == 0u || touch.point_count < 2u) {
    return false;
  }
  let surface = surface_of(touch, is_second);
  let own = Outline(seams[record + 2u], seams[record + 3u]);
  let edge = edge_along(own, surface.normal);
  if (edge == own.count || is_centred(surface)) {
    return false;
  }
  for (var side = 0u; side < 2u; side++) {
    let end = vertex_of(own, edge + side);
    let is_at_end = is_near(surface.points[0], end, AT_END) || is_near(surface.points[1], end, AT_END);
    if (is_at_end && is_held(record, end, seam_width(), surface.normal, Sector())) {
      return true;
    }
  }
  return false;
}

// Returns true if a contact is to be dropped because the bodies land flat. `way` is the displacement of the second body
// relative to the first body. `a` and `b` are the states of the bodies where they meet.
fn is_dropped(touch: TouchRecord, way: vec2f, a: BodyState, b: BodyState) -> bool {
  let lands = -dot(way, touch.normal) >= LANDING * world.margin;
  return lands && (is_beside(touch, false, way, b) || is_beside(touch, true, way, a));
}

fn is_centred_on(touch: TouchRecord, is_second: bool) -> bool {
  let has_seams = seams_of(select(touch.bodies.x, touch.bodies.y, is_second)) != 0u;
  return has_seams && is_centred(surface_of(touch, is_second));
}

// Returns true if the contact `first` from the start of the step replaces the contact `touch` of the same bodies.
fn is_replaced(touch: TouchRecord, first: TouchRecord) -> bool {
  let is_same = first.point_count == 2u && dot(first.normal, touch.normal) >= SAME_NORMAL;
  return is_same && (is_cut(touch, false) || is_cut(touch, true)) && (is_centred_on(first, false) || is_centred_on(first, true));
}
