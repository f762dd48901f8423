// What solves a touch, by the phase that the host sets: PHASE. The entry points choose which touches.
// The twin of Block in src/sim/cpu/rigid/kernels.rs.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<uniform> which: ColourParams;
@group(0) @binding(2) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read> order: array<u32>;
@group(0) @binding(4) var<storage, read_write> touches: array<TouchRecord>;
@group(0) @binding(5) var<storage, read_write> constraints: array<ConstraintRecord>;
@group(0) @binding(6) var<storage, read_write> moving: array<MovingBody>;

struct ColourParams {
  colour: u32,
}

// A touch while it is solved, and what its bodies do.
struct Solved {
  normal: vec2f,
  inverse: vec4f,
  v: Velocities,
  // How b has moved past a since the step began, and how each has turned.
  moved: vec2f,
  turn_a: vec2f,
  turn_b: vec2f,
  bounced: bool,
}

fn arms_of(k: u32, at: u32) -> Arms {
  return Arms(touches[k].points[at].arm_a, touches[k].points[at].arm_b);
}

// Friction at a point.
fn rub(solved: ptr<function, Solved>, k: u32, at: u32, arms: Arms) {
  let tangent = tangent_of(solved.normal);
  let speed = dot(relative_velocity(solved.v, arms), tangent);
  let before = touches[k].points[at].tangent_impulse;
  let most = touches[k].friction * touches[k].points[at].normal_impulse;
  let total = max(min(before - constraints[k].points[at].tangent_mass * speed, most), -most);
  touches[k].points[at].tangent_impulse = total;
  solved.v = pushed(solved.v, (total - before) * tangent, arms, solved.inverse);
}

// The impulses of the sub-step before.
fn warm_start(solved: ptr<function, Solved>, k: u32, at: u32, arms: Arms) {
  let impulse =
    touches[k].points[at].normal_impulse * solved.normal + touches[k].points[at].tangent_impulse * tangent_of(solved.normal);
  solved.v = pushed(solved.v, impulse, arms, solved.inverse);
}

fn bounce(solved: ptr<function, Solved>, k: u32, at: u32, arms: Arms) {
  let speed = dot(relative_velocity(solved.v, arms), solved.normal);
  // What is not quite near enough bounces early: solved as a contact, it would lose its speed.
  let is_near = touches[k].points[at].separation < (params.pull - speed) * params.bounce_reach;
  let impulse = -constraints[k].points[at].normal_mass * (speed + touches[k].restitution * speed);
  if (is_near && speed < -params.restitution_threshold && impulse > 0.0) {
    constraints[k].points[at].total_impulse += impulse;
    solved.v = pushed(solved.v, impulse * solved.normal, arms, solved.inverse);
    solved.bounced = true;
  }
}

// What keeps a point from overlapping.
fn press(solved: ptr<function, Solved>, k: u32, at: u32, arms: Arms) {
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
  let before = touches[k].points[at].normal_impulse;
  let mass = constraints[k].points[at].normal_mass * mass_scale;
  let total = max(before - mass * (speed + bias) - impulse_scale * before, 0.0);
  if (PHASE == RELAX) {
    // The end of a sub-step.
    constraints[k].points[at].total_impulse += total;
  }
  touches[k].points[at].normal_impulse = total;
  solved.v = pushed(solved.v, (total - before) * normal, arms, solved.inverse);
}

fn solve(k: u32) {
  if (PHASE == BOUNCE && touches[k].restitution <= 0.0) {
    return;
  }
  let bodies = touches[k].bodies;
  var solved = Solved();
  solved.normal = touches[k].normal;
  solved.inverse = constraints[k].inverse;
  solved.v.a = moving[bodies.x].velocity;
  solved.v.b = moving[bodies.y].velocity;
  solved.v.angular = vec2f(moving[bodies.x].angular_velocity, moving[bodies.y].angular_velocity);
  let has_second = touches[k].point_count == 2u;
  let first = arms_of(k, 0u);
  let second = arms_of(k, 1u);
  if (PHASE == WARM_START) {
    warm_start(&solved, k, 0u, first);
    if (has_second) {
      warm_start(&solved, k, 1u, second);
    }
  } else if (PHASE == BOUNCE) {
    bounce(&solved, k, 0u, first);
    if (has_second) {
      bounce(&solved, k, 1u, second);
    }
    if (!solved.bounced) {
      return;
    }
    atomicStore(&control[BOUNCED], 1u);
  } else {
    solved.moved = moving[bodies.y].displacement - moving[bodies.x].displacement;
    solved.turn_a = moving[bodies.x].turn;
    solved.turn_b = moving[bodies.y].turn;
    // Friction first: that nothing overlaps matters more, and what is solved last holds.
    rub(&solved, k, 0u, first);
    if (has_second) {
      rub(&solved, k, 1u, second);
    }
    press(&solved, k, 0u, first);
    if (has_second) {
      press(&solved, k, 1u, second);
    }
  }
  if (solved.inverse.x > 0.0) {
    moving[bodies.x].velocity = solved.v.a;
    moving[bodies.x].angular_velocity = solved.v.angular.x;
  }
  if (solved.inverse.y > 0.0) {
    moving[bodies.y].velocity = solved.v.b;
    moving[bodies.y].angular_velocity = solved.v.angular.y;
  }
}
