// Entry point, one invocation per touch: finds the same touch in the previous step, and sets the ends of the touch in
// the graph that is coloured.

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> control: array<u32>;
@group(0) @binding(2) var<storage, read> traits: array<BodyTraits>;
@group(0) @binding(3) var<storage, read> kept: array<KeptTouch>;
@group(0) @binding(4) var<storage, read> kept_starts: array<u32>;
@group(0) @binding(5) var<storage, read_write> touches: array<TouchRecord>;
@group(0) @binding(6) var<storage, read_write> ends: array<vec2u>;
@group(0) @binding(7) var<storage, read_write> colours: array<u32>;
@group(0) @binding(8) var<storage, read_write> body_colours: array<atomic<u32>>;

// Returns the index of the kept touch of two bodies, among the kept touches that a body owned. Returns NOBODY if there
// is none.
fn kept_of(owner: u32, bodies: vec2u) -> u32 {
  if (owner < control[KEPT_BODIES]) {
    for (var k = kept_starts[owner]; k < kept_starts[owner + 1u]; k++) {
      if (all(kept[k].bodies == bodies)) {
        return k;
      }
    }
  }
  return NOBODY;
}

// Enters a touch at one of its ends: the priority of the touch if it has no colour, and its colour otherwise.
fn enter(body: u32, colour: u32, k: u32) {
  if (body == NOBODY) {
    return;
  }
  if (colour == NO_COLOUR) {
    atomicMax(&body_colours[4u * body], priority_of(k));
  } else {
    atomicOr(&body_colours[4u * body + 3u], 1u << colour);
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let k = number_of(group, groups, lane);
  if (k >= control[TOUCH_COUNT]) {
    return;
  }
  let bodies = touches[k].bodies;
  let a = traits[bodies.x];
  let b = traits[bodies.y];
  let moved = vec2<bool>(a.inverse_mass > 0.0, b.inverse_mass > 0.0);
  let touch_ends = select(vec2u(NOBODY), bodies, moved);
  ends[k] = touch_ends;
  var found = NOBODY;
  if (((a.flags | b.flags) & ELSEWHERE) == 0u) {
    found = kept_of(bodies.x, bodies);
    if (found == NOBODY) {
      found = kept_of(bodies.y, bodies);
    }
  }
  // Touches keep their colours from the previous step, except the touches of the colour under revision. Two touches
  // that share a body that contacts move had different colours before, so they have different colours now.
  var colour = NO_COLOUR;
  if (found != NOBODY) {
    let last = kept[found].colour_and_moved;
    let last_colour = last & ((1u << KEPT_MOVED_SHIFT) - 1u);
    if (last_colour < COLOURS && (moved_bits(touch_ends) & ~(last >> KEPT_MOVED_SHIFT)) == 0u) {
      colour = select(last_colour, NO_COLOUR, last_colour == control[REVISED_COLOUR]);
    }
  }
  colours[k] = colour;
  enter(touch_ends.x, colour, k);
  enter(touch_ends.y, colour, k);
  touches[k].kept = found;
}
