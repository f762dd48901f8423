// Entry point, one invocation per pair: finishes each pair whose manifold at the start of the step is sufficient, and lists the
// other pairs for sweep_follow.wgsl.

@group(0) @binding(7) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(8) var<storage, read_write> control: array<atomic<u32>>;
// The first entry has the number of listed pairs in x. Each other entry has the index of a pair, and the two bodies of
// the pair.
@group(0) @binding(9) var<storage, read_write> followed: array<vec4u>;

fn measured_again(k: u32, bodies: vec2u, a: BodyState, b: BodyState, record: ptr<function, ManifoldRecord>) -> bool {
  followed[1u + atomicAdd(&control[FOLLOWED], 1u)] = vec4u(k, bodies, 0u);
  return false;
}

// No body lands or grazes another one in this kernel, because it moves no body along its path.
fn reach_of(body: u32, state: BodyState, facing: vec2f, towards: vec2f, depth: f32) -> f32 {
  return 0.0;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let k = number_of(group, groups, lane);
  if (k < params.pair_count) {
    sweep(k, pairs[k]);
  }
}
