// Entry point, one invocation per body that owns more than FEW_PAIRS pairs: searches for its pairs again. The kernel
// reads the list of these bodies, so that no invocation waits for the search of another body.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(2) var<storage, read> boxes: array<vec4i>;
@group(0) @binding(3) var<storage, read> buckets: array<u32>;
@group(0) @binding(4) var<storage, read> cell_boxes: array<vec4i>;
@group(0) @binding(5) var<storage, read> cell_bodies: array<u32>;
@group(0) @binding(6) var<storage, read> control: array<u32>;
@group(0) @binding(7) var<storage, read> pair_starts: array<u32>;
@group(0) @binding(8) var<storage, read_write> pairs: array<vec2u>;

fn found(i: u32, k: u32, j: u32) {
  insert(i, k, j);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let k = number_of(group, groups, lane);
  if (k < control[OWN_MANY]) {
    search(pair_starts[params.body_count + 1u + k]);
  }
}
