// The push solver. It runs the phase PHASE, which the host sets, for one touch. The entry points choose the touches.
// The CPU twin is `Block` in src/sim/cpu/push.rs, whose module has the formulas.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<uniform> which: ColourSpan;
@group(0) @binding(2) var<storage, read_write> control: array<atomic<u32>>;
// Planes with four words per touch, and two vectors per body: the fields of MovingBody.
@group(0) @binding(3) var<storage, read_write> constraints: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> moving: array<vec4f>;

// A range of colours. `end` is the first colour after the range.
struct ColourSpan {
  first: u32,
  end: u32,
}

fn set_pushes(k: u32, pushes: Pushes) {
  set_plane(PUSHES_PLANE, k, vec4f(pushes.pushed, pushes.rubbed, pushes.total, 0.0));
}

// The changes of the relative velocity of the two bodies of a touch.
struct Pushes {
  // The change along the normal in one sub-step.
  pushed: f32,
  // The change along the tangent in one sub-step.
  rubbed: f32,
  // The sum of the changes along the normal over all sub-steps and bounces.
  total: f32,
}

fn solve(k: u32) {
  if (PHASE == BOUNCE && plane_of(SURFACE_PLANE, k).y <= 0.0) {
    return;
  }
  let head = constraints[HEAD_PLANE * params.contact_capacity + k];
  let bodies = head.xy;
  let normal = bitcast<vec2f>(head.zw);
  let tangent = vec2f(normal.y, -normal.x);
  let fixed = plane_of(SHARE_PLANE, k);
  let share = fixed.xy;
  let separation = fixed.w;
  let numbers = plane_of(PUSHES_PLANE, k);
  var pushes = Pushes(numbers.x, numbers.y, numbers.z);
  let velocity_a = moving[2u * bodies.x];
  let velocity_b = moving[2u * bodies.y];
  let v = velocity_b.xy - velocity_a.xy;
  let along = dot(v, normal);
  let place_a = moving[2u * bodies.x + 1u];
  let place_b = moving[2u * bodies.y + 1u];
  let gap = separation + dot(place_b.xy - place_a.xy, normal);
  // The changes of the relative velocity, along the normal and along the tangent.
  var by = 0.0;
  var aside = 0.0;
  if (PHASE == WARM_START) {
    by = pushes.pushed;
    aside = pushes.rubbed;
  } else if (PHASE == BOUNCE) {
    let surface = plane_of(SURFACE_PLANE, k);
    // Each sub-step moves a body by the velocity at the end of the sub-step. In the exact motion, the mean velocity includes
    // gravity for half a sub-step less.
    let falls = f32(share.y > 0.0) - f32(share.x > 0.0);
    let fall = dot(params.half_kick, normal) * falls;
    // A touch that is not quite near enough bounces early. If the solver treated it as a normal contact, it would lose
    // its speed.
    let is_near = gap < -(along + params.pull * fall) * params.bounce_reach;
    let in_flight = along + fall;
    let back = back_of(in_flight, fall, gap, surface.y);
    by = back.speed - in_flight;
    if (!is_near || along >= -params.restitution_threshold || by <= 0.0) {
      return;
    }
    // The limit of the friction of a bounce depends on the impulse of the bounce.
    let most = surface.x * by;
    aside = max(min(-dot(v, tangent), most), -most);
    if (back.way > 0.0 && share.x > 0.0) {
      moving[2u * bodies.x + 1u] = place_a + vec4f(share.x * back.way * normal, 0.0, 0.0);
    }
    if (back.way > 0.0 && share.y > 0.0) {
      moving[2u * bodies.y + 1u] = place_b - vec4f(share.y * back.way * normal, 0.0, 0.0);
    }
    pushes.total += by;
    set_pushes(k, pushes);
    atomicStore(&control[BOUNCED], 1u);
  } else {
    let pushed = max(pushes.pushed - (max(gap, 0.0) * params.inverse_h + along), 0.0);
    by = pushed - pushes.pushed;
    // The change of velocity by friction is at most the coefficient times the change along the normal.
    let most = plane_of(SURFACE_PLANE, k).x * pushed;
    let rubbed = max(min(pushes.rubbed - dot(v, tangent), most), -most);
    aside = rubbed - pushes.rubbed;
    set_pushes(k, Pushes(pushed, rubbed, pushes.total + pushed));
    // Overlapping bodies move apart without a change of velocity.
    let out = max(fixed.z - gap, 0.0);
    if (out > 0.0 && share.x > 0.0) {
      moving[2u * bodies.x + 1u] = vec4f(place_a.xy - share.x * out * normal, place_a.zw);
    }
    if (out > 0.0 && share.y > 0.0) {
      moving[2u * bodies.y + 1u] = vec4f(place_b.xy + share.y * out * normal, place_b.zw);
    }
  }
  let change = by * normal + aside * tangent;
  if (share.x > 0.0) {
    moving[2u * bodies.x] = vec4f(velocity_a.xy - share.x * change, velocity_a.zw);
  }
  if (share.y > 0.0) {
    moving[2u * bodies.y] = vec4f(velocity_b.xy + share.y * change, velocity_b.zw);
  }
}

// Returns true for every touch, because the push solver treats a touch with two points like a touch with one point.

fn has_one_point(k: u32) -> bool {
  return true;
}

fn solve_one(k: u32) {
  solve(k);
}

fn solve_two(k: u32) {
  solve(k);
}
