// Follows approaching bodies along their paths until they meet or pass each other. The separation of each manifold is
// replaced by the fraction of the paths at which the manifold was measured: 0 at the start of the step, or PASSED if
// there is no contact. The CPU twin is src/sim/cpu/sweep.rs, which describes the method. A file with an entry point
// provides measured_again(k, bodies, a, b, &record), which returns false if it leaves the pair to another kernel.

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
    let is_flat = part > 0.0 && turning <= FLAT * world.margin;
    var exposed = exposed_over(exposed_over(touch, false, is_disc), true, is_disc);
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
    } else if (any(exposed.normal != touch.normal)) {
      record = turned(record, exposed, at_a, radii);
    }
  }
  record.separation = part;
  manifolds[k] = record;
}
