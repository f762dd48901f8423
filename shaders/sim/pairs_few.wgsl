// Entry point, one invocation per body: writes the pairs of each body that owns at most FEW_PAIRS pairs, as
// pairs_count.wgsl found them. Lists the other bodies after the starts, in arbitrary order.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> few_found: array<array<u32, FEW_PAIRS>>;
@group(0) @binding(3) var<storage, read_write> pair_starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> pairs: array<vec2u>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let i = number_of(group, groups, lane);
  if (i >= params.body_count || atomicLoad(&control[FAILED]) != 0u) {
    return;
  }
  let count = pair_starts[i + 1u] - pair_starts[i];
  if (count <= FEW_PAIRS) {
    for (var k = 0u; k < count; k++) {
      insert(i, k, few_found[i][k]);
    }
  } else {
    pair_starts[params.body_count + 1u + atomicAdd(&control[OWN_MANY], 1u)] = i;
  }
}
