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
  let a = touches[k].bodies.x;
  let b = touches[k].bodies.y;
  let inverse = vec4f(traits[a].inverse_mass, traits[b].inverse_mass, traits[a].inverse_inertia, traits[b].inverse_inertia);
  let normal = touches[k].normal;
  constraints[k].inverse = inverse;
  for (var at = 0u; at < 2u; at++) {
    // Of one point, the second is all zeros.
    let arms = Arms(touches[k].points[at].arm_a, touches[k].points[at].arm_b);
    constraints[k].points[at] =
      ConstraintPoint(mass_along(normal, arms, inverse), mass_along(tangent_of(normal), arms, inverse), 0.0, 0.0);
  }
}
