// The normal impulses of a contact with one or two points. The CPU twin is src/sim/cpu/rigid/two_points.rs, which has
// the formulas.

// The relative increase of the diagonal of the matrix. Without it, two coinciding points would make the matrix
// singular.
const REGULARISATION: f32 = 0x1p-18;

// Returns the total impulse that removes a point's excess speed. `before` is the impulse so far.
fn one_point(mass: f32, excess: f32, compliance: f32, before: f32) -> f32 {
  let scale = 1.0 / (1.0 + compliance);
  return max(before - mass * scale * excess - (1.0 - scale) * before, 0.0);
}

// Returns the change of velocity along the normal at one point, for a unit impulse at another point. `at` has the
// levers of the first point, and `by` has the levers of the second point.
fn change_by(inverse: vec4f, by: vec2f, at: vec2f) -> f32 {
  return inverse.x + inverse.y + inverse.z * by.x * at.x + inverse.w * by.y * at.y;
}

// Returns the total impulses that remove the excess speeds of two points. `before` are the impulses so far.
fn two_points(inverse: vec4f, first: vec2f, second: vec2f, excess: vec2f, compliance: vec2f, before: vec2f) -> vec2f {
  let stiff = vec2f(change_by(inverse, first, first), change_by(inverse, second, second));
  let yields = stiff * compliance;
  let own = (stiff + yields) * (1.0 + REGULARISATION);
  let per_own = 1.0 / select(vec2f(1.0), own, own > vec2f());
  let others = change_by(inverse, first, second) * per_own;
  let per_determinant = 1.0 / (1.0 - others.x * others.y);
  // The change of the impulse of each point as if the other point did not exist.
  let single = (-excess - yields * before) * per_own;
  let both = before + (single - others * single.yx) * per_determinant;
  if (min(both.x, both.y) >= 0.0) {
    return both;
  }
  // At least one impulse is negative, so at most one point gets a positive impulse. If only one impulse is negative, this
  // point is the other one. If both are negative, it is the first point if its impulse alone is positive, and otherwise
  // the second point.
  let alone = max(before + single + others * before.yx, vec2f());
  if (both.y < 0.0 && (both.x >= 0.0 || alone.x > 0.0)) {
    return vec2f(alone.x, 0.0);
  }
  return vec2f(0.0, alone.y);
}
