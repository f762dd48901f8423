// The code of a pair for relation.wgsl: its relation.

// The code of a pair; DISJOINT beyond the last.
fn code_of(k: u32) -> u32 {
  var code = DISJOINT;
  if (k < params.end_pair) {
    let pair = pairs[k];
    code = relation(pair.x, pair.y + params.b_offset);
  }
  return code;
}
