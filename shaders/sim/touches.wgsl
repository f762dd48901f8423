// The bindings and functions that the entry points for touches share. These entry points create touches from
// manifolds.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> control: array<u32>;
@group(0) @binding(2) var<storage, read> states: array<BodyState>;
@group(0) @binding(3) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(4) var<storage, read> shapes: array<ShapeRecord>;
@group(0) @binding(5) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(6) var<storage, read> manifolds: array<ManifoldRecord>;

fn params_of_step() -> StepParams {
  return params;
}

fn touch_at(k: u32) -> TouchRecord {
  let bodies = pairs[k];
  let record = manifolds[k];
  // The fraction of the paths at which sweep.wgsl measured the manifold.
  let part = record.separation;
  if (part == PASSED) {
    return TouchRecord();
  }
  let traits_a = traits[bodies.x];
  let traits_b = traits[bodies.y];
  let path_a = path_of(states[bodies.x], traits_a);
  let path_b = path_of(states[bodies.y], traits_b);
  let shape_a = shapes[traits_a.shape];
  let shape_b = shapes[traits_b.shape];
  var touch = touch_between(
    bodies,
    record,
    after(states[bodies.x], path_a, part),
    after(states[bodies.y], path_b, part),
    max(shape_a.vertex_count, shape_b.vertex_count) == 1u,
    vec2f(shape_a.radius, shape_b.radius),
    margin_of(path_a) + margin_of(path_b),
  );
  return at_start(touch, path_a, path_b, part);
}
