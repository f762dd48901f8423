// Returns a body's turn after a fraction of its path: a linear blend from no turn to the whole turn, normalised.

fn part_of_turn(turn: vec2f, part: f32) -> vec2f {
  let between = vec2f(1.0 - part + part * turn.x, part * turn.y);
  return between * inverseSqrt(max(dot(between, between), 0x1p-40));
}
