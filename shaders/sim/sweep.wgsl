// Follows approaching bodies along their paths until they meet or pass each other. The separation of each manifold is
// replaced by the fraction of the paths at which the manifold was measured: 0 at the start of the step, or PASSED if
// there is no contact. The CPU twin is src/sim/cpu/sweep.rs, which describes the method. A file with an entry point
// provides measured_again(k, bodies, a, b, &record), which returns false if it leaves the pair to another kernel, and reach_of.

@group(0) @binding(0) var<uniform> world: StepParams;
@group(0) @binding(1) var<uniform> params: FigureParams;
@group(0) @binding(2) var<storage, read> states: array<BodyState>;
@group(0) @binding(3) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(4) var<storage, read> shapes: array<ShapeRecord>;
@group(0) @binding(5) var<storage, read_write> manifolds: array<ManifoldRecord>;

const MOST_MEASUREMENTS: u32 = 12u;
// The gap at which two bodies meet, as a fraction of twice the margin of a body at rest.
const MET: f32 = 0.02;

fn params_of_step() -> StepParams {
  return world;
}

// Returns an upper bound on the distance by which rotation moves a point of the core along the path. Rotation does
// not change a disc.
fn turning_of(path: Path, traits: BodyTraits) -> f32 {
  let shape = shapes[traits.shape];
  return select(abs(path.angle) * (traits.extent - shape.radius), 0.0, shape.vertex_count == 1u);
}

// Returns the manifold, in quanta, of a touch with one point.
fn turned(record: ManifoldRecord, touch: TouchRecord, a: BodyState, radii: vec2f) -> ManifoldRecord {
  var manifold = record;
  manifold.normal = touch.normal;
  manifold.edge = (record.edge & ~(3u << POINT_COUNT_SHIFT)) | (1u << POINT_COUNT_SHIFT);
  // The shift inverts the conversion of a point in `touch_of`.
  let shift = 0.5 * (radii.x - radii.y) * touch.normal;
  let point = touch.points[0];
  manifold.points[0] = ManifoldPoint(
    (point.arm_a + a.offset - shift) * world.per_quantum,
    (point.separation + radii.x + radii.y) * world.per_quantum,
    point.feature,
  );
  return manifold;
}

// Returns the displacement that gravity gives the body along its path.
fn fall_of(traits: BodyTraits) -> vec2f {
  return select(vec2f(0.0), world.fall, (traits.flags & DYNAMIC) != 0u);
}

// Returns the greatest overlap along an axis of bodies that only graze each other.
fn graze_of() -> f32 {
  return GRAZE * world.margin + SINKING * length(world.fall);
}

// Bodies that overlap at the start of the step rest on each other if they approach by at most this distance.
fn resting_of() -> f32 {
  return length(world.fall) + graze_of();
}

// Gives the contact an axis as its normal if, without gravity, the bodies overlap along the axis by at most `most` during the
// whole step. The states are those after the fraction `part` of the paths. `way` is the displacement of the second body relative
// to the first body without gravity, and `fall` is the part of gravity.
fn grazed_along(
  axis: vec2f,
  most: f32,
  touch: TouchRecord,
  a: BodyState,
  b: BodyState,
  radii: vec2f,
  way: vec2f,
  fall: vec2f,
  part: f32,
) -> TouchRecord {
  let between = dot(between_of(a, b, world.quantum), axis);
  let bodies = touch.bodies;
  let ahead = reach_of(bodies.x, a, axis, axis, 0.0) + reach_of(bodies.y, b, -axis, -axis, 0.0) - between;
  let behind = reach_of(bodies.x, a, -axis, -axis, 0.0) + reach_of(bodies.y, b, axis, axis, 0.0) + between;
  let outward = select(-axis, axis, ahead <= behind);
  let overlap = min(ahead, behind) + radii.x + radii.y;
  if (overlap + part * dot(fall, outward) + abs(dot(way, axis)) <= most) {
    return turned_to(touch, outward, -overlap);
  }
  return touch;
}

// Gives a contact another normal if the bodies only graze each other. The CPU twin describes the method.
fn grazed(
  touch: TouchRecord,
  a: BodyState,
  b: BodyState,
  radii: vec2f,
  way: vec2f,
  fall: vec2f,
  part: f32,
) -> TouchRecord {
  let free = way - fall;
  // The square of a very long way overflows.
  if (-dot(free, touch.normal) <= graze_of() || dot(free, free) > 1e37) {
    return touch;
  }
  let across = vec2f(-free.y, free.x) / length(free);
  let found = grazed_along(across, graze_of(), touch, a, b, radii, free, fall, part);
  if (any(found.normal != touch.normal)) {
    return found;
  }
  let beside = vec2f(-touch.normal.y, touch.normal.x);
  return grazed_along(beside, LEVEL * world.margin, touch, a, b, radii, free, fall, part);
}

fn sweep(k: u32, bodies: vec2u) {
  let state_a = states[bodies.x];
  let state_b = states[bodies.y];
  let traits_a = traits[bodies.x];
  let traits_b = traits[bodies.y];
  let radii = vec2f(shapes[traits_a.shape].radius, shapes[traits_b.shape].radius);
  let path_a = path_of(state_a, traits_a);
  let path_b = path_of(state_b, traits_b);
  let margin = margin_of(path_a) + margin_of(path_b);
  let near = nearness_of(path_a, traits_a) + nearness_of(path_b, traits_b);
  let way = path_b.displacement - path_a.displacement;
  let turning = turning_of(path_a, traits_a) + turning_of(path_b, traits_b);
  let counts = vec2u(shapes[traits_a.shape].vertex_count, shapes[traits_b.shape].vertex_count);
  let are_discs = max(counts.x, counts.y) == 1u;
  let is_disc = min(counts.x, counts.y) == 1u;
  var record = manifolds[k];
  var at_a = state_a;
  var at_b = state_b;
  var part = 0.0;
  var touch = TouchRecord();
  // The contact at the start of the step.
  var first = TouchRecord();
  // Whether the bodies overlap at the start of the step, and move into each other.
  var enters = false;
  for (var measured = 0u; measured <= MOST_MEASUREMENTS; measured++) {
    if (measured > 0u && !are_discs && !measured_again(k, bodies, at_a, at_b, &record)) {
      return;
    }
    touch = touch_between(bodies, record, at_a, at_b, are_discs, radii, margin);
    if (measured == 0u) {
      first = touch;
    }
    if (touch.point_count == 0u) {
      part = PASSED;
      break;
    }
    if (measured == 0u && touch.separation <= 0.0 && !are_discs && -dot(way, touch.normal) > resting_of()) {
      // The bodies move into each other. Only the kernel that measures again has their vertices.
      enters = true;
      continue;
    }
    if (touch.separation <= select(0.0, MET * 2.0 * world.margin, measured > 0u)) {
      break;
    }
    let approach = turning - dot(way, touch.normal);
    if (approach * (1.0 - part) <= touch.separation) {
      // The bodies pass each other. Bodies that are near may still push each other.
      part = select(PASSED, part, touch.separation <= near);
      break;
    }
    if (measured == MOST_MEASUREMENTS) {
      break;
    }
    part += touch.separation / approach;
    at_a = after(state_a, path_a, part);
    at_b = after(state_b, path_b, part);
  }
  if (part != PASSED && !are_discs) {
    let is_level = turning <= FLAT * world.margin;
    let is_flat = is_level && part > 0.0;
    var exposed = exposed_over(exposed_over(touch, false, is_disc), true, is_disc);
    if (exposed.point_count > 0u && (is_flat || (is_level && enters))) {
      exposed = grazed(exposed, at_a, at_b, radii, way, fall_of(traits_b) - fall_of(traits_a), part);
    }
    if (is_flat && exposed.point_count > 0u && is_dropped(exposed, way, at_a, at_b)) {
      exposed.point_count = 0u;
    } else if (is_flat && exposed.point_count > 0u && is_replaced(exposed, first)) {
      part = 0.0;
      record = manifolds[k];
      touch = first;
      at_a = state_a;
      exposed = exposed_over(exposed_over(first, false, is_disc), true, is_disc);
    }
    if (exposed.point_count == 0u) {
      part = PASSED;
    } else if (any(exposed.normal != touch.normal) || exposed.separation != touch.separation) {
      record = turned(record, exposed, at_a, radii);
    }
  }
  record.separation = part;
  manifolds[k] = record;
}
