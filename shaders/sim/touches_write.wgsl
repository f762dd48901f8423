// Entry point, one invocation per pair: writes the touches in the order of the pairs.

@group(0) @binding(7) var<storage, read> touch_starts: array<u32>;
@group(0) @binding(8) var<storage, read_write> touches: array<TouchRecord>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let k = number_of(group, groups, lane);
  if (k < control[PAIR_COUNT] && touch_starts[k + 1u] > touch_starts[k]) {
    touches[touch_starts[k]] = touch_at(k);
  }
}
