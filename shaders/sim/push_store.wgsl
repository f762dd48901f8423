// Entry point, an invocation a touch: what it gave, as impulses; of two points, half at each.

@group(0) @binding(0) var<storage, read> control: array<u32>;
@group(0) @binding(1) var<storage, read> constraints: array<PushRecord>;
@group(0) @binding(2) var<storage, read_write> touches: array<TouchRecord>;

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
  let constraint = constraints[k];
  let count = touches[k].point_count;
  let part = constraint.mass / f32(count);
  for (var at = 0u; at < count; at++) {
    touches[k].points[at].normal_impulse = constraint.pushed * part;
    touches[k].points[at].tangent_impulse = constraint.rubbed * part;
  }
}
