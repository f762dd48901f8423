// Entry point, one invocation per touch: keeps each touch for the next step if this step succeeded. The file of each
// solver provides impulses_of(k, point_count), which returns the normal and tangential impulses of each point, and
// inverse_masses_of(k). Both take the position k in the order of colours.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> control: array<u32>;
@group(0) @binding(2) var<storage, read> touches: array<TouchRecord>;
@group(0) @binding(3) var<storage, read> colours: array<u32>;
@group(0) @binding(4) var<storage, read> constraints: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> kept: array<KeptTouch>;

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
  let impulses = impulses_of(touch.place, touch.point_count);
  // If there is only one point, both entries hold it.
  let second = select(impulses.xy, impulses.zw, touch.point_count == 2u);
  let moved = moved_bits(select(vec2u(NOBODY), touch.bodies, inverse_masses_of(touch.place) > vec2f()));
  kept[k] = KeptTouch(
    touch.bodies,
    vec2u(a.feature, b.feature),
    array<vec2f, 2>(a.arm_a, b.arm_a),
    vec2f(impulses.x, second.x),
    vec2f(impulses.y, second.y),
    min(colours[k], COLOURS) | (moved << KEPT_MOVED_SHIFT),
    0u,
  );
}
