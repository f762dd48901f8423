// Entry point, an invocation a touch: of the touches of a body that have no colour yet, the one of the greatest priority takes
// the first colour that neither of its bodies has, if it is that for both. ROUND, set by the host, is the number of the round
// by 3: of a body's first three words one is the greatest priority of this round, one is made for the next, and one is cleared
// for that after it; the fourth is the colours it has.

@group(0) @binding(0) var<storage, read> control: array<u32>;
@group(0) @binding(1) var<storage, read> ends: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> colours: array<u32>;
@group(0) @binding(3) var<storage, read_write> body_colours: array<atomic<u32>>;

const NEXT: u32 = (ROUND + 1u) % 3u;
const AFTER: u32 = (ROUND + 2u) % 3u;

fn is_greatest(body: u32, priority: u32) -> bool {
  return body == NOBODY || atomicLoad(&body_colours[4u * body + ROUND]) == priority;
}

fn colours_of(body: u32) -> u32 {
  if (body == NOBODY) {
    return 0u;
  }
  return atomicLoad(&body_colours[4u * body + 3u]);
}

fn give(body: u32, taken: u32) {
  if (body != NOBODY) {
    atomicStore(&body_colours[4u * body + 3u], taken);
  }
}

fn go_on(body: u32, priority: u32, is_left: bool) {
  if (body != NOBODY) {
    if (is_left) {
      atomicMax(&body_colours[4u * body + NEXT], priority);
    }
    atomicStore(&body_colours[4u * body + AFTER], 0u);
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let k = number_of(group, groups, lane);
  if (k >= control[TOUCH_COUNT] || colours[k] != NO_COLOUR) {
    return;
  }
  let bodies = ends[k];
  let priority = priority_of(k);
  let wins = is_greatest(bodies.x, priority) && is_greatest(bodies.y, priority);
  if (wins) {
    let a = colours_of(bodies.x);
    let b = colours_of(bodies.y);
    let colour = min(countTrailingZeros(~(a | b)), COLOURS);
    colours[k] = colour;
    if (colour < COLOURS) {
      give(bodies.x, a | (1u << colour));
      give(bodies.y, b | (1u << colour));
    }
  }
  go_on(bodies.x, priority, !wins);
  go_on(bodies.y, priority, !wins);
}
