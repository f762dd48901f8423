// What the entry points that make touches of manifolds have.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> control: array<u32>;
@group(0) @binding(2) var<storage, read> states: array<BodyState>;
@group(0) @binding(3) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(4) var<storage, read> shapes: array<ShapeRecord>;
@group(0) @binding(5) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(6) var<storage, read> manifolds: array<ManifoldRecord>;

fn touch_at(k: u32) -> TouchRecord {
  let bodies = pairs[k];
  let a = states[bodies.x];
  let b = states[bodies.y];
  let traits_a = traits[bodies.x];
  let traits_b = traits[bodies.y];
  let shape_a = shapes[traits_a.shape];
  let shape_b = shapes[traits_b.shape];
  let radii = vec2f(shape_a.radius, shape_b.radius);
  let between = between_of(a, b, params.quantum);
  let margin = margin_of(a, traits_a, params.dt, params.margin) + margin_of(b, traits_b, params.dt, params.margin);
  var touch: TouchRecord;
  if (max(shape_a.vertex_count, shape_b.vertex_count) == 1u) {
    touch = touch_of_discs(bodies, between, radii, margin);
  } else {
    touch = touch_of(bodies, manifolds[k], a.offset, between, radii, margin, params.quantum);
  }
  touch.friction = sqrt(traits_a.friction * traits_b.friction);
  touch.restitution = max(traits_a.restitution, traits_b.restitution);
  return touch;
}
