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

fn solve(k: u32) {
  let touch = touches[k];
  let constraint = constraints[k];
  let inverse = constraint.inverse;
  let normal = touch.normal;
  if (PHASE == BOUNCE && touch.restitution <= 0.0) {
    return;
  }
  var bodies = Bodies(moving[touch.bodies.x], moving[touch.bodies.y]);
  var bounced = false;
  // Friction first: that nothing overlaps matters more, and what is solved last holds.
  if (PHASE == SOLVE || PHASE == RELAX) {
    let tangent = tangent_of(normal);
    for (var at = 0u; at < touch.point_count; at++) {
      let point = touch.points[at];
      let speed = dot(relative_velocity(bodies.a, bodies.b, point.arm_a, point.arm_b), tangent);
      let before = point.tangent_impulse;
      let most = touch.friction * point.normal_impulse;
      let total = max(min(before - constraint.points[at].tangent_mass * speed, most), -most);
      touches[k].points[at].tangent_impulse = total;
      bodies = pushed(bodies, (total - before) * tangent, point, inverse);
    }
  }
  for (var at = 0u; at < touch.point_count; at++) {
    let point = touch.points[at];
    let before = point.normal_impulse;
    if (PHASE == WARM_START) {
      bodies = pushed(bodies, before * normal + point.tangent_impulse * tangent_of(normal), point, inverse);
      continue;
    }
    let speed = dot(relative_velocity(bodies.a, bodies.b, point.arm_a, point.arm_b), normal);
    let known = constraint.points[at];
    if (PHASE == BOUNCE) {
      // What is not quite near enough bounces early: solved as a contact, it would lose its speed.
      let is_near = point.separation < (params.pull - speed) * params.bounce_reach;
      let impulse = -known.normal_mass * (speed + touch.restitution * speed);
      if (is_near && speed < -params.restitution_threshold && impulse > 0.0) {
        constraints[k].points[at].total_impulse = known.total_impulse + impulse;
        bodies = pushed(bodies, impulse * normal, point, inverse);
        bounced = true;
      }
      continue;
    }
    let gap = gap_at(bodies, point, normal);
    var bias = max(gap * params.inverse_h, 0.0);
    var mass_scale = select(1.0, OVER_RELAXATION, PHASE == SOLVE);
    var impulse_scale = 0.0;
    if (PHASE == SOLVE && gap <= 0.0) {
      // What does not move is stiffer.
      let softness = params.softness[select(0u, 1u, min(inverse.x, inverse.y) == 0.0)];
      bias = max(gap * softness.x, -params.push_out_speed);
      mass_scale = softness.y;
      impulse_scale = softness.z;
    }
    let total = max(before - known.normal_mass * mass_scale * (speed + bias) - impulse_scale * before, 0.0);
    if (PHASE == RELAX) {
      // The end of a sub-step.
      constraints[k].points[at].total_impulse = known.total_impulse + total;
    }
    touches[k].points[at].normal_impulse = total;
    bodies = pushed(bodies, (total - before) * normal, point, inverse);
  }
  if (PHASE == BOUNCE) {
    if (!bounced) {
      return;
    }
    atomicStore(&control[BOUNCED], 1u);
  }
  if (inverse.x > 0.0) {
    moving[touch.bodies.x].velocity = bodies.a.velocity;
    moving[touch.bodies.x].angular_velocity = bodies.a.angular_velocity;
  }
  if (inverse.y > 0.0) {
    moving[touch.bodies.y].velocity = bodies.b.velocity;
    moving[touch.bodies.y].angular_velocity = bodies.b.angular_velocity;
  }
}
