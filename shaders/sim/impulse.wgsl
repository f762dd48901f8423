// Impulses at points of contact. The twin of src/sim/cpu/rigid/kernels.rs; the formulas are in its mod.rs.

fn cross(a: vec2f, b: vec2f) -> f32 {
  return a.x * b.y - a.y * b.x;
}

fn tangent_of(normal: vec2f) -> vec2f {
  return vec2f(normal.y, -normal.x);
}

// Of b relative to a, at a point.
fn relative_velocity(a: MovingBody, b: MovingBody, arm_a: vec2f, arm_b: vec2f) -> vec2f {
  return vec2f(
    b.velocity.x - b.angular_velocity * arm_b.y - a.velocity.x + a.angular_velocity * arm_a.y,
    b.velocity.y + b.angular_velocity * arm_b.x - a.velocity.y - a.angular_velocity * arm_a.x,
  );
}

// The mass that an impulse at a point moves in a direction; 0 where it moves none.
fn mass_along(direction: vec2f, point: TouchPoint, inverse: vec4f) -> f32 {
  let arms = vec2f(cross(point.arm_a, direction), cross(point.arm_b, direction));
  let k = inverse.x + inverse.y + inverse.z * arms.x * arms.x + inverse.w * arms.y * arms.y;
  return select(0.0, 1.0 / k, k > 0.0);
}

// Two bodies of a touch.
struct Bodies {
  a: MovingBody,
  b: MovingBody,
}

// After an impulse on b, and its opposite on a.
fn pushed(bodies: Bodies, impulse: vec2f, point: TouchPoint, inverse: vec4f) -> Bodies {
  var after = bodies;
  after.a.velocity -= impulse * inverse.x;
  after.b.velocity += impulse * inverse.y;
  after.a.angular_velocity -= inverse.z * cross(point.arm_a, impulse);
  after.b.angular_velocity += inverse.w * cross(point.arm_b, impulse);
  return after;
}

// An arm as its body has turned it in the step.
fn turned(arm: vec2f, turn: vec2f) -> vec2f {
  return vec2f(turn.x * arm.x - turn.y * arm.y, turn.y * arm.x + turn.x * arm.y);
}

// The gap at a point now, as the bodies have moved in the step.
fn gap_at(bodies: Bodies, point: TouchPoint, normal: vec2f) -> f32 {
  let moved = bodies.b.displacement - bodies.a.displacement;
  let between = moved + turned(point.arm_b, bodies.b.turn) - turned(point.arm_a, bodies.a.turn);
  return dot(between, normal) + (point.separation - dot(point.arm_b - point.arm_a, normal));
}
