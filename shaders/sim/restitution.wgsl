// How bodies bounce at a point.
struct Back {
  // The speed at which the bodies part.
  speed: f32,
  // The distance by which the bodies must be moved together along the normal before they bounce. It is 0 if they bounce
  // at their current positions.
  way: f32,
}

// Computes the bounce of bodies that approach each other at the speed `-speed`. The bodies first close their gap, then bounce
// with the restitution, and then move apart again. On the way to the bounce, gravity reduces the square of their speed by a
// certain amount, and on the way back it adds the same amount. If the bodies come back to their current positions, the result is
// the speed that they have there. If gravity stops them earlier, the bodies are moved together by the gap, and the result is the
// speed directly after the bounce. `fall` is half of the change of `speed` by gravity in a sub-step.
fn back_of(speed: f32, fall: f32, gap: f32, restitution: f32) -> Back {
  let way = max(gap, 0.0);
  let taken = 4.0 * params.inverse_h * fall * way;
  let square = (speed * speed - taken) * restitution * restitution;
  if (square + taken > 0.0) {
    return Back(sqrt(square + taken), 0.0);
  }
  return Back(sqrt(max(square, 0.0)), way);
}
