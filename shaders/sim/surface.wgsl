// How the surfaces of two bodies act on each other.

fn friction_between(a: BodyTraits, b: BodyTraits) -> f32 {
  return sqrt(a.friction * b.friction);
}

fn restitution_between(a: BodyTraits, b: BodyTraits) -> f32 {
  return max(a.restitution, b.restitution);
}
