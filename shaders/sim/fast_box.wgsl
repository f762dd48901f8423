// Entry point, one invocation per body: computes the fraction of a fast body's path on which the body stays inside its box. The
// search for neighbours used this box. For all other bodies, the fraction is 1. The CPU twin is `within_box` in
// src/sim/cpu/fast.rs.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> states: array<BodyState>;
@group(0) @binding(2) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(3) var<storage, read> boxes: array<vec4i>;
@group(0) @binding(4) var<storage, read> moving: array<MovingBody>;
// The bits of the fractions. The bits of f32 values that are 0 or more have the same order as the values.
@group(0) @binding(5) var<storage, read_write> parts: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let i = number_of(group, groups, lane);
  if (i >= params.body_count) {
    return;
  }
  var part = 1.0;
  if ((traits[i].flags & FAST) != 0u) {
    let state = states[i];
    // The box in quanta, relative to the body's anchor. The difference is computed in integers.
    let least = vec2f(boxes[i].xy - state.anchor);
    let greatest = vec2f(boxes[i].zw - state.anchor);
    let centre = state.offset * params.per_quantum;
    let reach = traits[i].extent * params.per_quantum;
    let way = moving[i].displacement * params.per_quantum;
    let room = select(centre - reach - least, greatest - centre - reach, way > vec2f());
    let long = abs(way);
    if (long.x > room.x) {
      part = min(part, room.x / long.x);
    }
    if (long.y > room.y) {
      part = min(part, room.y / long.y);
    }
  }
  parts[i] = bitcast<u32>(max(part, 0.0));
}
