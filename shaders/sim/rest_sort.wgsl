// Entry point, of one workgroup: the touches of no colour into their order, by a bitonic sort in place. What is beyond the last
// counts as greater than any, and stays there, since the lesser of two always comes to stand first.

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
  // The same for all lanes, so that they meet at the barriers.
  let count = workgroupUniformLoad(&shared_count);
  for (var height = 2u; height / 2u < count; height *= 2u) {
    // Runs of half the height, sorted, are put together: each number with its mirror image, then with those nearer and nearer.
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
