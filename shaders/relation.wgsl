// Entry point: the relation of every pair, 2 bits each, 16 to a word, the first pair in the lowest bits.

@group(0) @binding(0) var<uniform> params: RelationParams;
@group(0) @binding(1) var<storage, read> instances: array<Instance>;
@group(0) @binding(2) var<storage, read> shapes: array<Shape>;
@group(0) @binding(3) var<storage, read> vertices: array<vec2f>;
@group(0) @binding(4) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(5) var<storage, read_write> codes: array<u32>;

var<workgroup> group_codes: array<u32, WORKGROUP_SIZE>;

fn shape_at(index: u32) -> Shape {
  return shapes[index];
}

fn vertex_at(index: u32) -> vec2f {
  return vertices[index];
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let group_index = group.y * params.groups_x + group.x;
  let k = group_index * WORKGROUP_SIZE + lane;
  var code = DISJOINT;
  if (k < params.pair_count) {
    let pair = pairs[k];
    code = relation(instances[pair.x], instances[pair.y]);
  }
  group_codes[lane] = code;
  workgroupBarrier();
  // One lane of each sixteen writes their word, so that no two write the same.
  if (lane % CODES_PER_WORD == 0u && k < params.pair_count) {
    var word = 0u;
    for (var i = 0u; i < CODES_PER_WORD; i++) {
      word |= group_codes[lane + i] << (BITS_PER_CODE * i);
    }
    codes[k / CODES_PER_WORD] = word;
  }
}
