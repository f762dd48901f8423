// Which of its workgroup's lanes an invocation is, so that the lanes of a subgroup follow each other.

struct Invocation {
  @builtin(local_invocation_index) index: u32,
  @builtin(subgroup_id) subgroup: u32,
  @builtin(num_subgroups) subgroup_count: u32,
  @builtin(subgroup_invocation_id) place: u32,
  @builtin(subgroup_size) size: u32,
}

// Whether each place of the subgroups is an invocation: there are no more places than invocations.
fn fills_subgroups(invocation: Invocation) -> bool {
  return invocation.size * invocation.subgroup_count == WORKGROUP_SIZE;
}

fn lane_of(invocation: Invocation) -> u32 {
  let in_subgroups = invocation.size * invocation.subgroup + invocation.place;
  return select(invocation.index, in_subgroups, fills_subgroups(invocation));
}
