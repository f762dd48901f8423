// Returns the priority of a touch in colouring. No two touches have the same priority.

fn priority_of(k: u32) -> u32 {
  // Each step is a bijection of u32.
  var priority = k * 0x9e3779b1u;
  priority = (priority ^ (priority >> 15u)) * 0x85ebca77u;
  return priority ^ (priority >> 13u);
}
