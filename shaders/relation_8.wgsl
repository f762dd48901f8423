// Decides pairs of polygons with at most eight vertices. Each polygon is two blocks in registers, and there are no
// branches. An entry-point file provides placed_block(i, index).

struct TwoBlocks {
  first: Block,
  second: Block,
}

fn side_relation_8(a: TwoBlocks, count: u32, b: TwoBlocks, side: Side) -> u32 {
  let normal = outward_normal(a.first, successors(a.first, a.second));
  let least = min(least_projection(normal, b.first), least_projection(normal, b.second));
  let second_normal = outward_normal(a.second, successors(a.second, a.first));
  let second_least = min(least_projection(second_normal, b.first), least_projection(second_normal, b.second));
  return strongest(
    edge_relation(a.first, normal, least, side, 0u, count),
    edge_relation(a.second, second_normal, second_least, side, BLOCK_VERTICES, count),
  );
}

// Returns the two blocks of a polygon. If the polygon has one block, both results are this block. `count` excludes the
// edges of the second result. The repeated vertices do not change a minimum.
fn two_blocks(i: u32, polygon: Polygon) -> TwoBlocks {
  let second = polygon.first_block + select(0u, 1u, vertex_count(polygon) > BLOCK_VERTICES);
  return TwoBlocks(placed_block(i, polygon.first_block), placed_block(i, second));
}

fn relation_8(i: u32, a: Polygon, j: u32, b: Polygon) -> u32 {
  let blocks_a = two_blocks(i, a);
  let blocks_b = two_blocks(j, b);
  let origin = vec2f(b.anchor - a.anchor);
  return strongest(
    side_relation_8(blocks_a, vertex_count(a), blocks_b, side_of(origin, radius_of(b), error_of(a), error_of(b))),
    side_relation_8(blocks_b, vertex_count(b), blocks_a, side_of(-origin, radius_of(a), error_of(b), error_of(a))),
  );
}
