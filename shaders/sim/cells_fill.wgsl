// Entry point, one invocation per body: writes each box into its bucket. The pass advances each bucket's start to the
// bucket's end.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> boxes: array<vec4i>;
@group(0) @binding(2) var<storage, read_write> buckets: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> cell_boxes: array<vec4i>;
@group(0) @binding(4) var<storage, read_write> cell_bodies: array<u32>;

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
    let at = atomicAdd(&buckets[bucket_of(cell_of(aabb, level), level, params.bucket_mask)], 1u);
    cell_boxes[at] = aabb;
    cell_bodies[at] = i;
  }
}
