// Entry point: writes a code for each candidate: DISJOINT if the point is outside of the polygon, OVERLAPPING if it is
// inside, or UNCERTAIN. A code has 2 bits. A word has 16 codes, the first in the lowest bits. For filter.wgsl, the
// point is a polygon B with one vertex at its anchor. The CPU twin is `point_relation` in src/kernels/cpu/filter.rs.
// The host adds the constant POSED, which is true if any polygon is rotated or moved. Each value of POSED has its own
// pipeline.

@group(0) @binding(0) var<uniform> params: PointParams;
// The type is a vector of four words, so that one wide load reads a polygon, half of a block, or a candidate.
@group(0) @binding(1) var<storage, read> polygons: array<vec4u>;
@group(0) @binding(2) var<storage, read> placements: array<Placement>;
@group(0) @binding(3) var<storage, read> blocks: array<vec4f>;
@group(0) @binding(4) var<storage, read> candidates: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> codes: array<u32>;

var<workgroup> group_codes: array<u32, WORKGROUP_SIZE>;

fn polygon_at(i: u32) -> Polygon {
  let record = polygons[i];
  return Polygon(bitcast<vec2i>(record.xy), record.z, record.w);
}

fn candidate_at(k: u32) -> PointCandidate {
  let record = candidates[k];
  return PointCandidate(bitcast<vec2f>(record.xy), bitcast<f32>(record.z), record.w);
}

fn placed_block(i: u32, index: u32) -> Block {
  let block = Block(blocks[2u * index], blocks[2u * index + 1u]);
  if (POSED) {
    return place(placements[i], block);
  }
  return block;
}

fn point_relation(candidate: PointCandidate) -> u32 {
  let a = polygon_at(candidate.polygon);
  let side = side_of(candidate.offset, 0.0, error_of(a), candidate.error);
  let count = vertex_count(a);
  let end = a.first_block + (count + BLOCK_VERTICES - 1u) / BLOCK_VERTICES;
  let first = placed_block(candidate.polygon, a.first_block);
  var verdict = OVERLAPPING;
  var edge = 0u;
  var p = first;
  for (var at = a.first_block; at < end && verdict != DISJOINT; at++) {
    // The first block follows the last block.
    let next = placed_block(candidate.polygon, select(a.first_block, at + 1u, at + 1u < end));
    let normal = outward_normal(p, successors(p, next));
    verdict = strongest(verdict, edge_relation(p, normal, vec4f(), side, edge, count));
    edge += BLOCK_VERTICES;
    p = next;
  }
  return verdict;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let group_index = group.y * params.groups_x + group.x;
  let k = group_index * WORKGROUP_SIZE + lane;
  var code = DISJOINT;
  if (k < params.candidate_count) {
    code = point_relation(candidate_at(k));
  }
  group_codes[lane] = code;
  workgroupBarrier();
  // The first lanes write one word each, so that no two lanes write the same word.
  let w = group_index * (WORKGROUP_SIZE / CODES_PER_WORD) + lane;
  if (lane < WORKGROUP_SIZE / CODES_PER_WORD && w * CODES_PER_WORD < params.candidate_count) {
    var word = 0u;
    for (var i = 0u; i < CODES_PER_WORD; i++) {
      word |= group_codes[CODES_PER_WORD * lane + i] << (BITS_PER_CODE * i);
    }
    codes[w] = word;
  }
}
