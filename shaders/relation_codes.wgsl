// Provides the code of a pair for relation.wgsl: the relation of the pair.

// Returns the code of pair k, or DISJOINT if k is after the last pair.
fn code_of(k: u32) -> u32 {
  var code = DISJOINT;
  if (k < params.end_pair) {
    let pair = pairs[k];
    code = relation(pair.x, pair.y + params.b_offset);
  }
  return code;
}
