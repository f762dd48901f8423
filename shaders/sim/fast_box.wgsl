// Entry point, an invocation a body: the part of its way on which a fast body stays inside of the box in which others were
// looked for; of all other bodies 1. The twin of within_box in src/sim/cpu/fast.rs.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> states: array<BodyState>;
@group(0) @binding(2) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(3) var<storage, read> boxes: array<vec4i>;
@group(0) @binding(4) var<storage, read> moving: array<MovingBody>;
// As bits: numbers that are not negative are ordered as those.
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
    // In quanta about the body's anchor, a difference of integers.
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
