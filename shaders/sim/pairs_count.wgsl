// Entry point, one invocation per body and one more: counts the pairs that each body owns, and writes the first
// FEW_PAIRS of them.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(2) var<storage, read> boxes: array<vec4i>;
@group(0) @binding(3) var<storage, read> buckets: array<u32>;
@group(0) @binding(4) var<storage, read> cell_boxes: array<vec4i>;
@group(0) @binding(5) var<storage, read> cell_bodies: array<u32>;
@group(0) @binding(6) var<storage, read> control: array<u32>;
@group(0) @binding(7) var<storage, read_write> pair_starts: array<u32>;
@group(0) @binding(8) var<storage, read_write> few_found: array<array<u32, FEW_PAIRS>>;

fn found(i: u32, k: u32, j: u32) {
  if (k < FEW_PAIRS) {
    few_found[i][k] = j;
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let i = number_of(group, groups, lane);
  if (i < params.body_count) {
    pair_starts[i] = search(i);
  } else if (i == params.body_count) {
    pair_starts[i] = 0u;
  }
}
