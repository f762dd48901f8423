// What the passes of the compacted hits share. A hit is a pair whose code is not DISJOINT: it overlaps or is uncertain.
// Each invocation takes a word of codes, CODES_PER_WORD pairs; counts, a scan of the counts, and a write at the place that
// the scan gives keep the order of the pairs.

// The lower bit of each code's two.
const LOWER_BITS: u32 = 0x55555555u;

fn hits_of(word: u32) -> u32 {
  return countOneBits((word | (word >> 1u)) & LOWER_BITS);
}

fn uncertain_of(word: u32) -> u32 {
  return countOneBits(word & (word >> 1u) & LOWER_BITS);
}
