// The certified filter in f32. Its answer is DISJOINT, OVERLAPPING, or UNCERTAIN if the error bound does not allow a
// decision. The CPU twin, src/kernels/cpu/filter.rs, has the same functions and derives the bound. This file processes
// the four edges or vertices of a block at once.

// The relative error of one f32 operation. WGSL allows either f32 neighbour of the exact result.
const ROUNDING: f32 = 0x1p-23;
// A factor that covers products of errors and the rounding of the bound itself.
const SLACK: f32 = 1.0 + 1.0 / 64.0;
// A term that covers results below 2^-126, which a device may flush to zero. The bounds multiply such a result by a
// distance of at most 2^34 quanta. The term is greater than this product.
const FLUSH: f32 = 0x1p-80;

// The vector between the anchors of a pair, and the coefficients of the error bound, for the edges of one polygon.
struct Side {
  // The vector from the anchor of the edges' polygon to the other polygon's anchor.
  origin: vec2f,
  // The bound on the error of a separation, per unit of the edge's length.
  slope: f32,
  // The bound on the error of a separation, per unit of the distance from the edge to the other polygon's anchor.
  turn: f32,
  // The part of the bound that does not depend on the edge.
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

// Returns the vertices of a block at the pose of their polygon, relative to the polygon's anchor.
fn place(placement: Placement, v: Block) -> Block {
  let r = placement.rotation;
  return Block((r.x * v.x - r.y * v.y) + placement.offset.x, (r.y * v.x + r.x * v.y) + placement.offset.y);
}

// Returns the vertex after each vertex of a block. `next` is the next block.
fn successors(v: Block, next: Block) -> Block {
  return Block(vec4f(v.x.yzw, next.x.x), vec4f(v.y.yzw, next.y.x));
}

// Returns the outward normals of the edges from p to q. Each normal has the length of its edge.
fn outward_normal(p: Block, q: Block) -> Block {
  return Block(q.y - p.y, p.x - q.x);
}

// Returns the least projection of the vertices on each of four directions.
fn least_projection(direction: Block, v: Block) -> vec4f {
  return min(
    min(direction.x * v.x.x + direction.y * v.y.x, direction.x * v.x.y + direction.y * v.y.y),
    min(direction.x * v.x.z + direction.y * v.y.z, direction.x * v.x.w + direction.y * v.y.w),
  );
}

// Returns the coefficients of the error bound on the separations that the edges of polygon A give. `origin` is the
// vector from A's anchor to B's anchor. `radius_b` bounds the coordinates of B's vertices. `error_a` and `error_b`
// bound the errors of the vertices' coordinates.
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

// Returns bounds on the errors of the separations of four edges. `to_b` has the vectors from the edges to the other
// polygon's anchor.
fn edge_bound(normal: Block, to_b: Block, side: Side) -> vec4f {
  let n = Block(abs(normal.x), abs(normal.y));
  let d = Block(abs(to_b.x), abs(to_b.y));
  let rounding = side.slope * (n.x + n.y) + (SLACK * 4.0 * ROUNDING) * (n.x * d.x + n.y * d.y);
  return rounding + (side.turn * (d.x + d.y) + side.intercept);
}

// Returns the code that four edges of A prove, from B's least projections on their normals: DISJOINT if an edge
// separates the polygons, OVERLAPPING if none of the edges can separate them, and UNCERTAIN otherwise. `first` is the
// index of the first edge. Lanes from `count` on have no edge.
fn edge_relation(p: Block, normal: Block, least: vec4f, side: Side, first: u32, count: u32) -> u32 {
  let to_b = Block(side.origin.x - p.x, side.origin.y - p.y);
  let separation = least + (normal.x * to_b.x + normal.y * to_b.y);
  let bound = edge_bound(normal, to_b, side);
  let exists = vec4u(0u, 1u, 2u, 3u) + first < vec4u(count);
  let undecided = select(OVERLAPPING, UNCERTAIN, any(exists & (separation >= -bound)));
  return select(undecided, DISJOINT, any(exists & (separation > bound)));
}

// Combines two codes. Returns DISJOINT if either code is DISJOINT, and the less certain code otherwise.
fn strongest(a: u32, b: u32) -> u32 {
  return select(max(a, b), DISJOINT, a == DISJOINT || b == DISJOINT);
}
