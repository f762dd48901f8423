// Entry point, one invocation per body: finds the lowest row of a body that would leave the world. If there is such a
// body, the step fails.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> states: array<BodyState>;
@group(0) @binding(2) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(3) var<storage, read> moving: array<MovingBody>;
@group(0) @binding(4) var<storage, read> parts: array<u32>;
@group(0) @binding(5) var<storage, read_write> control: array<atomic<u32>>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let i = number_of(group, groups, lane);
  if (i >= params.body_count || (traits[i].flags & MOVES) == 0u) {
    return;
  }
  // Checks only if the step has not failed, or has failed only because a body left the world.
  if ((atomicLoad(&control[FAILED]) & ~LEFT_WORLD) == 0u && !moved(states[i], moving[i], parts[i], params.quantum).is_within) {
    atomicOr(&control[FAILED], LEFT_WORLD);
    atomicMin(&control[LOST_ROW], i);
  }
}
