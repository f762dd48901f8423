// The phase before the first sub-step, which applies the impulses of the previous step.

fn warm_start(solved: ptr<function, Solved>, arms: Arms, impulses: vec2f) {
  let impulse = impulses.x * solved.normal + impulses.y * tangent_of(solved.normal);
  solved.v = pushed(solved.v, impulse, arms, solved.inverse);
}

fn solve_one(k: u32) {
  var solved = begun(k);
  warm_start(&solved, arms_of(k, 0u), plane_of(IMPULSES_PLANE, k).xy);
  end(solved);
}

fn solve_two(k: u32) {
  var solved = begun(k);
  let impulses = plane_of(IMPULSES_PLANE, k);
  warm_start(&solved, arms_of(k, 0u), impulses.xy);
  warm_start(&solved, arms_of(k, 1u), impulses.zw);
  end(solved);
}
