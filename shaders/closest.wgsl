// Finds the closest points of two disjoint polygons: the nearest of all combinations of a vertex of one polygon and an
// edge of the other polygon. The CPU twin is src/kernels/cpu/figures/closest.rs.

struct Feature {
  index: u32,
  is_edge: bool,
}

// The closest points, relative to A's anchor, and the features (vertices or edges) on which they lie.
struct Closest {
  point_a: vec2f,
  point_b: vec2f,
  distance: f32,
  feature_a: Feature,
  feature_b: Feature,
}

// An edge of one polygon, a vertex of the other polygon, and the square of their distance.
struct Nearest {
  square: f32,
  edge: u32,
  vertex: u32,
}

// Returns the edge of A and the vertex of B that are nearest to each other. `o` is the vector from A's anchor to B's
// anchor.
fn nearest(i: u32, a: Polygon, j: u32, b: Polygon, o: vec2f) -> Nearest {
  var best = Nearest(ANY, 0u, 0u);
  let count_a = vertex_count(a);
  let count_b = vertex_count(b);
  let end_a = a.first_block + block_count(a);
  let end_b = b.first_block + block_count(b);
  var edge = 0u;
  var p = placed_block(i, a.first_block);
  for (var at = a.first_block; at < end_a; at++) {
    let next = placed_block(i, select(a.first_block, at + 1u, at + 1u < end_a));
    let q = successors(p, next);
    let along = Block(q.x - p.x, q.y - p.y);
    let to_b = Block(o.x - p.x, o.y - p.y);
    let per_square = 1.0 / max(along.x * along.x + along.y * along.y, vec4f(LEAST_SQUARE));
    let exists = lanes_below(count_a, edge);
    for (var k = b.first_block; k < end_b; k++) {
      let v = placed_block(j, k);
      for (var lane = 0u; lane < BLOCK_VERTICES; lane++) {
        let d = Block(v.x[lane] + to_b.x, v.y[lane] + to_b.y);
        let part = clamp((d.x * along.x + d.y * along.y) * per_square, vec4f(0.0), vec4f(1.0));
        let r = Block(d.x - part * along.x, d.y - part * along.y);
        let square = select(vec4f(ANY), r.x * r.x + r.y * r.y, exists);
        let least = least_of(square);
        // After the last vertex, the block repeats the first vertex.
        let vertex = (k - b.first_block) * BLOCK_VERTICES + lane;
        if (least < best.square && vertex < count_b) {
          best = Nearest(least, edge + first_lane(square == vec4f(least)), vertex);
        }
      }
    }
    edge += BLOCK_VERTICES;
    p = next;
  }
  return best;
}

// Returns the position of the point of edge pq that is nearest to v: 0 at p, and 1 at q.
fn part_of(p: vec2f, q: vec2f, v: vec2f) -> f32 {
  let along = q - p;
  return clamp(dot(v - p, along) / max(dot(along, along), LEAST_SQUARE), 0.0, 1.0);
}

// Returns the feature that has the nearest point of an edge: the edge itself, or the vertex at which the point lies.
// `part` is the position of the point along the edge: 0 at the first vertex, and 1 at the second vertex.
fn on_edge(edge: u32, count: u32, part: f32) -> Feature {
  let next = select(edge + 1u, 0u, edge + 1u == count);
  return Feature(select(edge, next, part >= 1.0), part > 0.0 && part < 1.0);
}

// Returns the closest points of an edge of A and a vertex of B. If `of_b` is true, the edge is B's and the vertex is
// A's.
fn closest_of(near: Nearest, i: u32, a: Polygon, j: u32, b: Polygon, o: vec2f, of_b: bool) -> Closest {
  let by = second_first(PolygonPair(i, a, j, b, o), of_b);
  let p = vertex_at(by.i, by.a, near.edge);
  let q = vertex_at(by.i, by.a, near.edge + 1u);
  let v = vertex_at(by.j, by.b, near.vertex) + by.o;
  let part = part_of(p, q, v);
  let on_edge_of = on_edge(near.edge, vertex_count(by.a), part);
  let found = Closest(p + part * (q - p), v, sqrt(near.square), on_edge_of, Feature(near.vertex, false));
  if (of_b) {
    return exchanged(found, o);
  }
  return found;
}

// Exchanges A and B. The given points are relative to B's anchor. `o` is the vector from A's anchor to B's anchor. The
// returned points are relative to A's anchor.
fn exchanged(found: Closest, o: vec2f) -> Closest {
  return Closest(found.point_b + o, found.point_a + o, found.distance, found.feature_b, found.feature_a);
}

fn closest(i: u32, a: Polygon, j: u32, b: Polygon, o: vec2f) -> Closest {
  var near = Nearest(ANY, 0u, 0u);
  var of_b = false;
  for (var side = 0u; side < 2u; side++) {
    let by = second_first(PolygonPair(i, a, j, b, o), side == 1u);
    let found = nearest(by.i, by.a, by.j, by.b, by.o);
    if (found.square < near.square) {
      near = found;
      of_b = side == 1u;
    }
  }
  return closest_of(near, i, a, j, b, o, of_b);
}

// The maximum number of steps of `closest_from`.
const STEPS: u32 = 3u;

// Returns the vertex of B that is nearest to an edge of A. `o` is the vector from A's anchor to B's anchor.
fn nearest_to_edge(i: u32, a: Polygon, edge: u32, j: u32, b: Polygon, o: vec2f) -> Nearest {
  let p = vertex_at(i, a, edge);
  let along = vertex_at(i, a, edge + 1u) - p;
  let to_b = o - p;
  let per_square = 1.0 / max(dot(along, along), LEAST_SQUARE);
  let count = vertex_count(b);
  let end = b.first_block + block_count(b);
  var best = Nearest(ANY, edge, 0u);
  var vertex = 0u;
  for (var at = b.first_block; at < end; at++) {
    let v = placed_block(j, at);
    let d = Block(v.x + to_b.x, v.y + to_b.y);
    let part = clamp((d.x * along.x + d.y * along.y) * per_square, vec4f(0.0), vec4f(1.0));
    let r = Block(d.x - part * along.x, d.y - part * along.y);
    let square = select(vec4f(ANY), r.x * r.x + r.y * r.y, lanes_below(count, vertex));
    let least = least_of(square);
    if (least < best.square) {
      best.square = least;
      best.vertex = vertex + first_lane(square == vec4f(least));
    }
    vertex += BLOCK_VERTICES;
  }
  return best;
}

// The least dot product of a vertex with a direction, and the index of this vertex.
struct Support {
  least: f32,
  vertex: u32,
}

// Returns the vertex of a polygon that has the least dot product with a direction, and this product.
fn support(i: u32, polygon: Polygon, direction: vec2f) -> Support {
  let count = vertex_count(polygon);
  let end = polygon.first_block + block_count(polygon);
  var best = Support(dot(vertex_at(i, polygon, 0u), direction), 0u);
  var vertex = 0u;
  for (var at = polygon.first_block; at < end; at++) {
    let v = placed_block(i, at);
    let along = select(vec4f(ANY), v.x * direction.x + v.y * direction.y, lanes_below(count, vertex));
    let least = least_of(along);
    if (least < best.least) {
      best = Support(least, vertex + first_lane(along == vec4f(least)));
    }
    vertex += BLOCK_VERTICES;
  }
  return best;
}

// Returns the closest points, as `closest` does, but the distance may be too great by `tolerance`. Usually reads fewer
// edges than `closest`. First tries the edge `best` and the vertex nearest to this edge. They are accepted if their
// distance exceeds the lower bound of the gap by at most `tolerance`. Then tries up to STEPS pairs of vertices. A pair
// is accepted if its distance exceeds the gap along the line between its vertices by at most `tolerance`. If no try is
// accepted, calls `closest`.
fn closest_from(i: u32, a: Polygon, j: u32, b: Polygon, o: vec2f, best: BestEdge, tolerance: f32) -> Closest {
  let by = second_first(PolygonPair(i, a, j, b, o), best.of_b);
  let near = nearest_to_edge(by.i, by.a, best.edge, by.j, by.b, by.o);
  var found = closest_of(near, i, a, j, b, o, best.of_b);
  if (found.distance <= best.lower + tolerance) {
    return found;
  }
  for (var step = 0u; step < STEPS; step++) {
    let d = found.point_b - found.point_a;
    let beyond = support(j, b, d);
    let before = support(i, a, -d);
    let gap = beyond.least + before.least + dot(d, o);
    if (found.distance * (found.distance - tolerance) <= gap) {
      return found;
    }
    let p = vertex_at(i, a, before.vertex);
    let q = vertex_at(j, b, beyond.vertex) + o;
    let feature_a = Feature(before.vertex, false);
    found = Closest(p, q, length(q - p), feature_a, Feature(beyond.vertex, false));
  }
  return closest(i, a, j, b, o);
}
