// Decides pairs of polygons of any size. Each iteration has eight edges in registers, so that one load of a block of
// the other polygon serves eight edges. An entry-point file provides placed_block(i, index).

fn block_count(polygon: Polygon) -> u32 {
  return (vertex_count(polygon) + BLOCK_VERTICES - 1u) / BLOCK_VERTICES;
}

// Returns the number of iterations of the inner loop for a pair.
fn turns(a: Polygon, b: Polygon) -> u32 {
  let of_a = block_count(a);
  let of_b = block_count(b);
  return (of_a + 1u) / 2u * of_b + (of_b + 1u) / 2u * of_a;
}

fn side_relation_any(
  i: u32,
  a: Polygon,
  j: u32,
  b: Polygon,
  side: Side,
) -> u32 {
  let count = vertex_count(a);
  let end_a = a.first_block + block_count(a);
  let end_b = b.first_block + block_count(b);
  var verdict = OVERLAPPING;
  var edge = 0u;
  var p = placed_block(i, a.first_block);
  for (var at = a.first_block; at < end_a && verdict != DISJOINT; at += 2u) {
    // The first block follows the last block.
    let second = placed_block(i, select(a.first_block, at + 1u, at + 1u < end_a));
    let third = placed_block(i, select(a.first_block, at + 2u, at + 2u < end_a));
    let normal = outward_normal(p, successors(p, second));
    let second_normal = outward_normal(second, successors(second, third));
    let v = placed_block(j, b.first_block);
    var least = least_projection(normal, v);
    var second_least = least_projection(second_normal, v);
    for (var k = b.first_block + 1u; k < end_b; k++) {
      let w = placed_block(j, k);
      least = min(least, least_projection(normal, w));
      second_least = min(second_least, least_projection(second_normal, w));
    }
    verdict = strongest(verdict, strongest(
      edge_relation(p, normal, least, side, edge, count),
      edge_relation(second, second_normal, second_least, side, edge + BLOCK_VERTICES, count),
    ));
    edge += 2u * BLOCK_VERTICES;
    p = third;
  }
  return verdict;
}

fn relation_any(i: u32, a: Polygon, j: u32, b: Polygon) -> u32 {
  let origin = vec2f(b.anchor - a.anchor);
  let by_a = side_relation_any(i, a, j, b, side_of(origin, radius_of(b), error_of(a), error_of(b)));
  if (by_a == DISJOINT) {
    return DISJOINT;
  }
  return strongest(by_a, side_relation_any(j, b, i, a, side_of(-origin, radius_of(a), error_of(b), error_of(a))));
}
