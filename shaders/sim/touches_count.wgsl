// Entry point, one invocation per pair and one more: writes 1 for each pair that touches, and 0 for each other pair.

@group(0) @binding(7) var<storage, read_write> touch_starts: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let k = number_of(group, groups, lane);
  if (k < control[PAIR_COUNT]) {
    touch_starts[k] = min(touch_at(k).point_count, 1u);
  } else if (k == control[PAIR_COUNT]) {
    touch_starts[k] = 0u;
  }
}
