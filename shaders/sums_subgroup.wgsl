// Sums over the lanes of a workgroup: first within each subgroup, then over the subgroups.

// The sum of each subgroup. If a subgroup is not full, the list has the value of each lane instead.
var<workgroup> sums: array<vec2u, WORKGROUP_SIZE>;

// Returns the sum of the first `end` values.
fn sum_before(end: u32) -> vec2u {
  var sum = vec2u(0u);
  for (var i = 0u; i < end; i++) {
    sum += sums[i];
  }
  return sum;
}

// Returns the sum of the values of this lane and the lanes before it. All lanes must call the function together.
fn inclusive_scan(invocation: Invocation, value: vec2u) -> vec2u {
  let is_full = fills_subgroups(invocation);
  let in_subgroup = subgroupInclusiveAdd(value);
  let own = select(value, in_subgroup, is_full);
  let place = select(invocation.index, invocation.subgroup, is_full);
  if (!is_full || invocation.place + 1u == invocation.size) {
    sums[place] = own;
  }
  workgroupBarrier();
  return sum_before(place) + own;
}

// Returns the sum of the values of all lanes in the last call of `inclusive_scan`.
fn scanned_sum(invocation: Invocation) -> vec2u {
  return sum_before(select(WORKGROUP_SIZE, invocation.subgroup_count, fills_subgroups(invocation)));
}
