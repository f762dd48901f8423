// Entry point, one invocation per body: sets up the solver's record of each body and clears the colours of its
// touches.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> states: array<BodyState>;
@group(0) @binding(2) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(3) var<storage, read_write> moving: array<MovingBody>;
@group(0) @binding(4) var<storage, read_write> body_colours: array<vec4u>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let i = number_of(group, groups, lane);
  if (i >= params.body_count) {
    return;
  }
  var body = MovingBody(vec2f(), 0.0, 0.0, vec2f(), vec2f(1.0, 0.0));
  if ((traits[i].flags & MOVES) != 0u) {
    body.velocity = states[i].velocity;
    body.angular_velocity = states[i].angular_velocity;
    body.turning_time = select(0.0, params.dt, (traits[i].flags & DISC) != 0u);
  }
  moving[i] = body;
  body_colours[i] = vec4u();
}
