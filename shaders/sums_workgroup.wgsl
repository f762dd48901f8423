// Sums over the lanes of a workgroup through workgroup memory.

var<workgroup> sums: array<vec2u, WORKGROUP_SIZE>;

// Returns the sum of the values of this lane and the lanes before it. All lanes must call the function together.
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

// Returns the sum of the values of all lanes in the last call of `inclusive_scan`.
fn scanned_sum(invocation: Invocation) -> vec2u {
  return sums[WORKGROUP_SIZE - 1u];
}
