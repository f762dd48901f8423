// How far from a body contacts are looked for. The twin of `reach` in src/sim/cpu/place.rs.

fn way_of(state: BodyState, traits: BodyTraits, dt: f32) -> vec2f {
  return select(vec2f(), state.velocity * dt, (traits.flags & MOVES) != 0u);
}

fn margin_of(state: BodyState, traits: BodyTraits, dt: f32, margin: f32) -> f32 {
  return margin + min(length(way_of(state, traits, dt)), traits.extent);
}
