// The certified filter: disjoint, overlapping or uncertain, in f32, with a bound on its own error.
// The twin of src/narrow_phase/cpu/filter.rs: the same functions, the same names, the same order; the bound is derived
// there. An entry-point file provides shape_at(index) -> Shape and vertex_at(index) -> vec2f.

// The relative error of one f32 operation: either neighbour of the exact result may be returned.
const ROUNDING: f32 = 0x1p-23;
// Covers products of errors, and the rounding of the bound itself.
const SLACK: f32 = 1.0 + 1.0 / 64.0;
// Covers results below 2^-126, which a device may flush to zero, times the greatest lever.
const FLUSH: f32 = 0x1p-80;

// Turns a vector by rotation = (cos, sin), counter-clockwise.
fn rotate(rotation: vec2f, v: vec2f) -> vec2f {
  return vec2f(rotation.x * v.x - rotation.y * v.y, rotation.y * v.x + rotation.x * v.y);
}

// Turns a vector by rotation, clockwise.
fn rotate_back(rotation: vec2f, v: vec2f) -> vec2f {
  return vec2f(rotation.x * v.x + rotation.y * v.y, rotation.x * v.y - rotation.y * v.x);
}

// A vertex of an instance, relative to the instance's anchor.
fn place(instance: Instance, vertex: vec2f) -> vec2f {
  return rotate(instance.rotation, vertex) + instance.offset;
}

// The outward normal of the edge from p to q, as long as the edge.
fn outward_normal(p: vec2f, q: vec2f) -> vec2f {
  return vec2f(q.y - p.y, p.x - q.x);
}

// The least projection of the vertices of shape on direction.
fn least_projection(shape: Shape, direction: vec2f) -> f32 {
  var least = dot(direction, vertex_at(shape.vertex_offset));
  for (var i = 1u; i < shape.vertex_count; i++) {
    least = min(least, dot(direction, vertex_at(shape.vertex_offset + i)));
  }
  return least;
}

// Bounds the error of a separation.
fn error_bound(normal: vec2f, origin: vec2f, to_b: vec2f, radius: f32, error_a: f32, error_b: f32) -> f32 {
  let n = abs(normal);
  let d = abs(to_b);
  let errors = error_a + error_b;
  let o = abs(origin);
  let reach = radius + errors + ROUNDING * (o.x + o.y);
  let length = n.x + n.y;
  let rounding = ROUNDING * (3.0 * reach * length + 4.0 * dot(n, d) + 2.0 * dot(n, o));
  let packing = errors * length + 2.0 * error_a * (2.0 * reach + d.x + d.y);
  return SLACK * (rounding + packing) + FLUSH;
}

// What the edges of a say: disjoint if one of them separates, overlapping if none can, else uncertain.
fn side_relation(a: Instance, b: Instance) -> u32 {
  let shape_a = shape_at(a.shape_index);
  let shape_b = shape_at(b.shape_index);
  let origin = b.offset + vec2f(b.anchor - a.anchor);
  var verdict = OVERLAPPING;
  var p = place(a, vertex_at(shape_a.vertex_offset + shape_a.vertex_count - 1u));
  for (var i = 0u; i < shape_a.vertex_count; i++) {
    let q = place(a, vertex_at(shape_a.vertex_offset + i));
    let normal = outward_normal(p, q);
    let to_b = origin - p;
    let least = least_projection(shape_b, rotate_back(b.rotation, normal));
    let separation = least + dot(normal, to_b);
    let bound = error_bound(normal, origin, to_b, shape_b.radius, a.error, b.error);
    if (separation > bound) {
      return DISJOINT;
    }
    if (separation >= -bound) {
      verdict = UNCERTAIN;
    }
    p = q;
  }
  return verdict;
}

// The relation of two instances: DISJOINT, OVERLAPPING or UNCERTAIN.
fn relation(a: Instance, b: Instance) -> u32 {
  let by_a = side_relation(a, b);
  if (by_a == DISJOINT) {
    return DISJOINT;
  }
  let by_b = side_relation(b, a);
  if (by_b == DISJOINT) {
    return DISJOINT;
  }
  return max(by_a, by_b);
}
