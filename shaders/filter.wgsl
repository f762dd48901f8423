// The certified filter: disjoint, overlapping or uncertain, in f32, with a bound on its own error.
// The twin of src/narrow_phase/cpu/filter.rs: the same functions, the same names, the same order, here for the four edges
// or vertices of a block at once; the bound is derived there.

// The relative error of one f32 operation: either neighbour of the exact result may be returned.
const ROUNDING: f32 = 0x1p-23;
// Covers products of errors, and the rounding of the bound itself.
const SLACK: f32 = 1.0 + 1.0 / 64.0;
// Covers results below 2^-126, which a device may flush to zero, times the greatest lever.
const FLUSH: f32 = 0x1p-80;

// What decides on the edges of one polygon beside the vertices of both.
struct Side {
  // From the anchor of the edges' polygon to the other's.
  origin: vec2f,
  // Bound on the error of a separation for each unit of the edge's length,
  slope: f32,
  // for each unit of the way from the edge to the other's anchor,
  turn: f32,
  // and beside.
  intercept: f32,
}

fn vertex_count(polygon: Polygon) -> u32 {
  return polygon.bounds & ((1u << COUNT_BITS) - 1u);
}

fn error_of(polygon: Polygon) -> f32 {
  return bitcast<f32>(((polygon.bounds >> COUNT_BITS) & ((1u << BOUND_BITS) - 1u)) << (31u - BOUND_BITS));
}

fn radius_of(polygon: Polygon) -> f32 {
  return bitcast<f32>((polygon.bounds >> (COUNT_BITS + BOUND_BITS)) << (31u - BOUND_BITS));
}

// Vertices of an instance, relative to the instance's anchor.
fn place(placement: Placement, v: Block) -> Block {
  let r = placement.rotation;
  return Block((r.x * v.x - r.y * v.y) + placement.offset.x, (r.y * v.x + r.x * v.y) + placement.offset.y);
}

// The vertex after each of a block, where next is the block that follows.
fn successors(v: Block, next: Block) -> Block {
  return Block(vec4f(v.x.yzw, next.x.x), vec4f(v.y.yzw, next.y.x));
}

// The outward normals of the edges from p to q, as long as the edges.
fn outward_normal(p: Block, q: Block) -> Block {
  return Block(q.y - p.y, p.x - q.x);
}

// The least projection of the vertices on each of four directions.
fn least_projection(direction: Block, v: Block) -> vec4f {
  return min(
    min(direction.x * v.x.x + direction.y * v.y.x, direction.x * v.x.y + direction.y * v.y.y),
    min(direction.x * v.x.z + direction.y * v.y.z, direction.x * v.x.w + direction.y * v.y.w),
  );
}

// Bounds the error of a separation.
fn side_of(origin: vec2f, radius_b: f32, error_a: f32, error_b: f32) -> Side {
  let errors = error_a + error_b;
  let o = abs(origin);
  let reach = radius_b + errors + ROUNDING * (o.x + o.y);
  return Side(
    origin,
    SLACK * (ROUNDING * (3.0 * reach + max(o.x, o.y)) + errors),
    SLACK * (2.0 * error_a),
    SLACK * (4.0 * error_a * reach) + FLUSH,
  );
}

// Bounds the errors of the separations of four edges, which lie so from the other's anchor.
fn edge_bound(normal: Block, to_b: Block, side: Side) -> vec4f {
  let n = Block(abs(normal.x), abs(normal.y));
  let d = Block(abs(to_b.x), abs(to_b.y));
  let rounding = side.slope * (n.x + n.y) + (SLACK * 4.0 * ROUNDING) * (n.x * d.x + n.y * d.y);
  return rounding + (side.turn * (d.x + d.y) + side.intercept);
}

// What edges of A say of which B's least projections are known: disjoint if one of them separates, overlapping if none
// can, else uncertain. Of count edges the first of these has the number first.
fn edge_relation(p: Block, normal: Block, least: vec4f, side: Side, first: u32, count: u32) -> u32 {
  let to_b = Block(side.origin.x - p.x, side.origin.y - p.y);
  let separation = least + (normal.x * to_b.x + normal.y * to_b.y);
  let bound = edge_bound(normal, to_b, side);
  let exists = vec4u(0u, 1u, 2u, 3u) + first < vec4u(count);
  let undecided = select(OVERLAPPING, UNCERTAIN, any(exists & (separation >= -bound)));
  return select(undecided, DISJOINT, any(exists & (separation > bound)));
}

// Disjoint if one of the two is, else the less certain.
fn strongest(a: u32, b: u32) -> u32 {
  return select(max(a, b), DISJOINT, a == DISJOINT || b == DISJOINT);
}
