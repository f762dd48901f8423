// Impulses at points of contact. The twin of src/sim/cpu/rigid/kernels.rs; the formulas are in its mod.rs.

// How two bodies move: what a contact changes of them.
struct Velocities {
  a: vec2f,
  b: vec2f,
  angular: vec2f,
}

// From the centres of mass of two bodies to a point.
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

// Of b relative to a, at a point.
fn relative_velocity(v: Velocities, arms: Arms) -> vec2f {
  return vec2f(
    v.b.x - v.angular.y * arms.b.y - v.a.x + v.angular.x * arms.a.y,
    v.b.y + v.angular.y * arms.b.x - v.a.y - v.angular.x * arms.a.x,
  );
}

// The mass that an impulse at a point moves in a direction; 0 where it moves none.
fn mass_along(direction: vec2f, arms: Arms, inverse: vec4f) -> f32 {
  let turns = vec2f(cross(arms.a, direction), cross(arms.b, direction));
  let k = inverse.x + inverse.y + inverse.z * turns.x * turns.x + inverse.w * turns.y * turns.y;
  return select(0.0, 1.0 / k, k > 0.0);
}

// After an impulse on b, and its opposite on a.
fn pushed(v: Velocities, impulse: vec2f, arms: Arms, inverse: vec4f) -> Velocities {
  return Velocities(
    v.a - impulse * inverse.x,
    v.b + impulse * inverse.y,
    v.angular + vec2f(-inverse.z * cross(arms.a, impulse), inverse.w * cross(arms.b, impulse)),
  );
}

// The cross products of the arms of a point with a normal.
fn levers_of(arms: Arms, normal: vec2f) -> vec2f {
  return vec2f(cross(arms.a, normal), cross(arms.b, normal));
}

// Of b relative to a along a normal, at a point with levers.
fn speed_along(v: Velocities, normal: vec2f, levers: vec2f) -> f32 {
  return dot(v.b - v.a, normal) + levers.y * v.angular.y - levers.x * v.angular.x;
}

// After an impulse along a normal on b, and its opposite on a, at a point with levers.
fn pushed_along(v: Velocities, impulse: f32, normal: vec2f, levers: vec2f, inverse: vec4f) -> Velocities {
  return Velocities(
    v.a - impulse * inverse.x * normal,
    v.b + impulse * inverse.y * normal,
    v.angular + impulse * vec2f(-inverse.z * levers.x, inverse.w * levers.y),
  );
}

// An arm as its body has turned it in the step.
fn turned(arm: vec2f, turn: vec2f) -> vec2f {
  return vec2f(turn.x * arm.x - turn.y * arm.y, turn.y * arm.x + turn.x * arm.y);
}
