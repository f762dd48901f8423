// Decides pairs of polygons with at most four vertices. Each polygon is one block in registers, and there are no
// branches. An entry-point file provides placed_block(i, index).

fn side_relation_4(a: Block, count: u32, b: Block, side: Side) -> u32 {
  let normal = outward_normal(a, successors(a, a));
  let least = least_projection(normal, b);
  return edge_relation(a, normal, least, side, 0u, count);
}

fn relation_4(i: u32, a: Polygon, j: u32, b: Polygon) -> u32 {
  let block_a = placed_block(i, a.first_block);
  let block_b = placed_block(j, b.first_block);
  let origin = vec2f(b.anchor - a.anchor);
  return strongest(
    side_relation_4(block_a, vertex_count(a), block_b, side_of(origin, radius_of(b), error_of(a), error_of(b))),
    side_relation_4(block_b, vertex_count(b), block_a, side_of(-origin, radius_of(a), error_of(b), error_of(a))),
  );
}
