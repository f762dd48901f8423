// What pushes the bodies of a touch apart, by the phase that the host sets: PHASE. The entry points choose which touches.
// The twin of Block in src/sim/cpu/push.rs, where the formulas are.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<uniform> which: ColourSpan;
@group(0) @binding(2) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read> order: array<u32>;
@group(0) @binding(4) var<storage, read_write> touches: array<TouchRecord>;
@group(0) @binding(5) var<storage, read_write> constraints: array<PushRecord>;
@group(0) @binding(6) var<storage, read_write> moving: array<MovingBody>;

// Colours from one on, to before another.
struct ColourSpan {
  first: u32,
  end: u32,
}

fn solve(k: u32) {
  let normal = touches[k].normal;
  let tangent = vec2f(normal.y, -normal.x);
  let bodies = touches[k].bodies;
  let constraint = constraints[k];
  let a = moving[bodies.x];
  let b = moving[bodies.y];
  let v = b.velocity - a.velocity;
  let along = dot(v, normal);
  // Of the velocities, along the normal and aside, and of the places.
  var by = 0.0;
  var aside = 0.0;
  var out = 0.0;
  if (PHASE == WARM_START) {
    by = constraint.pushed;
    aside = constraint.rubbed;
  } else if (PHASE == BOUNCE) {
    // What is not quite near enough bounces early: solved as a contact, it would lose its speed.
    let is_near = touches[k].separation < (params.pull - along) * params.bounce_reach;
    // A body moves by its velocity at the end of each sub-step, so that gravity has moved it by half a kick more.
    let falls = f32(constraint.share.y > 0.0) - f32(constraint.share.x > 0.0);
    let fall = dot(params.half_kick, normal) * falls;
    let in_flight = along + fall;
    by = speed_back(in_flight, fall, touches[k].separation, touches[k].restitution) - in_flight;
    if (!is_near || along >= -params.restitution_threshold || touches[k].restitution <= 0.0 || by <= 0.0) {
      return;
    }
    // Friction of a bounce, limited by its impulse.
    let most = touches[k].friction * by;
    aside = max(min(-dot(v, tangent), most), -most);
    constraints[k].total = constraint.total + by;
    atomicStore(&control[BOUNCED], 1u);
  } else {
    let gap = touches[k].separation + dot(b.displacement - a.displacement, normal);
    let pushed = max(constraint.pushed - (max(gap, 0.0) * params.inverse_h + along), 0.0);
    by = pushed - constraint.pushed;
    // Friction moves aside at most its coefficient times what is pushed.
    let most = touches[k].friction * pushed;
    let rubbed = max(min(constraint.rubbed - dot(v, tangent), most), -most);
    aside = rubbed - constraint.rubbed;
    constraints[k].pushed = pushed;
    constraints[k].total = constraint.total + pushed;
    constraints[k].rubbed = rubbed;
    out = max(constraint.wanted - gap, 0.0);
  }
  let change = by * normal + aside * tangent;
  if (constraint.share.x > 0.0) {
    moving[bodies.x].velocity = a.velocity - constraint.share.x * change;
    moving[bodies.x].displacement = a.displacement - constraint.share.x * out * normal;
  }
  if (constraint.share.y > 0.0) {
    moving[bodies.y].velocity = b.velocity + constraint.share.y * change;
    moving[bodies.y].displacement = b.displacement + constraint.share.y * out * normal;
  }
}

// It pushes along the normal, however many points there are.

fn solve_one(k: u32) {
  solve(k);
}

fn solve_two(k: u32) {
  solve(k);
}
