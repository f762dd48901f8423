// Entry point, one invocation per position in the order of colours: writes the push solver's data of the touch at this position.
// The CPU twin is `fill_block` in src/sim/cpu/push/maker.rs.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> control: array<u32>;
@group(0) @binding(2) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(3) var<storage, read_write> touches: array<TouchRecord>;
@group(0) @binding(4) var<storage, read> order: array<u32>;
@group(0) @binding(5) var<storage, read_write> constraints: array<vec4u>;
@group(0) @binding(6) var<storage, read> kept: array<KeptTouch>;

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
  let inverse = vec2f(a.inverse_mass, b.inverse_mass);
  let masses = inverse.x + inverse.y;
  let points = matched(touch, a, b);
  let impulses = points.xy + points.zw;
  let wanted = min(touch.separation + params.push_out_speed * params.dt, -params.slop);
  constraints[HEAD_PLANE * params.contact_capacity + k] = vec4u(touch.bodies, bitcast<vec2u>(touch.normal));
  set_plane(SHARE_PLANE, k, vec4f(inverse / masses, wanted, touch.separation));
  set_plane(SURFACE_PLANE, k, vec4f(friction_between(a, b), restitution_between(a, b), 1.0 / masses, 0.0));
  set_plane(PUSHES_PLANE, k, vec4f(impulses * masses, 0.0, 0.0));
}
