// A hierarchical grid. The cells of a level are squares with a side of 2^level quanta. The level of a box is the
// lowest level whose cells are at least as large as the box. A box is entered only in the cell that contains its
// centre. Cells are hashed into buckets.

fn is_empty(aabb: vec4i) -> bool {
  return aabb.z < aabb.x;
}

// Returns the level of a box. It is at least 1, so that no side of a box is more than half a cell from its centre.
fn level_of(aabb: vec4i) -> u32 {
  let extent = u32(max(aabb.z - aabb.x, aabb.w - aabb.y));
  return max(1u, 32u - countLeadingZeros(max(extent, 1u) - 1u));
}

fn cell_of(aabb: vec4i, level: u32) -> vec2i {
  return (aabb.xy + ((aabb.zw - aabb.xy) >> vec2u(1u))) >> vec2u(level);
}

// Returns the bucket of a cell. Consecutive cells of a row have consecutive buckets.
fn bucket_of(cell: vec2i, level: u32, mask: u32) -> u32 {
  var hash = (u32(cell.y) * 0xd8163841u) ^ (level * 0xcb1ab31fu);
  hash = (hash ^ (hash >> 16u)) * 0x7feb352du;
  return ((hash ^ (hash >> 15u)) + u32(cell.x)) & mask;
}
