// Entry point, an invocation a touch: what the push solver knows of it. The twin of fill_block in src/sim/cpu/push.rs.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> control: array<u32>;
@group(0) @binding(2) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(3) var<storage, read> touches: array<TouchRecord>;
@group(0) @binding(4) var<storage, read_write> constraints: array<PushRecord>;

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
  let inverse = vec2f(traits[touch.bodies.x].inverse_mass, traits[touch.bodies.y].inverse_mass);
  let masses = inverse.x + inverse.y;
  var impulses = vec2f();
  for (var at = 0u; at < touch.point_count; at++) {
    impulses += vec2f(touch.points[at].normal_impulse, touch.points[at].tangent_impulse);
  }
  var constraint = PushRecord();
  constraint.share = inverse / masses;
  constraint.wanted = min(touch.separation + params.push_out_speed * params.dt, -params.slop);
  constraint.pushed = impulses.x * masses;
  constraint.rubbed = impulses.y * masses;
  constraint.mass = 1.0 / masses;
  constraints[k] = constraint;
}
