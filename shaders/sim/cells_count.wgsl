// Entry point, one invocation per body: counts the boxes of each bucket and collects the levels in use.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> boxes: array<vec4i>;
@group(0) @binding(2) var<storage, read_write> buckets: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> control: array<atomic<u32>>;

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
  let aabb = boxes[i];
  if (!is_empty(aabb)) {
    let level = level_of(aabb);
    // Usually the bit is already set. The test avoids most of the atomic writes.
    if ((atomicLoad(&control[LEVELS]) & (1u << level)) == 0u) {
      atomicOr(&control[LEVELS], 1u << level);
    }
    atomicAdd(&buckets[bucket_of(cell_of(aabb, level), level, params.bucket_mask)], 1u);
  }
}
