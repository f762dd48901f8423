// Entry point, one invocation per touch: runs one round of colouring. The host sets ROUND, the index of the round
// modulo 3.

@group(0) @binding(0) var<storage, read> control: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let k = number_of(group, groups, lane);
  if (k < control[TOUCH_COUNT]) {
    is_left(k, ROUND);
  }
}
