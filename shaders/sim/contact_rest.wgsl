// Entry point, one workgroup: solves the colours of a span, one after another. If the span ends with the last colour,
// the workgroup then solves the touches without a colour one by one, in their order.

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
  // Empty colours at the end of the span need no barrier. The value is the same for all lanes, so that all lanes reach
  // the same barriers.
  let last = workgroupUniformLoad(&shared_end);
  for (var colour = which.first; colour < last; colour++) {
    // Touches with one point come first, so that no lane waits for a neighbour's second point.
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
