// A touch while it is solved. A file a phase says what is done to it, in `solve_one` of a touch of one point and `solve_two` of one of
// two, and no kernel has code of another phase; the entry points choose which touches. The twin of Block in src/sim/cpu/rigid/kernels.rs.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<uniform> which: ColourSpan;
@group(0) @binding(2) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read> order: array<u32>;
@group(0) @binding(4) var<storage, read_write> touches: array<TouchRecord>;
@group(0) @binding(5) var<storage, read_write> constraints: array<ConstraintRecord>;
@group(0) @binding(6) var<storage, read_write> moving: array<MovingBody>;

// Colours from one on, to before another.
struct ColourSpan {
  first: u32,
  end: u32,
}

// What a touch and its bodies do.
struct Solved {
  normal: vec2f,
  inverse: vec4f,
  v: Velocities,
  // How b has moved past a since the step began, and how each has turned.
  moved: vec2f,
  turn_a: vec2f,
  turn_b: vec2f,
}

fn arms_of(k: u32, at: u32) -> Arms {
  return Arms(touches[k].points[at].arm_a, touches[k].points[at].arm_b);
}

fn begun(k: u32, bodies: vec2u) -> Solved {
  var solved = Solved();
  solved.normal = touches[k].normal;
  solved.inverse = constraints[k].inverse;
  solved.v.a = moving[bodies.x].velocity;
  solved.v.b = moving[bodies.y].velocity;
  solved.v.angular = vec2f(moving[bodies.x].angular_velocity, moving[bodies.y].angular_velocity);
  return solved;
}

fn end(solved: Solved, bodies: vec2u) {
  if (solved.inverse.x > 0.0) {
    moving[bodies.x].velocity = solved.v.a;
    moving[bodies.x].angular_velocity = solved.v.angular.x;
  }
  if (solved.inverse.y > 0.0) {
    moving[bodies.y].velocity = solved.v.b;
    moving[bodies.y].angular_velocity = solved.v.angular.y;
  }
}
