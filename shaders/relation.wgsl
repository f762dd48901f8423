// Entry point: writes the code of each pair. A code has 2 bits. A word has 16 codes, the first pair in the lowest bits.
// The host adds two constants: MOST_VERTICES, an upper bound on the number of vertices of a polygon (4, 8 or more), and
// POSED, which is true if any polygon is rotated or moved. Each combination of values has its own pipeline.
// lanes_subgroup.wgsl or lanes_workgroup.wgsl provides Invocation and lane_of(invocation). codes_subgroup.wgsl or
// codes_workgroup.wgsl provides word_of(invocation, k, code). relation_codes.wgsl or area.wgsl provides code_of(k).

@group(0) @binding(0) var<uniform> params: RelationParams;
// The type is a vector of four words, so that one wide load reads a polygon or half of a block.
@group(0) @binding(1) var<storage, read> polygons: array<vec4u>;
@group(0) @binding(2) var<storage, read> placements: array<Placement>;
@group(0) @binding(3) var<storage, read> blocks: array<vec4f>;
@group(0) @binding(4) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(5) var<storage, read_write> codes: array<u32>;

// The number of words of codes that a workgroup writes.
const GROUP_WORDS: u32 = WORKGROUP_SIZE / CODES_PER_WORD;

struct Word {
  bits: u32,
  // The index of the word among the words of the workgroup. It is GROUP_WORDS or more if the invocation has no word.
  index: u32,
}

fn polygon_at(i: u32) -> Polygon {
  let record = polygons[i];
  return Polygon(bitcast<vec2i>(record.xy), record.z, record.w);
}

fn placed_block(i: u32, index: u32) -> Block {
  let block = Block(blocks[2u * index], blocks[2u * index + 1u]);
  if (POSED) {
    return place(placements[i], block);
  }
  return block;
}

// Returns the relation of two polygons: DISJOINT, OVERLAPPING or UNCERTAIN.
fn relation(i: u32, j: u32) -> u32 {
  let a = polygon_at(i);
  let b = polygon_at(j);
  if (MOST_VERTICES <= BLOCK_VERTICES) {
    return relation_4(i, a, j, b);
  }
  // The count is 0 if a polygon has too many vertices for its record.
  if (MOST_VERTICES > 2u * BLOCK_VERTICES && min(vertex_count(a), vertex_count(b)) == 0u) {
    return UNCERTAIN;
  }
  if (MOST_VERTICES <= 2u * BLOCK_VERTICES || max(vertex_count(a), vertex_count(b)) <= 2u * BLOCK_VERTICES) {
    return relation_8(i, a, j, b);
  }
  if (turns(a, b) > params.most_turns) {
    return UNCERTAIN;
  }
  return relation_any(i, a, j, b);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) group: vec3u, invocation: Invocation) {
  let group_index = group.y * params.groups_x + group.x;
  let first = params.first_pair + group_index * WORKGROUP_SIZE;
  let k = first + lane_of(invocation);
  let word = word_of(invocation, k, code_of(k));
  let w = first / CODES_PER_WORD + word.index;
  if (word.index < GROUP_WORDS && w * CODES_PER_WORD < params.end_pair) {
    codes[w] = word.bits;
  }
}
