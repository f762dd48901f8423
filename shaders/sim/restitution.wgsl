// Returns the speed after a bounce, at the current gap. The bodies move until the gap is closed, bounce there with
// the restitution, and move back. Gravity changes the squares of both speeds by the same amount. `fall` is half of
// the change of speed by gravity in a sub-step.
fn speed_back(speed: f32, fall: f32, gap: f32, restitution: f32) -> f32 {
  let taken = 4.0 * params.inverse_h * fall * max(gap, 0.0);
  return sqrt(max((speed * speed - taken) * restitution * restitution + taken, 0.0));
}
