// Functions that the passes of the hit compaction share. A hit is a pair whose code is not DISJOINT: it overlaps or
// is uncertain. An invocation processes one word of CODES_PER_WORD codes. The passes count the hits, scan the counts,
// and write each hit at the position from the scan, so that the order of the pairs is kept.

// A mask with the lower bit of each 2-bit code.
const LOWER_BITS: u32 = 0x55555555u;

fn hits_of(word: u32) -> u32 {
  return countOneBits((word | (word >> 1u)) & LOWER_BITS);
}

fn uncertain_of(word: u32) -> u32 {
  return countOneBits(word & (word >> 1u) & LOWER_BITS);
}
