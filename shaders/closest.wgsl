// The closest points of two polygons that lie apart: of every vertex of either and every edge of the other, the nearest.
// The twin of src/narrow_phase/cpu/figures/closest.rs.

struct Feature {
  index: u32,
  is_edge: bool,
}

// Points relative to A's anchor.
struct Closest {
  point_a: vec2f,
  point_b: vec2f,
  distance: f32,
  feature_a: Feature,
  feature_b: Feature,
}

// An edge of one polygon and a vertex of the other.
struct Nearest {
  square: f32,
  edge: u32,
  vertex: u32,
}

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
    let exists = vec4u(0u, 1u, 2u, 3u) + edge < vec4u(count_a);
    for (var k = b.first_block; k < end_b; k++) {
      let v = placed_block(j, k);
      for (var lane = 0u; lane < BLOCK_VERTICES; lane++) {
        let d = Block(v.x[lane] + to_b.x, v.y[lane] + to_b.y);
        let part = clamp((d.x * along.x + d.y * along.y) * per_square, vec4f(0.0), vec4f(1.0));
        let r = Block(d.x - part * along.x, d.y - part * along.y);
        let square = select(vec4f(ANY), r.x * r.x + r.y * r.y, exists);
        let least = min(min(square.x, square.y), min(square.z, square.w));
        // Beyond the last vertex the block repeats the first.
        let vertex = (k - b.first_block) * BLOCK_VERTICES + lane;
        if (least < best.square && vertex < count_b) {
          let first = select(select(select(3u, 2u, square.z == least), 1u, square.y == least), 0u, square.x == least);
          best = Nearest(least, edge + first, vertex);
        }
      }
    }
    edge += BLOCK_VERTICES;
    p = next;
  }
  return best;
}

// How far along its edge the nearest point lies, from 0 to 1.
fn part_of(p: vec2f, q: vec2f, v: vec2f) -> f32 {
  let along = q - p;
  return clamp(dot(v - p, along) / max(dot(along, along), LEAST_SQUARE), 0.0, 1.0);
}

fn on_edge(edge: u32, count: u32, part: f32) -> Feature {
  let next = select(edge + 1u, 0u, edge + 1u == count);
  return Feature(select(edge, next, part >= 1.0), part > 0.0 && part < 1.0);
}

fn closest(i: u32, a: Polygon, j: u32, b: Polygon, o: vec2f) -> Closest {
  let to_b = nearest(i, a, j, b, o);
  let to_a = nearest(j, b, i, a, -o);
  if (to_b.square <= to_a.square) {
    let p = vertex_at(i, a, to_b.edge);
    let q = vertex_at(i, a, to_b.edge + 1u);
    let v = vertex_at(j, b, to_b.vertex) + o;
    let part = part_of(p, q, v);
    return Closest(p + part * (q - p), v, sqrt(to_b.square), on_edge(to_b.edge, vertex_count(a), part), Feature(to_b.vertex, false));
  }
  let p = vertex_at(j, b, to_a.edge);
  let q = vertex_at(j, b, to_a.edge + 1u);
  let v = vertex_at(i, a, to_a.vertex) - o;
  let part = part_of(p, q, v);
  return Closest(v + o, p + part * (q - p) + o, sqrt(to_a.square), Feature(to_a.vertex, false), on_edge(to_a.edge, vertex_count(b), part));
}
