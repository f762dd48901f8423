// The search for the pairs that a body owns. The file with the entry point provides found(i, k, j), which receives
// each pair. If the boxes of two bodies meet, the body with the finer level owns the pair. If both bodies have the
// same level, the body with the lower row owns the pair.

// Returns true if two bodies can form a pair: at least one of them is dynamic, and their layers collide.
fn can_meet(flags_i: u32, layers_i: vec2u, j: u32) -> bool {
  let layers_j = traits[j].layers;
  return ((flags_i | traits[j].flags) & DYNAMIC) != 0u
    && (layers_i.x & layers_j.y) != 0u && (layers_j.x & layers_i.y) != 0u;
}

// Passes each pair that the body owns to `found`. Returns the number of these pairs.
fn search(i: u32) -> u32 {
  let aabb = boxes[i];
  var count = 0u;
  if (is_empty(aabb)) {
    return count;
  }
  let flags = traits[i].flags;
  let layers = traits[i].layers;
  let level = level_of(aabb);
  let end = buckets[params.bucket_mask];
  for (var levels = (control[LEVELS] >> level) << level; levels != 0u; levels &= levels - 1u) {
    let at = countTrailingZeros(levels);
    // No side of a box of this level is more than half a cell from the centre of the box.
    let half = vec2i(1i << (at - 1u));
    let first = (aabb.xy - half) >> vec2u(at);
    let last = (aabb.zw + half) >> vec2u(at);
    for (var y = first.y; y <= last.y; y++) {
      // Visits the entries of the row's buckets. The first bucket may come after the last one, because the buckets
      // wrap around.
      let first_bucket = bucket_of(vec2i(first.x, y), at, params.bucket_mask);
      let last_bucket = (first_bucket + u32(last.x - first.x)) & params.bucket_mask;
      let start = select(0u, buckets[max(first_bucket, 1u) - 1u], first_bucket > 0u);
      let entries = buckets[last_bucket] + select(0u, end, last_bucket < first_bucket) - start;
      for (var k = 0u; k < entries; k++) {
        let entry = start + k - select(0u, end, start + k >= end);
        let other = cell_boxes[entry];
        if (any(other.xy > aabb.zw) || any(other.zw < aabb.xy)) {
          continue;
        }
        // Buckets also hold cells of other rows. A box that meets this box is in one of the cells of the row.
        if (level_of(other) != at || cell_of(other, at).y != y) {
          continue;
        }
        let j = cell_bodies[entry];
        if ((at > level || j > i) && can_meet(flags, layers, j)) {
          found(i, count, j);
          count++;
        }
      }
    }
  }
  return count;
}
