// Entry point: the relation of every pair, 2 bits each, 16 to a word, the first pair in the lowest bits.
// The host prefixes MOST_VERTICES, of any polygon of the dispatch (4, 8 or more), and POSED, whether one has a pose:
// each choice is a pipeline of its own. A file of lanes and one of codes, both for workgroups or both for subgroups, provide
// Invocation, lane_of(invocation) and word_of(invocation, k, code). relation_codes.wgsl or area.wgsl provides code_of(k).

@group(0) @binding(0) var<uniform> params: RelationParams;
// Polygons and halves of blocks, as vectors: one load each, as wide as the device has.
@group(0) @binding(1) var<storage, read> polygons: array<vec4u>;
@group(0) @binding(2) var<storage, read> placements: array<Placement>;
@group(0) @binding(3) var<storage, read> blocks: array<vec4f>;
@group(0) @binding(4) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(5) var<storage, read_write> codes: array<u32>;

// Words of codes that a workgroup writes.
const GROUP_WORDS: u32 = WORKGROUP_SIZE / CODES_PER_WORD;

struct Word {
  bits: u32,
  // Of the workgroup's words; GROUP_WORDS or more where the invocation has none.
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

// The relation of two polygons: DISJOINT, OVERLAPPING or UNCERTAIN.
fn relation(i: u32, j: u32) -> u32 {
  let a = polygon_at(i);
  let b = polygon_at(j);
  if (MOST_VERTICES <= BLOCK_VERTICES) {
    return relation_4(i, a, j, b);
  }
  // A polygon of too many vertices has none in its record.
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
