// What the push solver gave at the points of a touch: of two points, half at each. In place of inverse masses the shares, which are 0
// for the same bodies.

fn impulses_of(k: u32, point_count: u32) -> vec4f {
  let pushes = plane_of(PUSHES_PLANE, k);
  let part = plane_of(SURFACE_PLANE, k).z / f32(point_count);
  return pushes.xyxy * part;
}

fn inverse_masses_of(k: u32) -> vec2f {
  return plane_of(SHARE_PLANE, k).xy;
}
