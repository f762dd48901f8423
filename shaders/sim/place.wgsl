// Entry point, one invocation per body: writes the polygon and the placement that the manifold kernel reads, and the
// body's box in quanta, rounded outward. The CPU twin is src/sim/cpu/place.rs.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> states: array<BodyState>;
@group(0) @binding(2) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(3) var<storage, read> shapes: array<ShapeRecord>;
@group(0) @binding(4) var<storage, read> blocks: array<Block>;
@group(0) @binding(5) var<storage, read_write> polygons: array<Polygon>;
@group(0) @binding(6) var<storage, read_write> placements: array<Placement>;
@group(0) @binding(7) var<storage, read_write> boxes: array<vec4i>;
@group(0) @binding(8) var<storage, read_write> control: array<atomic<u32>>;

fn params_of_step() -> StepParams {
  return params;
}

// Returns the highest BOUND_BITS bits of x, rounded up. x must be 0 or more.
fn upper_bits(x: f32) -> u32 {
  let rest = 31u - BOUND_BITS;
  return (bitcast<u32>(x) + ((1u << rest) - 1u)) >> rest;
}

// Converts a bound relative to an anchor to a bound relative to the world's origin. Bounds beyond the world are clamped to its
// border.
fn bound_of(about_anchor: vec2f, anchor: vec2i) -> vec2i {
  let most = f32(BOX_LIMIT);
  return clamp(vec2i(clamp(about_anchor, vec2f(-most), vec2f(most))) + anchor, vec2i(1 - BOX_LIMIT), vec2i(BOX_LIMIT - 1));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let i = number_of(group, groups, lane);
  if (i >= params.body_count) {
    return;
  }
  let body = traits[i];
  if ((body.flags & PRESENT) == 0u) {
    boxes[i] = vec4i(1, 1, 0, 0);
    return;
  }
  let state = states[i];
  let shape = shapes[body.shape];
  let placement = Placement(state.offset * params.per_quantum, state.rotation);
  let end = shape.first_block + (shape.vertex_count + BLOCK_VERTICES - 1u) / BLOCK_VERTICES;
  let first = place(placement, blocks[shape.first_block]);
  var least_x = first.x;
  var least_y = first.y;
  var greatest_x = first.x;
  var greatest_y = first.y;
  for (var k = shape.first_block + 1u; k < end; k++) {
    let v = place(placement, blocks[k]);
    least_x = min(least_x, v.x);
    least_y = min(least_y, v.y);
    greatest_x = max(greatest_x, v.x);
    greatest_y = max(greatest_y, v.y);
  }
  var least = vec2f(
    min(min(least_x.x, least_x.y), min(least_x.z, least_x.w)),
    min(min(least_y.x, least_y.y), min(least_y.z, least_y.w)),
  );
  var greatest = vec2f(
    max(max(greatest_x.x, greatest_x.y), max(greatest_x.z, greatest_x.w)),
    max(max(greatest_y.x, greatest_y.y), max(greatest_y.z, greatest_y.w)),
  );
  let magnitudes = max(greatest, -least);
  let radius = max(magnitudes.x, magnitudes.y);
  let bounds = shape.vertex_count
    | (upper_bits(radius * TURNING) << COUNT_BITS)
    | (upper_bits(radius * (1.0 + TURNING)) << (COUNT_BITS + BOUND_BITS));
  polygons[i] = Polygon(state.anchor, shape.first_block, bounds);
  placements[i] = placement;
  let path = path_of(state, body);
  let reach = (shape.radius + margin_of(path)) * params.per_quantum;
  let way = path.displacement * params.per_quantum;
  // `along` is the distance that the box needs in the direction of the path. `near` is the distance that it needs on
  // all sides, for contacts with bodies that the body does not approach.
  var along = params.margin;
  let near = vec2f(nearness_of(path, body));
  if ((body.flags & FAST) == 0u) {
    along += min(abs(path.angle), 2.0) * (body.extent - shape.radius);
  } else {
    // The box leaves room for any rotation, and for pushes aside.
    let distance = min(params.aside, MOST_EXTENTS * body.extent) * params.per_quantum;
    let aside = params.aside_share * max(abs(way.x), abs(way.y)) + distance;
    let arm = (body.extent - shape.radius) * params.per_quantum + aside;
    least = placement.offset - arm;
    greatest = placement.offset + arm;
  }
  let grown = shape.radius * params.per_quantum + radius * TURNING;
  let before = max(vec2f(along) + max(-path.displacement, vec2f()), near) * params.per_quantum;
  let beyond = max(vec2f(along) + max(path.displacement, vec2f()), near) * params.per_quantum;
  boxes[i] = vec4i(
    bound_of(floor(least - (grown + before)), state.anchor),
    bound_of(ceil(greatest + (grown + beyond)), state.anchor),
  );
  // The bits of f32 values that are 0 or more have the same order as the values. Usually, the stored value is already
  // as great. The test avoids most of the atomic writes.
  if (atomicLoad(&control[REACH]) < bitcast<u32>(reach)) {
    atomicMax(&control[REACH], bitcast<u32>(reach));
  }
}
