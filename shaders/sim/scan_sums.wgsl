// Entry point, one workgroup: replaces each sum by the sum of all sums before it.

@group(0) @binding(0) var<uniform> params: ScanParams;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(GROUP_LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
  let count = params.count / SCAN_LENGTH + 1u;
  var before = 0u;
  for (var first = 0u; first < count; first += GROUP_LANES) {
    let k = first + lane;
    // All lanes read a valid sum, so that they do not diverge.
    let value = select(0u, sums[min(k, count - 1u)], k < count);
    let sum = inclusive_sum(lane, value);
    if (k < count) {
      sums[k] = add(before, select(sum - value, sum, sum == 0xffffffffu));
    }
    before = add(before, whole_sum());
  }
}
