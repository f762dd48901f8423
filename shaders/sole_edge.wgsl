// Finds the edge with the greatest gap, and whether any other edge may have a greater gap. The host measures the pair
// over this edge.

struct FigureRecord {
  // The gap over the edge, in quanta.
  separation: f32,
  // The index of the edge, and the flag EDGE_OF_B. The flag UNCERTAIN_FIGURE is set if another edge may have a greater
  // gap. The index is FIGURE_INDEX if both polygons are points.
  edge: u32,
}

// Returns the number of edges of a polygon whose gap may be at least `least`.
fn rivals_of(i: u32, a: Polygon, j: u32, b: Polygon, origin: vec2f, least: f32) -> u32 {
  if (vertex_count(a) == 1u) {
    // A point has no edges.
    return 0u;
  }
  let side = side_of(origin, radius_of(b), error_of(a), error_of(b));
  let count = vertex_count(a);
  let end = a.first_block + block_count(a);
  var rivals = 0u;
  var edge = 0u;
  var p = placed_block(i, a.first_block);
  for (var at = a.first_block; at < end; at++) {
    let next = placed_block(i, select(a.first_block, at + 1u, at + 1u < end));
    let gaps = gaps_over(p, next, j, b, origin, side, 6.0 * error_of(a));
    let may = lanes_below(count, edge) & (gaps.gap + gaps.error >= vec4f(least));
    rivals += dot(select(vec4u(0u), vec4u(1u), may), vec4u(1u));
    edge += BLOCK_VERTICES;
    p = next;
  }
  return rivals;
}

fn figure(i: u32, j: u32) -> FigureRecord {
  let a = polygons[i];
  let b = polygons[j];
  if (max(vertex_count(a), vertex_count(b)) == 1u) {
    return FigureRecord(0.0, FIGURE_INDEX);
  }
  let o = vec2f(b.anchor - a.anchor);
  let best = best_edge(i, a, j, b, o);
  // The host may regard gaps as equal if their difference is within rounding.
  let least = best.lower - ROUNDING * size_of_pair(a, b, o);
  let rivals = rivals_of(i, a, j, b, o, least) + rivals_of(j, b, i, a, -o, least);
  let certain = best.certain && rivals == 1u;
  let flags = select(0u, EDGE_OF_B, best.of_b) | select(UNCERTAIN_FIGURE, 0u, certain);
  return FigureRecord(best.separation, best.edge | flags);
}
