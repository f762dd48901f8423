// What the first sub-step begins with: the impulses of the step before.

fn warm_start(solved: ptr<function, Solved>, k: u32, at: u32, arms: Arms) {
  let impulse =
    touches[k].points[at].normal_impulse * solved.normal + touches[k].points[at].tangent_impulse * tangent_of(solved.normal);
  solved.v = pushed(solved.v, impulse, arms, solved.inverse);
}

fn solve_one(k: u32) {
  let bodies = touches[k].bodies;
  var solved = begun(k, bodies);
  warm_start(&solved, k, 0u, arms_of(k, 0u));
  end(solved, bodies);
}

fn solve_two(k: u32) {
  let bodies = touches[k].bodies;
  var solved = begun(k, bodies);
  warm_start(&solved, k, 0u, arms_of(k, 0u));
  warm_start(&solved, k, 1u, arms_of(k, 1u));
  end(solved, bodies);
}
