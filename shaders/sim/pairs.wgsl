// The search for the pairs that a body owns, which are handed to the file that provides found(i, k, j).
// Of two bodies whose boxes meet, that of the finer level owns the pair, of one level the lower slot.

// Whether two bodies can be a pair: one is dynamic, and their layers meet.
fn can_meet(flags_i: u32, layers_i: vec2u, j: u32) -> bool {
  let layers_j = traits[j].layers;
  return ((flags_i | traits[j].flags) & DYNAMIC) != 0u
    && (layers_i.x & layers_j.y) != 0u && (layers_j.x & layers_i.y) != 0u;
}

// How many pairs the body owns; each is handed to found.
fn search(i: u32) -> u32 {
  let aabb = boxes[i];
  var count = 0u;
  if (is_empty(aabb)) {
    return count;
  }
  let flags = traits[i].flags;
  let layers = traits[i].layers;
  let level = level_of(aabb);
  for (var levels = (control[LEVELS] >> level) << level; levels != 0u; levels &= levels - 1u) {
    let at = countTrailingZeros(levels);
    // The centres of boxes of this level are at most half a cell from their sides.
    let half = vec2i(1i << (at - 1u));
    let first = (aabb.xy - half) >> vec2u(at);
    let last = (aabb.zw + half) >> vec2u(at);
    for (var y = first.y; y <= last.y; y++) {
      for (var x = first.x; x <= last.x; x++) {
        let bucket = bucket_of(vec2i(x, y), at, params.bucket_mask);
        var entry = 0u;
        if (bucket > 0u) {
          entry = buckets[bucket - 1u];
        }
        for (let end = buckets[bucket]; entry < end; entry++) {
          let other = cell_boxes[entry];
          if (any(other.xy > aabb.zw) || any(other.zw < aabb.xy)) {
            continue;
          }
          // Other cells share the bucket.
          if (level_of(other) != at || any(cell_of(other, at) != vec2i(x, y))) {
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
  }
  return count;
}
