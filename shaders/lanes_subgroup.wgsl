// Numbers the lanes of a workgroup. If all subgroups are full, the lanes of each subgroup are consecutive.

struct Invocation {
  @builtin(local_invocation_index) index: u32,
  @builtin(subgroup_id) subgroup: u32,
  @builtin(num_subgroups) subgroup_count: u32,
  @builtin(subgroup_invocation_id) place: u32,
  @builtin(subgroup_size) size: u32,
}

// Returns true if all subgroups of the workgroup are full.
fn fills_subgroups(invocation: Invocation) -> bool {
  return invocation.size * invocation.subgroup_count == WORKGROUP_SIZE;
}

// Returns the lane index of an invocation. If a subgroup is not full, the lane index is the local invocation index.
fn lane_of(invocation: Invocation) -> u32 {
  let in_subgroups = invocation.size * invocation.subgroup + invocation.place;
  return select(invocation.index, in_subgroups, fills_subgroups(invocation));
}
