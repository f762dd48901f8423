// Entry point, one invocation per position in the order of colours: writes the rigid solver's data of the touch at
// this position. The CPU twin is `fill_point` in src/sim/cpu/rigid/blocks.rs.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> control: array<u32>;
@group(0) @binding(2) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(3) var<storage, read_write> touches: array<TouchRecord>;
@group(0) @binding(4) var<storage, read> order: array<u32>;
@group(0) @binding(5) var<storage, read_write> constraints: array<vec4u>;
@group(0) @binding(6) var<storage, read> kept: array<KeptTouch>;
@group(0) @binding(7) var<storage, read_write> totals: array<vec2f>;

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
  let number = order[k];
  let touch = touches[number];
  touches[number].place = k;
  let a = traits[touch.bodies.x];
  let b = traits[touch.bodies.y];
  let points = touch.points;
  constraints[HEAD_PLANE * params.contact_capacity + k] = vec4u(touch.bodies, bitcast<vec2u>(touch.normal));
  set_plane(INVERSE_PLANE, k, vec4f(a.inverse_mass, b.inverse_mass, a.inverse_inertia, b.inverse_inertia));
  set_plane(ARMS_PLANE, k, vec4f(points[0].arm_a, points[0].arm_b));
  // If there is only one point, the second arms are zero.
  set_plane(ARMS_PLANE + 1u, k, vec4f(points[1].arm_a, points[1].arm_b));
  let second = select(NO_POINT, points[1].separation, touch.point_count == 2u);
  set_plane(GAPS_PLANE, k, vec4f(points[0].separation, second, friction_between(a, b), restitution_between(a, b)));
  set_plane(IMPULSES_PLANE, k, matched(touch, a, b));
  totals[k] = vec2f();
}
