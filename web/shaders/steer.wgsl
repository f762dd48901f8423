// Entry point, one invocation per agent: writes the agent's preferred velocity into the world's record of its body.
// BodyState, Doorway and preferred_velocity are the library's code, which is put before this file.

struct Agent {
  // The start and the speed of the agent.
  start: vec2f,
  speed: f32,
  slot: u32,
}

struct Room {
  half_width: f32,
  half_thickness: f32,
  pillar: f32,
  quantum: f32,
}

@group(0) @binding(0) var<uniform> room: Room;
@group(0) @binding(1) var<storage, read> agents: array<Agent>;
@group(0) @binding(2) var<storage, read_write> states: array<BodyState>;

@compute @workgroup_size(64)
fn steer(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let k = (group.y * groups.x + group.x) * 64u + lane;
  if (k >= arrayLength(&agents)) {
    return;
  }
  let agent = agents[k];
  // The position of the agent is that of its centre of mass.
  let at = vec2f(states[agent.slot].anchor) * room.quantum + states[agent.slot].offset;
  let doorway = Doorway(room.half_width, room.half_thickness, room.pillar);
  let wish = preferred_velocity(doorway, agent.start, agent.speed, at);
  states[agent.slot].preferred_velocity[0] = wish.x;
  states[agent.slot].preferred_velocity[1] = wish.y;
}
