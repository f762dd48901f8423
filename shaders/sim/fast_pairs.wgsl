// Entry point, one invocation per pair: computes the fraction of its path that a fast body moves before it would pass
// into a static or kinematic body, by conservative advancement. The CPU twin is `part` in src/sim/cpu/fast.rs, which
// describes the method. way.wgsl computes a part of a rotation.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> control: array<u32>;
@group(0) @binding(2) var<storage, read> states: array<BodyState>;
@group(0) @binding(3) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(4) var<storage, read> shapes: array<ShapeRecord>;
@group(0) @binding(5) var<storage, read> blocks: array<Block>;
@group(0) @binding(6) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(7) var<storage, read> moving: array<MovingBody>;
@group(0) @binding(8) var<storage, read_write> parts: array<atomic<u32>>;

// The row of the fast body.
var<private> fast_body: u32;
// The placement of the fast body on its path.
var<private> fast_place: Placement;
// The placement of the other body on its path.
var<private> other_place: Placement;

fn placed(i: u32, v: Block) -> Block {
  if (i == fast_body) {
    return place(fast_place, v);
  }
  return place(other_place, v);
}

fn place_at(i: u32, part: f32) -> Placement {
  let state = states[i];
  let turn = part_of_turn(moving[i].turn, part);
  let r = state.rotation;
  return Placement(
    (state.offset + part * moving[i].displacement) * params.per_quantum,
    vec2f(r.x * turn.x - r.y * turn.y, r.y * turn.x + r.x * turn.y),
  );
}

// Returns an upper bound on the speed of a body's rotation, in radians per whole path.
fn turning_of(turn: vec2f) -> f32 {
  return 2.0 * abs(turn.y) / max(1.0 + turn.x, 0x1p-20);
}

struct Gap {
  // The unit normal from the first polygon to the second.
  normal: vec2f,
  gap: f32,
}

// Returns the gap between the cores, in quanta. If the gap over an edge is greater than `near`, the result may be less than
// the gap.
fn gap_of(i: u32, a: Polygon, j: u32, b: Polygon, origin: vec2f, near: f32) -> Gap {
  if (max(vertex_count(a), vertex_count(b)) == 1u) {
    let way = vertex_at(j, b, 0u) + origin - vertex_at(i, a, 0u);
    let distance = length(way);
    return Gap(select(vec2f(1.0, 0.0), way / distance, distance > 0.0), distance);
  }
  let best = best_edge(i, a, j, b, origin);
  // Segments and points on one line can be apart although no edge has a gap.
  let may_be_in_line = max(vertex_count(a), vertex_count(b)) == 2u && best.upper >= 0.0;
  let is_apart = best.separation > 0.0 || may_be_in_line;
  if (is_apart && best.separation <= near) {
    let found = closest(i, a, j, b, origin);
    let way = found.point_b - found.point_a;
    let normal = normal_over(i, a, j, b, best);
    let aside = abs(normal.x * way.y - normal.y * way.x);
    // Two closest vertices give the normal only if the line between them is not along the normal of the edge. Otherwise,
    // the vertices may be the ends of edges that face each other.
    let are_vertices = !found.feature_a.is_edge && !found.feature_b.is_edge;
    if (are_vertices && aside > FIGURE_BOUND * size_of_pair(a, b, origin)) {
      return Gap(way / found.distance, found.distance);
    }
  }
  return Gap(normal_over(i, a, j, b, best), best.separation);
}

fn part_of_way(fast: u32, other: u32) -> f32 {
  let shape = shapes[traits[fast].shape];
  let other_shape = shapes[traits[other].shape];
  let a = Polygon(states[fast].anchor, shape.first_block, shape.vertex_count);
  let b = Polygon(states[other].anchor, other_shape.first_block, other_shape.vertex_count);
  let origin = vec2f(b.anchor - a.anchor);
  let radii = shape.radius + other_shape.radius;
  let extent = traits[fast].extent;
  // Rotation moves only the cores. The core of a disc is a point, which does not rotate.
  let turning = turning_of(moving[fast].turn) * (extent - shape.radius)
    + turning_of(moving[other].turn) * (traits[other].extent - other_shape.radius);
  let way = moving[other].displacement - moving[fast].displacement;
  let nearest = 0.5 * params.margin;
  // The core gap up to which the bodies may be near enough to stop.
  let near = (radii + 1.25 * nearest) * params.per_quantum;
  fast_body = fast;
  var part = 0.0;
  var aim = 0.0;
  for (var k = 0u; k < MOST_ITERATIONS; k++) {
    fast_place = place_at(fast, part);
    other_place = place_at(other, part);
    let found = gap_of(fast, a, other, b, origin, near);
    let gap = found.gap * params.quantum - radii;
    if (k == 0u) {
      // The aim is a little deeper than the current overlap. The depth has a limit, because repeated steps must not
      // move the body through the other body.
      let inward = min(gap, max(gap - DEEPER * extent, -DEEPER * extent));
      aim = select(inward, -min(0.5 * nearest, DEEPER * extent), gap > nearest);
    }
    // If the other body moves and the fast body moves away from it, the fast body must not stop.
    if ((traits[other].flags & MOVES) != 0u && dot(moving[fast].displacement, found.normal) <= 0.0) {
      return 1.0;
    }
    let approach = turning - dot(way, found.normal);
    if (approach <= 0.0) {
      return 1.0;
    }
    let next = part + (gap - aim) / approach;
    if (next >= 1.0) {
      return 1.0;
    }
    // The gap is close enough to the aim.
    if (part > 0.0 && gap <= aim + 0.25 * nearest) {
      return part;
    }
    part = next;
  }
  return part;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let k = number_of(group, groups, lane);
  if (k >= control[PAIR_COUNT]) {
    return;
  }
  let bodies = pairs[k];
  let flags = vec2u(traits[bodies.x].flags, traits[bodies.y].flags);
  var fast = bodies;
  if ((flags.y & FAST) != 0u && (flags.x & DYNAMIC) == 0u) {
    fast = bodies.yx;
  } else if ((flags.x & FAST) == 0u || (flags.y & DYNAMIC) != 0u) {
    return;
  }
  let part = part_of_way(fast.x, fast.y);
  if (part < 1.0) {
    atomicMin(&parts[fast.x], bitcast<u32>(max(part, 0.0)));
  }
}
