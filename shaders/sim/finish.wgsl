// Entry point, one invocation per body and one more: if the step succeeded, moves each body to its new state, and
// keeps the index of the first touch of each body.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> control: array<u32>;
@group(0) @binding(2) var<storage, read> moving: array<MovingBody>;
@group(0) @binding(3) var<storage, read> pair_starts: array<u32>;
@group(0) @binding(4) var<storage, read> touch_starts: array<u32>;
@group(0) @binding(5) var<storage, read> parts: array<u32>;
@group(0) @binding(6) var<storage, read_write> states: array<BodyState>;
@group(0) @binding(7) var<storage, read_write> traits: array<BodyTraits>;
@group(0) @binding(8) var<storage, read_write> kept_starts: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let i = number_of(group, groups, lane);
  if (control[FAILED] != 0u || i > params.body_count) {
    return;
  }
  kept_starts[i] = touch_starts[pair_starts[i]];
  if (i < params.body_count) {
    let flags = traits[i].flags;
    if ((flags & MOVES) != 0u) {
      states[i] = moved(states[i], moving[i], parts[i], params.quantum).state;
    }
    if ((flags & ELSEWHERE) != 0u) {
      traits[i].flags = flags & ~ELSEWHERE;
    }
  }
}
