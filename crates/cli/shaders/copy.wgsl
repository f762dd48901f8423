// A copy of vectors, one per invocation. Only the measurement of bandwidth uses it.

@group(0) @binding(0) var<storage, read> source: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> destination: array<vec4u>;

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let k = (group.y * groups.x + group.x) * 256u + lane;
  if (k < arrayLength(&source)) {
    destination[k] = source[k];
  }
}
