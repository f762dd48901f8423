// The records of a world on a device; their twins are in src/sim/bodies.rs and src/sim/gpu/records.rs. Lengths are in the
// caller's unit where nothing else is said.

// How a body stands and moves.
struct BodyState {
  // A point of the world's grid, in quanta.
  anchor: vec2i,
  // From there to the centre of mass.
  offset: vec2f,
  // Cosine and sine.
  rotation: vec2f,
  velocity: vec2f,
  angular_velocity: f32,
  preferred_velocity: array<f32, 2>,
  padding: f32,
}

// What does not change as a body moves.
struct BodyTraits {
  inverse_mass: f32,
  inverse_inertia: f32,
  friction: f32,
  restitution: f32,
  linear_damping: f32,
  angular_damping: f32,
  preference: f32,
  shape: u32,
  // Those it is in, and those that it meets.
  layers: vec2u,
  flags: u32,
  // At least the distance of any point of it from its centre of mass.
  extent: f32,
}

// The vertices of its core are blocks about the centre of mass, in quanta.
struct ShapeRecord {
  first_block: u32,
  vertex_count: u32,
  // Of the rounding.
  radius: f32,
  padding: u32,
}

struct StepParams {
  gravity: vec2f,
  dt: f32,
  // The length of a sub-step.
  h: f32,
  inverse_h: f32,
  push_out_speed: f32,
  restitution_threshold: f32,
  // What is added to the margin of every body.
  margin: f32,
  quantum: f32,
  per_quantum: f32,
  body_count: u32,
  // Buckets of the grid's table, less 1.
  bucket_mask: u32,
  pair_capacity: u32,
  contact_capacity: u32,
  // For how long contacts look ahead: a step, and a part of one.
  bounce_reach: f32,
  // What gravity adds to a velocity in a step.
  pull: f32,
  // Overlap that the push solver leaves.
  slop: f32,
  padding: f32,
  // Half of what gravity adds to a velocity in a sub-step.
  half_kick: vec2f,
  // By how much gravity moves a body at rest in the time of bounce_reach.
  fall: vec2f,
  more_padding: vec2f,
  // Bias and compliance: of two bodies that contacts move, and of one with another that they do not.
  softness: array<vec4f, 2>,
}

// A body in the solver.
struct MovingBody {
  velocity: vec2f,
  angular_velocity: f32,
  padding: f32,
  // Since the step began: the way of the centre, cosine and sine of the turn.
  displacement: vec2f,
  turn: vec2f,
}

// What a manifold kernel gives, in quanta: FigureRecord of manifold.wgsl.
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
  // From the centres of mass to the point.
  arm_a: vec2f,
  arm_b: vec2f,
  separation: f32,
  // The same from step to step.
  feature: u32,
}

// Two bodies near each other.
struct TouchRecord {
  // The lower slot first.
  bodies: vec2u,
  // From a to b, of length 1.
  normal: vec2f,
  // The least gap.
  separation: f32,
  // 1 or 2.
  point_count: u32,
  // The number of the same touch among those that were kept; NOBODY if there is none.
  kept: u32,
  // Its place in the order of colours.
  place: u32,
  points: array<TouchPoint, 2>,
}

// What is kept of a touch for the next step. Of one point, both are that one.
struct KeptTouch {
  bodies: vec2u,
  features: vec2u,
  arms_a: array<vec2f, 2>,
  normal_impulses: vec2f,
  tangent_impulses: vec2f,
  // Its colour, COLOURS where it had none; then from KEPT_MOVED_SHIFT on, moved_bits.
  colour_and_moved: u32,
  padding: u32,
}

// Bit 0 where contacts move the first body, bit 1 where they move the second.
fn moved_bits(ends: vec2u) -> u32 {
  return select(0u, 1u, ends.x != NOBODY) | select(0u, 2u, ends.y != NOBODY);
}

// The number of an invocation.
fn number_of(group: vec3u, groups: vec3u, lane: u32) -> u32 {
  return (group.y * groups.x + group.x) * WORKGROUP_SIZE + lane;
}

// Groups of a dispatch for so many invocations, and their number.
fn groups_of(count: u32, size: u32) -> vec4u {
  let groups = count / size + select(0u, 1u, count % size != 0u);
  let x = clamp(groups, 1u, MOST_GROUPS);
  return vec4u(select(0u, x, groups > 0u), groups / x + select(0u, 1u, groups % x != 0u), 1u, count);
}
