// The records of a world on a device. Their twins are in src/sim/bodies.rs and src/sim/gpu/records.rs. Lengths are in
// the caller's unit unless a comment names another unit.

// The pose and the velocities of a body.
struct BodyState {
  // A point of the world's grid, in quanta.
  anchor: vec2i,
  // The vector from the anchor to the centre of mass.
  offset: vec2f,
  // The cosine and the sine of the angle.
  rotation: vec2f,
  velocity: vec2f,
  angular_velocity: f32,
  preferred_velocity: array<f32, 2>,
  padding: f32,
}

// The properties of a body that its motion does not change.
struct BodyTraits {
  inverse_mass: f32,
  inverse_inertia: f32,
  friction: f32,
  restitution: f32,
  linear_damping: f32,
  angular_damping: f32,
  preference: f32,
  shape: u32,
  // The layers that the body is a member of, and the layers that it collides with.
  layers: vec2u,
  flags: u32,
  // An upper bound on the distance between the centre of mass and any point of the body.
  extent: f32,
}

// A shape. The vertices of its core are in blocks, relative to the centre of mass, in quanta.
struct ShapeRecord {
  first_block: u32,
  vertex_count: u32,
  // The radius of the rounding of the shape.
  radius: f32,
  padding: u32,
}

struct StepParams {
  gravity: vec2f,
  dt: f32,
  // The duration of a sub-step.
  h: f32,
  inverse_h: f32,
  push_out_speed: f32,
  restitution_threshold: f32,
  // The margin for contacts of a body at rest. The margin of every body includes it.
  margin: f32,
  quantum: f32,
  per_quantum: f32,
  body_count: u32,
  // The number of buckets of the grid, minus 1.
  bucket_mask: u32,
  pair_capacity: u32,
  contact_capacity: u32,
  // The time for which the search for contacts looks ahead: a step and a fraction of a step.
  bounce_reach: f32,
  // The factor from `half_kick` to the mean velocity that gravity adds over the time `bounce_reach`.
  pull: f32,
  // The overlap that the push solver leaves between two bodies.
  slop: f32,
  // The room that the box of a fast body has beside its path is this distance, plus `aside_share` times the path.
  aside: f32,
  // Half of the velocity that gravity adds in a sub-step.
  half_kick: vec2f,
  // The displacement that gravity gives a body at rest in the time `bounce_reach`.
  fall: vec2f,
  aside_share: f32,
  // The overlap beyond which a contact of the rigid solver without a load is deep.
  deep: f32,
  // The bias and the compliance of contacts between two bodies that contacts move, then of contacts with a body that
  // contacts do not move.
  softness: array<vec4f, 2>,
}

// The solver's record of a body.
struct MovingBody {
  velocity: vec2f,
  angular_velocity: f32,
  // For a disc, the duration of the step. For other bodies, 0. Contact points do not rotate with a disc, so a disc rotates
  // at the end of the step.
  turning_time: f32,
  // The displacement of the centre of mass since the step began.
  displacement: vec2f,
  // The cosine and the sine of the rotation since the step began.
  turn: vec2f,
}

// A contact point in the output of the manifold kernel, in quanta. It has the layout of Contact in manifold.wgsl.
struct ManifoldPoint {
  position: vec2f,
  separation: f32,
  feature: u32,
}

struct ManifoldRecord {
  normal: vec2f,
  separation: f32,
  edge: u32,
  points: array<ManifoldPoint, 2>,
}

struct TouchPoint {
  // The vector from the centre of mass of a to the point.
  arm_a: vec2f,
  // The vector from the centre of mass of b to the point.
  arm_b: vec2f,
  separation: f32,
  // The feature, which identifies the point from step to step.
  feature: u32,
}

// A contact of two bodies that are near each other.
struct TouchRecord {
  // The rows of the bodies, the lower row first.
  bodies: vec2u,
  // The unit normal, from a to b.
  normal: vec2f,
  // The least gap between the bodies. It is negative if they overlap.
  separation: f32,
  // The number of points, 1 or 2.
  point_count: u32,
  // The index of the touch of the same bodies among the touches that were kept from the previous step, or NOBODY if
  // there is none.
  kept: u32,
  // The index of the touch in the order of colours.
  place: u32,
  points: array<TouchPoint, 2>,
}

// The data of a touch that is kept for the next step. If the touch has one point, both entries of each list hold this
// point.
struct KeptTouch {
  bodies: vec2u,
  features: vec2u,
  arms_a: array<vec2f, 2>,
  normal_impulses: vec2f,
  tangent_impulses: vec2f,
  // The colour, or COLOURS if the touch had no colour. The bits from KEPT_MOVED_SHIFT on are the result of
  // `moved_bits`.
  colour_and_moved: u32,
  padding: u32,
}

// Returns a word in which bit 0 is set if contacts move the first body, and bit 1 if contacts move the second body. An
// end is NOBODY if contacts do not move its body.
fn moved_bits(ends: vec2u) -> u32 {
  return select(0u, 1u, ends.x != NOBODY) | select(0u, 2u, ends.y != NOBODY);
}

// Returns the index of an invocation in its dispatch. `groups` is the number of workgroups in each dimension.
fn number_of(group: vec3u, groups: vec3u, lane: u32) -> u32 {
  return (group.y * groups.x + group.x) * WORKGROUP_SIZE + lane;
}

// Returns the size of a dispatch of `count` invocations, in workgroups of `size` invocations: the numbers of
// workgroups in x, y and z, and `count` itself.
fn groups_of(count: u32, size: u32) -> vec4u {
  let groups = count / size + select(0u, 1u, count % size != 0u);
  let x = clamp(groups, 1u, MOST_GROUPS);
  return vec4u(select(0u, x, groups > 0u), groups / x + select(0u, 1u, groups % x != 0u), 1u, count);
}
