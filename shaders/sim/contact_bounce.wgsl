// The phase before the sub-steps. Bodies that will meet in the step, and approach fast enough, bounce.

// The compliance of a point that must take practically no impulse, as a multiple of the inverse mass at the point.
const RIGID: f32 = 1e12;
// A contact with one point is beside the centre of mass of a body if the lever of the point is more than this fraction of its
// arm.
const BESIDE: f32 = 1e-3;

struct Bouncing {
  arms: Arms,
  levers: vec2f,
  // The speed that the contact must remove at the point. It is at most 0.
  excess: f32,
  compliance: f32,
  // The distance by which the bodies must be moved together before they bounce at this point, or FAR if the point does
  // not bounce.
  way: f32,
}

const FAR: f32 = 0x1p100;

fn bouncing(solved: Solved, arms: Arms, separation: f32, restitution: f32) -> Bouncing {
  var point = Bouncing();
  point.way = FAR;
  point.arms = arms;
  point.levers = levers_of(arms, solved.normal);
  let speed = speed_along(solved.v, solved.normal, point.levers);
  // Each sub-step moves a body by the velocity at the end of the sub-step. In the exact motion, the mean velocity includes
  // gravity for half a sub-step less.
  let falls = vec2f(f32(solved.inverse.x > 0.0), f32(solved.inverse.y > 0.0));
  let fall = dot(params.half_kick, solved.normal) * (falls.y - falls.x);
  // A point that is not quite near enough bounces early. If the solver treated it as a normal contact, it would lose
  // its speed.
  let moved = moving[2u * solved.bodies.y + 1u].xy - moving[2u * solved.bodies.x + 1u].xy;
  let gap = separation + dot(moved, solved.normal);
  let is_near = gap < -(speed + params.pull * fall) * params.bounce_reach;
  let in_flight = speed + fall;
  if (is_near && speed < -params.restitution_threshold) {
    let back = back_of(in_flight, fall, gap, restitution);
    point.excess = min(in_flight - back.speed, 0.0);
    point.way = select(FAR, back.way, point.excess < 0.0);
  }
  // A point that does not bounce gets no impulse.
  point.compliance = select(RIGID, 0.0, point.excess < 0.0);
  return point;
}

// Returns true if the touch waits in this round of bouncing. In the first round, a touch waits if contacts move only one of its
// bodies and all its points lie on the same side of the centre of mass of this body. Such a touch would rotate a body that lands
// flat on several tiles. The touch under the centre of mass bounces the whole body flat.
fn waits(solved: Solved, beside: vec2f) -> bool {
  let moves = solved.inverse.xy > vec2f();
  let of_mover = select(beside.y, beside.x, moves.x);
  return (moves.x != moves.y) && (of_mover > 0.0) && (atomicLoad(&control[BOUNCE_ROUND]) == 0u);
}

fn bounce(solved: ptr<function, Solved>, point: Bouncing, impulse: f32) {
  solved.v = pushed_along(solved.v, impulse, solved.normal, point.levers, solved.inverse);
}

// Applies the friction of a bounce, which is limited by the normal impulse.
fn rub(solved: ptr<function, Solved>, arms: Arms, friction: f32, normal_impulse: f32) {
  let tangent = tangent_of(solved.normal);
  let tangent_mass = mass_along(tangent, arms, solved.inverse);
  let speed = dot(relative_velocity(solved.v, arms), tangent);
  let most = friction * normal_impulse;
  let along = max(min(-tangent_mass * speed, most), -most);
  solved.v = pushed(solved.v, along * tangent, arms, solved.inverse);
}

fn solve_one(k: u32) {
  let gaps = plane_of(GAPS_PLANE, k);
  if (gaps.w <= 0.0) {
    return;
  }
  var solved = begun(k);
  let point = bouncing(solved, arms_of(k, 0u), gaps.x, gaps.w);
  let mass = mass_along(solved.normal, point.arms, solved.inverse);
  let impulse = one_point(mass, point.excess, point.compliance, 0.0);
  if (impulse > 0.0) {
    atomicStore(&control[BOUNCED], 1u);
    let arms = vec2f(dot(point.arms.a, point.arms.a), dot(point.arms.b, point.arms.b));
    if (waits(solved, point.levers * point.levers - BESIDE * BESIDE * arms)) {
      return;
    }
    totals[k] += vec2f(impulse, 0.0);
    shift(solved, select(0.0, point.way, point.way < FAR));
    bounce(&solved, point, impulse);
    rub(&solved, point.arms, gaps.z, impulse);
    end(solved);
  }
}

fn solve_two(k: u32) {
  let gaps = plane_of(GAPS_PLANE, k);
  if (gaps.w <= 0.0) {
    return;
  }
  var solved = begun(k);
  let first = bouncing(solved, arms_of(k, 0u), gaps.x, gaps.w);
  let second = bouncing(solved, arms_of(k, 1u), gaps.y, gaps.w);
  let impulses = two_points(
    solved.inverse,
    first.levers,
    second.levers,
    vec2f(first.excess, second.excess),
    vec2f(first.compliance, second.compliance),
    vec2f(),
  );
  if (max(impulses.x, impulses.y) > 0.0) {
    atomicStore(&control[BOUNCED], 1u);
    if (waits(solved, first.levers * second.levers)) {
      return;
    }
    totals[k] += impulses;
    let way = min(first.way, second.way);
    shift(solved, select(0.0, way, way < FAR));
    bounce(&solved, first, impulses.x);
    bounce(&solved, second, impulses.y);
    rub(&solved, first.arms, gaps.z, impulses.x);
    rub(&solved, second.arms, gaps.z, impulses.y);
    end(solved);
  }
}
