// Entry point, one invocation per body: moves and rotates each body by its velocities for one sub-step.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read_write> moving: array<MovingBody>;

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
  let body = moving[i];
  moving[i].displacement = body.displacement + params.h * body.velocity;
  let angle = select(params.h * body.angular_velocity, 0.0, body.turning_time > 0.0);
  let turn = vec2f(body.turn.x - angle * body.turn.y, body.turn.y + angle * body.turn.x);
  moving[i].turn = turn * (1.0 / sqrt(dot(turn, turn)));
}
