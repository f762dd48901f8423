// What pushes the bodies of a touch apart, by the phase that the host sets: PHASE. The entry points choose which touches.
// The twin of Block in src/sim/cpu/push.rs, where the formulas are.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<uniform> which: ColourSpan;
@group(0) @binding(2) var<storage, read_write> control: array<atomic<u32>>;
// Planes of four words of each touch, and two vectors a body, as in contact.wgsl.
@group(0) @binding(3) var<storage, read_write> constraints: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> moving: array<vec4f>;

// Colours from one on, to before another.
struct ColourSpan {
  first: u32,
  end: u32,
}

fn set_pushes(k: u32, pushes: Pushes) {
  set_plane(PUSHES_PLANE, k, vec4f(pushes.pushed, pushes.rubbed, pushes.total, 0.0));
}

// What has been done to the relative velocity of a touch's bodies.
struct Pushes {
  // In a sub-step, along the normal and aside.
  pushed: f32,
  rubbed: f32,
  // In all sub-steps and bounces, along the normal.
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
  // Of the velocities, along the normal and aside.
  var by = 0.0;
  var aside = 0.0;
  if (PHASE == WARM_START) {
    by = pushes.pushed;
    aside = pushes.rubbed;
  } else if (PHASE == BOUNCE) {
    let surface = plane_of(SURFACE_PLANE, k);
    // What is not quite near enough bounces early: solved as a contact, it would lose its speed.
    let is_near = separation < (params.pull - along) * params.bounce_reach;
    // A body moves by its velocity at the end of each sub-step, so that gravity has moved it by half a kick more.
    let falls = f32(share.y > 0.0) - f32(share.x > 0.0);
    let fall = dot(params.half_kick, normal) * falls;
    let in_flight = along + fall;
    by = speed_back(in_flight, fall, separation, surface.y) - in_flight;
    if (!is_near || along >= -params.restitution_threshold || by <= 0.0) {
      return;
    }
    // Friction of a bounce, limited by its impulse.
    let most = surface.x * by;
    aside = max(min(-dot(v, tangent), most), -most);
    pushes.total += by;
    set_pushes(k, pushes);
    atomicStore(&control[BOUNCED], 1u);
  } else {
    let place_a = moving[2u * bodies.x + 1u];
    let place_b = moving[2u * bodies.y + 1u];
    let gap = separation + dot(place_b.xy - place_a.xy, normal);
    let pushed = max(pushes.pushed - (max(gap, 0.0) * params.inverse_h + along), 0.0);
    by = pushed - pushes.pushed;
    // Friction moves aside at most its coefficient times what is pushed.
    let most = plane_of(SURFACE_PLANE, k).x * pushed;
    let rubbed = max(min(pushes.rubbed - dot(v, tangent), most), -most);
    aside = rubbed - pushes.rubbed;
    set_pushes(k, Pushes(pushed, rubbed, pushes.total + pushed));
    // Overlap moves bodies apart, without a change of velocity.
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

// It pushes along the normal, however many points there are.

fn has_one_point(k: u32) -> bool {
  return true;
}

fn solve_one(k: u32) {
  solve(k);
}

fn solve_two(k: u32) {
  solve(k);
}
