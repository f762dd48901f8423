// Entry point, an invocation a touch: what the next step takes over, if this one is whole.

@group(0) @binding(0) var<storage, read> control: array<u32>;
@group(0) @binding(1) var<storage, read> touches: array<TouchRecord>;
@group(0) @binding(2) var<storage, read> colours: array<u32>;
@group(0) @binding(3) var<storage, read> ends: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> kept: array<KeptTouch>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let k = number_of(group, groups, lane);
  if (control[FAILED] != 0u || k >= control[TOUCH_COUNT]) {
    return;
  }
  let touch = touches[k];
  let a = touch.points[0];
  let b = touch.points[touch.point_count - 1u];
  kept[k] = KeptTouch(
    touch.bodies,
    vec2u(a.feature, b.feature),
    array<vec2f, 2>(a.arm_a, b.arm_a),
    vec2f(a.normal_impulse, b.normal_impulse),
    vec2f(a.tangent_impulse, b.tangent_impulse),
    colours[k],
    moved_bits(ends[k]),
  );
}
