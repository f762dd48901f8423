// Returns the rotation of a body after a fraction of its path. It is the normalised linear blend from no rotation to
// the whole rotation.

fn part_of_turn(turn: vec2f, part: f32) -> vec2f {
  let between = vec2f(1.0 - part + part * turn.x, part * turn.y);
  return between * inverseSqrt(max(dot(between, between), 0x1p-40));
}
