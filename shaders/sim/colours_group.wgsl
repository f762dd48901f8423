// Entry point, one workgroup: runs rounds of colouring until every touch has a colour or ROUNDS rounds are done. Then
// sorts the touches by colour, like colours_fill.wgsl.

@group(0) @binding(0) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read> touches: array<TouchRecord>;
@group(0) @binding(5) var<storage, read_write> order: array<u32>;

var<workgroup> some_left: atomic<u32>;
var<workgroup> shared_left: u32;

@compute @workgroup_size(GROUP_LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
  if (lane == 0u) {
    atomicStore(&some_left, 0u);
  }
  workgroupBarrier();
  let count = atomicLoad(&control[TOUCH_COUNT]);
  for (var round = 0u; round < ROUNDS; round++) {
    for (var k = lane; ; k += GROUP_LANES) {
      // Skips touches that have a colour. After a few rounds, most touches have one.
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
    // The value is the same for all lanes, so that all lanes reach the same barriers.
    if (workgroupUniformLoad(&shared_left) == 0u) {
      break;
    }
  }
  for (var k = lane; k < count; k += GROUP_LANES) {
    atomicAdd(&control[COLOUR_COUNTS + min(colours[k], COLOURS)], 1u);
  }
  storageBarrier();
  if (lane == 0u) {
    start_colours();
  }
  storageBarrier();
  for (var k = lane; k < count; k += GROUP_LANES) {
    let colour = min(colours[k], COLOURS);
    if (touches[k].point_count == 2u) {
      order[atomicSub(&control[COLOUR_LAST + colour], 1u) - 1u] = k;
    } else {
      order[atomicAdd(&control[COLOUR_NEXT + colour], 1u)] = k;
    }
  }
}
