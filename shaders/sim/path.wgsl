// The expected path of a body in a step and in the additional time for which contacts look ahead, and contacts along
// such paths. The CPU twin is src/sim/cpu/sweep.rs.

struct Path {
  displacement: vec2f,
  // The angle by which the body rotates along the path, in radians, counter-clockwise. It is 0 for a disc, because its
  // contact points do not rotate with it.
  angle: f32,
}

fn path_of(state: BodyState, traits: BodyTraits) -> Path {
  if ((traits.flags & MOVES) == 0u) {
    return Path();
  }
  let falls = select(0.0, 1.0, (traits.flags & DYNAMIC) != 0u);
  let time = params_of_step().bounce_reach;
  let angle = select(state.angular_velocity * time, 0.0, (traits.flags & DISC) != 0u);
  return Path(state.velocity * time + falls * params_of_step().fall, angle);
}

// Returns the distance from a body up to which the narrow phase searches for contacts.
fn margin_of(path: Path) -> f32 {
  return params_of_step().margin + length(path.displacement);
}

// Returns the distance up to which a body has contacts with bodies that it does not approach. Other bodies may push
// this body aside by up to half the length of its path.
fn nearness_of(path: Path, traits: BodyTraits) -> f32 {
  return params_of_step().margin + 0.5 * min(length(path.displacement), traits.extent);
}

// Returns the cosine and the sine of 2 atan(angle / 2). The result is a rotation for every `angle`.
fn rotation_by(angle: f32) -> vec2f {
  let half = 0.5 * angle;
  let square = half * half;
  return vec2f(1.0 - square, angle) / (1.0 + square);
}

fn rotated(by: vec2f, v: vec2f) -> vec2f {
  return vec2f(by.x * v.x - by.y * v.y, by.y * v.x + by.x * v.y);
}

// Returns the state of a body after the fraction `part` of its path.
fn after(state: BodyState, path: Path, part: f32) -> BodyState {
  var moved = state;
  moved.offset += part * path.displacement;
  moved.rotation = rotated(rotation_by(part * path.angle), state.rotation);
  return moved;
}

// Converts a contact to the start of the step. In `touch`, the bodies have moved along the fraction `part` of their
// paths. In the result, the arms are rotated back with the bodies, and each gap is the gap along the normal at the
// start.
fn at_start(touch: TouchRecord, a: Path, b: Path, part: f32) -> TouchRecord {
  if (part == 0.0) {
    return touch;
  }
  var start = touch;
  let back_a = rotation_by(-part * a.angle);
  let back_b = rotation_by(-part * b.angle);
  let way = b.displacement - a.displacement;
  for (var k = 0u; k < touch.point_count; k++) {
    let point = touch.points[k];
    let arm_a = rotated(back_a, point.arm_a);
    let arm_b = rotated(back_b, point.arm_b);
    // The vector by which the rotations move the two ends of the arms apart.
    let turned = (point.arm_b - point.arm_a) - (arm_b - arm_a);
    let separation = max(point.separation - part * dot(way, touch.normal) - dot(turned, touch.normal), 0.0);
    start.points[k].arm_a = arm_a;
    start.points[k].arm_b = arm_b;
    start.points[k].separation = separation;
    start.separation = select(min(start.separation, separation), separation, k == 0u);
  }
  return start;
}
