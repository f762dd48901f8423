// Before the parts of a step: what meets fast enough bounces.

// Whether it did.
fn bounce(solved: ptr<function, Solved>, k: u32, at: u32, arms: Arms) -> bool {
  let speed = dot(relative_velocity(solved.v, arms), solved.normal);
  // What is not quite near enough bounces early: solved as a contact, it would lose its speed.
  let is_near = touches[k].points[at].separation < (params.pull - speed) * params.bounce_reach;
  let impulse = -constraints[k].points[at].normal_mass * (speed + touches[k].restitution * speed);
  let bounces = is_near && speed < -params.restitution_threshold && impulse > 0.0;
  if (bounces) {
    constraints[k].points[at].total_impulse += impulse;
    solved.v = pushed(solved.v, impulse * solved.normal, arms, solved.inverse);
  }
  return bounces;
}

fn bounce_off(k: u32, count: u32) {
  if (touches[k].restitution <= 0.0) {
    return;
  }
  let bodies = touches[k].bodies;
  var solved = begun(k, bodies);
  var bounces = bounce(&solved, k, 0u, arms_of(k, 0u));
  if (count == 2u) {
    let second = bounce(&solved, k, 1u, arms_of(k, 1u));
    bounces = bounces || second;
  }
  if (bounces) {
    atomicStore(&control[BOUNCED], 1u);
    end(solved, bodies);
  }
}

fn solve_one(k: u32) {
  bounce_off(k, 1u);
}

fn solve_two(k: u32) {
  bounce_off(k, 2u);
}
