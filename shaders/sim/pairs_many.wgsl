// Entry point, an invocation a body: the pairs of bodies that own many, searched for again.

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
  let i = number_of(group, groups, lane);
  if (i < params.body_count && control[FAILED] == 0u && pair_starts[i + 1u] - pair_starts[i] > FEW_PAIRS) {
    search(i);
  }
}
