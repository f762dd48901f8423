// Entry point: writes each hit at its position, unless the position is at or above the capacity.

@group(0) @binding(0) var<uniform> params: HitsParams;
@group(0) @binding(1) var<storage, read> codes: array<u32>;
@group(0) @binding(2) var<storage, read> offsets: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> hits: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) group: vec3u, invocation: Invocation) {
  let lane = lane_of(invocation);
  let group_index = group.y * params.groups_x + group.x;
  let w = group_index * WORKGROUP_SIZE + lane;
  // All lanes read a valid word, so that they do not diverge.
  let word = select(0u, codes[min(w, params.word_count - 1u)], w < params.word_count);
  let own = hits_of(word);
  let sum = inclusive_scan(invocation, vec2u(own, 0u)).x;
  if (own == 0u) {
    return;
  }
  var at = offsets[group_index].x + sum - own;
  for (var i = 0u; i < CODES_PER_WORD; i++) {
    let code = (word >> (BITS_PER_CODE * i)) & UNCERTAIN;
    if (code != DISJOINT) {
      if (at < params.capacity) {
        hits[HEADER_WORDS + at] = (w * CODES_PER_WORD + i) | (code << HIT_INDEX_BITS);
      }
      at++;
    }
  }
}
