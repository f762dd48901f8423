// The speed of a bounce where the gap still is: by restitution where it is closed, then back. Gravity takes the same of the squares
// of both speeds. `fall` is half of what it adds to the speed in a sub-step.
fn speed_back(speed: f32, fall: f32, gap: f32, restitution: f32) -> f32 {
  let taken = 4.0 * params.inverse_h * fall * max(gap, 0.0);
  return sqrt(max((speed * speed - taken) * restitution * restitution + taken, 0.0));
}
