// Entry point, one invocation per listed pair: follows its bodies along their paths.

@group(0) @binding(7) var<storage, read> polygons: array<Polygon>;
@group(0) @binding(8) var<storage, read> blocks: array<Block>;
@group(0) @binding(9) var<storage, read> followed: array<vec4u>;

// The row of the first body.
var<private> first_body: u32;
// The placement of the first body on its path.
var<private> first_place: Placement;
// The placement of the second body on its path.
var<private> second_place: Placement;

fn placed(i: u32, v: Block) -> Block {
  if (i == first_body) {
    return place(first_place, v);
  }
  return place(second_place, v);
}

// Returns how far one side of a body's core reaches in the direction `towards`, measured from the centre of mass. The side
// consists of the vertices that are at most `depth` behind the foremost vertex in the direction `facing`. If `depth` is 0, `facing`
// must be `towards`.
fn reach_of(body: u32, state: BodyState, facing: vec2f, towards: vec2f, depth: f32) -> f32 {
  let polygon = polygons[body];
  var foremost = -ANY;
  for (var k = 0u; k < vertex_count(polygon); k++) {
    foremost = max(foremost, dot(vertex_at(body, polygon, k), facing));
  }
  if (depth == 0.0) {
    // The loop below could miss the foremost vertex, because a device may round the same products in different ways.
    return foremost / world.per_quantum - dot(state.offset, facing);
  }
  var reach = -ANY;
  for (var k = 0u; k < vertex_count(polygon); k++) {
    let vertex = vertex_at(body, polygon, k);
    if (dot(vertex, facing) >= foremost - depth * world.per_quantum) {
      reach = max(reach, dot(vertex, towards));
    }
  }
  return reach / world.per_quantum - dot(state.offset, towards);
}

fn placement_of(state: BodyState) -> Placement {
  return Placement(state.offset * world.per_quantum, state.rotation);
}

fn measured_again(k: u32, bodies: vec2u, a: BodyState, b: BodyState, record: ptr<function, ManifoldRecord>) -> bool {
  first_body = bodies.x;
  first_place = placement_of(a);
  second_place = placement_of(b);
  let found = figure(bodies.x, bodies.y);
  record.normal = found.normal;
  record.edge = found.edge;
  for (var point = 0u; point < 2u; point++) {
    let at = found.points[point];
    record.points[point] = ManifoldPoint(at.position, at.separation, at.feature);
  }
  return true;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let at = number_of(group, groups, lane);
  if (at < followed[0].x) {
    let pair = followed[1u + at];
    sweep(pair.x, pair.yz);
  }
}
