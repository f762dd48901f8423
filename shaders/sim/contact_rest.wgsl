// Entry point, of one workgroup: the colours from `which` on, which have few touches, one after another; then the touches that
// have no colour, one by one in their order.

@compute @workgroup_size(REST_LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
  for (var colour = which.colour; colour < COLOURS; colour++) {
    let end = atomicLoad(&control[COLOUR_STARTS + colour + 1u]);
    for (var k = atomicLoad(&control[COLOUR_STARTS + colour]) + lane; k < end; k += REST_LANES) {
      solve(order[k]);
    }
    storageBarrier();
  }
  if (lane == 0u) {
    for (var k = atomicLoad(&control[COLOUR_STARTS + COLOURS]); k < atomicLoad(&control[COLOUR_STARTS + COLOURS + 1u]); k++) {
      solve(order[k]);
    }
  }
}
