// Entry point: replaces each value by the sum of all values before it.

@group(0) @binding(0) var<uniform> params: ScanParams;
@group(0) @binding(1) var<storage, read> sums: array<u32>;
@group(0) @binding(2) var<storage, read_write> values: array<u32>;

@compute @workgroup_size(GROUP_LANES)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let number = group.y * groups.x + group.x;
  let first = (number * GROUP_LANES + lane) * LANE_VALUES;
  var sum = 0u;
  for (var k = first; k < first + LANE_VALUES; k++) {
    if (k <= params.count) {
      sum = add(sum, values[k]);
    }
  }
  let inclusive = inclusive_sum(lane, sum);
  var before = add(sums[min(number, params.count / SCAN_LENGTH)], select(inclusive - sum, inclusive, inclusive == 0xffffffffu));
  for (var k = first; k < first + LANE_VALUES; k++) {
    if (k <= params.count) {
      let value = values[k];
      values[k] = before;
      before = add(before, value);
    }
  }
}
