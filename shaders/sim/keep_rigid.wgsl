// The impulses of the rigid solver at the points of a touch, and the inverse masses of its bodies.

fn impulses_of(k: u32, point_count: u32) -> vec4f {
  return plane_of(IMPULSES_PLANE, k);
}

fn inverse_masses_of(k: u32) -> vec2f {
  return plane_of(INVERSE_PLANE, k).xy;
}
