// Provides the code of a pair for relation.wgsl: the relation of the pair, or DISJOINT if the common area of the pair
// is certainly below a threshold. src/kernels/gpu/areas.rs derives the bounds.

// The least width of an edge along x, in quanta. It replaces a lesser width as divisor, so that slopes are finite.
const LEAST_WIDTH: f32 = 0x1p-40;
// The least divisor in the formula of the mean height, in quanta. It prevents a division by 0. The heights that it
// affects are so small that the error bound covers the change.
const LEAST_DIFFERENCE: f32 = 0x1p-60;
// An area that is greater than the area of any polygon, in square quanta.
const ANY_AREA: f32 = 0x1p+120;
// The greatest product of the block counts of A and B for which the kernel computes the common area. A pair with a
// greater product keeps its code.
const MOST_BLOCK_PAIRS: u32 = 1024u;

// Four edges as linear functions of x.
struct Lines {
  // The first vertex of each edge.
  p: Block,
  slope: vec4f,
  // The least x of each edge.
  least: vec4f,
  // The greatest x of each edge.
  greatest: vec4f,
  // 1 if the polygon is below the edge, -1 if it is above.
  side: vec4f,
}

fn edge_blocks(polygon: Polygon) -> u32 {
  if (MOST_VERTICES <= BLOCK_VERTICES) {
    return 1u;
  }
  return (vertex_count(polygon) + BLOCK_VERTICES - 1u) / BLOCK_VERTICES;
}

fn lines_of(p: Block, q: Block) -> Lines {
  let way = q.x - p.x;
  let width = select(max(way, vec4f(LEAST_WIDTH)), min(way, vec4f(-LEAST_WIDTH)), way < vec4f(0.0));
  let side = select(vec4f(1.0), vec4f(-1.0), way > vec4f(0.0));
  return Lines(p, (q.y - p.y) / width, min(p.x, q.x), max(p.x, q.x), side);
}

// Rotates the four lanes by one: lane k gets the line of lane k + 1, and the last lane gets the first line.
fn rotated(l: Lines) -> Lines {
  return Lines(Block(l.p.x.yzwx, l.p.y.yzwx), l.slope.yzwx, l.least.yzwx, l.greatest.yzwx, l.side.yzwx);
}

fn height(l: Lines, x: vec4f) -> vec4f {
  return l.p.y + (x - l.p.x) * l.slope;
}

// For each lane, returns the integral of the lower of two lines over the range of x that both lines cover. Each
// integral is multiplied by the product of the sides of the two lines.
fn integrals(f: Lines, g: Lines) -> vec4f {
  let begin = max(f.least, g.least);
  let end = min(f.greatest, g.greatest);
  let g_begin = height(g, min(begin, g.greatest));
  let g_end = height(g, max(end, g.least));
  let d_begin = height(f, min(begin, f.greatest)) - g_begin;
  let d_end = height(f, max(end, f.least)) - g_end;
  // The sum of min(f - g, 0) at both ends.
  let below = min(d_begin, vec4f(0.0)) + min(d_end, vec4f(0.0));
  let mean = (g_begin + g_end) - below * below / max(abs(d_begin) + abs(d_end), vec4f(LEAST_DIFFERENCE));
  return (f.side * g.side) * (0.5 * max(end - begin, vec4f(0.0)) * mean);
}

fn moved_block(i: u32, index: u32, by: vec2f) -> Block {
  let v = placed_block(i, index);
  return Block(v.x + by.x, v.y + by.y);
}

// For each of four lines of A, returns the sum of its integrals with all lines of B.
fn integrals_with(f: Lines, j: u32, b: Polygon, origin: vec2f) -> vec4f {
  let end = b.first_block + edge_blocks(b);
  let first = moved_block(j, b.first_block, origin);
  var sum = vec4f();
  var p = first;
  for (var at = b.first_block + 1u; at <= end; at++) {
    // The first block follows the last block.
    var next = first;
    if (MOST_VERTICES > BLOCK_VERTICES && at < end) {
      next = moved_block(j, at, origin);
    }
    let g = lines_of(p, successors(p, next));
    let g_1 = rotated(g);
    let g_2 = rotated(g_1);
    sum += (integrals(f, g) + integrals(f, g_1)) + (integrals(f, g_2) + integrals(f, rotated(g_2)));
    p = next;
  }
  return sum;
}

fn sum_of(v: vec4f) -> f32 {
  return (v.x + v.y) + (v.z + v.w);
}

// Returns the common area of two polygons, in square quanta. `common_bound` bounds its error. `origin` is the vector
// from A's anchor to B's anchor.
fn common_area(i: u32, a: Polygon, j: u32, b: Polygon, origin: vec2f) -> f32 {
  let end = a.first_block + edge_blocks(a);
  let first = placed_block(i, a.first_block);
  var sum = vec4f();
  var p = first;
  for (var at = a.first_block + 1u; at <= end; at++) {
    var next = first;
    if (MOST_VERTICES > BLOCK_VERTICES && at < end) {
      next = placed_block(i, at);
    }
    sum += integrals_with(lines_of(p, successors(p, next)), j, b, origin);
    p = next;
  }
  return sum_of(sum);
}

// Returns the area of a polygon, in square quanta. `own_bound` bounds its error.
fn area_of(i: u32, polygon: Polygon) -> f32 {
  let end = polygon.first_block + edge_blocks(polygon);
  let first = placed_block(i, polygon.first_block);
  var own = vec4f();
  var p = first;
  for (var at = polygon.first_block + 1u; at <= end; at++) {
    var next = first;
    if (MOST_VERTICES > BLOCK_VERTICES && at < end) {
      next = placed_block(i, at);
    }
    let q = successors(p, next);
    own += 0.5 * (p.x - q.x) * (p.y + q.y);
    p = next;
  }
  return sum_of(own);
}

// Returns a bound on the error of `area_of`, for a polygon with `blocks` blocks.
fn own_bound(blocks: f32, radius: f32, error: f32) -> f32 {
  return SLACK * (ROUNDING * (32.0 + 4.0 * blocks) * radius * radius + 32.0 * error * (radius + blocks * error));
}

// Returns a bound on the error of `common_area`, or ANY_AREA if no bound is known.
fn common_bound(blocks_a: f32, blocks_b: f32, radii: vec2f, distance: f32, errors: vec2f) -> f32 {
  let error = errors.x + errors.y + 2.0 * ROUNDING * (distance + radii.y);
  let reach = max(radii.x, distance + radii.y) + error;
  let radius = min(radii.x, radii.y);
  let blocks = blocks_a + blocks_b;
  let rounding = ROUNDING * (340.0 + 20.0 * blocks_a * blocks_b) * (2.0 * radius + error) * reach;
  let packing = (16.0 + 32.0 * min(blocks_a, blocks_b)) * error * (radius + blocks * error);
  let bound = SLACK * (rounding + packing + LEAST_WIDTH * 16.0 * blocks * reach) + FLUSH;
  // The bound holds only if the errors of vertices are small compared to the smaller polygon.
  return select(ANY_AREA, bound, 128.0 * blocks_a * blocks_b * error <= radius);
}

// Returns true if the common area of two polygons is certainly below the threshold.
fn is_below(i: u32, j: u32) -> bool {
  let a = polygon_at(i);
  let b = polygon_at(j);
  let blocks = vec2u(edge_blocks(a), edge_blocks(b));
  // The count is 0 if a polygon has too many vertices for its record.
  if (min(vertex_count(a), vertex_count(b)) == 0u || blocks.x * blocks.y > MOST_BLOCK_PAIRS) {
    return false;
  }
  let origin = vec2f(b.anchor - a.anchor);
  let counts = vec2f(blocks);
  let radii = vec2f(radius_of(a), radius_of(b));
  let errors = vec2f(error_of(a), error_of(b));
  let distance = max(abs(origin.x), abs(origin.y));
  let most = common_area(i, a, j, b, origin) + common_bound(counts.x, counts.y, radii, distance, errors);
  let both = area_of(i, a) + area_of(j, b)
    - (own_bound(counts.x, radii.x, errors.x) + own_bound(counts.y, radii.y, errors.y));
  return most < max(params.least_area, params.least_part * both);
}

// Returns the code of pair k, or DISJOINT if k is after the last pair.
fn code_of(k: u32) -> u32 {
  if (k >= params.end_pair) {
    return DISJOINT;
  }
  let pair = pairs[k];
  let j = pair.y + params.b_offset;
  let code = relation(pair.x, j);
  if (code != DISJOINT && is_below(pair.x, j)) {
    return DISJOINT;
  }
  return code;
}
