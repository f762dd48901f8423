// Resolves the overlap and the approach of bodies. The host sets PHASE. With SOLVE, springs push overlapping bodies
// apart, and touches move bodies that overlap deeply. With RELAX, no spring acts, no touch moves bodies, and friction
// acts.

// A contact point while the solver runs.
struct Pressed {
  arms: Arms,
  // The cross products of the arms with the normal.
  levers: vec2f,
  // The speed that the contact must remove at the point.
  excess: f32,
  // The compliance of the point, as a multiple of the inverse mass at the point.
  compliance: f32,
  is_over_relaxed: bool,
  impulse: f32,
  // The distance by which the touch moves its bodies apart without changing their velocities.
  way: f32,
}

// Returns true if a body that contacts do not move has a velocity.
fn is_driven(solved: Solved) -> bool {
  let moves_a = any(solved.v.a != vec2f()) || solved.v.angular.x != 0.0;
  let moves_b = any(solved.v.b != vec2f()) || solved.v.angular.y != 0.0;
  return (solved.inverse.x == 0.0 && moves_a) || (solved.inverse.y == 0.0 && moves_b);
}

fn pressed(solved: Solved, arms: Arms, separation: f32, impulse: f32) -> Pressed {
  let normal = solved.normal;
  var point = Pressed();
  point.arms = arms;
  point.levers = levers_of(arms, normal);
  point.impulse = impulse;
  // The current gap, after the bodies have moved in this step.
  let between = solved.moved + turned(arms.b, solved.turn_b) - turned(arms.a, solved.turn_a);
  let gap = dot(between, normal) + (separation - dot(arms.b - arms.a, normal));
  var bias = max(gap * params.inverse_h, 0.0);
  if (PHASE == SOLVE && gap <= 0.0) {
    // A contact with a body that contacts do not move is stiffer.
    let softness = select(params.softness[0], params.softness[1], min(solved.inverse.x, solved.inverse.y) == 0.0);
    bias = max(gap * softness.x, -params.push_out_speed);
    point.compliance = softness.y;
    point.is_over_relaxed = bias > -GENTLE * params.push_out_speed;
    if (gap < -params.deep && !is_driven(solved)) {
      // The overlap at which the spring balances the impulse of the touch.
      let own = change_by(solved.inverse, point.levers, point.levers);
      let loaded = own * softness.y * impulse / softness.x;
      let deep = -min(loaded + params.deep, DEEPEST * params.deep);
      bias = max(bias, deep * softness.x);
      point.way = max(min(PART * (deep - gap), (bias + params.push_out_speed) * params.h), 0.0);
      point.is_over_relaxed = point.is_over_relaxed && gap >= deep;
    }
  }
  point.excess = speed_along(solved.v, normal, point.levers) + bias;
  return point;
}

// Returns the new total impulse of a point.
fn relaxed(point: Pressed, total: f32) -> f32 {
  if (point.is_over_relaxed) {
    return max(point.impulse + OVER_RELAXATION * (total - point.impulse), 0.0);
  }
  return total;
}

fn press(solved: ptr<function, Solved>, point: Pressed, total: f32) {
  solved.v = pushed_along(solved.v, total - point.impulse, solved.normal, point.levers, solved.inverse);
}

// Applies friction at a point. `before` is the tangential impulse so far. Returns the new tangential impulse. Its
// limit is the coefficient of friction times the normal impulse, which is final for this sub-step.
fn rub(solved: ptr<function, Solved>, arms: Arms, friction: f32, normal_impulse: f32, before: f32) -> f32 {
  let tangent = tangent_of(solved.normal);
  let tangent_mass = mass_along(tangent, arms, solved.inverse);
  let speed = dot(relative_velocity(solved.v, arms), tangent);
  let most = friction * normal_impulse;
  let total = max(min(before - tangent_mass * speed, most), -most);
  solved.v = pushed(solved.v, (total - before) * tangent, arms, solved.inverse);
  return total;
}

fn moved(k: u32) -> Solved {
  var solved = begun(k);
  let a = moving[2u * solved.bodies.x + 1u];
  let b = moving[2u * solved.bodies.y + 1u];
  solved.moved = b.xy - a.xy;
  solved.turn_a = a.zw;
  solved.turn_b = b.zw;
  return solved;
}

fn solve_one(k: u32) {
  var solved = moved(k);
  let gaps = plane_of(GAPS_PLANE, k);
  var impulses = plane_of(IMPULSES_PLANE, k);
  let point = pressed(solved, arms_of(k, 0u), gaps.x, impulses.x);
  let mass = mass_along(solved.normal, point.arms, solved.inverse);
  impulses.x = relaxed(point, one_point(mass, point.excess, point.compliance, point.impulse));
  press(&solved, point, impulses.x);
  if (PHASE == RELAX) {
    totals[k] += vec2f(impulses.x, 0.0);
    impulses.y = rub(&solved, point.arms, gaps.z, impulses.x, impulses.y);
  }
  set_plane(IMPULSES_PLANE, k, impulses);
  shift(solved, -point.way);
  end(solved);
}

fn solve_two(k: u32) {
  var solved = moved(k);
  let gaps = plane_of(GAPS_PLANE, k);
  var impulses = plane_of(IMPULSES_PLANE, k);
  let first = pressed(solved, arms_of(k, 0u), gaps.x, impulses.x);
  let second = pressed(solved, arms_of(k, 1u), gaps.y, impulses.z);
  let solutions = two_points(
    solved.inverse,
    first.levers,
    second.levers,
    vec2f(first.excess, second.excess),
    vec2f(first.compliance, second.compliance),
    vec2f(first.impulse, second.impulse),
  );
  impulses.x = relaxed(first, solutions.x);
  impulses.z = relaxed(second, solutions.y);
  press(&solved, first, impulses.x);
  press(&solved, second, impulses.z);
  if (PHASE == RELAX) {
    totals[k] += impulses.xz;
    impulses.y = rub(&solved, first.arms, gaps.z, impulses.x, impulses.y);
    impulses.w = rub(&solved, second.arms, gaps.z, impulses.z, impulses.w);
  }
  set_plane(IMPULSES_PLANE, k, impulses);
  shift(solved, -max(first.way, second.way));
  end(solved);
}
