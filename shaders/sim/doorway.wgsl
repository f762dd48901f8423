// The preferred velocity of an agent of the crowd, for a caller's shaders that steer agents on the device. The CPU
// twin is `Doorway::preferred_velocity` in src/sim/scenes/crowd.rs.

struct Doorway {
  half_width: f32,
  half_thickness: f32,
  pillar: f32,
}

const AGENT_REACH: f32 = 0.28;
const AGENT_ARRIVAL: f32 = 0.5;

// Returns the preferred velocity of an agent at the position `at`. The agent started at `start`, and walks at the
// speed `speed`.
fn preferred_velocity(doorway: Doorway, start: vec2f, speed: f32, at: vec2f) -> vec2f {
  let heading = select(-1.0, 1.0, start.x < 0.0);
  let inner = doorway.pillar + AGENT_REACH;
  let outer = max(doorway.half_width - AGENT_REACH, inner);
  // The distance of the agent from the x axis, positive on the right-hand side of the agent.
  let right = -heading * at.y;
  if (at.x * heading > doorway.half_thickness) {
    let home = vec2f(-start.x, -heading * abs(start.y)) - at;
    return speed * home / max(length(home), AGENT_ARRIVAL);
  }
  let is_inside = abs(at.x) <= doorway.half_thickness;
  // The vector to the nearest point of the agent's lane, on the near side of the wall.
  var way = vec2f(-heading * (doorway.half_thickness + AGENT_REACH), -heading * clamp(right, inner, outer)) - at;
  if (is_inside || (right >= inner && right <= outer)) {
    way = vec2f(heading, 0.0);
  } else if (right < 0.0) {
    // Makes room for agents that come from the other side.
    way = vec2f(-0.3 * heading, -heading);
  }
  let distance = length(way);
  return select(vec2f(), speed * way / distance, distance > 0.0);
}
