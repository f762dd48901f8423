// Entry point, an invocation a touch: a round of colouring. ROUND, set by the host, is its number by 3.

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
