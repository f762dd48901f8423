// Entry point, one workgroup: runs the rounds of colouring that follow the first WIDE_ROUNDS rounds, until every touch
// has a colour or ROUNDS rounds are done.

@group(0) @binding(0) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> left: array<u32>;

var<workgroup> some_left: atomic<u32>;
var<workgroup> shared_left: u32;

@compute @workgroup_size(GROUP_LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
  if (lane == 0u) {
    atomicStore(&some_left, atomicLoad(&control[LEFT]));
  }
  workgroupBarrier();
  let count = atomicLoad(&control[LEFT]);
  for (var round = WIDE_ROUNDS; round < ROUNDS; round++) {
    if (lane == 0u) {
      shared_left = atomicExchange(&some_left, 0u);
    }
    // The value is the same for all lanes, so that all lanes reach the same barriers.
    if (workgroupUniformLoad(&shared_left) == 0u) {
      break;
    }
    for (var at = lane; at < count; at += GROUP_LANES) {
      if (is_left(left[at], round % 3u)) {
        atomicStore(&some_left, 1u);
      }
    }
    storageBarrier();
    workgroupBarrier();
  }
}
