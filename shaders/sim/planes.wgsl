// Reads from the planes of constraints, which a kernel binds as `constraints`. A plane has four words for each touch,
// in the order of colours.

fn plane_of(plane: u32, k: u32) -> vec4f {
  return bitcast<vec4f>(constraints[plane * params.contact_capacity + k]);
}
