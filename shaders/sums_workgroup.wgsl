// Sums over the lanes of a workgroup by workgroup memory.

var<workgroup> sums: array<vec2u, WORKGROUP_SIZE>;

// The sum of the values of this lane and those before it. All lanes call it together.
fn inclusive_scan(invocation: Invocation, value: vec2u) -> vec2u {
  let lane = lane_of(invocation);
  var sum = value;
  sums[lane] = sum;
  workgroupBarrier();
  for (var step = 1u; step < WORKGROUP_SIZE; step *= 2u) {
    if (lane >= step) {
      sum += sums[lane - step];
    }
    workgroupBarrier();
    sums[lane] = sum;
    workgroupBarrier();
  }
  return sum;
}

// The sum of the last scan's values of all lanes.
fn scanned_sum(invocation: Invocation) -> vec2u {
  return sums[WORKGROUP_SIZE - 1u];
}
