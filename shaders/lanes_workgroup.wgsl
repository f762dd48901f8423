// Numbers the lanes of a workgroup by the local invocation index, on any device.

struct Invocation {
  @builtin(local_invocation_index) index: u32,
}

fn lane_of(invocation: Invocation) -> u32 {
  return invocation.index;
}
