// Entry point, one workgroup: sorts the touches without a colour by a bitonic sort in place. Positions after the last
// touch count as greater than any touch. They keep their places, because each comparison puts the lesser value first.

@group(0) @binding(0) var<storage, read> control: array<u32>;
@group(0) @binding(1) var<storage, read_write> order: array<u32>;

var<workgroup> shared_count: u32;

fn put_in_order(start: u32, i: u32, j: u32, count: u32) {
  if (j < count) {
    let a = order[start + i];
    let b = order[start + j];
    if (b < a) {
      order[start + i] = b;
      order[start + j] = a;
    }
  }
}

@compute @workgroup_size(GROUP_LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
  let start = control[COLOUR_STARTS + COLOURS];
  if (lane == 0u) {
    shared_count = control[COLOUR_STARTS + COLOURS + 1u] - start;
  }
  // The value is the same for all lanes, so that all lanes reach the same barriers.
  let count = workgroupUniformLoad(&shared_count);
  for (var height = 2u; height / 2u < count; height *= 2u) {
    // Merges sorted runs of half the height. Compares each position first with its mirror image, then with positions
    // at ever smaller distances.
    for (var k = lane; 2u * k < count + height; k += GROUP_LANES) {
      let run = k / (height / 2u) * height;
      let at = k % (height / 2u);
      put_in_order(start, run + at, run + height - 1u - at, count);
    }
    storageBarrier();
    for (var half = height / 4u; half > 0u; half /= 2u) {
      for (var k = lane; 2u * k < count + height; k += GROUP_LANES) {
        let i = k / half * (2u * half) + k % half;
        put_in_order(start, i, i + half, count);
      }
      storageBarrier();
    }
  }
}
