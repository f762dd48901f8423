// Entry point: writes a code for each pair: COVERS if A covers B, COVERED_BY if B covers A, NEITHER, or UNCERTAIN. A
// pair is UNCERTAIN if rounding may change its code, or if a polygon has too many vertices for its record. Equal
// polygons are always UNCERTAIN. A code has 2 bits. A word has 16 codes, the first in the lowest bits. The host adds
// two constants: MOST_VERTICES, an upper bound on the number of vertices of a polygon (4, 8 or more), and POSED, which
// is true if any polygon is rotated or moved.

@group(0) @binding(0) var<uniform> params: RelationParams;
// The type is a vector of four words, so that one wide load reads a polygon or half of a block.
@group(0) @binding(1) var<storage, read> polygons: array<vec4u>;
@group(0) @binding(2) var<storage, read> placements: array<Placement>;
@group(0) @binding(3) var<storage, read> blocks: array<vec4f>;
@group(0) @binding(4) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(5) var<storage, read_write> codes: array<u32>;

const NEITHER: u32 = 0u;
const COVERS: u32 = 1u;
const COVERED_BY: u32 = 2u;

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

fn block_count(polygon: Polygon) -> u32 {
  if (MOST_VERTICES <= BLOCK_VERTICES) {
    return 1u;
  }
  return (vertex_count(polygon) + BLOCK_VERTICES - 1u) / BLOCK_VERTICES;
}

// Returns the greatest projection of the vertices on each of four directions.
fn greatest_projection(direction: Block, v: Block) -> vec4f {
  return -least_projection(Block(-direction.x, -direction.y), v);
}

// Compares B with the edges of A. Returns DISJOINT if a part of B is certainly outside of an edge, OVERLAPPING if all
// of B is certainly inside of all edges, and UNCERTAIN otherwise. `edge_relation` expects least projections. This
// function passes greatest projections, which have the same error bound.
fn side_containment(i: u32, a: Polygon, j: u32, b: Polygon, side: Side) -> u32 {
  let count = vertex_count(a);
  let end_a = a.first_block + block_count(a);
  let end_b = b.first_block + block_count(b);
  var verdict = OVERLAPPING;
  var edge = 0u;
  var p = placed_block(i, a.first_block);
  for (var at = a.first_block; at < end_a && verdict != DISJOINT; at++) {
    // The first block follows the last block.
    let next = placed_block(i, select(a.first_block, at + 1u, at + 1u < end_a));
    let normal = outward_normal(p, successors(p, next));
    var greatest = greatest_projection(normal, placed_block(j, b.first_block));
    for (var k = b.first_block + 1u; k < end_b; k++) {
      greatest = max(greatest, greatest_projection(normal, placed_block(j, k)));
    }
    verdict = strongest(verdict, edge_relation(p, normal, greatest, side, edge, count));
    edge += BLOCK_VERTICES;
    p = next;
  }
  return verdict;
}

fn containment(i: u32, j: u32) -> u32 {
  let a = polygon_at(i);
  let b = polygon_at(j);
  if (min(vertex_count(a), vertex_count(b)) == 0u) {
    // The count is 0 if a polygon has too many vertices for its record.
    return UNCERTAIN;
  }
  let origin = vec2f(b.anchor - a.anchor);
  let of_a = side_containment(i, a, j, b, side_of(origin, radius_of(b), error_of(a), error_of(b)));
  if (of_a == OVERLAPPING) {
    return COVERS;
  }
  let of_b = side_containment(j, b, i, a, side_of(-origin, radius_of(a), error_of(b), error_of(a)));
  if (of_b == OVERLAPPING) {
    return COVERED_BY;
  }
  return select(UNCERTAIN, NEITHER, of_a == DISJOINT && of_b == DISJOINT);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let group_index = group.y * params.groups_x + group.x;
  let first = params.first_pair + group_index * WORKGROUP_SIZE;
  let k = first + lane;
  var code = NEITHER;
  if (k < params.end_pair) {
    let pair = pairs[k];
    code = containment(pair.x, pair.y + params.b_offset);
  }
  group_codes[lane] = code;
  workgroupBarrier();
  // The first lanes write one word each, so that no two lanes write the same word.
  let w = first / CODES_PER_WORD + lane;
  if (lane < WORKGROUP_SIZE / CODES_PER_WORD && w * CODES_PER_WORD < params.end_pair) {
    var word = 0u;
    for (var i = 0u; i < CODES_PER_WORD; i++) {
      word |= group_codes[CODES_PER_WORD * lane + i] << (BITS_PER_CODE * i);
    }
    codes[w] = word;
  }
}
