// Entry point, of one workgroup: counts become the sums of the counts before; the header of the hits.

@group(0) @binding(0) var<uniform> params: HitsParams;
@group(0) @binding(1) var<storage, read_write> counts: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> hits: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) lane: u32) {
  var before = vec2u(0u);
  for (var first = 0u; first < params.group_count; first += WORKGROUP_SIZE) {
    let i = first + lane;
    var count = vec2u(0u);
    if (i < params.group_count) {
      count = counts[i];
    }
    let sum = inclusive_scan(lane, count);
    if (i < params.group_count) {
      counts[i] = before + sum - count;
    }
    // Each lane holds the same: the last one's sum, which the scan left behind.
    before += sums[WORKGROUP_SIZE - 1u];
    workgroupBarrier();
  }
  if (lane == 0u) {
    hits[0] = before.x;
    hits[1] = min(before.x, params.capacity);
    hits[2] = before.y;
    hits[3] = 0u;
  }
}
