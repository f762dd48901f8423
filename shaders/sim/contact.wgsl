// A touch while it is solved. One file per phase says what is done to it, in `solve_one` for a touch of one point and in `solve_two` for
// a touch of two points, so that no kernel has code of another phase. The entry points choose the touches, by their places in the order
// of colours. The twin of Block in src/sim/cpu/rigid/kernels.rs.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<uniform> which: ColourSpan;
@group(0) @binding(2) var<storage, read_write> control: array<atomic<u32>>;
// Planes of four words of each touch: neighbouring invocations read neighbouring addresses. Words, since a device may take the
// index of a body for a tiny number, and make it 0.
@group(0) @binding(3) var<storage, read_write> constraints: array<vec4u>;
// Two vectors a body: MovingBody.
@group(0) @binding(4) var<storage, read_write> moving: array<vec4f>;
// Of each touch the impulses of all sub-steps and bounces along the normal, at two points.
@group(0) @binding(5) var<storage, read_write> totals: array<vec2f>;

// Colours from one on, to before another.
struct ColourSpan {
  first: u32,
  end: u32,
}

// What a touch and its bodies do.
struct Solved {
  bodies: vec2u,
  normal: vec2f,
  inverse: vec4f,
  v: Velocities,
  // How b has moved past a since the step began, and how each has turned.
  moved: vec2f,
  turn_a: vec2f,
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
  return solved;
}

fn end(solved: Solved) {
  if (solved.inverse.x > 0.0) {
    moving[2u * solved.bodies.x] = vec4f(solved.v.a, solved.v.angular.x, 0.0);
  }
  if (solved.inverse.y > 0.0) {
    moving[2u * solved.bodies.y] = vec4f(solved.v.b, solved.v.angular.y, 0.0);
  }
}

// Whether a touch has one point.
fn has_one_point(k: u32) -> bool {
  return plane_of(GAPS_PLANE, k).y == NO_POINT;
}
