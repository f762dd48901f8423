// Packs codes into words through workgroup memory. Each of the first GROUP_WORDS lanes has a word.

var<workgroup> group_codes: array<u32, WORKGROUP_SIZE>;

fn word_of(invocation: Invocation, k: u32, code: u32) -> Word {
  let lane = lane_of(invocation);
  group_codes[lane] = code;
  workgroupBarrier();
  var bits = 0u;
  if (lane < GROUP_WORDS) {
    for (var i = 0u; i < CODES_PER_WORD; i++) {
      bits |= group_codes[CODES_PER_WORD * lane + i] << (BITS_PER_CODE * i);
    }
  }
  return Word(bits, lane);
}
