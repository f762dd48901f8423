// Creates touches from two discs or from manifolds of cores. The CPU twin is src/sim/cpu/touch.rs.

// Returns the vector from the centre of mass of a to the centre of mass of b.
fn between_of(a: BodyState, b: BodyState, quantum: f32) -> vec2f {
  return vec2f(b.anchor - a.anchor) * quantum + (b.offset - a.offset);
}

// Returns the touch of two discs, whose centres are their centres of mass. The touch has no points if the gap is
// greater than `margin`.
fn touch_of_discs(bodies: vec2u, between: vec2f, radii: vec2f, margin: f32) -> TouchRecord {
  var touch = TouchRecord();
  touch.bodies = bodies;
  let reach = radii.x + radii.y + margin;
  let square = dot(between, between);
  if (square > reach * reach) {
    return touch;
  }
  let distance = sqrt(square);
  // Discs with the same centre may separate in any direction.
  touch.normal = select(vec2f(1.0, 0.0), between / distance, distance > 0.0);
  touch.separation = distance - radii.x - radii.y;
  let arm_a = touch.normal * (radii.x + 0.5 * touch.separation);
  touch.points[0] = TouchPoint(arm_a, arm_a - between, touch.separation, 0u);
  touch.point_count = 1u;
  return touch;
}

// Returns the touch of two bodies in the given states. `record` is the manifold of their cores. It is not used if both
// bodies are discs.
fn touch_between(
  bodies: vec2u,
  record: ManifoldRecord,
  a: BodyState,
  b: BodyState,
  are_discs: bool,
  radii: vec2f,
  margin: f32,
) -> TouchRecord {
  let quantum = params_of_step().quantum;
  let between = between_of(a, b, quantum);
  if (are_discs) {
    return touch_of_discs(bodies, between, radii, margin);
  }
  return touch_of(bodies, record, a.offset, between, radii, margin, quantum);
}

// Returns the touch of two bodies from the manifold of their cores. The touch has no points if all gaps are greater
// than the margin.
fn touch_of(
  bodies: vec2u,
  record: ManifoldRecord,
  offset: vec2f,
  between: vec2f,
  radii: vec2f,
  margin: f32,
  quantum: f32,
) -> TouchRecord {
  // The point of a manifold is half-way between the cores. The shift moves it half-way between the rounded shapes.
  let shift = 0.5 * (radii.x - radii.y) * record.normal;
  var touch = TouchRecord();
  touch.bodies = bodies;
  touch.normal = record.normal;
  for (var k = 0u; k < ((record.edge >> POINT_COUNT_SHIFT) & 3u); k++) {
    let point = record.points[k];
    let separation = point.separation * quantum - radii.x - radii.y;
    if (separation <= margin) {
      let arm_a = point.position * quantum + shift - offset;
      touch.points[touch.point_count] = TouchPoint(arm_a, arm_a - between, separation, point.feature);
      touch.separation = select(min(touch.separation, separation), separation, touch.point_count == 0u);
      touch.point_count++;
    }
  }
  return touch;
}
