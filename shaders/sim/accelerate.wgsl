// Entry point, an invocation a body: gravity, damping and preferred velocity of a sub-step. PUSHES, set by the host, is whether
// the solver leaves turning alone.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> states: array<BodyState>;
@group(0) @binding(2) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(3) var<storage, read_write> moving: array<MovingBody>;

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
  let v = (moving[i].velocity + h * params.gravity) * damp;
  moving[i].velocity = v + strive * (preferred - v);
  if (!PUSHES) {
    moving[i].angular_velocity *= 1.0 / (1.0 + h * body.angular_damping);
  }
}
