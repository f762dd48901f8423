// Before the parts of a step: bodies that meet fast enough bounce.

// A compliance, as a part of the inverse mass, with which an impulse is as good as none.
const RIGID: f32 = 1e12;

struct Bouncing {
  arms: Arms,
  levers: vec2f,
  // The speed that the point is to lose, at or below 0.
  excess: f32,
  compliance: f32,
}

fn bouncing(solved: Solved, k: u32, at: u32) -> Bouncing {
  var point = Bouncing();
  point.arms = arms_of(k, at);
  point.levers = levers_of(point.arms, solved.normal);
  let speed = speed_along(solved.v, solved.normal, point.levers);
  // A point that is not quite near enough bounces early: solved as a contact, it would lose its speed.
  let is_near = touches[k].points[at].separation < (params.pull - speed) * params.bounce_reach;
  // A body moves by its velocity at the end of each sub-step, so that gravity has moved it by half a kick more.
  let falls = vec2f(f32(solved.inverse.x > 0.0), f32(solved.inverse.y > 0.0));
  let fall = dot(params.half_kick, solved.normal) * (falls.y - falls.x);
  let in_flight = speed + fall;
  if (is_near && speed < -params.restitution_threshold) {
    let back = speed_back(in_flight, fall, touches[k].points[at].separation, touches[k].restitution);
    point.excess = min(in_flight - back, 0.0);
  }
  // A point that does not bounce takes no impulse.
  point.compliance = select(RIGID, 0.0, point.excess < 0.0);
  return point;
}

fn bounce(solved: ptr<function, Solved>, k: u32, at: u32, point: Bouncing, impulse: f32) {
  constraints[k].points[at].total_impulse += impulse;
  solved.v = pushed_along(solved.v, impulse, solved.normal, point.levers, solved.inverse);
}

// Friction of a bounce, limited by its impulse.
fn rub(solved: ptr<function, Solved>, k: u32, at: u32, arms: Arms, normal_impulse: f32) {
  let tangent = tangent_of(solved.normal);
  let speed = dot(relative_velocity(solved.v, arms), tangent);
  let most = touches[k].friction * normal_impulse;
  let along = max(min(-constraints[k].points[at].tangent_mass * speed, most), -most);
  solved.v = pushed(solved.v, along * tangent, arms, solved.inverse);
}

fn solve_one(k: u32) {
  if (touches[k].restitution <= 0.0) {
    return;
  }
  let bodies = touches[k].bodies;
  var solved = begun(k, bodies);
  let point = bouncing(solved, k, 0u);
  let impulse = one_point(constraints[k].points[0].normal_mass, point.excess, point.compliance, 0.0);
  if (impulse > 0.0) {
    bounce(&solved, k, 0u, point, impulse);
    rub(&solved, k, 0u, point.arms, impulse);
    atomicStore(&control[BOUNCED], 1u);
    end(solved, bodies);
  }
}

fn solve_two(k: u32) {
  if (touches[k].restitution <= 0.0) {
    return;
  }
  let bodies = touches[k].bodies;
  var solved = begun(k, bodies);
  let first = bouncing(solved, k, 0u);
  let second = bouncing(solved, k, 1u);
  let impulses = two_points(
    solved.inverse,
    first.levers,
    second.levers,
    vec2f(first.excess, second.excess),
    vec2f(first.compliance, second.compliance),
    vec2f(),
  );
  if (max(impulses.x, impulses.y) > 0.0) {
    bounce(&solved, k, 0u, first, impulses.x);
    bounce(&solved, k, 1u, second, impulses.y);
    rub(&solved, k, 0u, first.arms, impulses.x);
    rub(&solved, k, 1u, second.arms, impulses.y);
    atomicStore(&control[BOUNCED], 1u);
    end(solved, bodies);
  }
}
