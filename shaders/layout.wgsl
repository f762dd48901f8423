// The records that cross from host to device; their twins are in src/layout.rs. Lengths are in quanta.

// Four vertices of a polygon, counter-clockwise. The last block of a polygon repeats the polygon's first vertex.
struct Block {
  x: vec4f,
  y: vec4f,
}

// All that a kernel reads of a polygon beside its vertices, in one load.
struct Polygon {
  // A point of the scene's integer grid near the polygon.
  anchor: vec2i,
  first_block: u32,
  // Vertices, COUNT_BITS; a bound on the error of each coordinate, BOUND_BITS; one on the magnitude of each, BOUND_BITS.
  bounds: u32,
}

// Where a polygon stands about its anchor: its vertices are rotation * v + offset.
struct Placement {
  // The shape's origin relative to the anchor.
  offset: vec2f,
  // Cosine and sine of the turn.
  rotation: vec2f,
}

struct RelationParams {
  // A multiple of WORKGROUP_SIZE.
  first_pair: u32,
  end_pair: u32,
  // Workgroups in a row of the dispatch.
  groups_x: u32,
  // Added to the second index of each pair: where the polygons of the second set begin.
  b_offset: u32,
  // A pair that takes more turns of the inner loop is uncertain.
  most_turns: u32,
  // The least common area of a pair, in square quanta, and for each unit of the sum of both areas.
  least_area: f32,
  least_part: f32,
}

// A point and a polygon that it may lie in.
struct PointCandidate {
  // The point relative to the polygon's anchor.
  offset: vec2f,
  // Bound on the error of each coordinate of that.
  error: f32,
  polygon: u32,
}

struct PointParams {
  candidate_count: u32,
  // Workgroups in a row of the dispatch.
  groups_x: u32,
}

struct HitsParams {
  // Words of codes.
  word_count: u32,
  // Workgroups in a row of the dispatch.
  groups_x: u32,
  // Workgroups that have words.
  group_count: u32,
  // Hits that the caller's buffer has room for.
  capacity: u32,
}

struct FigureParams {
  pair_count: u32,
  // Workgroups in a row of the dispatch.
  groups_x: u32,
  // Added to the second index of each pair: where the polygons of the second set begin.
  b_offset: u32,
  // A length that the figure takes.
  parameter: f32,
  // Where the motions of the second set begin.
  motion_offset: u32,
}

// How a polygon moves over a step.
struct MotionRecord {
  // The way of the centre.
  linear: vec2f,
  // Relative to the polygon's anchor; the anchor itself where it does not turn.
  centre: vec2f,
  // The angle, in radians.
  angular: f32,
  // At least the distance of any vertex from the centre.
  radius: f32,
  // Bound on what rounding the motion takes of any vertex at any time; huge where a kernel should not try.
  error: f32,
  padding: f32,
}
