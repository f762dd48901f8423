// What decides which of two touches is coloured first: of each number another one.

fn priority_of(k: u32) -> u32 {
  // Steps that each lead to every number once.
  var priority = k * 0x9e3779b1u;
  priority = (priority ^ (priority >> 15u)) * 0x85ebca77u;
  return priority ^ (priority >> 13u);
}
