// The state of a body after the solver moved it along its path or a fraction of its path. The CPU twins are `finish`
// and `shift` in src/sim/cpu/mod.rs. The host sets FOLLOWS, which is true if there are fast bodies. A fast body may
// move only a fraction of its path.

struct Moved {
  state: BodyState,
  // Whether the state is finite and within the world.
  is_within: bool,
}

// The test uses the bits, because a device may assume that there is no NaN.
fn is_finite(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

fn twice(turn: vec2f) -> vec2f {
  return vec2f(turn.x * turn.x - turn.y * turn.y, 2.0 * turn.x * turn.y);
}

// Returns the cosine and the sine of an angle, with an error of about 1e-5 if the angle is a few full turns at most.
// The functions `cos` and `sin` of a device may have a greater error. The code adds the first three terms of the series
// of tan(angle / 16), computes the cosine and the sine of angle / 8, and doubles this angle three times.
fn turned_by(angle: f32) -> vec2f {
  let full_turn = 6.2831853;
  let sixteenth = (angle - full_turn * round(angle / full_turn)) / 16.0;
  let square = sixteenth * sixteenth;
  let tangent = sixteenth * (1.0 + square * (1.0 / 3.0 + square * (2.0 / 15.0)));
  let eighth = vec2f(1.0 - tangent * tangent, 2.0 * tangent) / (1.0 + tangent * tangent);
  return twice(twice(twice(eighth)));
}

fn moved(state: BodyState, by: MovingBody, part_bits: u32, quantum: f32) -> Moved {
  var to = state;
  to.velocity = by.velocity;
  to.angular_velocity = by.angular_velocity;
  let part = select(1.0, bitcast<f32>(part_bits), FOLLOWS);
  var by_turn = by.turn;
  if (by.turning_time > 0.0) {
    by_turn = turned_by(by.turning_time * by.angular_velocity);
  }
  if (part < 1.0) {
    by_turn = part_of_turn(by_turn, part);
  }
  let turn = vec2f(
    state.rotation.x * by_turn.x - state.rotation.y * by_turn.y,
    state.rotation.y * by_turn.x + state.rotation.x * by_turn.y,
  );
  to.rotation = turn / length(turn);
  let offset = state.offset + part * by.displacement;
  let steps = round(offset / quantum);
  var is_within = is_finite(steps.x) && is_finite(steps.y)
    && is_finite(by.velocity.x) && is_finite(by.velocity.y) && is_finite(by.angular_velocity)
    && is_finite(to.rotation.x) && is_finite(to.rotation.y);
  is_within = is_within && max(abs(steps.x), abs(steps.y)) <= f32(MOST_ANCHOR);
  if (is_within) {
    to.anchor = state.anchor + vec2i(steps);
    to.offset = offset - steps * quantum;
    is_within = max(abs(to.anchor.x), abs(to.anchor.y)) <= MOST_ANCHOR;
  }
  return Moved(to, is_within);
}
