// The records that the host writes for the device. Their Rust twins are in src/packed/layout.rs. Lengths are in quanta
// of the scene's grid.

// Four vertices of a polygon, counter-clockwise. In the last block of a polygon, unused lanes hold the polygon's first
// vertex.
struct Block {
  x: vec4f,
  y: vec4f,
}

// The data of a polygon without its vertices. One load reads it.
struct Polygon {
  // A point of the scene's integer grid near the polygon.
  anchor: vec2i,
  first_block: u32,
  // From the lowest bits: the vertex count (COUNT_BITS), a bound on the error of each coordinate (BOUND_BITS), and a
  // bound on the magnitude of each coordinate (BOUND_BITS).
  bounds: u32,
}

// The pose of a polygon relative to its anchor. A vertex v is at rotation * v + offset.
struct Placement {
  // The shape's origin, relative to the anchor.
  offset: vec2f,
  // The cosine and the sine of the angle.
  rotation: vec2f,
}

struct RelationParams {
  // The index of the first pair of the dispatch, a multiple of WORKGROUP_SIZE.
  first_pair: u32,
  end_pair: u32,
  // The number of workgroups in a row of the dispatch.
  groups_x: u32,
  // The index of the first polygon of the second set. It is added to the second index of each pair.
  b_offset: u32,
  // The maximum number of iterations of the inner loop of `relation_any`. A pair that needs more is uncertain.
  most_turns: u32,
  // For the area kernel: the least common area, in square quanta.
  least_area: f32,
  // For the area kernel: the least ratio of the common area to the sum of both areas.
  least_part: f32,
}

// A candidate pair of a point and a polygon.
struct PointCandidate {
  // The point, relative to the polygon's anchor.
  offset: vec2f,
  // A bound on the error of each coordinate of `offset`.
  error: f32,
  polygon: u32,
}

struct PointParams {
  candidate_count: u32,
  // The number of workgroups in a row of the dispatch.
  groups_x: u32,
}

struct HitsParams {
  // The number of words of codes.
  word_count: u32,
  // The number of workgroups in a row of the dispatch.
  groups_x: u32,
  // The number of workgroups that have words.
  group_count: u32,
  // The number of hits that fit in the caller's buffer.
  capacity: u32,
}

struct FigureParams {
  pair_count: u32,
  // The number of workgroups in a row of the dispatch.
  groups_x: u32,
  // The index of the first polygon of the second set. It is added to the second index of each pair.
  b_offset: u32,
  // A length in quanta that the measurement uses: the margin of contact manifolds, or the tolerance of times of
  // impact.
  parameter: f32,
  // The index of the first motion of the second set.
  motion_offset: u32,
}

// The motion of a polygon over a step.
struct MotionRecord {
  // The displacement of the centre.
  linear: vec2f,
  // The centre of rotation, relative to the polygon's anchor. It is the anchor if the polygon does not rotate.
  centre: vec2f,
  // The angle of the rotation, in radians.
  angular: f32,
  // A bound on the distance of all vertices from the centre.
  radius: f32,
  // A bound on the error of a moved vertex at any time. The rounding of the motion causes this error. The bound is huge
  // if kernels must not use the motion.
  error: f32,
  padding: f32,
}
