// How bodies bounce at a point.
struct Back {
  // The speed at which the bodies part.
  speed: f32,
  // The distance by which the bodies first approach each other, along the normal. It is 0 if they bounce at their current
  // positions.
  way: f32,
}

// Returns how bodies bounce that approach each other at the speed `-speed`. The bodies move until the gap is closed,
// bounce there with the restitution, and move back. Gravity changes the squares of both speeds by the same amount. If
// the bodies come back to their current positions, the result is the speed that they have there. Otherwise, they bounce
// where the gap is closed. `fall` is half of the change of speed by gravity in a sub-step.
fn back_of(speed: f32, fall: f32, gap: f32, restitution: f32) -> Back {
  let way = max(gap, 0.0);
  let taken = 4.0 * params.inverse_h * fall * way;
  let square = (speed * speed - taken) * restitution * restitution;
  if (square + taken > 0.0) {
    return Back(sqrt(square + taken), 0.0);
  }
  return Back(sqrt(max(square, 0.0)), way);
}
