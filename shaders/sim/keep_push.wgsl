// The impulses of the push solver at the points of a touch. If there are two points, each point has half of the
// impulse. The bodies' shares replace the inverse masses: a share is 0 if and only if the inverse mass is 0.

fn impulses_of(k: u32, point_count: u32) -> vec4f {
  let pushes = plane_of(PUSHES_PLANE, k);
  let part = plane_of(SURFACE_PLANE, k).z / f32(point_count);
  return pushes.xyxy * part;
}

fn inverse_masses_of(k: u32) -> vec2f {
  return plane_of(SHARE_PLANE, k).xy;
}
