// The distance of a pair, its separation, and its closest points.
// The twin of src/narrow_phase/cpu/figures/distance.rs.

struct FigureRecord {
  // The closest points, relative to A's anchor.
  point_a: vec2f,
  point_b: vec2f,
  // Between the two; 0 where the polygons meet.
  distance: f32,
  // The greatest gap over an edge of either.
  separation: f32,
  // Numbers of vertices or edges, FEATURE_IS_EDGE, and in the first UNCERTAIN_FIGURE.
  feature_a: u32,
  feature_b: u32,
}

fn word_of(feature: Feature) -> u32 {
  return feature.index | select(0u, FEATURE_IS_EDGE, feature.is_edge);
}

fn figure(i: u32, j: u32) -> FigureRecord {
  let a = polygons[i];
  let b = polygons[j];
  let o = vec2f(b.anchor - a.anchor);
  let best = best_edge(i, a, j, b, o);
  let has_edges = max(vertex_count(a), vertex_count(b)) > 1u;
  if (has_edges && best.upper < 0.0) {
    // They overlap beyond doubt.
    let doubt = select(UNCERTAIN_FIGURE, 0u, best.certain);
    return FigureRecord(vec2f(), vec2f(), 0.0, best.separation, doubt, 0u);
  }
  let size = size_of_pair(a, b, o);
  let bound = FIGURE_BOUND * size;
  // Half of the bound is for points that are not the very nearest, half for rounding.
  let near = closest_from(i, a, j, b, o, best, 0.5 * bound);
  let error = 1.5 * (error_of(a) + error_of(b)) + 32.0 * ROUNDING * size;
  // The distance may be on either side of the one that matters.
  let decided = abs(near.distance - params.parameter) > bound;
  let certain = (!has_edges || (best.certain && best.lower > 0.0)) && error <= 0.5 * bound && decided;
  let doubt = select(UNCERTAIN_FIGURE, 0u, certain);
  return FigureRecord(
    near.point_a,
    near.point_b,
    near.distance,
    best.separation,
    word_of(near.feature_a) | doubt,
    word_of(near.feature_b),
  );
}
