// The records that cross from host to device; their twins are in src/layout.rs. Lengths are in quanta.

// A convex shape: a run of vertices, counter-clockwise, relative to the shape's own origin.
struct Shape {
  vertex_offset: u32,
  vertex_count: u32,
  // At least the magnitude of any vertex: of each coordinate where no instance is turned, else Euclidean.
  radius: f32,
  padding: u32,
}

// An instance of a shape: its vertices are rotation * v + offset, relative to its anchor.
struct Instance {
  // A point of the scene's integer grid near the instance.
  anchor: vec2i,
  // The shape's origin relative to the anchor.
  offset: vec2f,
  // Cosine and sine of the turn.
  rotation: vec2f,
  shape_index: u32,
  // Bound on the error of each coordinate of each placed vertex.
  error: f32,
}

struct RelationParams {
  pair_count: u32,
  // Workgroups in a row of the dispatch.
  groups_x: u32,
  padding: vec2u,
}
