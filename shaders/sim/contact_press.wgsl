// Keeps bodies from overlapping, by the phase that the host sets: PHASE == SOLVE pushes overlapping bodies apart; RELAX leaves
// overlap as it is and adds friction.

// A point of a touch, as the solver meets it.
struct Pressed {
  arms: Arms,
  // The cross products of the arms with the normal.
  levers: vec2f,
  // The speed that the point is to lose.
  excess: f32,
  // By how much it yields to an impulse, as a part of the inverse mass.
  compliance: f32,
  impulse: f32,
}

fn pressed(solved: Solved, k: u32, at: u32) -> Pressed {
  let normal = solved.normal;
  var point = Pressed();
  point.arms = arms_of(k, at);
  point.levers = levers_of(point.arms, normal);
  point.impulse = touches[k].points[at].normal_impulse;
  // The gap now, as the bodies have moved in the step.
  let between = solved.moved + turned(point.arms.b, solved.turn_b) - turned(point.arms.a, solved.turn_a);
  let gap = dot(between, normal) + (touches[k].points[at].separation - dot(point.arms.b - point.arms.a, normal));
  var bias = max(gap * params.inverse_h, 0.0);
  if (PHASE == SOLVE && gap <= 0.0) {
    // A contact with a body that does not move is stiffer.
    let softness = select(params.softness[0], params.softness[1], min(solved.inverse.x, solved.inverse.y) == 0.0);
    bias = max(gap * softness.x, -params.push_out_speed);
    point.compliance = softness.y;
  }
  point.excess = speed_along(solved.v, normal, point.levers) + bias;
  return point;
}

// The impulse from `before` on, over-relaxed where bodies overlap.
fn relaxed(point: Pressed, total: f32) -> f32 {
  if (PHASE == SOLVE && point.compliance > 0.0) {
    return max(point.impulse + OVER_RELAXATION * (total - point.impulse), 0.0);
  }
  return total;
}

fn press(solved: ptr<function, Solved>, k: u32, at: u32, point: Pressed, total: f32) {
  touches[k].points[at].normal_impulse = total;
  if (PHASE == RELAX) {
    // The end of a sub-step.
    constraints[k].points[at].total_impulse += total;
  }
  solved.v = pushed_along(solved.v, total - point.impulse, solved.normal, point.levers, solved.inverse);
}

// Friction at a point, limited by the impulse along the normal, which is final for this sub-step.
fn rub(solved: ptr<function, Solved>, k: u32, at: u32, arms: Arms, normal_impulse: f32) {
  let tangent = tangent_of(solved.normal);
  let speed = dot(relative_velocity(solved.v, arms), tangent);
  let before = touches[k].points[at].tangent_impulse;
  let most = touches[k].friction * normal_impulse;
  let total = max(min(before - constraints[k].points[at].tangent_mass * speed, most), -most);
  touches[k].points[at].tangent_impulse = total;
  solved.v = pushed(solved.v, (total - before) * tangent, arms, solved.inverse);
}

fn moved(k: u32, bodies: vec2u) -> Solved {
  var solved = begun(k, bodies);
  solved.moved = moving[bodies.y].displacement - moving[bodies.x].displacement;
  solved.turn_a = moving[bodies.x].turn;
  solved.turn_b = moving[bodies.y].turn;
  return solved;
}

fn solve_one(k: u32) {
  let bodies = touches[k].bodies;
  var solved = moved(k, bodies);
  let point = pressed(solved, k, 0u);
  let total = relaxed(point, one_point(constraints[k].points[0].normal_mass, point.excess, point.compliance, point.impulse));
  press(&solved, k, 0u, point, total);
  if (PHASE == RELAX) {
    rub(&solved, k, 0u, point.arms, total);
  }
  end(solved, bodies);
}

fn solve_two(k: u32) {
  let bodies = touches[k].bodies;
  var solved = moved(k, bodies);
  let first = pressed(solved, k, 0u);
  let second = pressed(solved, k, 1u);
  let totals = two_points(
    solved.inverse,
    first.levers,
    second.levers,
    vec2f(first.excess, second.excess),
    vec2f(first.compliance, second.compliance),
    vec2f(first.impulse, second.impulse),
  );
  let total_first = relaxed(first, totals.x);
  let total_second = relaxed(second, totals.y);
  press(&solved, k, 0u, first, total_first);
  press(&solved, k, 1u, second, total_second);
  if (PHASE == RELAX) {
    rub(&solved, k, 0u, first.arms, total_first);
    rub(&solved, k, 1u, second.arms, total_second);
  }
  end(solved, bodies);
}
