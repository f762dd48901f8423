// A baseline for the speed of the library's kernels. Only `sat2d bench` uses it. Each invocation tests one pair by the
// separating axis theorem, with two nested loops over edges and vertices. The first separating edge ends the test. The
// result is one word for each pair, without a bound on the rounding error. The vertices are f32 world coordinates,
// counter-clockwise. The vertices of polygon `k` are from `offsets[k]` to `offsets[k + 1]`, without the last index.

struct PlainParams {
  pair_count: u32,
  // Workgroups in a row of the dispatch.
  groups_x: u32,
}

@group(0) @binding(0) var<uniform> params: PlainParams;
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
@group(0) @binding(2) var<storage, read> vertices: array<vec2f>;
@group(0) @binding(3) var<storage, read> pairs: array<vec2u>;
// 1 where the pair meets.
@group(0) @binding(4) var<storage, read_write> answers: array<u32>;

fn separates(a0: u32, a1: u32, b0: u32, b1: u32) -> bool {
  var p = vertices[a1 - 1u];
  for (var i = a0; i < a1; i++) {
    let q = vertices[i];
    let normal = vec2f(q.y - p.y, p.x - q.x);
    var nearest = dot(normal, vertices[b0]);
    for (var j = b0 + 1u; j < b1; j++) {
      nearest = min(nearest, dot(normal, vertices[j]));
    }
    if (nearest > dot(normal, p)) {
      return true;
    }
    p = q;
  }
  return false;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let k = id.y * params.groups_x * 64u + id.x;
  if (k >= params.pair_count) {
    return;
  }
  let pair = pairs[k];
  let a0 = offsets[pair.x];
  let a1 = offsets[pair.x + 1u];
  let b0 = offsets[pair.y];
  let b1 = offsets[pair.y + 1u];
  answers[k] = select(1u, 0u, separates(a0, a1, b0, b1) || separates(b0, b1, a0, a1));
}
