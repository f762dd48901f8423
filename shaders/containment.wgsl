// Entry point: which polygon of every pair covers the other, 2 bits each, 16 to a word, the first pair in the lowest bits:
// NEITHER, COVERS, COVERED_BY or UNCERTAIN; equal polygons are always uncertain.
// The host prefixes MOST_VERTICES, of any polygon of the dispatch (4, 8 or more), and POSED, whether one is turned or moved.

@group(0) @binding(0) var<uniform> params: RelationParams;
// Polygons and halves of blocks, as vectors: one load each, as wide as the device has.
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

// The greatest projection of the vertices on each of four directions.
fn greatest_projection(direction: Block, v: Block) -> vec4f {
  return -least_projection(Block(-direction.x, -direction.y), v);
}

// How B lies to the edges of A: DISJOINT if some of it is beyond one, OVERLAPPING if all of it is within each, else
// UNCERTAIN. The greatest projection in place of the least: off by as much, so that the same bound holds.
fn side_containment(i: u32, a: Polygon, j: u32, b: Polygon, side: Side) -> u32 {
  let count = vertex_count(a);
  let end_a = a.first_block + block_count(a);
  let end_b = b.first_block + block_count(b);
  var verdict = OVERLAPPING;
  var edge = 0u;
  var p = placed_block(i, a.first_block);
  for (var at = a.first_block; at < end_a && verdict != DISJOINT; at++) {
    // After the last block comes the first.
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
    // One has too many vertices for its record.
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
  // The first lanes write a word each, so that no two write the same and the others are done.
  let w = first / CODES_PER_WORD + lane;
  if (lane < WORKGROUP_SIZE / CODES_PER_WORD && w * CODES_PER_WORD < params.end_pair) {
    var word = 0u;
    for (var i = 0u; i < CODES_PER_WORD; i++) {
      word |= group_codes[CODES_PER_WORD * lane + i] << (BITS_PER_CODE * i);
    }
    codes[w] = word;
  }
}
