// Packs codes into words by subgroup ballots, without workgroup memory. Every sixteenth lane has a word.

// Moves each of the lowest sixteen bits from position k to position 2 k.
fn spread(bits: u32) -> u32 {
  var x = bits & 0xffffu;
  x = (x | (x << 8u)) & 0x00ff00ffu;
  x = (x | (x << 4u)) & 0x0f0f0f0fu;
  x = (x | (x << 2u)) & 0x33333333u;
  return (x | (x << 1u)) & 0x55555555u;
}

fn word_of(invocation: Invocation, k: u32, code: u32) -> Word {
  let present = subgroupBallot(true);
  let lower = subgroupBallot((code & 1u) != 0u);
  let upper = subgroupBallot((code & 2u) != 0u);
  let lane = lane_of(invocation);
  if (lane % CODES_PER_WORD != 0u) {
    return Word(0u, GROUP_WORDS);
  }
  let counts = countOneBits(present);
  let all_present = counts.x + counts.y + counts.z + counts.w == invocation.size;
  if (invocation.size % CODES_PER_WORD == 0u && fills_subgroups(invocation) && all_present) {
    let w = invocation.place / 32u;
    let shift = invocation.place % 32u;
    return Word(spread(lower[w] >> shift) | (spread(upper[w] >> shift) << 1u), lane / CODES_PER_WORD);
  }
  // The subgroups are too small or have gaps, or their lanes have diverged. Compute the codes of the other lanes again.
  var bits = code;
  for (var i = 1u; i < CODES_PER_WORD; i++) {
    bits |= code_of(k + i) << (BITS_PER_CODE * i);
  }
  return Word(bits, lane / CODES_PER_WORD);
}
