// The penetration of two cores that are points, segments or convex polygons, any of which may be rounded.
// The twin of src/narrow_phase/cpu/figures/cores.rs.

struct FigureRecord {
  // Of length 1, from A to B.
  normal: vec2f,
  // The distance, or where the cores overlap the greatest gap over an edge of either.
  separation: f32,
  // Number of the edge, EDGE_OF_B and UNCERTAIN_FIGURE.
  edge: u32,
}

fn over_edge(i: u32, a: Polygon, j: u32, b: Polygon, best: BestEdge, certain: bool) -> FigureRecord {
  let flags = select(0u, EDGE_OF_B, best.of_b) | select(UNCERTAIN_FIGURE, 0u, certain);
  return FigureRecord(normal_over(i, a, j, b, best), best.separation, best.edge | flags);
}

fn figure(i: u32, j: u32) -> FigureRecord {
  let a = polygons[i];
  let b = polygons[j];
  let o = vec2f(b.anchor - a.anchor);
  let has_edges = max(vertex_count(a), vertex_count(b)) > 1u;
  let best = best_edge(i, a, j, b, o);
  if (has_edges && best.upper < 0.0) {
    return over_edge(i, a, j, b, best, best.certain);
  }
  let near = closest(i, a, j, b, o);
  let size = size_of_pair(a, b, o);
  let bound = FIGURE_BOUND * size;
  let error = 1.5 * (error_of(a) + error_of(b)) + 16.0 * ROUNDING * size;
  let apart = !has_edges || best.lower > 0.0;
  // A direction is off by what the points are, divided by the distance.
  if (apart && near.distance * 16.0 >= size && near.distance > 0.0) {
    let normal = (near.point_b - near.point_a) / near.distance;
    var edge = FIGURE_INDEX;
    if (near.feature_a.is_edge) {
      edge = near.feature_a.index;
    } else if (near.feature_b.is_edge) {
      edge = near.feature_b.index | EDGE_OF_B;
    }
    return FigureRecord(normal, near.distance, edge | select(UNCERTAIN_FIGURE, 0u, error <= bound));
  }
  if (has_edges && apart && near.distance - best.separation <= bound) {
    return over_edge(i, a, j, b, best, best.certain && error <= bound);
  }
  return FigureRecord(vec2f(), 0.0, UNCERTAIN_FIGURE);
}
