// Entry point, one workgroup: replaces the count of each workgroup by the sum of the counts before it, and writes the
// header of the hits.

@group(0) @binding(0) var<uniform> params: HitsParams;
@group(0) @binding(1) var<storage, read_write> counts: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> hits: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(invocation: Invocation) {
  let lane = lane_of(invocation);
  var before = vec2u(0u);
  for (var first = 0u; first < params.group_count; first += WORKGROUP_SIZE) {
    let i = first + lane;
    // All lanes read a valid count, so that they do not diverge.
    let count = select(vec2u(0u), counts[min(i, params.group_count - 1u)], i < params.group_count);
    let sum = inclusive_scan(invocation, count);
    if (i < params.group_count) {
      counts[i] = before + sum - count;
    }
    before += scanned_sum(invocation);
    workgroupBarrier();
  }
  if (lane == 0u) {
    hits[0] = before.x;
    hits[1] = min(before.x, params.capacity);
    hits[2] = before.y;
    hits[3] = 0u;
  }
}
