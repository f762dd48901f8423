// Polygons, block by block. Another file provides blocks, and placed(i, v): vertices of polygon i where it stands.

// Covers the relative error of roots, quotients and products of a few factors.
const FEW_ROUNDINGS: f32 = 0x1p-18;
// Squares of lengths below this may have lost bits to underflow.
const LEAST_SQUARE: f32 = 0x1p-100;
// Covers any length.
const ANY: f32 = 0x1p+100;

// The lanes of a block that a count reaches from a number on.
fn lanes_below(count: u32, number: u32) -> vec4<bool> {
  return vec4u(0u, 1u, 2u, 3u) + number < vec4u(count);
}

fn greatest_of(v: vec4f) -> f32 {
  return max(max(v.x, v.y), max(v.z, v.w));
}

fn least_of(v: vec4f) -> f32 {
  return min(min(v.x, v.y), min(v.z, v.w));
}

// The first lane that is so, one of which is.
fn first_lane(is_so: vec4<bool>) -> u32 {
  return select(select(select(3u, 2u, is_so.z), 1u, is_so.y), 0u, is_so.x);
}

fn block_count(polygon: Polygon) -> u32 {
  return (vertex_count(polygon) + BLOCK_VERTICES - 1u) / BLOCK_VERTICES;
}

fn placed_block(i: u32, index: u32) -> Block {
  return placed(i, blocks[index]);
}

// A vertex of a placed polygon, relative to its anchor; the number after the last is the first's.
fn vertex_at(i: u32, polygon: Polygon, number: u32) -> vec2f {
  let k = select(number, 0u, number >= vertex_count(polygon));
  let index = polygon.first_block + k / BLOCK_VERTICES;
  // Of the block only this: what is not read costs nothing.
  let v = placed(i, Block(vec4f(blocks[index].x[k % BLOCK_VERTICES]), vec4f(blocks[index].y[k % BLOCK_VERTICES])));
  return vec2f(v.x.x, v.y.x);
}

// Two polygons and the way from the first's anchor to the second's.
struct PolygonPair {
  i: u32,
  a: Polygon,
  j: u32,
  b: Polygon,
  o: vec2f,
}

// The same with the second first, if so: code for either of two is there once, and invocations go through it together.
fn second_first(pair: PolygonPair, exchange: bool) -> PolygonPair {
  var exchanged = pair;
  if (exchange) {
    exchanged = PolygonPair(pair.j, pair.b, pair.i, pair.a, -pair.o);
  }
  return exchanged;
}

// The size of a pair, of which FIGURE_BOUND is a part; never more than the host's, whose radii are not rounded up.
fn size_of_pair(a: Polygon, b: Polygon, origin: vec2f) -> f32 {
  return 0.75 * (radius_of(a) + radius_of(b)) + max(abs(origin.x), abs(origin.y));
}
