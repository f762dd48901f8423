// Entry point: the relation of every pair, 2 bits each, 16 to a word, the first pair in the lowest bits.
// The host prefixes MOST_VERTICES, of any polygon of the dispatch (4, 8 or more), and POSED, whether one is turned or moved:
// each choice is a pipeline of its own.

@group(0) @binding(0) var<uniform> params: RelationParams;
// Polygons and halves of blocks, as vectors: one load each, as wide as the device has.
@group(0) @binding(1) var<storage, read> polygons: array<vec4u>;
@group(0) @binding(2) var<storage, read> placements: array<Placement>;
@group(0) @binding(3) var<storage, read> blocks: array<vec4f>;
@group(0) @binding(4) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(5) var<storage, read_write> codes: array<u32>;

var<workgroup> group_codes: array<u32, WORKGROUP_SIZE>;

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
  if (MOST_VERTICES <= 2u * BLOCK_VERTICES || max(vertex_count(a), vertex_count(b)) <= 2u * BLOCK_VERTICES) {
    return relation_8(i, a, j, b);
  }
  if (turns(a, b) > params.most_turns) {
    return UNCERTAIN;
  }
  return relation_any(i, a, j, b);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let group_index = group.y * params.groups_x + group.x;
  let k = params.first_pair + group_index * WORKGROUP_SIZE + lane;
  var code = DISJOINT;
  if (k < params.end_pair) {
    let pair = pairs[k];
    code = relation(pair.x, pair.y + params.b_offset);
  }
  group_codes[lane] = code;
  workgroupBarrier();
  // The first lanes write a word each, so that no two write the same and the others are done.
  let w = params.first_pair / CODES_PER_WORD + group_index * (WORKGROUP_SIZE / CODES_PER_WORD) + lane;
  if (lane < WORKGROUP_SIZE / CODES_PER_WORD && w * CODES_PER_WORD < params.end_pair) {
    var word = 0u;
    for (var i = 0u; i < CODES_PER_WORD; i++) {
      word |= group_codes[CODES_PER_WORD * lane + i] << (BITS_PER_CODE * i);
    }
    codes[w] = word;
  }
}
