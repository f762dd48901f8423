// Entry point, of one workgroup: the colours of a span, one after another; if it ends with the last colour, then the touches
// that have no colour, one by one in their order.

var<workgroup> shared_end: u32;

@compute @workgroup_size(GROUP_LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
  if (lane == 0u) {
    var end = which.end;
    while (end > which.first && atomicLoad(&control[COLOUR_STARTS + end]) == atomicLoad(&control[COLOUR_STARTS + end - 1u])) {
      end--;
    }
    shared_end = end;
  }
  // Colours that nothing has are not waited for; the same for all lanes, so that they meet at the barriers.
  let last = workgroupUniformLoad(&shared_end);
  for (var colour = which.first; colour < last; colour++) {
    // Those of one point first: no lane waits for a second point that it does not have.
    let twos = atomicLoad(&control[COLOUR_NEXT + colour]);
    for (var k = atomicLoad(&control[COLOUR_STARTS + colour]) + lane; k < twos; k += GROUP_LANES) {
      solve_one(k);
    }
    let end = atomicLoad(&control[COLOUR_STARTS + colour + 1u]);
    for (var k = twos + lane; k < end; k += GROUP_LANES) {
      solve_two(k);
    }
    storageBarrier();
  }
  if (lane == 0u && which.end == COLOURS) {
    for (var k = atomicLoad(&control[COLOUR_STARTS + COLOURS]); k < atomicLoad(&control[COLOUR_STARTS + COLOURS + 1u]); k++) {
      if (has_one_point(k)) {
        solve_one(k);
      } else {
        solve_two(k);
      }
    }
  }
}
