// A body's turn on a part of its way: on the straight way from no turn to the whole one, made of length 1.

fn part_of_turn(turn: vec2f, part: f32) -> vec2f {
  let between = vec2f(1.0 - part + part * turn.x, part * turn.y);
  return between * inverseSqrt(max(dot(between, between), 0x1p-40));
}
