// The penetration of a pair: its greatest gap over an edge, and that edge's normal.
// The twin of src/narrow_phase/cpu/figures/penetration.rs.

struct FigureRecord {
  // Of length 1, from A to B.
  normal: vec2f,
  // The greatest gap over an edge of either.
  separation: f32,
  // Number of the edge, EDGE_OF_B and UNCERTAIN_FIGURE.
  edge: u32,
}

fn figure(i: u32, j: u32) -> FigureRecord {
  let a = polygons[i];
  let b = polygons[j];
  let best = best_edge(i, a, j, b, vec2f(b.anchor - a.anchor));
  let flags = select(0u, EDGE_OF_B, best.of_b) | select(UNCERTAIN_FIGURE, 0u, best.certain);
  return FigureRecord(normal_over(i, a, j, b, best), best.separation, best.edge | flags);
}
