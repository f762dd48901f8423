// Sorts the pairs of a body by the other body, because the order within a bucket is arbitrary. Each pair has the lower
// row first.

// Inserts the pair of the bodies i and j into the k pairs of body i that are already sorted.
fn insert(i: u32, k: u32, j: u32) {
  let start = pair_starts[i];
  var at = start + k;
  while (at > start) {
    let before = pairs[at - 1u];
    // The sum minus i is the other body of the pair.
    if (before.x + before.y - i <= j) {
      break;
    }
    pairs[at] = before;
    at--;
  }
  pairs[at] = vec2u(min(i, j), max(i, j));
}
