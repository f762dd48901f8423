// Entry point, one invocation per touch of one colour. Touches of one colour share no body that contacts move.

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let k = atomicLoad(&control[COLOUR_STARTS + which.first]) + number_of(group, groups, lane);
  if (k < atomicLoad(&control[COLOUR_NEXT + which.first])) {
    solve_one(k);
  } else if (k < atomicLoad(&control[COLOUR_STARTS + which.first + 1u])) {
    solve_two(k);
  }
}
