// The initial impulses of a touch, from the same points in the previous step. The CPU twin is `Touch::warm` in
// src/sim/cpu/touch.rs.

// Returns the normal impulse and the tangential impulse of each point.
fn matched(touch: TouchRecord, a: BodyTraits, b: BodyTraits) -> vec4f {
  var impulses = array<vec2f, 2>();
  if (touch.kept != NOBODY) {
    let last = kept[touch.kept];
    let near = NEAR * min(a.extent, b.extent);
    for (var at = 0u; at < touch.point_count; at++) {
      let point = touch.points[at];
      var best = near * near;
      for (var other = 0u; other < 2u; other++) {
        let way = last.arms_a[other] - point.arm_a;
        let away = select(dot(way, way), 0.0, last.features[other] == point.feature);
        if (away < best) {
          best = away;
          impulses[at] = vec2f(last.normal_impulses[other], last.tangent_impulses[other]);
        }
      }
    }
  }
  return vec4f(impulses[0], impulses[1]);
}
