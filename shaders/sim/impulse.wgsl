// Impulses at contact points. The CPU twin is src/sim/cpu/rigid/kernels.rs. src/sim/cpu/rigid/mod.rs has the formulas.

// The velocities of two bodies, which contacts change.
struct Velocities {
  a: vec2f,
  b: vec2f,
  angular: vec2f,
}

// The vectors from the centres of mass of two bodies to a point.
struct Arms {
  a: vec2f,
  b: vec2f,
}

fn cross(a: vec2f, b: vec2f) -> f32 {
  return a.x * b.y - a.y * b.x;
}

fn tangent_of(normal: vec2f) -> vec2f {
  return vec2f(normal.y, -normal.x);
}

// Returns the velocity of b relative to a at a point.
fn relative_velocity(v: Velocities, arms: Arms) -> vec2f {
  return vec2f(
    v.b.x - v.angular.y * arms.b.y - v.a.x + v.angular.x * arms.a.y,
    v.b.y + v.angular.y * arms.b.x - v.a.y - v.angular.x * arms.a.x,
  );
}

// Returns the effective mass of two bodies for an impulse at a point in a direction, or 0 if contacts move neither body.
fn mass_along(direction: vec2f, arms: Arms, inverse: vec4f) -> f32 {
  let turns = vec2f(cross(arms.a, direction), cross(arms.b, direction));
  let k = inverse.x + inverse.y + inverse.z * turns.x * turns.x + inverse.w * turns.y * turns.y;
  return select(0.0, 1.0 / k, k > 0.0);
}

// Returns the velocities after an impulse on b and the opposite impulse on a.
fn pushed(v: Velocities, impulse: vec2f, arms: Arms, inverse: vec4f) -> Velocities {
  return Velocities(
    v.a - impulse * inverse.x,
    v.b + impulse * inverse.y,
    v.angular + vec2f(-inverse.z * cross(arms.a, impulse), inverse.w * cross(arms.b, impulse)),
  );
}

// Returns the cross products of a point's arms with a normal.
fn levers_of(arms: Arms, normal: vec2f) -> vec2f {
  return vec2f(cross(arms.a, normal), cross(arms.b, normal));
}

// Returns the speed of b relative to a along a normal, at a point with the given levers.
fn speed_along(v: Velocities, normal: vec2f, levers: vec2f) -> f32 {
  return dot(v.b - v.a, normal) + levers.y * v.angular.y - levers.x * v.angular.x;
}

// Returns the velocities after an impulse along a normal on b and the opposite impulse on a, at a point with the
// given levers.
fn pushed_along(v: Velocities, impulse: f32, normal: vec2f, levers: vec2f, inverse: vec4f) -> Velocities {
  return Velocities(
    v.a - impulse * inverse.x * normal,
    v.b + impulse * inverse.y * normal,
    v.angular + impulse * vec2f(-inverse.z * levers.x, inverse.w * levers.y),
  );
}

// Returns an arm after the rotation of its body in this step.
fn turned(arm: vec2f, turn: vec2f) -> vec2f {
  return vec2f(turn.x * arm.x - turn.y * arm.y, turn.y * arm.x + turn.x * arm.y);
}
