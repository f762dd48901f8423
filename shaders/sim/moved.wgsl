// A body where the solver moved it. The twin of `finish` and `shift` in src/sim/cpu/mod.rs.

struct Moved {
  state: BodyState,
  // Whether that is within the world, and a number.
  is_within: bool,
}

// By its bits: devices may take it for granted that there is no NaN.
fn is_finite(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

fn moved(state: BodyState, by: MovingBody, quantum: f32) -> Moved {
  var to = state;
  to.velocity = by.velocity;
  to.angular_velocity = by.angular_velocity;
  let turn = vec2f(
    state.rotation.x * by.turn.x - state.rotation.y * by.turn.y,
    state.rotation.y * by.turn.x + state.rotation.x * by.turn.y,
  );
  to.rotation = turn / length(turn);
  let offset = state.offset + by.displacement;
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
