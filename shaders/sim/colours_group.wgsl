// Entry point, of one workgroup: all rounds of colouring, as many as there are touches left without a colour.

var<workgroup> some_left: atomic<u32>;
var<workgroup> shared_left: u32;

@compute @workgroup_size(GROUP_LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
  if (lane == 0u) {
    atomicStore(&some_left, 0u);
  }
  workgroupBarrier();
  let count = control[TOUCH_COUNT];
  for (var round = 0u; round < ROUNDS; round++) {
    for (var k = lane; ; k += GROUP_LANES) {
      // Most have a colour after a few rounds.
      while (k < count && colours[k] != NO_COLOUR) {
        k += GROUP_LANES;
      }
      if (k >= count) {
        break;
      }
      if (is_left(k, round % 3u)) {
        atomicStore(&some_left, 1u);
      }
    }
    storageBarrier();
    workgroupBarrier();
    if (lane == 0u) {
      shared_left = atomicExchange(&some_left, 0u);
    }
    // The same for all lanes, so that they meet at the barriers.
    if (workgroupUniformLoad(&shared_left) == 0u) {
      break;
    }
  }
}
