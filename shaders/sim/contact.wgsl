// The data and functions of a touch while the solver runs. Each phase has its own file with `solve_one` for touches
// with one point and `solve_two` for touches with two points, so that no kernel contains the code of another phase.
// The entry points choose the touches by their positions in the order of colours. The CPU twin is `Block` in
// src/sim/cpu/rigid/kernels.rs.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<uniform> which: ColourSpan;
@group(0) @binding(2) var<storage, read_write> control: array<atomic<u32>>;
// Planes with four words per touch, so that neighbouring invocations read neighbouring addresses. The words are
// integers, because a device may flush the bits of a body's index to 0 if it reads them as a tiny f32.
@group(0) @binding(3) var<storage, read_write> constraints: array<vec4u>;
// Two vectors per body: the fields of MovingBody.
@group(0) @binding(4) var<storage, read_write> moving: array<vec4f>;
// For each touch, the sums of the normal impulses at its two points over all sub-steps and bounces.
@group(0) @binding(5) var<storage, read_write> totals: array<vec2f>;

// A range of colours. `end` is the first colour after the range.
struct ColourSpan {
  first: u32,
  end: u32,
}

// A touch and the data of its bodies while the solver runs.
struct Solved {
  bodies: vec2u,
  normal: vec2f,
  inverse: vec4f,
  v: Velocities,
  // The fields `turning_time` of the two bodies.
  turning_times: vec2f,
  // The displacement of b relative to a since the step began.
  moved: vec2f,
  // The rotation of a since the step began: its cosine and its sine.
  turn_a: vec2f,
  // The rotation of b since the step began: its cosine and its sine.
  turn_b: vec2f,
}

fn arms_of(k: u32, point: u32) -> Arms {
  let arms = plane_of(ARMS_PLANE + point, k);
  return Arms(arms.xy, arms.zw);
}

fn begun(k: u32) -> Solved {
  let head = constraints[HEAD_PLANE * params.contact_capacity + k];
  var solved = Solved();
  solved.bodies = head.xy;
  solved.normal = bitcast<vec2f>(head.zw);
  solved.inverse = plane_of(INVERSE_PLANE, k);
  let a = moving[2u * solved.bodies.x];
  let b = moving[2u * solved.bodies.y];
  solved.v = Velocities(a.xy, b.xy, vec2f(a.z, b.z));
  solved.turning_times = vec2f(a.w, b.w);
  return solved;
}

fn end(solved: Solved) {
  if (solved.inverse.x > 0.0) {
    moving[2u * solved.bodies.x] = vec4f(solved.v.a, solved.v.angular.x, solved.turning_times.x);
  }
  if (solved.inverse.y > 0.0) {
    moving[2u * solved.bodies.y] = vec4f(solved.v.b, solved.v.angular.y, solved.turning_times.y);
  }
}

// Moves two bodies by the distance `way` along the normal: towards each other if the distance is positive, and apart if
// it is negative. Each body moves by its share of the distance, in inverse proportion to its mass. A body that contacts
// do not move stays.
fn shift(solved: Solved, way: f32) {
  if (way == 0.0) {
    return;
  }
  let shares = way * (solved.inverse.xy / (solved.inverse.x + solved.inverse.y));
  if (solved.inverse.x > 0.0) {
    moving[2u * solved.bodies.x + 1u] += vec4f(shares.x * solved.normal, 0.0, 0.0);
  }
  if (solved.inverse.y > 0.0) {
    moving[2u * solved.bodies.y + 1u] -= vec4f(shares.y * solved.normal, 0.0, 0.0);
  }
}

// Returns true if a touch has one point.
fn has_one_point(k: u32) -> bool {
  return plane_of(GAPS_PLANE, k).y == NO_POINT;
}
