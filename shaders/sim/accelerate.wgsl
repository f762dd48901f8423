// Entry point, one invocation per body: applies gravity, damping and the preferred velocity for one sub-step. In each
// sub-step except the first, it also adds the change of velocity that contacts made in the previous sub-step, because
// the solver keeps the impulses of contacts. The host sets FIRST, which is true in the first sub-step, and PUSHES,
// which is true if the solver does not change rotations.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> states: array<BodyState>;
@group(0) @binding(2) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(3) var<storage, read_write> moving: array<MovingBody>;
// The velocity and the angular velocity before contacts change them.
@group(0) @binding(4) var<storage, read_write> before: array<vec4f>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let i = number_of(group, groups, lane);
  if (i >= params.body_count || (traits[i].flags & DYNAMIC) == 0u) {
    return;
  }
  let body = traits[i];
  let h = params.h;
  let rate = body.preference * h;
  let strive = rate / (1.0 + rate);
  let damp = 1.0 / (1.0 + h * body.linear_damping);
  let preferred = vec2f(states[i].preferred_velocity[0], states[i].preferred_velocity[1]);
  let now = vec3f(moving[i].velocity, moving[i].angular_velocity);
  let v = (now.xy + h * params.gravity) * damp;
  let turn = select(now.z * (1.0 / (1.0 + h * body.angular_damping)), now.z, PUSHES);
  let free = vec3f(v + strive * (preferred - v), turn);
  var next = free;
  if (!FIRST) {
    next += now - before[i].xyz;
  }
  before[i] = vec4f(free, 0.0);
  moving[i].velocity = next.xy;
  moving[i].angular_velocity = next.z;
}
