// Entry point, one invocation per touch: the last round of colouring that visits all touches. It lists the touches
// that still have no colour. The host sets ROUND, the index of the round modulo 3.

@group(0) @binding(0) var<storage, read_write> control: array<atomic<u32>>;
// The list uses the buffer for the order of colours, which a later kernel writes.
@group(0) @binding(4) var<storage, read_write> left: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let k = number_of(group, groups, lane);
  if (k < atomicLoad(&control[TOUCH_COUNT]) && is_left(k, ROUND)) {
    left[atomicAdd(&control[LEFT], 1u)] = k;
  }
}
