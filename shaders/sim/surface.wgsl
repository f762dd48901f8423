// The friction and the restitution of a contact between two bodies.

fn friction_between(a: BodyTraits, b: BodyTraits) -> f32 {
  return sqrt(a.friction * b.friction);
}

fn restitution_between(a: BodyTraits, b: BodyTraits) -> f32 {
  return max(a.restitution, b.restitution);
}
