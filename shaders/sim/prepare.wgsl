// Entry point, an invocation a touch: what the solver knows of it. The twin of fill_point in src/sim/cpu/rigid/blocks.rs.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> control: array<u32>;
@group(0) @binding(2) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(3) var<storage, read> touches: array<TouchRecord>;
@group(0) @binding(4) var<storage, read_write> constraints: array<ConstraintRecord>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let k = number_of(group, groups, lane);
  if (k >= control[TOUCH_COUNT]) {
    return;
  }
  let touch = touches[k];
  let traits_a = traits[touch.bodies.x];
  let traits_b = traits[touch.bodies.y];
  let inverse = vec4f(traits_a.inverse_mass, traits_b.inverse_mass, traits_a.inverse_inertia, traits_b.inverse_inertia);
  var constraint = ConstraintRecord();
  constraint.inverse = inverse;
  for (var at = 0u; at < touch.point_count; at++) {
    let point = touch.points[at];
    constraint.points[at] = ConstraintPoint(
      mass_along(touch.normal, point, inverse),
      mass_along(tangent_of(touch.normal), point, inverse),
      0.0,
      0.0,
    );
  }
  constraints[k] = constraint;
}
