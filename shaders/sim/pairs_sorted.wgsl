// The pairs of a body are sorted by the other body, since the order within a bucket is by chance; the lower slot of a pair first.

// Puts the pair that body i found as its number k among those that it found before.
fn insert(i: u32, k: u32, j: u32) {
  let start = pair_starts[i];
  var at = start + k;
  while (at > start) {
    let before = pairs[at - 1u];
    // Of a pair of i, the other.
    if (before.x + before.y - i <= j) {
      break;
    }
    pairs[at] = before;
    at--;
  }
  pairs[at] = vec2u(min(i, j), max(i, j));
}
