// Entry point: counts the hits and the uncertain pairs in the words of each workgroup.

@group(0) @binding(0) var<uniform> params: HitsParams;
@group(0) @binding(1) var<storage, read> codes: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<vec2u>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) group: vec3u, invocation: Invocation) {
  let lane = lane_of(invocation);
  let group_index = group.y * params.groups_x + group.x;
  let w = group_index * WORKGROUP_SIZE + lane;
  // All lanes read a valid word, so that they do not diverge.
  let word = select(0u, codes[min(w, params.word_count - 1u)], w < params.word_count);
  let sum = inclusive_scan(invocation, vec2u(hits_of(word), uncertain_of(word)));
  if (lane == WORKGROUP_SIZE - 1u && group_index < params.group_count) {
    counts[group_index] = sum;
  }
}
