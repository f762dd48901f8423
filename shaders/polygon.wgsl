// Functions over the vertex blocks of polygons. Another file provides `blocks`, and placed(i, v), which returns the
// vertices of a block of polygon i at the pose of the polygon.

// A bound on the relative error of roots, quotients and products of a few factors.
const FEW_ROUNDINGS: f32 = 0x1p-18;
// The square of a length, in square quanta, below which underflow may have removed bits of the square.
const LEAST_SQUARE: f32 = 0x1p-100;
// A length, in quanta, that is greater than any length of a scene.
const ANY: f32 = 0x1p+100;

// Returns a flag for each lane of a block: whether the lane holds a vertex. `number` is the index of the block's first
// vertex, and `count` is the number of vertices of the polygon.
fn lanes_below(count: u32, number: u32) -> vec4<bool> {
  return vec4u(0u, 1u, 2u, 3u) + number < vec4u(count);
}

fn greatest_of(v: vec4f) -> f32 {
  return max(max(v.x, v.y), max(v.z, v.w));
}

fn least_of(v: vec4f) -> f32 {
  return min(min(v.x, v.y), min(v.z, v.w));
}

// Returns the index of the first true lane. At least one lane must be true.
fn first_lane(is_so: vec4<bool>) -> u32 {
  return select(select(select(3u, 2u, is_so.z), 1u, is_so.y), 0u, is_so.x);
}

fn block_count(polygon: Polygon) -> u32 {
  return (vertex_count(polygon) + BLOCK_VERTICES - 1u) / BLOCK_VERTICES;
}

fn placed_block(i: u32, index: u32) -> Block {
  return placed(i, blocks[index]);
}

// Returns a vertex of a polygon at its pose, relative to its anchor. The index after the last vertex means the first
// vertex.
fn vertex_at(i: u32, polygon: Polygon, number: u32) -> vec2f {
  let k = select(number, 0u, number >= vertex_count(polygon));
  let index = polygon.first_block + k / BLOCK_VERTICES;
  let v = placed(i, Block(vec4f(blocks[index].x[k % BLOCK_VERTICES]), vec4f(blocks[index].y[k % BLOCK_VERTICES])));
  return vec2f(v.x.x, v.y.x);
}

// Two polygons, and the vector from the anchor of the first polygon to the anchor of the second.
struct PolygonPair {
  i: u32,
  a: Polygon,
  j: u32,
  b: Polygon,
  o: vec2f,
}

// Exchanges the two polygons of a pair if `exchange` is true. Both cases then share the same code, so that invocations
// do not diverge.
fn second_first(pair: PolygonPair, exchange: bool) -> PolygonPair {
  var exchanged = pair;
  if (exchange) {
    exchanged = PolygonPair(pair.j, pair.b, pair.i, pair.a, -pair.o);
  }
  return exchanged;
}

// Returns the size of a pair, in quanta. FIGURE_BOUND is a fraction of this size. The result is at most the size that
// the host computes from radii that are not rounded up.
fn size_of_pair(a: Polygon, b: Polygon, origin: vec2f) -> f32 {
  return 0.75 * (radius_of(a) + radius_of(b)) + max(abs(origin.x), abs(origin.y));
}
