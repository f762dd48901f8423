// Sums over the lanes of a workgroup of GROUP_LANES lanes with LANE_VALUES values each. If a sum does not fit in u32,
// the result is the greatest u32.

struct ScanParams {
  // The number of scanned values, minus 1.
  count: u32,
}

// The number of lanes in a row. Rows keep the number of barriers low. Barriers take most of the time if a CPU emulates
// the lanes.
const ROW_LANES: u32 = 16u;

var<workgroup> sums_of_lanes: array<u32, GROUP_LANES>;
var<workgroup> sums_of_rows: array<u32, GROUP_LANES / ROW_LANES>;

fn add(a: u32, b: u32) -> u32 {
  let sum = a + b;
  return select(sum, 0xffffffffu, sum < a);
}

// Returns the sum of the values of this lane and the lanes before it.
fn inclusive_sum(lane: u32, value: u32) -> u32 {
  workgroupBarrier();
  sums_of_lanes[lane] = value;
  workgroupBarrier();
  if (lane % ROW_LANES == 0u) {
    var sum = 0u;
    for (var k = lane; k < lane + ROW_LANES; k++) {
      sum = add(sum, sums_of_lanes[k]);
      sums_of_lanes[k] = sum;
    }
    sums_of_rows[lane / ROW_LANES] = sum;
  }
  workgroupBarrier();
  if (lane == 0u) {
    var sum = 0u;
    for (var row = 0u; row < GROUP_LANES / ROW_LANES; row++) {
      sum = add(sum, sums_of_rows[row]);
      sums_of_rows[row] = sum;
    }
  }
  workgroupBarrier();
  let row = lane / ROW_LANES;
  return add(select(0u, sums_of_rows[max(row, 1u) - 1u], row > 0u), sums_of_lanes[lane]);
}

// Returns the sum of the values of all lanes in the last call of `inclusive_sum`.
fn whole_sum() -> u32 {
  return sums_of_rows[GROUP_LANES / ROW_LANES - 1u];
}
