// Touches from manifolds of cores. The twin of touch_of in src/sim/cpu/touch.rs.

// Of no point where none is near enough.
fn touch_of(
  bodies: vec2u,
  record: ManifoldRecord,
  a: BodyState,
  b: BodyState,
  radii: vec2f,
  margin: f32,
  quantum: f32,
) -> TouchRecord {
  // The point is half way between the cores; half way between the shapes it is farther along.
  let shift = 0.5 * (radii.x - radii.y) * record.normal;
  let between = vec2f(b.anchor - a.anchor) * quantum + b.offset;
  var touch = TouchRecord();
  touch.bodies = bodies;
  touch.normal = record.normal;
  for (var k = 0u; k < ((record.edge >> POINT_COUNT_SHIFT) & 3u); k++) {
    let point = record.points[k];
    let separation = point.separation * quantum - radii.x - radii.y;
    if (separation <= margin) {
      let at = point.position * quantum + shift;
      touch.points[touch.point_count] =
        TouchPoint(at - a.offset, at - between, separation, point.feature, 0.0, 0.0);
      touch.separation = select(min(touch.separation, separation), separation, touch.point_count == 0u);
      touch.point_count++;
    }
  }
  return touch;
}
