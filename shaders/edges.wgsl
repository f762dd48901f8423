// Finds the edge with the greatest gap between two polygons, among the edges of both.
// The CPU twin, src/kernels/cpu/figures/edges.rs, derives the error bounds of gaps.

struct BestEdge {
  // The gap along the normal of the edge, in quanta. It is negative if the polygons overlap along this normal.
  separation: f32,
  edge: u32,
  of_b: bool,
  // The true separation is between `lower` and `upper`.
  lower: f32,
  upper: f32,
  // Whether the error of the separation is certainly at most FIGURE_BOUND times the size of the pair.
  certain: bool,
}

// The greatest gap over the edges of one polygon, the index of its edge, the greatest lower bound of any gap, and the
// greatest upper bound of any gap.
struct Gaps {
  gap: f32,
  edge: u32,
  lower: f32,
  upper: f32,
}

// The gaps over four edges, and bounds on the errors of these gaps.
struct BlockGaps {
  gap: vec4f,
  error: vec4f,
}

// Returns the gaps between b and the four edges of another polygon that begin at the vertices of `p`. `next` is the
// block after `p`. `side` has the error bounds of these edges against b. `turn` is six times the error of the other
// polygon's vertices.
fn gaps_over(p: Block, next: Block, j: u32, b: Polygon, origin: vec2f, side: Side, turn: f32) -> BlockGaps {
  let normal = outward_normal(p, successors(p, next));
  let end_b = b.first_block + block_count(b);
  var least = least_projection(normal, placed_block(j, b.first_block));
  for (var k = b.first_block + 1u; k < end_b; k++) {
    least = min(least, least_projection(normal, placed_block(j, k)));
  }
  let to_b = Block(origin.x - p.x, origin.y - p.y);
  let square = normal.x * normal.x + normal.y * normal.y;
  let per_length = inverseSqrt(max(square, vec4f(LEAST_SQUARE)));
  let gap = (least + (normal.x * to_b.x + normal.y * to_b.y)) * per_length;
  let bound = edge_bound(normal, to_b, side) * per_length;
  let relative = turn * per_length + FEW_ROUNDINGS;
  let known = (relative < vec4f(1.0)) & (square > vec4f(LEAST_SQUARE));
  let error = select(vec4f(ANY), bound + relative * (bound + abs(gap)), known);
  return BlockGaps(gap, error);
}

fn gaps_of(i: u32, a: Polygon, j: u32, b: Polygon, origin: vec2f) -> Gaps {
  if (vertex_count(a) == 1u) {
    // A point has no edges.
    return Gaps(-ANY, 0u, -ANY, -ANY);
  }
  let side = side_of(origin, radius_of(b), error_of(a), error_of(b));
  let turn = 6.0 * error_of(a);
  let count = vertex_count(a);
  let end_a = a.first_block + block_count(a);
  var best = Gaps(-ANY, 0u, -ANY, -ANY);
  var edge = 0u;
  var p = placed_block(i, a.first_block);
  for (var at = a.first_block; at < end_a; at++) {
    // The first block follows the last block.
    let next = placed_block(i, select(a.first_block, at + 1u, at + 1u < end_a));
    let found = gaps_over(p, next, j, b, origin, side, turn);
    let exists = lanes_below(count, edge);
    best.lower = max(best.lower, greatest_of(select(vec4f(-ANY), found.gap - found.error, exists)));
    best.upper = max(best.upper, greatest_of(select(vec4f(-ANY), found.gap + found.error, exists)));
    let gaps = select(vec4f(-ANY), found.gap, exists);
    let greatest = greatest_of(gaps);
    if (greatest > best.gap) {
      best.gap = greatest;
      best.edge = edge + first_lane(gaps == vec4f(greatest));
    }
    edge += BLOCK_VERTICES;
    p = next;
  }
  return best;
}

fn best_edge(i: u32, a: Polygon, j: u32, b: Polygon, origin: vec2f) -> BestEdge {
  let by_a = gaps_of(i, a, j, b, origin);
  let by_b = gaps_of(j, b, i, a, -origin);
  let of_b = by_b.gap > by_a.gap;
  let gap = max(by_a.gap, by_b.gap);
  let lower = max(by_a.lower, by_b.lower);
  let upper = max(by_a.upper, by_b.upper);
  let within = FIGURE_BOUND * size_of_pair(a, b, origin);
  let certain = upper - gap <= within && gap - lower <= within;
  return BestEdge(gap, select(by_a.edge, by_b.edge, of_b), of_b, lower, upper, certain);
}

// Returns the outward unit normal of an edge.
fn unit_normal(i: u32, polygon: Polygon, edge: u32) -> vec2f {
  let p = vertex_at(i, polygon, edge);
  let q = vertex_at(i, polygon, edge + 1u);
  let n = vec2f(q.y - p.y, p.x - q.x);
  return n * inverseSqrt(max(dot(n, n), LEAST_SQUARE));
}

// Returns the unit normal of the edge with the greatest gap, from A to B.
fn normal_over(i: u32, a: Polygon, j: u32, b: Polygon, best: BestEdge) -> vec2f {
  let by = second_first(PolygonPair(i, a, j, b, vec2f()), best.of_b);
  let normal = unit_normal(by.i, by.a, best.edge);
  return select(normal, -normal, best.of_b);
}
