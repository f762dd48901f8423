// Sums over the lanes of a workgroup of SCAN_LANES, each of which has SCAN_VALUES values. Sums beyond u32 are its greatest.

struct ScanParams {
  // Of values that are scanned, less 1.
  count: u32,
}

var<workgroup> sums_of_lanes: array<u32, SCAN_LANES>;

fn add(a: u32, b: u32) -> u32 {
  let sum = a + b;
  return select(sum, 0xffffffffu, sum < a);
}

// The sum of the values of a lane and those before.
fn inclusive_sum(lane: u32, value: u32) -> u32 {
  workgroupBarrier();
  sums_of_lanes[lane] = value;
  for (var distance = 1u; distance < SCAN_LANES; distance *= 2u) {
    workgroupBarrier();
    let before = select(0u, sums_of_lanes[max(lane, distance) - distance], lane >= distance);
    workgroupBarrier();
    sums_of_lanes[lane] = add(sums_of_lanes[lane], before);
  }
  workgroupBarrier();
  return sums_of_lanes[lane];
}

// Of all lanes, after inclusive_sum.
fn whole_sum() -> u32 {
  return sums_of_lanes[SCAN_LANES - 1u];
}
