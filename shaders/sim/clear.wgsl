// Entry point, one invocation per bucket and one more: resets the counters of a step.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read_write> buckets: array<u32>;
@group(0) @binding(2) var<storage, read_write> control: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let k = number_of(group, groups, lane);
  if (k <= params.bucket_mask + 1u) {
    buckets[k] = 0u;
  }
  if (k == 0u) {
    if (control[FAILED] != 0u) {
      // An earlier step failed, so this step does nothing.
      control[FAILED] |= VOID;
    }
    control[LEVELS] = 0u;
    control[REACH] = 0u;
    control[LEFT] = 0u;
    control[FOLLOWED] = 0u;
    control[OWN_MANY] = 0u;
    for (var colour = 0u; colour <= COLOURS; colour++) {
      control[COLOUR_COUNTS + colour] = 0u;
    }
  }
}
