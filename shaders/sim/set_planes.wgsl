// Writes to the planes that planes.wgsl reads.

fn set_plane(plane: u32, k: u32, numbers: vec4f) {
  constraints[plane * params.contact_capacity + k] = bitcast<vec4u>(numbers);
}
