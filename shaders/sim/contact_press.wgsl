// Friction, and what keeps bodies from overlapping, by the phase that the host sets: with PHASE == SOLVE what overlaps is pushed
// apart, with RELAX it is left as it is.

// A point of a touch, and its impulse along the normal so far.
struct Pressed {
  at: u32,
  arms: Arms,
  impulse: f32,
}

fn pressed(k: u32, at: u32) -> Pressed {
  return Pressed(at, arms_of(k, at), touches[k].points[at].normal_impulse);
}

// Friction at a point.
fn rub(solved: ptr<function, Solved>, k: u32, point: Pressed, friction: f32) {
  let tangent = tangent_of(solved.normal);
  let speed = dot(relative_velocity(solved.v, point.arms), tangent);
  let before = touches[k].points[point.at].tangent_impulse;
  let most = friction * point.impulse;
  let total = max(min(before - constraints[k].points[point.at].tangent_mass * speed, most), -most);
  touches[k].points[point.at].tangent_impulse = total;
  solved.v = pushed(solved.v, (total - before) * tangent, point.arms, solved.inverse);
}

// What keeps a point from overlapping.
fn press(solved: ptr<function, Solved>, k: u32, point: Pressed) {
  let at = point.at;
  let arms = point.arms;
  let normal = solved.normal;
  let speed = dot(relative_velocity(solved.v, arms), normal);
  // The gap now, as the bodies have moved in the step.
  let between = solved.moved + turned(arms.b, solved.turn_b) - turned(arms.a, solved.turn_a);
  let gap = dot(between, normal) + (touches[k].points[at].separation - dot(arms.b - arms.a, normal));
  var bias = max(gap * params.inverse_h, 0.0);
  var mass_scale = select(1.0, OVER_RELAXATION, PHASE == SOLVE);
  var impulse_scale = 0.0;
  if (PHASE == SOLVE && gap <= 0.0) {
    // What does not move is stiffer.
    let softness = select(params.softness[0], params.softness[1], min(solved.inverse.x, solved.inverse.y) == 0.0);
    bias = max(gap * softness.x, -params.push_out_speed);
    mass_scale = softness.y;
    impulse_scale = softness.z;
  }
  let before = point.impulse;
  let mass = constraints[k].points[at].normal_mass * mass_scale;
  let total = max(before - mass * (speed + bias) - impulse_scale * before, 0.0);
  if (PHASE == RELAX) {
    // The end of a sub-step.
    constraints[k].points[at].total_impulse += total;
  }
  touches[k].points[at].normal_impulse = total;
  solved.v = pushed(solved.v, (total - before) * normal, arms, solved.inverse);
}

fn moved(k: u32, bodies: vec2u) -> Solved {
  var solved = begun(k, bodies);
  solved.moved = moving[bodies.y].displacement - moving[bodies.x].displacement;
  solved.turn_a = moving[bodies.x].turn;
  solved.turn_b = moving[bodies.y].turn;
  return solved;
}

// Friction first: that nothing overlaps matters more, and what is solved last holds.

fn solve_one(k: u32) {
  let bodies = touches[k].bodies;
  var solved = moved(k, bodies);
  let point = pressed(k, 0u);
  rub(&solved, k, point, touches[k].friction);
  press(&solved, k, point);
  end(solved, bodies);
}

fn solve_two(k: u32) {
  let bodies = touches[k].bodies;
  var solved = moved(k, bodies);
  let friction = touches[k].friction;
  let first = pressed(k, 0u);
  let second = pressed(k, 1u);
  rub(&solved, k, first, friction);
  rub(&solved, k, second, friction);
  press(&solved, k, first);
  press(&solved, k, second);
  end(solved, bodies);
}
